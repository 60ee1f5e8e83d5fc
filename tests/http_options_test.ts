import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type HandlerOptions, openMemoryStorage } from "../mod.ts";
import { BOARDS_PATH, SUBSCRIBE_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, OPERATOR_KEY, readJson } from "./_service.ts";

const ORIGIN = "https://app.example.com";
const EXPOSED = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/** What creating a handler throws for an option. */
function refusalOf(options: object | null | undefined): Error {
  const given = options && { storage: openMemoryStorage(), ...options };
  return assertThrows(() => createHandler(given as HandlerOptions), Error);
}

describe("the options of the handler", () => {
  it("have the platform's clock and random request ids by default", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    const before = new Date().toISOString();
    const response = await handler(
      new Request(`http://localhost${BOARDS_PATH}`, {
        method: "POST",
        headers: { authorization: `Bearer ${OPERATOR_KEY}` },
        body: new URLSearchParams({ name: "Ideas" }),
      }),
    );
    assertEquals(response.headers.get("x-request-id")?.length, 36);
    const { createdAt } = await readJson(response, 201);
    assert(`${createdAt}` >= before && `${createdAt}` <= new Date().toISOString());
  });

  it("are taken at their limits", async () => {
    await forEachRow(["/a/b", "/.well-known", "/...", "/~Ann/x_1-2.3"], async (basePath) => {
      const { send } = createService({ basePath });
      assertEquals((await send("GET", `${basePath}/livez`)).status, 200);
    });
    createService({ bodyTimeoutMs: 2 ** 31 - 1, rateLimit: { requests: 1, windowSeconds: 1 } });
  });

  it("are refused with a TypeError that names the option and what to write", async () => {
    const storage = openMemoryStorage();
    await forEachRow([undefined, null, {}], (options) => {
      const error = assertThrows(() => createHandler(options as never), TypeError);
      assertMatch(error.message, /^Cannot use storage: /);
    });
    const { get: _, ...partial } = storage;
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      storage: [
        ...[undefined, null, {}, openMemoryStorage, Promise.resolve(storage), partial],
        ...["list", "transact", "ping"].map((name) => ({ ...storage, [name]: undefined })),
      ],
      basePath: [
        ...["x", "/x/", "/a b", "/a//b", "/é", "/a?b", "/.", "/a/..", "/a/./b", null],
        ["/x"],
      ],
      corsOrigins: [null, 5, ORIGIN],
      operatorKey: [
        null,
        5,
        "x".repeat(23),
        `bc_${"0".repeat(36)}`,
        "a key with spaces in it, too",
      ],
      signal: [null, true, new AbortController()],
      log: [null, true, console],
      clock: [null, 5],
      createRequestId: [null, "id"],
    };
    for (const [name, values] of Object.entries(wrong)) {
      await forEachRow(values.map((value) => [name, value] as const), ([, value]) => {
        const error = refusalOf({ [name]: value });
        assert(error instanceof TypeError && error.message.startsWith(`Cannot use ${name}`));
        if (name === "operatorKey") assert(!error.message.includes(`${value}`));
      });
    }
    const origins = [
      "*",
      "https://*.a.example",
      "https://a.*",
      "https://a.example/",
      "https://a b",
    ];
    await forEachRow([...origins, "a.example", "ftp://a.example", "null", 5], (origin) => {
      const error = refusalOf({ corsOrigins: [origin] });
      assertEquals(error.message, `Cannot use origin "${origin}": write it like ${ORIGIN}`);
    });
    assertMatch(refusalOf({ basePath: "/" }).message, /leave it out to mount at the root$/);
    assertEquals(
      refusalOf({ corsOrigin: [] }).message,
      'Cannot use the option "corsOrigin": there is none; did you mean corsOrigins?',
    );
    assertMatch(refusalOf({ port: 8000 }).message, /there is none; the options are storage, /);
  });

  it("are refused with a RangeError where a number is none or too large", async () => {
    const numbers = [0, -1, 1.5, NaN, Infinity, "5"];
    await forEachRow<Record<string, unknown>>([
      ...[0, -1, NaN, Infinity, 2 ** 31, "250", null].map((bodyTimeoutMs) => ({ bodyTimeoutMs })),
      ...[null, 0, "", true, 100, {}].map((rateLimit) => ({ rateLimit })),
      ...numbers.map((requests) => ({ rateLimit: { requests, windowSeconds: 1 } })),
      ...numbers.map((windowSeconds) => ({ rateLimit: { requests: 1, windowSeconds } })),
    ], (options) => {
      const error = refusalOf(options);
      assert(error instanceof RangeError, error.message);
      assert(error.message.startsWith(`Cannot use ${Object.keys(options)[0]}: `), error.message);
    });
  });
});

describe("CORS", () => {
  const { send } = createService({ corsOrigins: [ORIGIN, "http://localhost:5173"] });
  const preflight = { "access-control-request-method": "PUT" };

  function corsOf({ headers }: Response): Readonly<Record<string, string>> {
    const all = [...headers].filter(([name]) => name.startsWith("access-control-"));
    return Object.fromEntries(all.map(([name, value]) => [name.slice(15), value]));
  }

  it("lets the origins of the list read every response, and no other", async () => {
    await forEachRow([ORIGIN, "http://localhost:5173"], async (origin) => {
      const response = await send("PUT", SUBSCRIBE_PATH, { key: null, headers: { origin } });
      assertEquals(corsOf(response), { "allow-origin": origin, "expose-headers": EXPOSED });
      assertEquals(response.headers.get("vary"), "Origin");
      await assertProblem(response, 401, "missing_credentials");
    });
    await forEachRow([
      ...["null", `${ORIGIN}:8443`, "http://app.example.com", `${ORIGIN}.evil.example`],
      ...["https://APP.example.com", undefined],
    ], async (origin) => {
      const headers: Record<string, string> = origin === undefined ? {} : { origin };
      const response = await send("GET", "/livez", { headers });
      assertEquals([corsOf(response), response.headers.get("vary")], [{}, "Origin"]);
      const asked = await send("OPTIONS", SUBSCRIBE_PATH, {
        headers: { ...headers, ...preflight },
      });
      assertEquals(corsOf(asked), {});
    });
  });

  it("tells a preflight, which needs no key, the methods and headers; nothing else", async () => {
    const headers = { origin: ORIGIN, ...preflight };
    const response = await send("OPTIONS", SUBSCRIBE_PATH, { key: null, headers });
    assertEquals([response.status, corsOf(response)], [204, {
      "allow-origin": ORIGIN,
      "allow-methods": "OPTIONS, PUT",
      "allow-headers": "Authorization, Content-Type, If-Match, If-None-Match, Traceparent, " +
        "Tracestate, X-Request-Id",
      "expose-headers": EXPOSED,
      "max-age": "600",
    }]);
    await forEachRow([
      ["OPTIONS", SUBSCRIBE_PATH, { origin: ORIGIN }, 204],
      ["POST", SUBSCRIBE_PATH, headers, 405],
      ["OPTIONS", "/none", headers, 404],
    ], async ([method, path, sent, status]) => {
      const other = await send(method, path, { key: null, headers: sent });
      const names = Object.keys(corsOf(other));
      assertEquals([other.status, names], [status, ["allow-origin", "expose-headers"]]);
    });
  });
});
