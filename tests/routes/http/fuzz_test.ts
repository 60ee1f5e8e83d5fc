import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import fc from "fast-check";
import { DESCRIBED, exampleOf, fieldsOf, parametersOf, pathOf } from "../../_support/openapi.ts";
import { assertCommonHeaders, assertWellFormed, createService } from "../../_support/service.ts";
import { FORM, JSON_TYPE, OPERATOR_KEY, type TestService } from "../../_support/service.ts";

const RUNS = 6_000;

/** The operations to call, with the names of their parameters and fields. */
const OPERATIONS = DESCRIBED.map((described) => ({
  method: described.method,
  path: pathOf(described),
  query: parametersOf(described, "query").map(({ name }) => name),
  fields: Object.keys(fieldsOf(described, FORM)),
  example: exampleOf(described, 0),
}));
const VALUES = [
  ...["", "true", "ann@example.com", "feature-requests", "https://a.example", "90d", "0", "*"],
  ...["2030-01-01T00:00:00Z", "5", "new", "draft", true],
];
const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["authorization", "Bearer a, Bearer b"],
  ["content-type", `${JSON_TYPE}; charset=utf-8`],
  ["content-encoding", "gzip"],
  ["content-length", "5"],
  ["content-length", "99999999999999999999"],
  ["transfer-encoding", "gzip, chunked"],
  ["accept", "text/csv"],
  ["if-match", 'W/"x", "y"'],
  ["if-none-match", "*"],
  ["origin", "https://app.example.com"],
  ["x-request-id", "a"],
  ["host", "a/livez?"],
];

const text = fc.string({ unit: "binary", maxLength: 20 });
const segment = fc.oneof(fc.constantFrom("%", "%00", "%2F", "%ff", "..", "."), text);
const header = fc.constantFrom(...HEADERS).chain(([name, value]) =>
  fc.tuple(fc.constant(name), fc.oneof(fc.constant(value), text))
);

/** Generates values for names, nearly all of which are known. */
function recordOf(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const other = fc.oneof(fc.constantFrom("__proto__", "constructor"), text);
  const known = names.length === 0 ? other : fc.constantFrom(...names);
  const name = fc.oneof({ weight: 20, arbitrary: known }, { weight: 1, arbitrary: other });
  const usual = { weight: 6, arbitrary: fc.constantFrom<unknown>(...VALUES) };
  const value = fc.oneof(usual, { weight: 1, arbitrary: fc.oneof(text, fc.jsonValue()) });
  return fc.dictionary(name, value, { maxKeys: names.length });
}

function encode(record: Readonly<Record<string, unknown>>): string {
  return Object.entries(record)
    .map(([name, given]) => `${name}=${typeof given === "string" ? given : JSON.stringify(given)}`)
    .join("&");
}

const toJson = (record: unknown) => JSON.stringify(record);

const request = fc.constantFrom(...OPERATIONS).chain(({ method, path, query, fields, example }) =>
  fc.record({
    method: fc.constantFrom(...Array(30).fill(method), "GET", "HEAD", "PUT", "OPTIONS", "FOO"),
    path: fc.oneof(
      { weight: 9, arbitrary: fc.constant(path) },
      segment.map((end) => `${path}/${end}`),
      fc.array(segment).map((segments) => `/${segments.join("/")}`),
    ),
    query: fc.oneof(fc.constant(""), recordOf(query).map(encode), text),
    headers: fc.oneof(fc.constant([]), fc.array(header, { maxLength: 3 })),
    key: fc.constantFrom(OPERATOR_KEY, OPERATOR_KEY, OPERATOR_KEY, null),
    content: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constant(FORM), recordOf(fields).map(encode)) },
      { weight: 4, arbitrary: fc.tuple(fc.constant(JSON_TYPE), recordOf(fields).map(toJson)) },
      fc.tuple(fc.constantFrom(FORM, JSON_TYPE), fc.oneof(fc.json(), text)),
      // The examples make sure that some requests create and change records.
      fc.constant([example.headers?.["content-type"] ?? FORM, `${example.body ?? ""}`] as const),
    ),
  })
);
type Generated = typeof request extends fc.Arbitrary<infer T> ? T : never;

/** Builds the request; `undefined` if the platform refuses to build it. */
function build({ method, path, query, key, content, ...rest }: Generated): Request | undefined {
  const body = method === "GET" || method === "HEAD" ? undefined : content[1];
  try {
    const headers = new Headers({ "content-type": content[0] });
    for (const [name, given] of rest.headers) headers.append(name, given);
    if (key !== null) headers.set("authorization", `Bearer ${key}`);
    return new Request(`http://localhost${path}?${query}`, { method, headers, body });
  } catch {
    return undefined;
  }
}

/** Checks that an answer is sound; returns its status. */
async function check({ handler }: TestService, sent: Request): Promise<number> {
  const response = await handler(sent);
  const content = await response.text();
  const { status, headers } = response;
  const context = `${sent.method} ${sent.url} ${status} ${content}`;
  assert(status < 500 || status === 501, context);
  assertCommonHeaders(response);
  const contentType = headers.get("content-type");
  // The errors of pages are pages, too.
  const isPage = contentType?.startsWith("text/html");
  if (sent.method === "HEAD" || [204, 302, 304].includes(status)) {
    assertEquals(content, "", context);
  } else if (status >= 400 && !isPage) {
    assertWellFormed(JSON.parse(content), response);
  } else if (contentType === JSON_TYPE) {
    JSON.parse(content);
  }
  return status;
}

// A failure names the seed and the path with which it can be run again.
it("any request gets a sound answer, and never a 5xx that it did not deserve", async () => {
  const service = createService({
    corsOrigins: ["https://app.example.com"],
    publicUrl: "https://boards.example.com",
  });
  const seen = new Set<number>();
  const property = fc.asyncProperty(request, async (generated) => {
    const built = build(generated);
    if (built !== undefined) seen.add(await check(service, built));
  });
  await fc.assert(property, { numRuns: RUNS });
  const usual = [200, 201, 204, 302, 400, 401, 404, 405, 415, 422];
  assertEquals(usual.filter((status) => !seen.has(status)), [], "were seen of no request");
});
