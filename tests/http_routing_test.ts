import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  BOARDS_PATH,
  IDEAS_PATH,
  KEYS_PATH,
  SUBSCRIBE_PATH,
  SUBSCRIBERS_PATH,
  withIdeas,
} from "./_calls.ts";
import { PROMISED, PROMISED_PUBLIC } from "./_promised.ts";
import { forEachRow } from "./_rows.ts";
import { assertCommonHeaders, assertProblem, createService } from "./_service.ts";

/** The promised paths with the methods of each, HEAD and OPTIONS among them. */
const METHODS_BY_PATH = new Map<string, string[]>();
for (const [method, template] of [...PROMISED, ...PROMISED_PUBLIC]) {
  const path = template.replaceAll(/{\w+}/g, "x");
  const methods = METHODS_BY_PATH.get(path) ?? ["OPTIONS"];
  METHODS_BY_PATH.set(path, [...methods, ...(method === "GET" ? ["GET", "HEAD"] : [method])]);
}

describe("routing", () => {
  it("answers 404 not_found unless a path is exactly one of the API's", async () => {
    const { send } = createService();
    const paths = [
      ...["/api", "/api/v1", "/api/v1/", "/api/v2/boards", "/v1/boards", "/boards/ideas"],
      ...["/API/v1/boards", "/api/v1/Boards", "/api/v1/boards/", "/api/v1/boards//"],
      ...["/api/v1//boards", "//api/v1/boards", "//", "/api/v1/boards/ideas/", "/livez%3Fx"],
      ...["/api/v1/boards/ideas/x", "/api/v1/%62oards", "/api/v1/changelogs", "/openapiXjson"],
      ...["/api/v1/changelogs/Subscribe", "/api/v1/changelogs/subscribe/", "/Livez", "/livez/"],
      ...["/api/v1/keys/k1/rotate/", "/readyz/", "/nowhere%zz", "/docs/"],
    ];
    await forEachRow(paths, async (path) => {
      await assertProblem(await send("GET", path), 404, "not_found");
      await assertProblem(await send("PUT", path, { key: null }), 404, "not_found");
    });
  });

  it("answers 400 malformed_path when a parameter can't be decoded", async () => {
    const { send } = createService();
    const segments = ["%", "%z1", "%2", "%ff", "%C3%28", "%ED%A0%80", "%00", "a%00b", "%C0%80"];
    await forEachRow(segments, async (segment) => {
      for (
        const [method, path] of [
          ["GET", BOARDS_PATH],
          ["GET", SUBSCRIBERS_PATH],
          ["DELETE", KEYS_PATH],
        ]
      ) {
        const response = await send(method, `${path}/${segment}`, { key: null });
        await assertProblem(response, 400, "malformed_path");
      }
    });
  });

  it("decodes a parameter once, and keeps an escaped slash in it", async () => {
    const { send } = createService();
    await send("POST", BOARDS_PATH, { form: { boardId: "idea.s~_-1", name: "Ideas" } });
    const form = { userEmail: "ann+news@example.com", subscribe: "true" };
    await send("PUT", SUBSCRIBE_PATH, { form });
    await forEachRow([
      ["boards/%69dea%2Es%7E_-1", 200],
      ["boards/%2569dea.s~_-1", 404],
      ["boards/a%2Fb", 404],
      ["changelogs/subscribers/ann+news@example.com", 200],
      ["changelogs/subscribers/ann%2Bnews%40example.com", 200],
    ], async ([path, status]) => {
      const response = await send("GET", `/api/v1/${path}`);
      if (status === 200) return assertEquals(response.status, 200);
      await assertProblem(response, 404, "board_not_found");
    });
  });

  it("takes no part of a host for the path", async () => {
    const { handler } = createService();
    // What servers make of `GET /api/v1/boards` with such a Host.
    await forEachRow(["x/livez?", "x/livez#", "x\\livez?"], async (host) => {
      const request = new Request(`http://${host}/api/v1/boards`, { headers: { host } });
      await assertProblem(await handler(request), 400, "malformed_path");
    });
    // The target of `OPTIONS *`, as Deno hands it over.
    const star = new Request("http://localhost/");
    Object.defineProperty(star, "url", { value: "http://localhost*" });
    await assertProblem(await handler(star), 404, "not_found");
  });

  it("has everything under the base path, and nothing elsewhere", async () => {
    const { send } = createService({ basePath: "/a.b/back" });
    const form = { boardId: "ideas", name: "Ideas" };
    const created = await send("POST", `/a.b/back${BOARDS_PATH}`, { form });
    assertEquals(created.headers.get("location"), `/a.b/back${IDEAS_PATH}`);
    await forEachRow(
      ["/api/v1/boards", "/livez", "/readyz", "/docs", "/openapi.json"],
      async (path) => {
        assertEquals((await send("GET", `/a.b/back${path}`)).status, 200);
        for (const prefix of ["", "/aXb/back", "/a.b", "/A.b/back", "/a.b/back/x"]) {
          await assertProblem(await send("GET", prefix + path), 404, "not_found");
        }
      },
    );
    const root = await send("GET", "/a.b/back/", { key: null });
    assertEquals([root.status, root.headers.get("location")], [302, "/a.b/back/docs"]);
    await assertProblem(await send("GET", "/a.b/back"), 404, "not_found");
  });

  it("leads from the root to the changelog where that is public, else to the reference", async () => {
    const publicUrl = "https://example.com";
    await forEachRow([[{}, "/docs"], [{ publicUrl }, "/changelog"]], async ([options, target]) => {
      const { status, headers, body } = await createService(options).send("GET", "/");
      assertEquals([status, headers.get("location"), body], [302, target, null]);
      assertEquals(headers.get("cache-control"), "no-store");
    });
  });

  it("has the public pages with a public URL alone", async () => {
    const { send } = createService();
    await forEachRow(PROMISED_PUBLIC, async ([method, template]) => {
      const path = template.replaceAll(/{\w+}/g, "x");
      await assertProblem(await send(method, path, { key: null }), 404, "not_found");
    });
  });
});

describe("methods", () => {
  it("are told by OPTIONS without a key, and 405 with Allow where a path lacks them", async () => {
    const { send } = createService({ publicUrl: "https://example.com" });
    const all = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND", "get!", "patch"];
    await forEachRow(METHODS_BY_PATH, async ([path, methods]) => {
      const allow = methods.toSorted().join(", ");
      const options = await send("OPTIONS", path, { key: null });
      assertEquals([options.status, options.headers.get("allow")], [204, allow]);
      assertEquals(await options.text(), "");
      assertCommonHeaders(options);
      for (const method of all.filter((other) => !methods.includes(other))) {
        // Before credentials are looked at.
        const sent = { key: null, headers: { authorization: "Bearer a b" } };
        const response = await send(method, path, sent);
        assertEquals([response.status, response.headers.get("allow")], [405, allow]);
        if (method !== "HEAD") await assertProblem(response, 405, "method_not_allowed");
      }
    });
  });

  it("answer to HEAD what they answer to GET, without content", async () => {
    const { send } = await withIdeas();
    const paths = [
      BOARDS_PATH,
      IDEAS_PATH,
      `${IDEAS_PATH}2`,
      KEYS_PATH,
      "/livez",
      "/none",
      "/docs",
    ];
    await forEachRow(paths, async (path) => {
      const headers = { "x-request-id": "same" };
      const [get, head] = [
        await send("GET", path, { headers }),
        await send("HEAD", path, { headers }),
      ];
      const length = `${(await get.arrayBuffer()).byteLength}`;
      assertEquals([head.status, await head.text()], [get.status, ""]);
      const expected = { ...Object.fromEntries(get.headers), "content-length": length };
      assertEquals(Object.fromEntries(head.headers), expected);
    });
  });
});

describe("common headers", () => {
  it("have the caller's X-Request-Id where it fits, else a fresh one", async () => {
    const { send } = createService();
    async function idFor(given: string): Promise<string> {
      const response = await send("GET", "/none", { headers: { "x-request-id": given } });
      const { requestId } = await assertProblem(response, 404, "not_found");
      return requestId;
    }
    await forEachRow(["a", "A-z_0.9", "x".repeat(64)], async (given) => {
      assertEquals(await idFor(given), given);
    });
    const fresh = new Set<string>();
    const unfit = ["", "a b", "x".repeat(65), "a, b", "é", "a/b", "<script>"];
    await forEachRow(unfit, async (given) => {
      const id = await idFor(given);
      assertMatch(id, /^request-\d+$/);
      fresh.add(id);
    });
    assertEquals(fresh.size, unfit.length);
  });

  it("forbid to store any response but that of one record, and have no CORS", async () => {
    const { send } = createService();
    const entry = { entryId: "one", title: "One", body: "" };
    const kept: string[] = [];
    const calls: readonly [method: string, path: string, json?: unknown][] = [
      ["POST", "/api/v1/boards", { boardId: "ideas", name: "Ideas" }],
      ["PATCH", "/api/v1/boards/ideas", { name: "Wishes" }],
      ["GET", "/api/v1/boards/ideas"],
      ["GET", "/api/v1/boards"],
      ["PUT", SUBSCRIBE_PATH, { userEmail: "ann@example.com", subscribe: true }],
      ["GET", `${SUBSCRIBERS_PATH}/ann@example.com`],
      ["POST", "/api/v1/changelogs/entries", entry],
      ["GET", "/api/v1/changelogs/entries/one"],
      ["POST", "/api/v1/keys", { name: "App" }],
      ["DELETE", "/api/v1/boards/ideas"],
      ["OPTIONS", "/livez"],
      ["GET", "/livez"],
    ];
    await forEachRow(calls, async ([method, path, json]) => {
      const headers = { origin: "https://app.example.com" };
      const response = await send(method, path, { json, headers });
      assertEquals(response.ok, true, await response.text());
      assertCommonHeaders(response);
      const names = [...response.headers.keys()];
      assertEquals(names.filter((name) => /^(?:access-control|vary)/.test(name)), []);
      if (response.headers.get("cache-control") !== "no-store") kept.push(`${method} ${path}`);
    });
    assertEquals(kept, ["GET /api/v1/boards/ideas", "GET /api/v1/changelogs/entries/one"]);
  });
});
