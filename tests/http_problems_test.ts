import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { runInNewContext } from "node:vm";
import { type LogEvent, openMemoryStorage, StorageError } from "../mod.ts";
import { assertProblem, createService, OPERATOR_KEY, readJson } from "./_service.ts";
import { unhandledDuring } from "./_waiting.ts";

const SECRET = "SELECT secret FROM /etc/passwd";

/** A service whose storage fails at every board, and what it logged. */
function createFailing(error: unknown) {
  const events: LogEvent[] = [];
  const service = createService({ log: (event) => void events.push(event) });
  service.storage.boards.get = () => Promise.reject(error);
  return { ...service, events };
}

describe("failures", () => {
  it("an unexpected failure is 500, says nothing of itself, and is logged once", async () => {
    const error = new Error(SECRET);
    const { send, events } = createFailing(error);
    const before = performance.now();
    const response = await send("GET", "/api/v1/boards/ideas?q=secret");
    const tookMs = performance.now() - before;
    const { requestId, detail } = await assertProblem(response, 500, "internal_error");
    assertEquals(detail.includes(SECRET), false);
    const [{ durationMs }] = events;
    assertEquals(
      [durationMs > 0, durationMs <= tookMs],
      [true, true],
      `${durationMs} of ${tookMs}`,
    );
    assertEquals(events.map((event) => ({ ...event, durationMs: 0 })), [{
      level: "error",
      requestId,
      method: "GET",
      route: "/api/v1/boards/:boardId",
      keyId: "operator",
      status: 500,
      durationMs: 0,
      error,
    }]);
  });

  it("a failure has the request id that the caller sent", async () => {
    const { send, events } = createFailing(new Error(SECRET));
    const headers = { "x-request-id": "from-the-caller.1" };
    const response = await send("GET", "/api/v1/boards/ideas", { headers });
    const { requestId } = await assertProblem(response, 500, "internal_error");
    assertEquals([requestId, events[0].requestId], ["from-the-caller.1", "from-the-caller.1"]);
  });

  for (const code of ["unavailable", "closed", "damaged", "conflict"] as const) {
    it(`a failure of storage is 503 with Retry-After when it is ${code}`, async () => {
      const { send, events } = createFailing(new StorageError(code, SECRET));
      const response = await send("GET", "/api/v1/boards/ideas");
      assertEquals(response.headers.get("retry-after"), "1");
      const { detail } = await assertProblem(response, 503, "storage_unavailable");
      assertEquals([detail.includes(SECRET), events[0].level], [false, "error"]);
    });
  }

  for (const thrown of [undefined, null, "text"]) {
    it(`a failure is logged as one when what was thrown is ${thrown}`, async () => {
      const { send, events } = createFailing(thrown);
      await assertProblem(await send("GET", "/api/v1/boards/ideas"), 500, "internal_error");
      assertEquals([events[0].level, events[0].error === undefined], ["error", false]);
    });
  }

  it("a failure of storage is 503 when a key is looked up", async () => {
    const service = createService();
    const key = await service.createKey(["*"]);
    await service.storage.close();
    const response = await service.send("GET", "/api/v1/boards", { key });
    await assertProblem(response, 503, "storage_unavailable");
  });

  it("a failure of storage is 503 when its class is of another copy or realm", async () => {
    class OtherStorageError extends Error {
      override readonly name = "StorageError";
    }
    const ofOtherRealm = runInNewContext("Object.assign(new Error(), { name: 'StorageError' })");
    for (const error of [new OtherStorageError(SECRET), ofOtherRealm]) {
      const { send } = createFailing(error);
      await assertProblem(await send("GET", "/api/v1/boards/ideas"), 503, "storage_unavailable");
    }
  });

  const failing = (): never => {
    throw new Error("disk full");
  };
  const FAILING_LOGS: Readonly<Record<string, () => void>> = {
    throws: failing,
    rejects: () => Promise.reject(new Error("disk full")),
    "rejects by a promise of another realm": () =>
      runInNewContext("Promise.reject(new Error('disk full'))"),
  };
  for (const [how, log] of Object.entries(FAILING_LOGS)) {
    it(`a request is answered though its log ${how}`, async () => {
      const { send } = createService({ log });
      const unhandled = await unhandledDuring(async () => {
        assertEquals(await readJson(await send("GET", "/livez")), { status: "ok" });
      });
      assertEquals(unhandled, []);
    });
  }

  for (
    const [what, options] of [
      ["the clock throws", { clock: failing }],
      ["the clock gives no time", { clock: () => NaN }],
      ["the clock gives a year that RFC 3339 can't write", { clock: () => 300_000_000_000_000 }],
      ["the clock gives a year before the first", { clock: () => -300_000_000_000_000 }],
      ["the source of request ids throws", { createRequestId: failing }],
      ["a request id would break a header", { createRequestId: () => "a\nb" }],
      ["a request id is too long", { createRequestId: () => "a".repeat(65) }],
      ["a request id is no text", { createRequestId: () => 5 as unknown as string }],
    ] as const
  ) {
    it(`a request is 500, and logged, when ${what}`, async () => {
      const events: LogEvent[] = [];
      const { send } = createService({ ...options, log: (event) => void events.push(event) });
      const response = await send("GET", "/livez");
      const { requestId } = await assertProblem(response, 500, "internal_error");
      assertEquals(events.map((event) => [event.requestId, event.status, event.level]), [
        [requestId, 500, "error"],
      ]);
    });
  }
});

describe("the title of a problem", () => {
  it("is the phrase of RFC 9110 when the status is 422, which was renamed", async () => {
    const response = await createService().send("POST", "/api/v1/boards", { json: {} });
    const { title } = await assertProblem(response, 422, "validation_failed");
    assertEquals(title, "Unprocessable Content");
  });
});

describe("log events", () => {
  it("an event names the route as declared, and nothing that a caller sent", async () => {
    const events: string[] = [];
    const { send } = createService({ log: (event) => events.push(JSON.stringify(event)) });
    const address = "ann@example.com";
    const form = { userEmail: address, userName: "Ann", subscribe: "true" };
    await send("PUT", "/api/v1/changelogs/subscribe?q=ann", { form });
    await send("GET", `/api/v1/changelogs/subscribers/${address}`);
    await send("PUT", "/api/v1/changelogs/subscribe", { json: { userEmail: address, x: 1 } });
    await send("GET", `/nowhere/${address}`, { key: "bc_wrong" });
    // What servers make of a body that is longer than its client said, and the next request.
    await send("ann%40example.comPUT", "/livez");
    const routes = events.map((event) => JSON.parse(event).route);
    assertEquals(routes, [
      "/api/v1/changelogs/subscribe",
      "/api/v1/changelogs/subscribers/:userEmail",
      "/api/v1/changelogs/subscribe",
      null,
      "/livez",
    ]);
    const methods = events.map((event) => JSON.parse(event).method);
    assertEquals(methods, ["PUT", "GET", "PUT", "GET", "_OTHER"]);
    for (const event of events) {
      for (const text of ["ann", "Ann", OPERATOR_KEY, "bc_", "q="]) {
        assertEquals(event.includes(text), false, event);
      }
    }
  });
});

describe("the key of a log event", () => {
  it("is that which was accepted, also where the request is refused afterwards", async () => {
    const keyIds: unknown[] = [];
    const service = createService({ log: ({ keyId }) => void keyIds.push(keyId) });
    const key = await service.createKey(["boards:read"]);
    const [{ keyId }] = await service.storage.apiKeys.list({ limit: 1 });
    await service.send("GET", "/api/v1/boards", { key });
    await service.send("GET", "/api/v1/keys", { key });
    await service.send("GET", "/api/v1/boards");
    await service.send("GET", "/api/v1/boards", { key: `${key}x` });
    await service.send("GET", "/livez", { key });
    assertEquals(keyIds, [keyId, keyId, "operator", null, null]);
  });
});

describe("health", () => {
  it("livez and readyz are 200 without a key, whatever the credentials are", async () => {
    const { send } = createService();
    for (const path of ["/livez", "/readyz", "/livez?x=%zz"]) {
      for (const key of [null, "a b"]) {
        assertEquals(await readJson(await send("GET", path, { key })), { status: "ok" });
      }
    }
  });

  it("readyz is 503 when storage takes no writes; livez stays 200", async () => {
    const { send, storage } = createService();
    await storage.close();
    await assertProblem(await send("GET", "/readyz"), 503, "storage_unavailable");
    assertEquals((await send("GET", "/livez")).status, 200);
  });

  it("readyz is 503 when storage fails with an error of its own", async () => {
    const ping = () => {
      throw new Error("no reason that the interface knows");
    };
    const { send } = createService({ storage: { ...openMemoryStorage(), ping } });
    await assertProblem(await send("GET", "/readyz"), 503, "storage_unavailable");
  });

  it("readyz is 503, and no error, when the server is stopping; all else stays 200", async () => {
    const stopping = new AbortController();
    const levels: string[] = [];
    const log = ({ level }: LogEvent) => void levels.push(level);
    const { send } = createService({ signal: stopping.signal, log });
    assertEquals((await send("GET", "/readyz")).status, 200);
    stopping.abort();
    await assertProblem(await send("GET", "/readyz"), 503, "storage_unavailable");
    assertEquals((await send("HEAD", "/readyz")).status, 503);
    assertEquals((await send("GET", "/livez")).status, 200);
    assertEquals((await send("GET", "/api/v1/boards")).status, 200);
    assertEquals(levels, Array(5).fill("info"));
  });
});
