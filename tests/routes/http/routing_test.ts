import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { PROMISED, PROMISED_PUBLIC } from "../../_support/promised.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertCommonHeaders, assertOutcomes } from "../../_support/service.ts";
import { createService, outcomeOf, type Sent } from "../../_support/service.ts";

/** The promised paths with the methods of each, HEAD and OPTIONS among them. */
const METHODS_BY_PATH = new Map<string, string[]>();
for (const [method, template] of [...PROMISED, ...PROMISED_PUBLIC]) {
  const path = template.replaceAll(/{\w+}/g, "x");
  const methods = METHODS_BY_PATH.get(path) ?? ["OPTIONS"];
  METHODS_BY_PATH.set(path, [...methods, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
}

describe("routing", () => {
  it("answers 404 not_found unless a path is exactly one of the API's", async () => {
    const paths = [
      ...["/api", "/api/v1/", "/api/v2/boards", "/boards/ideas", "/API/v1/boards", "/livez%3Fx"],
      ...["/api/v1/Boards", "/api/v1/boards/", "/api/v1//boards", "//api/v1/boards", "/nowhere%zz"],
      ...["/api/v1/boards/ideas/", "/api/v1/boards/ideas/x", "/api/v1/%62oards", "/openapiXjson"],
      // These paths exist only with a public URL.
      ...PROMISED_PUBLIC.map(([, path]) => path.replaceAll(/{\w+}/g, "x")),
    ];
    await assertOutcomes(
      createService(),
      paths.flatMap((path) => [
        ["GET", path, {}, "404 not_found"],
        ["PUT", path, { key: null }, "404 not_found"],
      ]),
    );
  });

  it("answers 400 malformed_path when a parameter can't be decoded", async () => {
    const segments = ["%", "%z1", "%2", "%ff", "%C3%28", "%ED%A0%80", "%00", "%C0%80"];
    await assertOutcomes(
      createService(),
      segments.map((text) => ["GET", `boards/${text}`, { key: null }, "400 malformed_path"]),
    );
  });

  it("decodes a parameter once, and keeps an escaped slash in it", async () => {
    const service = createService();
    await service.call("POST", "boards", { boardId: "idea.s~_-1", name: "Ideas" });
    await assertOutcomes(service, [
      ["GET", "boards/%69dea%2Es%7E_-1", {}, "200"],
      ["GET", "boards/%2569dea.s~_-1", {}, "404 board_not_found"],
      ["GET", "boards/a%2Fb", {}, "404 board_not_found"],
    ]);
  });

  it("has everything under the base path, and nothing elsewhere", async () => {
    const service = createService({ basePath: "/a.b/back" });
    const form = { boardId: "ideas", name: "Ideas" };
    const created = await service.send("POST", "/a.b/back/api/v1/boards", { form });
    assertEquals(created.headers.get("location"), "/a.b/back/api/v1/boards/ideas");
    const paths = ["/api/v1/boards", "/livez", "/readyz", "/docs", "/openapi.json"];
    await assertOutcomes(
      service,
      paths.flatMap((path) => [
        ["GET", `/a.b/back${path}`, {}, "200"],
        ...["", "/aXb/back", "/a.b", "/A.b/back", "/a.b/back/x"]
          .map((prefix) => ["GET", prefix + path, {}, "404 not_found"] as const),
      ]),
    );
  });

  it("leads from the root to the changelog where that is public, else to the reference", async () => {
    await forEachRow([
      [{}, "/", "/docs"],
      [{ publicUrl: "https://example.com" }, "/", "/changelog"],
      [{ basePath: "/x" }, "/x/", "/x/docs"],
    ], async ([options, path, target]) => {
      const { status, headers } = await createService(options).send("GET", path, { key: null });
      assertEquals([status, headers.get("location")], [302, target]);
    });
  });
});

const PAGE = new RegExp(
  "^/(?:changelog(?:/(?:images/)?[a-z-]+)?|subscribe|roadmap|boards|me|me/.*|forget-browser|" +
    "(?:confirm|unsubscribe|preview|open|boards)/[^.]*)$",
);

describe("methods", () => {
  it("are told by OPTIONS without a key, and 405 with Allow where a path lacks them", async () => {
    const worker = { wake() {}, askForProof() {} };
    const { send } = createService({ publicUrl: "https://example.com", signUp: true, worker });
    const all = ["GET", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "patch"];
    await forEachRow(METHODS_BY_PATH, async ([path, methods]) => {
      const allow = methods.toSorted().join(", ");
      const options = await send("OPTIONS", path, { key: null });
      assertEquals([options.headers.get("allow"), await outcomeOf(options)], [allow, "204"]);
      assertCommonHeaders(options);
      for (const method of all.filter((other) => !methods.includes(other))) {
        const response = await send(method, path, { key: "a b" });
        assertEquals(response.headers.get("allow"), allow);
        assertEquals(await outcomeOf(response), "405 method_not_allowed");
        // A path of a page answers browsers with a page.
        const shown = await send(method, path, { key: "a b", headers: { accept: "text/html" } });
        const isPage = shown.headers.get("content-type")?.startsWith("text/html");
        assertEquals([shown.status, isPage], [405, PAGE.test(path)]);
      }
    });
  });

  it("answer to HEAD what they answer to GET, without content", async () => {
    const { send, call } = createService({ publicUrl: "https://example.com" });
    await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    const paths = ["boards", "boards/ideas", "boards/2", "/livez", "/none", "/docs", "/changelog"];
    await forEachRow([...paths, "changelogs/subscribers"], async (path) => {
      const headers = { "x-request-id": "same", accept: "text/csv" };
      const get = await send("GET", path, { headers });
      const head = await send("HEAD", path, { headers });
      const { length } = new Uint8Array(await get.arrayBuffer());
      assertEquals([head.status, await head.text()], [get.status, ""]);
      const expected = Object.fromEntries(get.headers);
      // The length of an export is not known in advance.
      if (path !== "changelogs/subscribers") expected["content-length"] = `${length}`;
      assertEquals(Object.fromEntries(head.headers), expected);
    });
  });
});

describe("common headers", () => {
  it("have the caller's X-Request-Id where it fits, else a fresh one", async () => {
    const { send } = createService();
    const fitting = ["A-z_0.9", "x".repeat(64)];
    await forEachRow([...fitting, "", "a b", "x".repeat(65), "a, b", "é"], async (given) => {
      const { headers } = await send("GET", "/none", { headers: { "x-request-id": given } });
      const requestId = `${headers.get("x-request-id")}`;
      if (fitting.includes(given)) assertEquals(requestId, given);
      else assertMatch(requestId, /^request-\d+$/);
    });
  });

  it("forbid caches to store anything but one record, and have no CORS", async () => {
    const { send } = createService();
    const kept: string[] = [];
    await forEachRow<readonly [method: string, path: string, json?: Sent["json"]]>([
      ["POST", "boards", { boardId: "ideas", name: "Ideas" }],
      ["GET", "boards/ideas"],
      ["GET", "boards"],
      ["PUT", "changelogs/subscribe", { userEmail: "ann@example.com", subscribe: true }],
      ["GET", "changelogs/subscribers/ann@example.com"],
      ["POST", "keys", { name: "App" }],
      ["DELETE", "boards/ideas"],
      ["GET", "/livez"],
    ], async ([method, path, json]) => {
      const headers = { origin: "https://app.example.com" };
      const response = await send(method, path, { json, headers });
      assertEquals(response.ok, true, await response.text());
      assertCommonHeaders(response);
      const names = [...response.headers.keys()];
      assertEquals(names.filter((name) => /^(?:access-control|vary)/.test(name)), []);
      if (response.headers.get("cache-control") !== "no-store") kept.push(`${method} ${path}`);
    });
    assertEquals(kept, ["GET boards/ideas"]);
  });
});
