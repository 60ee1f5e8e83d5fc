import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { assertCommonHeaders, assertProblem, createService, OPERATOR_KEY } from "./_service.ts";

describe("common headers", () => {
  const { send, handler } = createService();

  for (const requestId of ["a", "A-z_0.9", "x".repeat(64)]) {
    it(`X-Request-Id is the caller's own when it is ${requestId}`, async () => {
      const response = await send("GET", "/livez", { headers: { "x-request-id": requestId } });
      assertEquals(response.headers.get("x-request-id"), requestId);
    });
  }

  for (const requestId of ["", "a b", "x".repeat(65), "a, b", "é", "a/b", "<script>"]) {
    it(`X-Request-Id is a fresh one when the caller's is "${requestId}"`, async () => {
      const response = await send("GET", "/none", { headers: { "x-request-id": requestId } });
      const fresh = response.headers.get("x-request-id");
      assertEquals(/^request-\d+$/.test(fresh ?? ""), true, `${fresh}`);
      assertEquals((await response.json()).requestId, fresh);
    });
  }

  it("X-Request-Id differs from request to request", async () => {
    const ids = await Promise.all([1, 2, 3].map(() => send("GET", "/livez")));
    assertEquals(new Set(ids.map(({ headers }) => headers.get("x-request-id"))).size, 3);
  });

  it("responses are not to be stored, and no CORS header is among them", async () => {
    const origin = { origin: "https://app.example.com" };
    for (const [method, path] of [["GET", "/livez"], ["GET", "/none"], ["OPTIONS", "/livez"]]) {
      const response = await send(method, path, { headers: origin });
      assertCommonHeaders(response);
      assertEquals(response.headers.get("cache-control"), "no-store");
      const cors = [...response.headers.keys()].filter((name) =>
        /^(access-control|vary)/.test(name)
      );
      assertEquals(cors, []);
    }
  });

  it("only the reading of one board may be kept", async () => {
    const kept: string[] = [];
    const { send } = createService();
    const json = { boardId: "ideas", name: "Ideas" };
    const calls: readonly [method: string, path: string, json?: unknown][] = [
      ["POST", "/boards", json],
      ["PATCH", "/boards/ideas", { name: "Wishes" }],
      ["GET", "/boards/ideas"],
      ["GET", "/boards"],
      ["PUT", "/changelogs/subscribe", { userEmail: "ann@example.com", subscribe: true }],
      ["GET", "/changelogs/subscribers/ann@example.com"],
      ["POST", "/keys", { name: "App" }],
      ["DELETE", "/boards/ideas"],
    ];
    for (const [method, path, json] of calls) {
      const response = await send(method, `/api/v1${path}`, { json });
      assertEquals(response.ok, true);
      if (response.headers.get("cache-control") !== "no-store") kept.push(`${method} ${path}`);
    }
    assertEquals(kept, ["GET /boards/ideas"]);
  });

  it("a key in the query or in a body is not looked at", async () => {
    const url = "http://localhost/api/v1/boards";
    const body = new URLSearchParams({ access_token: OPERATOR_KEY, name: "Ideas" });
    for (
      const request of [
        new Request(`${url}?access_token=${OPERATOR_KEY}`),
        new Request(url, { method: "POST", body }),
      ]
    ) {
      await assertProblem(await handler(request), 401, "missing_credentials");
    }
  });
});
