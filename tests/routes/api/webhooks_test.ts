import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { createBoardService } from "../../_support/boards.ts";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type Kind, openMemoryStorage, type Storage } from "../../../mod.ts";
import { WEBHOOK_LISTS } from "../../../model/kinds.ts";
import { EVENT_TYPES } from "../../../model/webhooks/webhook_event.ts";
import type { ShownMessage } from "../../../model/webhooks/webhook_message.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  createService,
  OPERATOR_KEY,
  outcomeOf,
  readJson,
  START,
} from "../../_support/service.ts";
import { createWebhookService, ENDPOINT } from "../../_support/webhooks.ts";

const MISSING = "404 webhook_not_found";

describe("webhooks", () => {
  it("show their secret when they are created, and not again", async () => {
    const { send, call } = createService();
    const types = ["subscriber.erased", "entry.published"];
    const format = "slack";
    await forEachRow([
      [{ form: { url: ENDPOINT, types: types.join(" ") } }, types.toSorted()],
      [{ form: { url: ENDPOINT } }, [...EVENT_TYPES]],
      [{ form: { url: ENDPOINT, format } }, ["entry.published"], format],
      [{ form: { url: ENDPOINT, format, types: "entry.updated" } }, ["entry.updated"], format],
    ], async ([sent, expected, format = "standard"]) => {
      const { secret, ...shown } = await readJson(await send("POST", "webhooks", sent), 201);
      assertMatch(`${secret}`, /^whsec_[\w+/]{43}=$/);
      const health = { failingSince: null, disabledAt: null, problem: null };
      const state = { enabled: true, ...health, createdAt: START, updatedAt: START };
      const { webhookId } = shown;
      const webhook = { webhookId, url: ENDPOINT, types: expected, format, ...state };
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

  it("change only in the given fields, and updatedAt only with a change", async () => {
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
    const body = JSON.stringify({ type: "test", timestamp: createdAt, data: { webhookId } });
    const waiting = { state: "waiting", attempts: 0, lastAttempts: [], nextAttemptAt: createdAt };
    assertEquals({ ...rest }, { type: "test", body, ...waiting });
    assertEquals(await messages(webhookId), created);
    type Page = { data: ShownMessage[]; nextCursor: string };
    const path = `webhooks/${webhookId}/messages?limit=2`;
    const first = await call<Page>("GET", path);
    const second = await call<Page>("GET", `${path}&cursor=${first.nextCursor}`);
    assertEquals([...first.data, ...second.data, second.nextCursor], [...created, null]);
  });

  it("are not sent again when their client has left", async () => {
    const { create, handler, call } = createWebhookService();
    const { webhookId } = await create();
    await call("POST", `webhooks/${webhookId}/test`);
    const replay = async (signal: AbortSignal) => {
      const request = new Request(`http://localhost/api/v1/webhooks/${webhookId}/replay`, {
        method: "POST",
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        body: new URLSearchParams({ since: START }),
        signal,
      });
      return (await (await handler(request)).json()).replayed;
    };
    assertEquals(await replay(AbortSignal.abort()), 0);
    assertEquals(await replay(new AbortController().signal), 1);
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
      ["POST", "webhooks/none/replay", { json: { since: START } }, MISSING],
      ["POST", `webhooks/${webhookId}/messages/${messageId}/retry`, {}, "404 message_not_found"],
    ]);
  });

  it("tell of subscribers only those keys that may read them", async () => {
    const { send, call, createKey } = createService();
    const key = await createKey(["webhooks:write"]);
    const json = { url: ENDPOINT };
    const { webhookId: ofAll } = await call("POST", "webhooks", json);
    const { webhookId: ofEntries } = await call("POST", "webhooks", {
      ...json,
      types: "entry.published",
    });
    const refused = "403 insufficient_scope";
    await assertOutcomes({ send }, [
      ["POST", "webhooks", { key, json }, refused],
      ["POST", "webhooks", { key, json: { ...json, types: "subscriber.erased" } }, refused],
      ["POST", "webhooks", { key, json: { ...json, types: "entry.updated" } }, "201"],
      ["PATCH", `webhooks/${ofAll}`, { key, json: { url: "https://evil.example/" } }, refused],
      ["PATCH", `webhooks/${ofEntries}`, { key, json: { types: "subscriber.updated" } }, refused],
      ["PATCH", `webhooks/${ofEntries}`, { key, json: { enabled: false } }, "200"],
    ]);
    await call("PUT", "changelogs/subscribe", { userEmail: "ann@example.com", subscribe: true });
    const path = `webhooks/${ofAll}/messages`;
    const { data: [hidden] } = await readJson<{ data: ShownMessage[] }>(
      await send("GET", path, { key }),
    );
    const { data: [shown] } = await call<{ data: ShownMessage[] }>("GET", path);
    assertEquals([hidden.type, hidden.body], ["subscriber.subscribed", null]);
    assertEquals(JSON.parse(shown.body!).data.userEmail, "ann@example.com");
  });

  it("tell of posts only those keys that may read them", async () => {
    const { send, call, createKey, add } = await createBoardService();
    const key = await createKey(["webhooks:write", "subscriptions:read"]);
    const { webhookId } = await call("POST", "webhooks", { url: ENDPOINT });
    const refused = "403 insufficient_scope";
    await assertOutcomes({ send }, [
      ["POST", "webhooks", { key, json: { url: ENDPOINT } }, refused],
      ["POST", "webhooks", { key, json: { url: ENDPOINT, types: "post.created" } }, refused],
      ["PATCH", `webhooks/${webhookId}`, { key, json: { url: "https://evil.example/" } }, refused],
      ["POST", `webhooks/${webhookId}/rotate`, { key }, refused],
      ["DELETE", `webhooks/${webhookId}`, { key }, refused],
    ]);
    await call("PATCH", "boards/ideas", { visibility: "private" });
    await add("dark");
    const path = `webhooks/${webhookId}/messages`;
    const { data: [hidden] } = await readJson<{ data: ShownMessage[] }>(
      await send("GET", path, { key }),
    );
    assertEquals([hidden.type, hidden.body], ["post.created", null]);
    const reader = await createKey(["webhooks:write", "posts:read"]);
    const { data: [shown] } = await readJson<{ data: ShownMessage[] }>(
      await send("GET", path, { key: reader }),
    );
    assertEquals(JSON.parse(shown.body!).data.postId, "dark");
  });

  it("are changed by no key that may not read subscribers, though told of them only meanwhile", async () => {
    const memory = openMemoryStorage();
    let meanwhile: (() => Promise<unknown>) | undefined;
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        const change = "webhook" in refs ? meanwhile : undefined;
        if (change !== undefined) meanwhile = undefined;
        await change?.();
        return await memory.transact(refs, decide);
      },
    };
    const { send, call, createKey } = createService({ storage });
    const { webhookId } = await call("POST", "webhooks", {
      url: ENDPOINT,
      types: "entry.published",
    });
    const path = `webhooks/${webhookId}`;
    meanwhile = () => call("PATCH", path, { types: "subscriber.subscribed" });
    const sent = {
      key: await createKey(["webhooks:write"]),
      json: { url: "https://evil.example/" },
    };
    assertEquals(await outcomeOf(await send("PATCH", path, sent)), "403 insufficient_scope");
    assertEquals((await call("GET", path)).url, ENDPOINT);
  });

  it("that are disabled are not tested", async () => {
    const { create, send, call } = createWebhookService();
    const { webhookId } = await create();
    await call("PATCH", `webhooks/${webhookId}`, { enabled: false });
    await assertOutcomes({ send }, [[
      "POST",
      `webhooks/${webhookId}/test`,
      {},
      "409 webhook_disabled",
    ]]);
  });

  it("list the messages in one state, or of one type", async () => {
    const { create, call, send } = createWebhookService();
    const { webhookId } = await create();
    for (let i = 0; i < 4; i++) {
      const json = { userEmail: `user${i}@example.com`, subscribe: i % 2 === 0 };
      await send("PUT", "changelogs/subscribe", { json });
      await call("POST", `webhooks/${webhookId}/test`);
    }
    const list = async (query: string) => {
      const path = `webhooks/${webhookId}/messages?limit=1&${query}`;
      const types: string[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: { data: ShownMessage[]; nextCursor: string | null } = await call(
          ...["GET", `${path}${cursor && `&cursor=${cursor}`}`] as const,
        );
        types.push(...page.data.map(({ type }) => type));
        cursor = page.nextCursor;
      }
      return types.join(" ");
    };
    assertEquals(await list("type=test"), "test test test test");
    assertEquals(
      await list("type=subscriber.subscribed"),
      "subscriber.subscribed subscriber.subscribed",
    );
    assertEquals((await list("state=waiting")).split(" ").length, 6 + 2);
    assertEquals(await list("state=delivered"), "");
  });

  it("created through one process are told of every later change through any other", async () => {
    const memory = openMemoryStorage();
    // On a shared database, a process may read a list that is a second old.
    const { staleMs = 0 } = WEBHOOK_LISTS;
    let cached: { readonly record: unknown; readonly atMs: number } | undefined;
    const other: Storage = {
      ...memory,
      isExclusive: false,
      async get<T>(kind: Kind<T>, key: string) {
        if (kind.name !== WEBHOOK_LISTS.name) return await memory.get(kind, key);
        const isFresh = cached !== undefined && performance.now() - cached.atMs < staleMs;
        if (!isFresh) cached = { atMs: performance.now(), record: await memory.get(kind, key) };
        return cached!.record as T | undefined;
      },
    };
    const [here, there] = [
      createService({ storage: { ...memory, isExclusive: false } }),
      createService({ storage: other }),
    ];
    const json = { userEmail: "ann@example.com", subscribe: true };
    await there.call("PUT", "changelogs/subscribe", json);
    const { webhookId } = await here.call("POST", "webhooks", { url: ENDPOINT });
    await there.call("PUT", "changelogs/subscribe", { ...json, subscribe: false });
    await here.call("PATCH", `webhooks/${webhookId}`, { enabled: false });
    await there.call("PUT", "changelogs/subscribe", json);
    const { data } = await here.call<{ data: ShownMessage[] }>(
      ...["GET", `webhooks/${webhookId}/messages`] as const,
    );
    assertEquals(data.map(({ type }) => type), ["subscriber.unsubscribed"]);
  });
});
