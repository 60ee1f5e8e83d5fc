import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { assertCommonHeaders, assertProblem, createService } from "./_service.ts";

const ALLOWED: readonly [path: string, allow: string][] = [
  ["/api/v1/boards", "GET, HEAD, OPTIONS, POST"],
  ["/api/v1/boards/ideas", "DELETE, GET, HEAD, OPTIONS, PATCH"],
  ["/api/v1/changelogs/subscribe", "OPTIONS, PUT"],
  ["/api/v1/changelogs/subscribers", "GET, HEAD, OPTIONS"],
  ["/api/v1/changelogs/subscribers/ann@example.com", "DELETE, GET, HEAD, OPTIONS"],
  ["/api/v1/keys", "GET, HEAD, OPTIONS, POST"],
  ["/api/v1/keys/k1", "DELETE, OPTIONS"],
  ["/api/v1/keys/k1/rotate", "OPTIONS, POST"],
  ["/livez", "GET, HEAD, OPTIONS"],
  ["/readyz", "GET, HEAD, OPTIONS"],
  ["/openapi.json", "GET, HEAD, OPTIONS"],
  ["/docs", "GET, HEAD, OPTIONS"],
];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get!", "patch"];

describe("methods", () => {
  for (const [path, allow] of ALLOWED) {
    it(`OPTIONS answers 204 with Allow and needs no key on ${path}`, async () => {
      const response = await createService().send("OPTIONS", path, { key: null });
      assertEquals([response.status, response.headers.get("allow")], [204, allow]);
      assertEquals(await response.text(), "");
      assertCommonHeaders(response);
    });

    it(`a method is 405 with Allow when it is none of those of ${path}`, async () => {
      const { send } = createService();
      const allowed = allow.split(", ");
      for (const method of METHODS.filter((other) => !allowed.includes(other))) {
        const response = await send(method, path, { key: null });
        assertEquals([response.status, response.headers.get("allow")], [405, allow]);
        if (method !== "HEAD") await assertProblem(response, 405, "method_not_allowed");
      }
    });
  }

  it("HEAD answers like GET, without content", async () => {
    const { send } = createService();
    await send("POST", "/api/v1/boards", { form: { boardId: "ideas", name: "Idées" } });
    const paths = ["boards", "boards/ideas", "boards/none", "keys", "changelogs/subscribers"];
    for (const path of [...paths.map((path) => `/api/v1/${path}`), "/livez", "/none"]) {
      const headers = { "x-request-id": "same" };
      const [get, head] = [
        await send("GET", path, { headers }),
        await send("HEAD", path, { headers }),
      ];
      const length = `${(await get.arrayBuffer()).byteLength}`;
      assertEquals(head.status, get.status);
      assertEquals(Object.fromEntries(head.headers), {
        ...Object.fromEntries(get.headers),
        "content-length": length,
      });
      assertEquals(await head.text(), "");
    }
  });

  it("a method is judged before credentials", async () => {
    const response = await createService().send("POST", "/api/v1/changelogs/subscribe", {
      headers: { authorization: "Bearer a b" },
      key: null,
    });
    await assertProblem(response, 405, "method_not_allowed");
  });
});
