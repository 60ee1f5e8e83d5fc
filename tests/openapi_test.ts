import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFileSync } from "node:fs";
import { openMemoryStorage } from "../adapters/memory.ts";
import { issueKey } from "../model/issue_key.ts";
import { SCOPES } from "../mod.ts";
import { PROBLEM_GUIDE } from "../routes/_openapi/problem_guide.ts";
import { type ProblemCode, PROBLEMS } from "../routes/_problem.ts";
import type { Schema } from "../routes/_openapi/schemas.ts";
import type { ResponseObject } from "../routes/_openapi/types.ts";
import { type Endpoint, listEndpoints } from "../routes/_docs/operation.ts";
import { createTestHandler, follow, parametersOf, readApi, requestOf } from "./_openapi.ts";
import { START } from "./_service.ts";

const FORM = "application/x-www-form-urlencoded";

// As promised to callers, and so written down once more.
const PROMISED = [
  "GET /api/v1/boards/{boardId} boards:read",
  "PATCH /api/v1/boards/{boardId} boards:write",
  "DELETE /api/v1/boards/{boardId} boards:write",
  "GET /api/v1/boards boards:read",
  "POST /api/v1/boards boards:write",
  "PUT /api/v1/changelogs/subscribe subscriptions:write",
  "GET /api/v1/changelogs/subscribers subscriptions:read",
  "GET /api/v1/changelogs/subscribers/{userEmail} subscriptions:read",
  "DELETE /api/v1/changelogs/subscribers/{userEmail} subscriptions:write",
  "GET /api/v1/keys keys:write",
  "POST /api/v1/keys keys:write",
  "POST /api/v1/keys/{keyId}/rotate keys:write",
  "DELETE /api/v1/keys/{keyId} keys:write",
  "GET /livez -",
  "GET /readyz -",
  "GET /openapi.json -",
  "GET /docs -",
];

const api = await readApi(createTestHandler());
const all = listEndpoints(api);
const guarded = all.filter(({ operation }) => operation["x-scope"] !== undefined);
const withBody = all.filter(({ operation }) => operation.requestBody !== undefined);
const withQuery = all.filter((described) => parametersOf(api, described, "query").length > 0);

describe("The OpenAPI description", () => {
  it("describes the promised operations and no others", () => {
    assertEquals(
      all.map(({ method, path, operation }) => `${method} ${path} ${operation["x-scope"] ?? "-"}`),
      PROMISED,
    );
  });

  it("names each operation differently", () => {
    assertEquals(new Set(all.map(({ operation }) => operation.operationId)).size, all.length);
  });

  it("names the base path as its server when the handler is mounted under one", async () => {
    const mounted = await readApi(createTestHandler({ basePath: "/feedback" }), "/feedback");
    assertEquals(mounted.servers.map(({ url }) => url), ["/feedback"]);
    assertEquals(api.servers.map(({ url }) => url), ["/"]);
  });

  for (const [path, item] of Object.entries(api.paths)) {
    it(`describes the methods that ${path} takes`, async () => {
      const response = await createTestHandler()(
        new Request(`http://localhost${path}`, { method: "OPTIONS" }),
      );
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      const derived = methods.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"];
      assertEquals(response.headers.get("allow")?.split(", "), [...methods, ...derived].sort());
    });
  }
});

describe("The requirements described", () => {
  for (const described of all) {
    const { operation: { operationId, security, responses, "x-scope": scope } } = described;

    it(`of ${operationId} name the key where one is needed, and only there`, () => {
      assertEquals(security, scope === undefined ? [] : [{ apiKey: [] }]);
    });

    // Answers in which a caller is not known, or no key is needed, have no limit.
    if (scope === undefined) continue;
    it(`of ${operationId} name the limit where it is judged`, () => {
      for (const [status, response] of Object.entries(responses)) {
        if (["404", "405"].includes(status)) continue;
        const { headers } = follow<ResponseObject>(api, response);
        const named = ["RateLimit-Policy", "RateLimit"].filter((name) => name in headers);
        assertEquals(named.length, status === "401" ? 0 : 2, status);
      }
    });
  }

  for (const described of withBody) {
    const { operationId, requestBody } = described.operation;
    it(`of ${operationId} name the body where it may not be left out`, async () => {
      const response = await createTestHandler()(requestOf(api, described));
      await response.body?.cancel();
      assertEquals(requestBody?.required, response.status === 415);
    });
  }

  for (const described of withQuery) {
    it(`of ${described.operation.operationId} have the answer to a bad query`, () => {
      assert("422" in described.operation.responses);
    });
  }

  it("name the request ids that are taken", async () => {
    const { schema } = api.components.parameters["X-Request-Id"];
    const pattern = new RegExp(`${schema.pattern}`);
    for (const id of ["a", "A-z_0.9", "x".repeat(64), "x".repeat(65), "a b", "a/b"]) {
      const request = new Request("http://localhost/livez", { headers: { "X-Request-Id": id } });
      const { headers } = await createTestHandler()(request);
      assertEquals(headers.get("x-request-id") === id, pattern.test(id), id);
    }
  });

  it("name the limit of requests that holds by default", async () => {
    const [board] = all;
    const { headers } = await createTestHandler()(requestOf(api, board));
    const [, burst, seconds] = /q=(\d+);w=(\d+)/.exec(headers.get("ratelimit-policy")!)!;
    const rate = Number(burst) / Number(seconds);
    assert(api.info.description.includes(`${rate} per second with a burst of ${burst}`));
  });
});

describe("docs/http-api.md", () => {
  const page = readFileSync(new URL("../docs/http-api.md", import.meta.url), "utf8");

  it("names every operation, field and code that is described", () => {
    const fields = withBody.flatMap((described) =>
      Object.keys(bodySchema(described, FORM).properties ?? {})
    );
    const names = [
      ...all.map(({ method, path }) => `${method} ${path}`),
      ...new Set(fields),
      ...Object.keys(api.components.examples),
    ];
    assertEquals(names.filter((name) => !page.includes(`\`${name}\``)), []);
  });

  it("says of every problem what the description says", () => {
    const rows = [...page.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (.*?) +\|$/gm)];
    assertEquals(
      rows.map(([, ...cells]) => cells),
      Object.entries(PROBLEMS).map(([code, status]) => [
        `${status}`,
        code,
        PROBLEM_GUIDE[code as ProblemCode].meaning,
      ]),
    );
  });
});

describe("The scopes described", () => {
  for (const described of guarded) {
    const { operationId, "x-scope": scope = "" } = described.operation;

    it(`of ${operationId} suffice`, async () => {
      assertNotRefused(await callWithScopes(described, [scope]));
    });

    it(`of ${operationId} are needed`, async () => {
      const others = SCOPES.filter((other) => other !== scope && other !== "*");
      const response = await callWithScopes(described, others);
      assertEquals(response.status, 403);
      assert(response.headers.get("www-authenticate")?.includes(`scope="${scope}"`));
    });

    it(`of ${operationId} come with a key`, async () => {
      const response = await createTestHandler()(requestOf(api, described, { key: "" }));
      assertEquals(response.status, 401);
    });
  }

  for (const described of all.filter((one) => !guarded.includes(one))) {
    it(`of ${described.operation.operationId} are none`, async () => {
      const response = await createTestHandler()(requestOf(api, described, { key: "" }));
      assertEquals(response.status, 200);
      await response.body?.cancel();
    });
  }
});

describe("The fields described", () => {
  for (const described of withBody) {
    const { operationId } = described.operation;
    const schema = bodySchema(described, "application/json");
    const names = Object.keys(schema.properties ?? {});

    it(`for ${operationId} are those that are checked`, async () => {
      const json = Object.fromEntries(names.map((name) => [name, { not: "a value" }]));
      assertEquals(await refusedFields(described, { json }), names);
    });

    it(`for ${operationId} as required are those that have to be there`, async () => {
      assertEquals(await refusedFields(described, { json: {} }), schema.required);
    });

    it(`for ${operationId} as null are those that may be null`, async () => {
      const json = Object.fromEntries(names.map((name) => [name, null]));
      const nullable = names.filter((name) => !typesOf(schema.properties?.[name]).includes("null"));
      assertEquals(await refusedFields(described, { json }), nullable);
    });

    it(`for ${operationId} as null may be empty in a form`, async () => {
      const nullable = names.filter((name) => typesOf(schema.properties?.[name]).includes("null"));
      const form = Object.fromEntries(nullable.map((name) => [name, ""]));
      const refused = await refusedFields(described, { form });
      const { properties = {} } = bodySchema(described, FORM);
      for (const name of nullable) {
        assert(!refused.includes(name), name);
        const { format, pattern, minLength } = properties[name];
        assertEquals({ format, pattern, minLength }, {
          format: undefined,
          pattern: undefined,
          minLength: undefined,
        });
      }
    });
  }

  for (const described of withQuery) {
    it(`for ${described.operation.operationId} are those of the query`, async () => {
      const names = parametersOf(api, described, "query").map(({ name }) => name);
      const query = Object.fromEntries(names.map((name) => [name, "not a value"]));
      assertEquals(await refusedFields(described, { query }), names);
    });
  }
});

describe("The limits described", () => {
  for (const described of withBody) {
    const { operationId } = described.operation;
    for (const mediaType of [FORM, "application/json"]) {
      const { properties = {} } = bodySchema(described, mediaType);
      for (const [name, schema] of Object.entries(properties)) {
        for (const { value, fits, limit } of probes(schema)) {
          const verb = fits ? "take" : "refuse";
          it(`${verb} ${name} in ${mediaType} of ${operationId} ${limit}`, async () => {
            const fields = { ...exampleOf(described), [name]: value };
            const call = mediaType === FORM ? { form: fields } : { json: fields };
            assertEquals((await refusedFields(described, call)).includes(name), !fits);
          });
        }
      }
    }
  }

  for (const described of withQuery) {
    for (const { name, description, schema } of parametersOf(api, described, "query")) {
      for (const { value, fits, limit } of probes({ description, ...schema })) {
        const verb = fits ? "take" : "refuse";
        it(`${verb} ${name} of ${described.operation.operationId} ${limit}`, async () => {
          const refused = await refusedFields(described, { query: { [name]: String(value) } });
          assertEquals(refused.includes(name), !fits);
        });
      }
    }
  }
});

/** A value at a limit or just beyond it. */
interface Probe {
  readonly value: unknown;
  readonly fits: boolean;
  readonly limit: string;
}

// What fits a pattern, and what only just does not.
const PATTERN_PROBES: Readonly<Record<string, { readonly fit: string[]; readonly not: string[] }>> =
  {
    "^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$": {
      fit: ["a", "Z.9_~-", "a".repeat(128)],
      not: ["-a", "a/b", "a b", "a".repeat(129)],
    },
    "^[0-9]{1,9}[smhd]$": {
      fit: ["1s", "15m", "24h", "36500d", "000000001d"],
      not: ["1", "d", "1w", "0000000001d", "1.5h"],
    },
    "^(0|[0-9]{1,9}[smhd])$": { fit: ["0", "0s", "24h"], not: ["1", "-1s", "00", "1 h"] },
  };

function probes(schema: Schema): readonly Probe[] {
  const { minLength, maxLength, minimum, maximum, pattern } = schema;
  const found: Probe[] = [];
  const add = (value: unknown, fits: boolean, limit: string) => found.push({ value, fits, limit });
  if (minLength !== undefined) {
    add(textOf(schema, minLength), true, `of ${minLength} characters`);
    add(textOf(schema, minLength - 1), false, `of ${minLength - 1} characters`);
  }
  if (maxLength !== undefined) {
    add(textOf(schema, maxLength), true, `of ${maxLength} characters`);
    add(textOf(schema, maxLength + 1), false, `of ${maxLength + 1} characters`);
  }
  if (minimum !== undefined) {
    add(minimum, true, `of ${minimum}`);
    add(minimum - 1, false, `of ${minimum - 1}`);
  }
  if (maximum !== undefined) {
    add(maximum, true, `of ${maximum}`);
    add(maximum + 1, false, `of ${maximum + 1}`);
  }
  if (pattern !== undefined) {
    const { fit, not } = PATTERN_PROBES[pattern];
    for (const text of [...fit, ...not]) {
      assertEquals(new RegExp(pattern).test(text), fit.includes(text));
      add(text, fit.includes(text), `like ${text.slice(0, 12)} (${text.length})`);
    }
  }
  return found;
}

/** Makes text of a length that is acceptable but for its length. */
function textOf({ format, description = "" }: Schema, length: number): string {
  if (description.includes("http or https URL")) return "https://example.com/".padEnd(length, "a");
  if (format === "idn-email") {
    // The part before the @ and every label have limits of their own.
    const domain = `.${"b".repeat(62)}`.repeat(3).slice(1);
    return `${"a".repeat(length - 1 - domain.length - 4)}@${domain}.org`;
  }
  if (!description.includes("nextCursor")) return "a".repeat(length);
  // No text in base64 is one character longer than whole groups of four; this one is two.
  return btoa("a".repeat(Math.ceil(length * 3 / 4))).replaceAll("=", "");
}

function bodySchema({ operation }: Endpoint, mediaType: string): Schema {
  return operation.requestBody?.content[mediaType].schema ?? {};
}

function exampleOf({ operation }: Endpoint): Record<string, unknown> {
  return operation.requestBody?.content[FORM].example as Record<string, unknown>;
}

function typesOf({ type = [] }: Schema = {}): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

async function refusedFields(
  described: Endpoint,
  call: Parameters<typeof requestOf>[2],
): Promise<readonly string[]> {
  const response = await createTestHandler()(requestOf(api, described, call));
  if (response.status !== 422) {
    await response.body?.cancel();
    return [];
  }
  const { errors } = await response.json();
  return (errors as { readonly field: string }[]).map(({ field }) => field);
}

async function callWithScopes(
  described: Endpoint,
  scopes: readonly string[],
): Promise<Response> {
  const storage = openMemoryStorage();
  const held = SCOPES.filter((scope) => scopes.includes(scope));
  const { key, text } = await issueKey(
    { name: "Test", scopes: held, expiresAt: null },
    START,
  );
  await storage.apiKeys.create(key);
  return await createTestHandler({ storage })(requestOf(api, described, { key: text }));
}

function assertNotRefused({ status }: Response): void {
  assert(status !== 401 && status !== 403);
}
