import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { EVENT_TYPES, type ShownMessage } from "../model/webhook.ts";
import { forEachRow } from "./_rows.ts";
import { assertOutcomes, createService, outcomeOf, readJson, START } from "./_service.ts";
import { createWebhookService, ENDPOINT } from "./_webhooks.ts";

const MISSING = "404 webhook_not_found";

describe("webhooks", () => {
  it("show their secret when they are created, and not again", async () => {
    const { send, call } = createService();
    const types = ["subscriber.erased", "entry.published"];
    await forEachRow([
      [{ form: { url: ENDPOINT, types: types.join(" ") } }, types.toSorted()],
      [{ form: { url: ENDPOINT } }, [...EVENT_TYPES]],
    ], async ([sent, expected]) => {
      const { secret, ...shown } = await readJson(await send("POST", "webhooks", sent), 201);
      assertMatch(`${secret}`, /^whsec_[\w+/]{43}=$/);
      const state = { enabled: true, failingSince: null, createdAt: START, updatedAt: START };
      const webhook = { webhookId: shown.webhookId, url: ENDPOINT, types: expected, ...state };
      assertEquals(shown, webhook);
      assertEquals(await call("GET", `webhooks/${shown.webhookId}`), shown);
      const { data } = await call<{ data: typeof shown[] }>("GET", "webhooks");
      assertEquals(data.find(({ webhookId }) => webhookId === shown.webhookId), shown);
    });
  });

  it("name every value that is refused, and may point where the operator allows", async () => {
    const service = createService({ webhookAllow: ["LOCALHOST:9000"] });
    const { webhookId } = await service.call("POST", "webhooks", {
      url: "http://localhost:9000/in",
    });
    await forEachRow([
      [{ url: "https://10.0.0.1/", types: "entry.x" }, "url:invalid_value types:invalid_value"],
      [{ url: "http://localhost:9001/", colour: "red" }, "url:invalid_value colour:unknown_field"],
    ], async ([json, errors]) => {
      for (const [method, path] of [["POST", "webhooks"], ["PATCH", `webhooks/${webhookId}`]]) {
        assertEquals(await outcomeOf(await service.send(method, path, { json })), `422 ${errors}`);
      }
    });
    await assertOutcomes(service, [["POST", "webhooks", { json: {} }, "422 url:required"]]);
    assertThrows(
      () => createHandler({ storage: openMemoryStorage(), webhookAllow: ["localhost"] }),
      TypeError,
      'Cannot use webhookAllow: "localhost" is not HOST:PORT',
    );
  });

  it("are 20 at most, however many are created at once", async () => {
    const { send } = createService();
    const create = async () =>
      await outcomeOf(await send("POST", "webhooks", { json: { url: ENDPOINT } }));
    const outcomes = await Promise.all(Array.from({ length: 22 }, create));
    const tooMany = "409 too_many_webhooks";
    assertEquals(outcomes.toSorted(), [...Array(20).fill("201"), tooMany, tooMany]);
  });

  it("change in what is given, and updatedAt only with a change", async () => {
    const { create, advance, send, call } = createWebhookService();
    const { secret: _, ...created } = await create();
    const path = `webhooks/${created.webhookId}`;
    advance(1_000);
    assertEquals(await call("PATCH", path, { url: ENDPOINT }), created);
    const url = "https://example.org/";
    const form = { url, types: "entry.updated", enabled: "false" };
    const changed = { ...created, url, types: ["entry.updated"], enabled: false };
    const updatedAt = "2026-11-21T10:00:01.000Z";
    assertEquals(await readJson(await send("PATCH", path, { form })), { ...changed, updatedAt });
    assertEquals((await call("PATCH", path, { enabled: true })).enabled, true);
  });

  it("list their messages, newest first and page by page, and no others", async () => {
    const { create, advance, call, messages } = createWebhookService();
    const [{ webhookId }, { webhookId: other }] = [await create(), await create()];
    const created: ShownMessage[] = [];
    for (let i = 0; i < 3; i++) {
      advance(1_000);
      await call("POST", `webhooks/${other}/test`);
      created.unshift(await call("POST", `webhooks/${webhookId}/test`));
    }
    const { messageId, createdAt, ...rest } = created[2];
    assertMatch(messageId, /^msg_[0-9a-z]{24}$/);
    assertEquals(createdAt, "2026-11-21T10:00:01.000Z");
    const none = { lastStatus: null, lastProblem: null, lastAttemptAt: null };
    const waiting = { state: "waiting", attempts: 0, nextAttemptAt: createdAt } as const;
    assertEquals(rest, { type: "test", ...waiting, ...none });
    assertEquals(await messages(webhookId), created);
    type Page = { data: ShownMessage[]; nextCursor: string };
    const path = `webhooks/${webhookId}/messages?limit=2`;
    const first = await call<Page>("GET", path);
    const second = await call<Page>("GET", `${path}&cursor=${first.nextCursor}`);
    assertEquals([...first.data, ...second.data, second.nextCursor], [...created, null]);
  });

  it("are 404 when there is no such webhook or message", async () => {
    const { create, send, call } = createWebhookService();
    const [{ webhookId }, { webhookId: other }] = [await create(), await create()];
    const { messageId } = await call("POST", `webhooks/${other}/test`);
    await assertOutcomes({ send }, [
      ["GET", "webhooks/none", {}, MISSING],
      ["PATCH", "webhooks/none", { json: {} }, MISSING],
      ["DELETE", "webhooks/none", {}, MISSING],
      ["POST", "webhooks/none/rotate", {}, MISSING],
      ["POST", "webhooks/none/test", {}, MISSING],
      ["GET", "webhooks/none/messages", {}, MISSING],
      ["POST", `webhooks/none/messages/${messageId}/retry`, {}, MISSING],
      ["POST", `webhooks/${webhookId}/messages/${messageId}/retry`, {}, MISSING],
    ]);
  });
});
