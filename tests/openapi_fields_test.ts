import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Endpoint, listEndpoints } from "../routes/_docs/operation.ts";
import type { Schema } from "../routes/_openapi/schema.ts";
import { type Call, createTestHandler, parametersOf, readApi, requestOf } from "./_openapi.ts";

const FORM = "application/x-www-form-urlencoded";

const api = await readApi(createTestHandler());
const all = listEndpoints(api);
const withBody = all.filter(({ operation }) => operation.requestBody !== undefined);
const withQuery = all.filter((described) => parametersOf(api, described, "query").length > 0);

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
      const refused = await refusedFields(described, { json: {} });
      // Not an empty list, which earlier drafts of JSON Schema forbid.
      assertEquals(schema.required, refused.length > 0 ? refused : undefined);
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
    assert(pattern in PATTERN_PROBES, `PATTERN_PROBES of this file lacks the pattern ${pattern}`);
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

async function refusedFields(described: Endpoint, call: Call): Promise<readonly string[]> {
  const response = await createTestHandler()(requestOf(api, described, call));
  if (response.status !== 422) {
    await response.body?.cancel();
    return [];
  }
  const { errors } = await response.json();
  return (errors as { readonly field: string }[]).map(({ field }) => field);
}
