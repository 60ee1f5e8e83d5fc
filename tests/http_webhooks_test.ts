import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { EVENT_TYPES, type ShownMessage, type ShownWebhook } from "../model/webhook.ts";
import {
  assertProblem,
  assertRefused,
  createService,
  readJson,
  type Sent,
  START,
} from "./_service.ts";
import { createWebhookService, ENDPOINT, type NewWebhook, WEBHOOKS } from "./_webhooks.ts";

type Page<T> = { readonly data: readonly T[]; readonly nextCursor: string | null };

describe("webhooks", () => {
  it("show their secret when they are created, and not again", async () => {
    const { send } = createService();
    const types = ["subscriber.erased", "entry.published"];
    const sent: readonly Sent[] = [
      { form: { url: ENDPOINT, types: types.join(" ") } },
      { json: { url: ENDPOINT, types } },
      { form: { url: ENDPOINT } },
    ];
    const created: NewWebhook[] = [];
    for (const options of sent) {
      created.push(await readJson<NewWebhook>(await send("POST", WEBHOOKS, options), 201));
    }
    for (const [at, { secret, ...shown }] of created.entries()) {
      assertMatch(secret, /^whsec_[\w+/]{43}=$/);
      const expected = at === 2 ? [...EVENT_TYPES] : ["entry.published", "subscriber.erased"];
      assertEquals(shown, {
        webhookId: shown.webhookId,
        url: ENDPOINT,
        types: expected,
        enabled: true,
        failingSince: null,
        createdAt: START,
        updatedAt: START,
      } as ShownWebhook);
      assertEquals(await readJson(await send("GET", `${WEBHOOKS}/${shown.webhookId}`)), shown);
    }
    const listed: ShownWebhook[] = [];
    for (let cursor = ""; listed.length < 3;) {
      const page: Page<ShownWebhook> = await readJson(
        await send("GET", `${WEBHOOKS}?limit=2${cursor}`),
      );
      listed.push(...page.data);
      cursor = `&cursor=${page.nextCursor}`;
    }
    const shown = created.map(({ secret: _, ...rest }) => rest);
    assertEquals(listed, shown.sort((a, b) => a.webhookId < b.webhookId ? -1 : 1));
  });

  it("name every value that is refused", async () => {
    const { create, send } = createWebhookService();
    const { webhookId } = await create();
    const rows: readonly (readonly [Record<string, unknown>, Record<string, string>])[] = [
      [{ url: "http://example.com/", types: "entry.gone" }, {
        url: "invalid_value",
        types: "invalid_value",
      }],
      [{ url: "https://10.0.0.1/", types: "" }, { url: "invalid_value", types: "invalid_value" }],
      [{ url: "https://localhost:9000/", colour: "red" }, {
        url: "invalid_value",
        colour: "unknown_field",
      }],
    ];
    for (const [json, errors] of rows) {
      await assertRefused(await send("POST", WEBHOOKS, { json }), errors);
      await assertRefused(await send("PATCH", `${WEBHOOKS}/${webhookId}`, { json }), errors);
    }
    await assertRefused(await send("POST", WEBHOOKS, { json: {} }), { url: "required" });
  });

  it("may point where the operator allows", async () => {
    const service = createService({ webhookAllow: ["LOCALHOST:9000"] });
    const url = "http://localhost:9000/in";
    await readJson(await service.send("POST", WEBHOOKS, { json: { url } }), 201);
    const json = { url: "http://localhost:9001/in" };
    await assertRefused(await service.send("POST", WEBHOOKS, { json }), { url: "invalid_value" });
    assertThrows(
      () => createHandler({ storage: openMemoryStorage(), webhookAllow: ["localhost"] }),
      TypeError,
      'Cannot use webhookAllow: "localhost" is not HOST:PORT',
    );
  });

  it("are 20 at most, however many are created at once", async () => {
    const { send } = createService();
    const json = { url: ENDPOINT };
    const all = await Promise.all(
      Array.from({ length: 25 }, () => send("POST", WEBHOOKS, { json })),
    );
    const created = all.filter(({ status }) => status === 201);
    assertEquals(created.length, 20);
    for (const response of all.filter(({ status }) => status !== 201)) {
      await assertProblem(response, 409, "too_many_webhooks");
    }
    const { webhookId } = await created[0].json();
    assertEquals((await send("DELETE", `${WEBHOOKS}/${webhookId}`)).status, 204);
    assertEquals((await send("DELETE", `${WEBHOOKS}/${webhookId}`)).status, 404);
    assertEquals((await send("POST", WEBHOOKS, { json })).status, 201);
    await assertProblem(await send("POST", WEBHOOKS, { json }), 409, "too_many_webhooks");
  });

  it("change in what is given, and only then", async () => {
    const { create, advance, send } = createWebhookService();
    const { secret: _, ...created } = await create();
    const path = `${WEBHOOKS}/${created.webhookId}`;
    advance(1_000);
    assertEquals(await readJson(await send("PATCH", path, { json: { url: ENDPOINT } })), created);
    const url = "https://example.org/";
    const form = { url, types: "entry.updated", enabled: "false" };
    const changed = { ...created, url, types: ["entry.updated"], enabled: false };
    const updatedAt = "2026-11-21T10:00:01.000Z";
    assertEquals(await readJson(await send("PATCH", path, { form })), { ...changed, updatedAt });
    const enabled = await readJson(await send("PATCH", path, { json: { enabled: true } }));
    assertEquals(enabled, { ...changed, enabled: true, updatedAt });
  });

  it("list their messages, newest first and page by page, and no others", async () => {
    const { create, advance, send, messages } = createWebhookService();
    const [{ webhookId }, { webhookId: other }] = [await create(), await create()];
    const created: ShownMessage[] = [];
    for (let i = 0; i < 5; i++) {
      advance(1_000);
      await send("POST", `${WEBHOOKS}/${other}/test`);
      const response = await send("POST", `${WEBHOOKS}/${webhookId}/test`);
      created.unshift(await readJson<ShownMessage>(response));
    }
    const { messageId, createdAt } = created[4];
    assertMatch(messageId, /^msg_[0-9a-z]{24}$/);
    assertEquals(created[4], {
      messageId,
      type: "test",
      state: "waiting",
      attempts: 0,
      lastStatus: null,
      lastProblem: null,
      lastAttemptAt: null,
      nextAttemptAt: createdAt,
      createdAt: "2026-11-21T10:00:01.000Z",
    });
    assertEquals(await messages(webhookId), created);
    const paged: ShownMessage[] = [];
    for (let query = "?limit=2"; query !== "";) {
      const response = await send("GET", `${WEBHOOKS}/${webhookId}/messages${query}`);
      const { data, nextCursor }: Page<ShownMessage> = await readJson(response);
      paged.push(...data);
      query = nextCursor === null ? "" : `?limit=2&cursor=${nextCursor}`;
    }
    assertEquals(paged, created);
  });

  it("are 404 when there is no such webhook or message", async () => {
    const { create, send } = createWebhookService();
    const { webhookId } = await create();
    const { webhookId: other } = await create();
    const sent = await send("POST", `${WEBHOOKS}/${other}/test`);
    const { messageId } = await readJson<ShownMessage>(sent);
    const rows: readonly (readonly [string, string])[] = [
      ...["none", "a%20b", "%C3%A9"].flatMap((id): [string, string][] => [
        ["GET", id],
        ["PATCH", id],
        ["DELETE", id],
        ["POST", `${id}/rotate`],
        ["POST", `${id}/test`],
        ["GET", `${id}/messages`],
        ["POST", `${id}/messages/${messageId}/retry`],
        ["POST", `${webhookId}/messages/${id}/retry`],
      ]),
      ["POST", `${webhookId}/messages/${messageId}/retry`],
    ];
    for (const [method, path] of rows) {
      const options = method === "PATCH" ? { json: {} } : {};
      const response = await send(method, `${WEBHOOKS}/${path}`, options);
      await assertProblem(response, 404, "webhook_not_found");
    }
  });
});
