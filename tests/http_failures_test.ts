import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { API_KEYS, type LogEvent, openMemoryStorage, StorageError } from "../mod.ts";
import { BOARDS_PATH, IDEAS_PATH, SUBSCRIBE_PATH, SUBSCRIBERS_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, OPERATOR_KEY, readJson } from "./_service.ts";
import { unhandledDuring } from "./_waiting.ts";

const DETAIL = "SELECT secret FROM /etc/passwd";

/** A service whose storage reads fail, and what it logged. */
function createFailing(error: unknown) {
  const events: LogEvent[] = [];
  const storage = { ...openMemoryStorage(), get: () => Promise.reject(error) };
  const service = createService({ storage, log: (event) => void events.push(event) });
  return { ...service, events };
}

function fail(): never {
  throw new Error("disk full");
}

describe("a failure", () => {
  it("is a 500 that says nothing of itself, and is logged once with the request id", async () => {
    const error = new Error(DETAIL);
    const { send, events } = createFailing(error);
    const headers = { "x-request-id": "from-the-caller.1" };
    const before = performance.now();
    const response = await send("GET", `${IDEAS_PATH}?q=secret`, { headers });
    const tookMs = performance.now() - before;
    const { requestId, detail } = await assertProblem(response, 500, "internal_error");
    assertEquals([requestId, detail.includes(DETAIL)], ["from-the-caller.1", false]);
    const [{ durationMs, ...event }, ...others] = events;
    assert(durationMs > 0 && durationMs <= tookMs, `${durationMs} of ${tookMs}`);
    assertEquals(others, []);
    assertEquals(event, {
      level: "error",
      requestId,
      method: "GET",
      route: "/api/v1/boards/:boardId",
      keyId: "operator",
      status: 500,
      error,
    });
  });

  it("is a 503 with Retry-After if it is that of storage, whoever made its class", async () => {
    class OtherStorageError extends Error {
      override readonly name = "StorageError";
    }
    const codes = ["unavailable", "closed", "locked", "damaged", "incompatible"] as const;
    await forEachRow([
      ...codes.map((code) => new StorageError(code, DETAIL)),
      new OtherStorageError(DETAIL),
    ], async (error) => {
      const { send, events } = createFailing(error);
      const response = await send("GET", IDEAS_PATH);
      assertEquals(response.headers.get("retry-after"), "1");
      const { detail } = await assertProblem(response, 503, "storage_unavailable");
      assertEquals([detail.includes(DETAIL), events[0].level], [false, "error"]);
    });
    const service = createService();
    const key = await service.createKey(["*"]);
    await service.storage.close();
    const response = await service.send("GET", BOARDS_PATH, { key });
    await assertProblem(response, 503, "storage_unavailable");
  });

  it("is logged as one, whatever was thrown", async () => {
    await forEachRow([undefined, null, "text"], async (thrown) => {
      const { send, events } = createFailing(thrown);
      await assertProblem(await send("GET", IDEAS_PATH), 500, "internal_error");
      assertEquals([events[0].level, events[0].error === undefined], ["error", false]);
    });
  });

  it("is a 500, and logged, if it is that of the clock or the source of request ids", async () => {
    await forEachRow([
      { clock: fail },
      // What RFC 3339 can't write.
      ...[NaN, 3e14, -3e14].map((ms) => ({ clock: () => ms })),
      { createRequestId: fail },
      ...["a\nb", "", "a".repeat(65), 5].map((id) => ({ createRequestId: () => id as string })),
    ], async (options) => {
      const events: LogEvent[] = [];
      const { send } = createService({ ...options, log: (event) => void events.push(event) });
      const { requestId } = await assertProblem(await send("GET", "/livez"), 500, "internal_error");
      const [{ status, level, ...event }] = events;
      assertEquals([event.requestId, status, level], [requestId, 500, "error"]);
    });
  });
});

describe("the log", () => {
  it("has the route as declared, and nothing that a caller sent", async () => {
    const events: LogEvent[] = [];
    const { send } = createService({ log: (event) => void events.push(event) });
    const form = { userEmail: "ann@example.com", userName: "Ann", subscribe: "true" };
    await send("PUT", `${SUBSCRIBE_PATH}?q=ann`, { form });
    await send("GET", `${SUBSCRIBERS_PATH}/ann@example.com`);
    await send("PUT", SUBSCRIBE_PATH, { json: { userEmail: "ann@example.com", x: 1 } });
    await send("GET", "/nowhere/ann@example.com", { key: "bc_wrong" });
    // What servers make of a body that is longer than its client said, and the next request.
    await send("ann%40example.comPUT", "/livez");
    assertEquals(events.map(({ method, route, status }) => [method, route, status]), [
      ["PUT", "/api/v1/changelogs/subscribe", 200],
      ["GET", "/api/v1/changelogs/subscribers/:userEmail", 200],
      ["PUT", "/api/v1/changelogs/subscribe", 422],
      ["GET", null, 404],
      ["_OTHER", "/livez", 405],
    ]);
    const text = JSON.stringify(events);
    for (const sent of ["ann", "Ann", OPERATOR_KEY, "bc_", "q="]) {
      assert(!text.includes(sent), sent);
    }
  });

  it("has the key that was accepted, also where the request is refused afterwards", async () => {
    const keyIds: unknown[] = [];
    const service = createService({ log: ({ keyId }) => void keyIds.push(keyId) });
    const key = await service.createKey(["boards:read"]);
    const [{ keyId }] = await service.storage.list(API_KEYS, { limit: 1 });
    await service.send("GET", BOARDS_PATH, { key });
    await service.send("GET", "/api/v1/keys", { key });
    await service.send("GET", BOARDS_PATH);
    await service.send("GET", BOARDS_PATH, { key: `${key}x` });
    await service.send("GET", "/livez", { key });
    assertEquals(keyIds, [keyId, keyId, "operator", null, null]);
  });

  it("may fail: what was done is answered", async () => {
    await forEachRow([
      fail,
      () => Promise.reject(new Error("disk full")),
    ], async (log) => {
      const { send } = createService({ log });
      const unhandled = await unhandledDuring(async () => {
        assertEquals(await readJson(await send("GET", "/livez")), { status: "ok" });
      });
      assertEquals(unhandled, []);
    });
  });
});

describe("health", () => {
  it("is 200 without a key, whatever the credentials are", async () => {
    const { send } = createService();
    await forEachRow(["/livez", "/readyz"], async (path) => {
      for (const key of [null, "a b"]) {
        assertEquals(await readJson(await send("GET", path, { key })), { status: "ok" });
      }
    });
  });

  it("is 503 at /readyz alone when storage takes no writes, whatever it fails with", async () => {
    const closed = openMemoryStorage();
    await closed.close();
    await forEachRow([closed, { ...openMemoryStorage(), ping: fail }], async (storage) => {
      const { send } = createService({ storage });
      await assertProblem(await send("GET", "/readyz"), 503, "storage_unavailable");
      assertEquals((await send("GET", "/livez")).status, 200);
    });
  });

  it("is 503 at /readyz alone, and no error, when the server is stopping", async () => {
    const stopping = new AbortController();
    const levels = new Set<string>();
    const log = ({ level }: LogEvent) => void levels.add(level);
    const { send } = createService({ signal: stopping.signal, log });
    assertEquals((await send("GET", "/readyz")).status, 200);
    stopping.abort();
    await assertProblem(await send("GET", "/readyz"), 503, "storage_unavailable");
    assertEquals((await send("HEAD", "/readyz")).status, 503);
    await forEachRow(["/livez", BOARDS_PATH], async (path) => {
      assertEquals((await send("GET", path)).status, 200);
    });
    assertEquals([...levels], ["info"]);
  });
});
