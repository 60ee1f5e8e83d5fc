import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, type HandlerOptions, openMemoryStorage } from "../../../mod.ts";
import { forEachRow } from "../../_support/rows.ts";
import { createService, outcomeOf } from "../../_support/service.ts";

const ORIGIN = "https://app.example.com";
const EXPOSED = "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

/** Returns the error of creating a handler with options. */
function refusalOf(options: object): Error {
  const given = { storage: openMemoryStorage(), ...options } as HandlerOptions;
  return assertThrows(() => createHandler(given), Error);
}

describe("the options of the handler", () => {
  it("are refused with a TypeError that names the option and what to write", async () => {
    assertThrows(() => createHandler(undefined as never), TypeError, "Cannot use storage: ");
    const storage = openMemoryStorage();
    const wrong: Readonly<Record<string, readonly unknown[]>> = {
      storage: [undefined, Promise.resolve(storage), { ...storage, ping: 1 }],
      basePath: ["x", "/x/", "/a b", "/a//b", "/é", "/a?b", "/a/..", null],
      corsOrigins: [null, ORIGIN],
      operatorKey: [null, "x".repeat(23), `bc_${"0".repeat(36)}`, "a key with spaces in it, too"],
      signal: [true],
      log: [console],
      clock: [5],
      createRequestId: ["id"],
    };
    const rows = Object.entries(wrong)
      .flatMap(([name, values]) => values.map((value) => [name, value] as const));
    await forEachRow(rows, ([name, value]) => {
      const error = refusalOf({ [name]: value });
      assert(error instanceof TypeError && error.message.startsWith(`Cannot use ${name}`));
      assert(name !== "operatorKey" || !error.message.includes(`${value}`));
    });
    const origins = ["*", "https://*.a.example", "https://a.example/", "ftp://a.example"];
    await forEachRow(origins, (origin) => {
      const expected = `Cannot use corsOrigins: "${origin}" is not like ${ORIGIN}`;
      assertEquals(refusalOf({ corsOrigins: [origin] }).message, expected);
    });
    const { message } = refusalOf({ corsOrigin: [] });
    assertMatch(message, /the option "corsOrigin": there is none; did you mean corsOrigins\?$/);
  });

  it("are refused with a RangeError where a number is none or too large", async () => {
    await forEachRow([
      ...[0, NaN, 2 ** 31, "250", null].map((bodyTimeoutMs) => ({ bodyTimeoutMs })),
      ...[null, true, 100, {}].map((rateLimit) => ({ rateLimit })),
      ...[0, 1.5, Infinity, "5"].flatMap((bad) => [
        { rateLimit: { requests: bad, windowSeconds: 1 } },
        { rateLimit: { requests: 1, windowSeconds: bad } },
      ]),
    ], (options) => {
      const error = refusalOf(options);
      assert(error instanceof RangeError, error.message);
      assert(error.message.startsWith(`Cannot use ${Object.keys(options)[0]}: `), error.message);
    });
  });

  it("are told of in the log when the clock gives no milliseconds", async () => {
    const { send, events } = createService({ clock: () => Date.now() * 1_000 });
    assertEquals(await outcomeOf(await send("GET", "boards")), "500 internal_error");
    assertMatch(`${events[0].error}`, /give milliseconds since 1970/);
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
    const path = "changelogs/subscribe";
    await forEachRow([ORIGIN, "http://localhost:5173"], async (origin) => {
      const response = await send("PUT", path, { key: null, headers: { origin } });
      assertEquals(corsOf(response), { "allow-origin": origin, "expose-headers": EXPOSED });
      assertEquals(response.headers.get("vary"), "Origin");
      assertEquals(await outcomeOf(response), "401 missing_credentials");
    });
    const others = ["null", `${ORIGIN}:8443`, "http://app.example.com", `${ORIGIN}.evil.example`];
    await forEachRow(others, async (origin) => {
      const response = await send("OPTIONS", path, { headers: { origin, ...preflight } });
      assertEquals([corsOf(response), response.headers.get("vary")], [{}, "Origin"]);
    });
  });

  it("tells a preflight, which needs no key, the methods and headers; nothing else", async () => {
    const headers = { origin: ORIGIN, ...preflight };
    const response = await send("OPTIONS", "changelogs/subscribe", { key: null, headers });
    assertEquals([response.status, corsOf(response)], [204, {
      "allow-origin": ORIGIN,
      "allow-methods": "OPTIONS, PUT",
      "allow-headers": "Authorization, Content-Type, If-Match, If-None-Match, Traceparent, " +
        "Tracestate, X-Request-Id",
      "expose-headers": EXPOSED,
      "max-age": "600",
    }]);
    const other = await send("OPTIONS", "changelogs/subscribe", { headers: { origin: ORIGIN } });
    assertEquals(Object.keys(corsOf(other)), ["allow-origin", "expose-headers"]);
  });
});
