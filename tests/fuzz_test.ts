import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { listEndpoints } from "../routes/_docs/operation.ts";
import { createTestHandler, readApi, requestOf } from "./_openapi.ts";
import {
  assertCommonHeaders,
  assertWellFormed,
  createService,
  OPERATOR_KEY,
  type TestService,
} from "./_service.ts";

const RUNS = 4_000;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO", "patch"];
const FORM = "application/x-www-form-urlencoded";
const api = await readApi(createTestHandler());
const described = listEndpoints(api)
  .filter(({ operation }) => operation["x-scope"] !== undefined)
  .map((endpoint) => ({
    method: endpoint.method,
    path: new URL(requestOf(api, endpoint).url).pathname,
    fields: Object.keys(endpoint.operation.requestBody?.content[FORM].schema.properties ?? {}),
  }));
const PATHS = ["/", "/livez", "/readyz", ...new Set(described.map(({ path }) => path))];
// What is deleted would be missed by the others.
const OPERATIONS = described.filter(({ method }) => method !== "DELETE")
  .map(({ method, path }): readonly [method: string, path: string] => [method, path]);
const FIELDS = [
  ...new Set(described.flatMap(({ fields }) => fields)),
  "__proto__",
  "constructor",
];
const VALUES = [
  "",
  "true",
  "ann@example.com",
  "feature-requests",
  "https://a.example",
  "90d",
  "0",
  "*",
  "2030-01-01T00:00:00Z",
];
const HEADER_NAMES = [
  "authorization",
  "content-type",
  "content-encoding",
  "content-length",
  "transfer-encoding",
  "accept",
  "if-match",
  "if-none-match",
  "origin",
  "access-control-request-method",
  "x-request-id",
  "host",
];
const HEADER_VALUES = [
  `Bearer ${OPERATOR_KEY}`,
  "Bearer",
  "Bearer a, Bearer b",
  "application/json",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-8",
  "gzip",
  "0",
  "5",
  "99999999999999999999",
  "chunked",
  "*",
  'W/"x", "y"',
  "https://app.example.com",
];

const text = fc.string({ unit: "binary", maxLength: 20 });
const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 40,
});
const segment = fc.oneof(fc.constantFrom("%", "%00", "%2F", "%ff", "..", "."), text);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PATHS) },
  fc.tuple(fc.constantFrom(...PATHS), segment).map(([start, end]) => `${start}/${end}`),
  fc.array(segment).map((segments) => `/${segments.join("/")}`),
);
const query = fc.oneof(
  fc.constant(""),
  text.map((value) => `?${value}`),
  fc.tuple(
    fc.constantFrom("limit", "cursor", "subscribed"),
    fc.oneof(text, fc.constantFrom("5", "true")),
  )
    .map(([name, value]) => `?${name}=${value}`),
);
const header = fc.tuple(
  fc.constantFrom(...HEADER_NAMES),
  fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...HEADER_VALUES) }, latin1),
);
const target = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...OPERATIONS) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...METHODS), path) },
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...VALUES, true) },
  { weight: 1, arbitrary: fc.oneof(text, fc.jsonValue()) },
);
const name = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...FIELDS) },
  { weight: 1, arbitrary: text },
);
const fields = fc.dictionary(name, value, { maxKeys: 13 });
const form = fields.map((record) =>
  Object.entries(record)
    .map(([key, given]) => `${key}=${typeof given === "string" ? given : JSON.stringify(given)}`)
    .join("&")
);
const json = fc.oneof(fields.map((record) => JSON.stringify(record)), fc.json());
const bytes = fc.uint8Array({ maxLength: 200 }).map((given) => new Uint8Array(given));
const long = fc.integer({ min: 16_000, max: 20_000 }).map((length) => `x=${"x".repeat(length)}`);
const JSON_TYPE = "application/json";
type Body = [
  content: string | Uint8Array<ArrayBuffer> | undefined,
  contentType: string | undefined,
];
const body: fc.Arbitrary<Body> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(form, fc.constant(FORM)) },
  { weight: 4, arbitrary: fc.tuple(json, fc.constant(JSON_TYPE)) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.oneof(fc.constant(undefined), form, json, bytes, long),
      fc.constantFrom(undefined, FORM, JSON_TYPE),
    ),
  },
);
const request = fc.record({
  target,
  query,
  headers: fc.oneof(fc.constant([]), fc.array(header, { maxLength: 4 })),
  isAuthorized: fc.constantFrom(true, true, true, false),
  body,
});
type Generated = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** Makes the request, or nothing where the platform would not let it exist. */
function build(generated: Generated): Request | undefined {
  const headers = new Headers();
  for (const [name, given] of generated.headers) {
    try {
      headers.append(name, given);
    } catch {
      // No client could send it either.
    }
  }
  if (generated.isAuthorized) headers.set("authorization", `Bearer ${OPERATOR_KEY}`);
  const [method, path] = generated.target;
  const [content, contentType] = generated.body;
  if (contentType !== undefined) headers.set("content-type", contentType);
  const withBody = method !== "GET" && method !== "HEAD" ? content : undefined;
  try {
    const url = `http://localhost${path}${generated.query}`;
    return new Request(url, { method, headers, body: withBody });
  } catch {
    return undefined;
  }
}

async function check(service: TestService, sent: Request): Promise<void> {
  const response = await service.handler(sent);
  const content = await response.text();
  const context = `${sent.method} ${sent.url} ${response.status} ${content}`;
  assert(response.status < 500, context);
  assertCommonHeaders(response);
  if (sent.method === "HEAD" || [204, 304].includes(response.status)) {
    assertEquals(content, "", context);
  } else if (response.status >= 400) {
    assertEquals(response.headers.get("content-type"), "application/problem+json", context);
    assertWellFormed(JSON.parse(content), response);
  } else {
    assertEquals(response.headers.get("content-type"), "application/json", context);
    JSON.parse(content);
  }
}

describe("any request", () => {
  // A failure names the seed and the path with which it can be run again.
  it("gets a sound answer, and never a 5xx, whatever is in it", async () => {
    const service = createService({
      bodyTimeoutMs: 1_000,
      corsOrigins: ["https://app.example.com"],
    });
    let generatedCount = 0;
    let sentCount = 0;
    await fc.assert(
      fc.asyncProperty(request, async (generated) => {
        generatedCount++;
        const built = build(generated);
        if (built === undefined) return;
        sentCount++;
        await check(service, built);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 8_000 },
    );
    // On a slow machine fewer than all of them, but never so few that they say nothing.
    assert(generatedCount >= 50, `only ${generatedCount} in 8 s`);
    assert(sentCount > generatedCount / 2, `only ${sentCount} of ${generatedCount} were requests`);
  });
});
