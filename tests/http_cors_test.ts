import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { assertProblem, createService } from "./_service.ts";

const ORIGIN = "https://app.example.com";
const PATH = "/api/v1/changelogs/subscribe";
const { send } = createService({ corsOrigins: [ORIGIN, "http://localhost:5173"] });

function corsOf({ headers }: Response) {
  const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
  return Object.fromEntries(names.map((name) => [name.slice(15), headers.get(name)]));
}

function preflight(path: string, origin: string) {
  const headers = {
    origin,
    "access-control-request-method": "PUT",
    "access-control-request-headers": "authorization",
  };
  return send("OPTIONS", path, { key: null, headers });
}

describe("CORS", () => {
  for (const origin of [ORIGIN, "http://localhost:5173"]) {
    it(`an answer can be read from ${origin}, when it is an error too`, async () => {
      const response = await send("PUT", PATH, { key: null, headers: { origin } });
      assertEquals(corsOf(response), {
        "allow-origin": origin,
        "expose-headers": "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
      });
      assertEquals(response.headers.get("vary"), "Origin");
      await assertProblem(response, 401, "missing_credentials");
    });
  }

  for (
    const origin of [
      "null",
      "https://app.example.com:8443",
      "http://app.example.com",
      "https://app.example.com.evil.example",
      "https://APP.example.com",
    ]
  ) {
    it(`an answer can't be read from ${origin}`, async () => {
      const response = await send("GET", "/livez", { headers: { origin } });
      assertEquals([corsOf(response), response.headers.get("vary")], [{}, "Origin"]);
      assertEquals(corsOf(await preflight(PATH, origin)), {});
    });
  }

  it("an answer varies by origin, when none was sent too", async () => {
    const response = await send("GET", "/livez");
    assertEquals([corsOf(response), response.headers.get("vary")], [{}, "Origin"]);
  });

  it("a preflight is told methods and headers, and needs no key", async () => {
    const response = await preflight(PATH, ORIGIN);
    assertEquals([response.status, corsOf(response)], [204, {
      "allow-origin": ORIGIN,
      "allow-methods": "OPTIONS, PUT",
      "allow-headers": "Authorization, Content-Type, If-Match, If-None-Match, Traceparent, " +
        "Tracestate, X-Request-Id",
      "expose-headers": "ETag, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
      "max-age": "600",
    }]);
  });

  it("an answer is told no methods when it is to no preflight", async () => {
    const asking = { origin: ORIGIN, "access-control-request-method": "PUT" };
    const answers = [
      await send("OPTIONS", PATH, { key: null, headers: { origin: ORIGIN } }),
      await send("POST", PATH, { key: null, headers: asking }),
    ];
    assertEquals(answers.map(({ status }) => status), [204, 405]);
    for (const answer of answers) {
      assertEquals(Object.keys(corsOf(answer)), ["allow-origin", "expose-headers"]);
    }
  });

  it("a preflight is told no methods when there is nothing at the path", async () => {
    const response = await preflight("/none", ORIGIN);
    assertEquals(response.headers.has("access-control-allow-methods"), false);
    await assertProblem(response, 404, "not_found");
  });

  for (
    const origin of [
      "*",
      "https://*.a.example",
      "https://a.*",
      "https://a.example/",
      "https://a b",
      "app.example.com",
      "ftp://a.example",
      "null",
    ]
  ) {
    it(`a handler is not made when an origin is ${origin}`, () => {
      const options = { storage: openMemoryStorage(), corsOrigins: [origin] };
      const message = `Cannot use origin "${origin}": write it like `;
      assertThrows(() => createHandler(options), TypeError, message);
    });
  }
});
