import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { assertProblem, createService, OPERATOR_KEY } from "./_service.ts";

const UNKNOWN_PATHS = [
  "/",
  "/api",
  "/api/v1",
  "/api/v1/",
  "/api/v2/boards",
  "/v1/boards",
  "/boards/ideas",
  "/API/v1/boards",
  "/api/v1/Boards",
  "/api/v1/boards/",
  "/api/v1/boards//",
  "/api/v1//boards",
  "//api/v1/boards",
  "/api/v1/boards/ideas/",
  "/api/v1/boards/ideas/x",
  "/api/v1/%62oards",
  "/api/v1/changelogs",
  "/api/v1/changelogs/Subscribe",
  "/api/v1/changelogs/subscribe/",
  "/api/v1/keys/k1/rotate/",
  "/livez/",
  "/Livez",
  "/readyz/",
  "/nowhere%zz",
  "/openapiXjson",
  "/livez%3Fx",
];

describe("routing", () => {
  for (const path of UNKNOWN_PATHS) {
    it(`an unknown path is 404 not_found, with or without a key, when it is ${path}`, async () => {
      const service = createService();
      await assertProblem(await service.send("GET", path), 404, "not_found");
      await assertProblem(await service.send("PUT", path, { key: null }), 404, "not_found");
    });
  }

  for (
    const segment of ["%", "%z1", "%2", "%ff", "%C3%28", "%ED%A0%80", "%00", "a%00b", "%C0%80"]
  ) {
    it(`a path parameter is 400 malformed_path when it is ${segment}`, async () => {
      const { send } = createService();
      const paths = ["boards/", "keys/", "changelogs/subscribers/"];
      for (const path of paths) {
        const method = path === "keys/" ? "DELETE" : "GET";
        const response = await send(method, `/api/v1/${path}${segment}`, { key: null });
        await assertProblem(response, 400, "malformed_path");
      }
    });
  }

  it("a path parameter is decoded once", async () => {
    const { send } = createService();
    await send("POST", "/api/v1/boards", { form: { boardId: "idea.s~_-1", name: "Ideas" } });
    assertEquals((await send("GET", "/api/v1/boards/%69dea%2Es%7E_-1")).status, 200);
    const twice = await send("GET", "/api/v1/boards/%2569dea.s~_-1");
    await assertProblem(twice, 404, "board_not_found");
  });

  it("an escaped slash stays inside its segment", async () => {
    const { send } = createService();
    const response = await send("GET", "/api/v1/boards/a%2Fb");
    await assertProblem(response, 404, "board_not_found");
  });

  it("a plus sign in a path stands for itself", async () => {
    const { send } = createService();
    const form = { userEmail: "ann+news@example.com", subscribe: "true" };
    await send("PUT", "/api/v1/changelogs/subscribe", { form });
    const path = "/api/v1/changelogs/subscribers/";
    assertEquals((await send("GET", `${path}ann+news@example.com`)).status, 200);
    assertEquals((await send("GET", `${path}ann%2Bnews%40example.com`)).status, 200);
  });

  it("a Host header with a path in it never changes the route", async () => {
    const { handler } = createService();
    // What servers make of `GET /api/v1/boards` with such a Host.
    for (const host of ["x/livez?", "x/livez#", "x\\livez?"]) {
      const request = new Request(`http://${host}/api/v1/boards`, { headers: { host } });
      await assertProblem(await handler(request), 400, "malformed_path");
    }
  });

  for (const target of ["/livez#fragment", "/api/v1/boards?limit=5#fragment"]) {
    it(`a fragment, which no client should send, is no part of ${target}`, async () => {
      const { handler } = createService();
      const headers = { authorization: `Bearer ${OPERATOR_KEY}` };
      // `new Request` would take it away.
      const request = new Request("http://localhost/", { headers });
      Object.defineProperty(request, "url", { value: `http://localhost${target}` });
      assertEquals((await handler(request)).status, 200);
    });
  }

  it("a dot in the base path stands for itself", async () => {
    const { send } = createService({ basePath: "/a.b" });
    assertEquals((await send("GET", "/a.b/livez")).status, 200);
    await assertProblem(await send("GET", "/aXb/livez"), 404, "not_found");
  });

  it("everything lies under the base path when there is one", async () => {
    const { send } = createService({ basePath: "/feed/back" });
    assertEquals((await send("GET", "/feed/back/api/v1/boards")).status, 200);
    assertEquals((await send("GET", "/feed/back/livez")).status, 200);
    const form = { boardId: "ideas", name: "Ideas" };
    const created = await send("POST", "/feed/back/api/v1/boards", { form });
    assertEquals(created.headers.get("location"), "/feed/back/api/v1/boards/ideas");
    for (const path of ["/api/v1/boards", "/feed/backapi/v1/boards", "/feed/back", "/feed/livez"]) {
      await assertProblem(await send("GET", path), 404, "not_found");
    }
  });
});
