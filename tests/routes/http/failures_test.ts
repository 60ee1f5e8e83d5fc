import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, StorageError } from "../../../mod.ts";
import { forEachRow } from "../../_support/rows.ts";
import {
  assertOutcomes,
  assertProblem,
  createService,
  OPERATOR_KEY,
} from "../../_support/service.ts";
import { unhandledDuring } from "../../_support/waiting.ts";

const DETAIL = "SELECT secret FROM /etc/passwd";

/** A service whose storage reads fail. */
function createFailing(error: unknown) {
  return createService({ storage: { ...openMemoryStorage(), get: () => Promise.reject(error) } });
}

function fail(): never {
  throw new Error("disk full");
}

describe("a failure", () => {
  it("is a 500 that says nothing of itself, and is logged once with the request id", async () => {
    const error = new Error(DETAIL);
    const { send, events } = createFailing(error);
    const headers = { "x-request-id": "from-the-caller.1" };
    const response = await send("GET", "boards/ideas?q=secret", { headers });
    const { requestId, detail } = await assertProblem(response, 500, "internal_error");
    assertEquals([requestId, detail.includes(DETAIL)], ["from-the-caller.1", false]);
    const [{ durationMs, ...event }, ...others] = events;
    assertEquals([durationMs > 0, others], [true, []]);
    const request = { method: "GET", route: "/api/v1/boards/:boardId", keyId: "operator" };
    assertEquals(event, { level: "error", requestId, ...request, status: 500, error });
  });

  it("is a 503 with Retry-After if storage fails, even with the class of another copy", async () => {
    const other = Object.assign(new Error(DETAIL), { name: "StorageError" });
    await forEachRow([new StorageError("unavailable", DETAIL), other], async (error) => {
      const { send, events } = createFailing(error);
      const response = await send("GET", "boards/ideas");
      assertEquals(response.headers.get("retry-after"), "1");
      const { detail } = await assertProblem(response, 503, "storage_unavailable");
      assertEquals([detail.includes(DETAIL), events[0].level], [false, "error"]);
    });
  });
});

describe("the log of requests", () => {
  it("has the route as declared, and nothing that a caller sent", async () => {
    const { send, events } = createService();
    const form = { userEmail: "ann@example.com", userName: "Ann", subscribe: "true" };
    await send("PUT", "changelogs/subscribe?q=ann", { form });
    await send("GET", "changelogs/subscribers/ann@example.com");
    await send("PUT", "changelogs/subscribe", { json: { userEmail: "ann@example.com", x: 1 } });
    await send("GET", "/nowhere/ann@example.com", { key: "bc_wrong" });
    // A body that is longer than announced is followed by the next request.
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

  it("may fail, and the change is still answered", async () => {
    await forEachRow([fail, () => Promise.reject(new Error("disk full"))], async (log) => {
      const service = createService({ log });
      const call = () => assertOutcomes(service, [["GET", "/livez", {}, "200"]]);
      assertEquals(await unhandledDuring(call), []);
    });
  });
});

describe("health", () => {
  it("is 200 without a key, whatever the credentials are", async () => {
    const paths = ["/livez", "/readyz"];
    const calls = paths.map((path) => ["GET", path, { key: "a b" }, "200"] as const);
    await assertOutcomes(createService(), calls);
  });

  it("is 503 at /readyz alone when storage takes no writes, or the server is stopping", async () => {
    const storage = { ...openMemoryStorage(), ping: fail };
    await forEachRow([{ storage }, { signal: AbortSignal.abort() }], async (options) => {
      const service = createService(options);
      await assertOutcomes(service, [
        ["GET", "/readyz", {}, "503 storage_unavailable"],
        ["GET", "/livez", {}, "200"],
        ["GET", "boards", {}, "200"],
      ]);
      assertEquals(service.events[0].level, "signal" in options ? "info" : "error");
    });
  });
});
