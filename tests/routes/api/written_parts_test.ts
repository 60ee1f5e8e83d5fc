import { deliveryPath } from "../../_support/deliveries.ts";
import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Scope } from "../../../model/keys/api_key.ts";
import { IMAGES } from "../../_support/images.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  createService,
  outcomeOf,
  readJson,
  type Sent,
  type TestService,
} from "../../_support/service.ts";

const REFUSED = "403 insufficient_scope";
const ANN = "changelogs/subscribers/ann@example.com";
const ENTRY = "changelogs/entries/a";

/** Creates a service with a board, an entry and a subscriber whose contents nobody else may see. */
async function withSecrets(): Promise<TestService> {
  const service = createService();
  const { send, call } = service;
  await call("POST", "boards", { boardId: "b", name: "Secret", description: "Secret" });
  await call("POST", "changelogs/entries", { entryId: "a", title: "Secret", body: "Secret" });
  const form = { userEmail: "ann@example.com", userName: "Secret", subscribe: "true" };
  await readJson(await send("PUT", "changelogs/subscribe", { form }));
  return service;
}

async function answerTo(
  { createKey, send }: TestService,
  call: readonly [method: string, path: string, json: unknown],
  scopes: readonly Scope[],
): Promise<string> {
  const [method, path, json] = call;
  const response = await send(method, path, { key: await createKey(scopes), json });
  assertEquals(response.status, 200, await response.clone().text());
  return await response.text();
}

describe("an answer to a change", () => {
  it("has only what the caller sent, and what follows, when its key may not read the rest", () =>
    forEachRow<readonly [Scope, Scope, string, string, unknown, string]>([
      ["boards:write", "boards:read", "PATCH", "boards/b", {}, "boardId updatedAt"],
      ["boards:write", "boards:read", "PATCH", "boards/b", { url: null }, "boardId url updatedAt"],
      ["entries:write", "entries:read", "PATCH", ENTRY, {}, "entryId updatedAt updatedBy"],
      [
        ...["entries:write", "entries:read"] as const,
        ...["PATCH", ENTRY, { labels: ["new"] }, "entryId labels updatedAt updatedBy"] as const,
      ],
      [
        ...["entries:publish", "entries:read", "POST", `${ENTRY}/publish`] as const,
        { notify: false },
        "entryId state publishedAt updatedAt updatedBy publishedBy changed",
      ],
    ], async ([write, read, method, path, json, names]) => {
      const service = await withSecrets();
      const part = await answerTo(service, [method, path, json], [write]);
      assertEquals(part.includes("Secret"), false, part);
      assertEquals(Object.keys(JSON.parse(part)).sort(), names.split(" ").sort());
      const whole = await answerTo(service, [method, path, json], [write, read]);
      assertEquals(whole.includes("Secret"), true, whole);
    }));

  it("has no numbers of a delivery when its key may not read entries", async () => {
    const service = await withSecrets();
    await service.call("POST", `${ENTRY}/publish`, { notify: true });
    const call = [
      "POST",
      `${deliveryPath(ENTRY.slice(ENTRY.lastIndexOf("/") + 1))}/cancel`,
      undefined,
    ] as const;
    const part = JSON.parse(await answerTo(service, call, ["entries:publish"]));
    assertEquals(Object.keys(part).sort(), ["changed", "deliveryId", "finishedAt", "state"]);
  });

  it("tells nothing of a subscriber, and changes nothing, when its key may not read them", async () => {
    const service = await withSecrets();
    const key = await service.createKey(["subscriptions:write", "boards:read"]);
    const sent: Sent = { key, json: {} };
    for (const address of [ANN, "changelogs/subscribers/nobody@example.com"]) {
      assertEquals(await outcomeOf(await service.send("PATCH", address, sent)), REFUSED);
      assertEquals(await outcomeOf(await service.send("DELETE", address, { key })), REFUSED);
    }
    assertEquals((await service.call("GET", ANN)).userName, "Secret");
  });
});

describe("an answer to a merge", () => {
  it("has no words of a post when its key may not read posts", async () => {
    const service = await withSecrets();
    for (const postId of ["one", "two"]) {
      await service.call("POST", "boards/b/posts", { postId, title: "Secret" });
    }
    const scopes: readonly Scope[] = ["posts:publish", "subscriptions:read"];
    const one = "boards/b/posts/one";
    await forEachRow<readonly [string, string, unknown]>([
      ["PUT", `${one}/domains/example.com`, { aside: true }],
      ["POST", `${one}/merge`, { into: "two" }],
      ["POST", `${one}/unmerge`, undefined],
    ], async (call) => {
      const part = await answerTo(service, call, scopes);
      const names = Object.keys(JSON.parse(part)).sort();
      assertEquals(names, ["boardId", "mergedInto", "postId", "votes"]);
      const whole = await answerTo(service, call, [...scopes, "posts:read"]);
      assertEquals(whole.includes("Secret"), true, whole);
    });
  });
});

describe("a webhook that is told of people", () => {
  it("keeps its secret and stays when a key that may not see people rotates or deletes it", async () => {
    const { send, call, createKey } = createService();
    const key = await createKey(["webhooks:write"]);
    const webhookOf = async (types: readonly string[]) =>
      (await call("POST", "webhooks", { url: "https://a.example/", types })).webhookId;
    const ofPeople = await webhookOf(["subscriber.subscribed"]);
    assertEquals(
      await outcomeOf(await send("POST", `webhooks/${ofPeople}/rotate`, { key })),
      REFUSED,
    );
    assertEquals(await outcomeOf(await send("DELETE", `webhooks/${ofPeople}`, { key })), REFUSED);
    assertEquals((await send("GET", `webhooks/${ofPeople}`)).status, 200);
    const ofEntries = await webhookOf(["entry.published"]);
    assertEquals((await send("POST", `webhooks/${ofEntries}/rotate`, { key })).status, 200);
    assertEquals((await send("DELETE", `webhooks/${ofEntries}`, { key })).status, 204);
  });
});

describe("an image that a public entry shows", () => {
  it("stays when a key that may not publish deletes it", async () => {
    const { send, call, createKey } = createService();
    const headers = { "content-type": "image/png" };
    const body = IMAGES["image/png"];
    const added = await send("POST", "changelogs/images", { headers, body });
    const { imageId } = await readJson<{ imageId: string }>(added, 201);
    const path = `changelogs/images/${imageId}`;
    const draft = { entryId: "a", title: "A", body: `![A](images/${imageId})` };
    await call("POST", "changelogs/entries", draft);
    await call("POST", `${ENTRY}/publish`, { notify: false });
    const writer = await createKey(["entries:write"]);
    assertEquals(await outcomeOf(await send("DELETE", path, { key: writer })), REFUSED);
    await call("POST", `${ENTRY}/unpublish`);
    assertEquals((await send("DELETE", path, { key: writer })).status, 204);
    assertEquals(
      await outcomeOf(await send("DELETE", path, { key: writer })),
      "404 image_not_found",
    );
  });
});
