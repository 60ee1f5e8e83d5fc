import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Endpoint, listEndpoints } from "../routes/_docs/operation.ts";
import type { Schema } from "../routes/_openapi/schema.ts";
import { FORM, JSON_TYPE } from "./_calls.ts";
import { type Call, createTestHandler, fieldsOf, parametersOf } from "./_openapi.ts";
import { readApi, requestOf } from "./_openapi.ts";
import { forEachRow } from "./_rows.ts";

const api = await readApi(createTestHandler());
const all = listEndpoints(api);
const withFields = all.filter(({ operation }) => operation.requestBody?.content[FORM]);

describe("the fields described", () => {
  it("are those that are checked, required, and may be null or empty", async () => {
    await forEachRow(withFields, async (endpoint) => {
      const properties = fieldsOf(endpoint, JSON_TYPE);
      const names = Object.keys(properties);
      const jsonOf = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
      assertEquals(await refused(endpoint, { json: jsonOf({ not: "a value" }) }), names);
      const missing = await refused(endpoint, { json: {} });
      const { required } = endpoint.operation.requestBody!.content[JSON_TYPE].schema;
      // Earlier drafts of JSON Schema forbid an empty list.
      assertEquals(required, missing.length > 0 ? missing : undefined);
      const nullable = names.filter((name) => typesOf(properties[name]).includes("null"));
      const others = names.filter((name) => !nullable.includes(name));
      assertEquals(await refused(endpoint, { json: jsonOf(null) }), others);
      const form = Object.fromEntries(nullable.map((name) => [name, ""]));
      const bad = await refused(endpoint, { form });
      assertEquals(bad.filter((name) => nullable.includes(name)), []);
      // In a form, an empty text stands for null, and so no pattern may forbid it.
      const inForms = fieldsOf(endpoint, FORM);
      assertEquals(Object.keys(inForms), names);
      for (const name of nullable) {
        const { format, pattern, minLength } = inForms[name];
        assertEquals([format, pattern, minLength], [undefined, undefined, undefined]);
      }
    });
    await forEachRow(all, async (endpoint) => {
      const names = parametersOf(api, endpoint, "query").map(({ name }) => name);
      const query = Object.fromEntries(names.map((name) => [name, "not a value"]));
      assertEquals(await refused(endpoint, { query }), names);
    });
  });

  it("have the limits and patterns described", async () => {
    const rows: (readonly [endpoint: Endpoint, name: string, probe: Probe, call: Call])[] = [];
    for (const endpoint of all) {
      for (const { name, description, schema } of parametersOf(api, endpoint, "query")) {
        for (const probe of probes({ description, ...schema })) {
          rows.push([endpoint, name, probe, { query: { [name]: `${probe.value}` } }]);
        }
      }
      for (const mediaType of [FORM, JSON_TYPE] as const) {
        for (const [name, schema] of Object.entries(fieldsOf(endpoint, mediaType))) {
          for (const probe of probes(schema)) {
            const fields = { ...exampleOf(endpoint), [name]: probe.value };
            const call = mediaType === FORM ? { form: fields } : { json: fields };
            rows.push([endpoint, name, probe, call]);
          }
        }
      }
    }
    await forEachRow(rows, async ([endpoint, name, { fits }, call]) => {
      assertEquals((await refused(endpoint, call)).includes(name), !fits);
    });
  });
});

/** A value at a limit or just beyond it. */
interface Probe {
  readonly value: unknown;
  readonly fits: boolean;
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
  const { minLength, maxLength, minimum, maximum, pattern, enum: values } = schema;
  const found: Probe[] = [];
  const add = (value: unknown, fits: boolean) => found.push({ value, fits });
  if (minLength !== undefined) {
    add(textOf(schema, minLength), true);
    add(textOf(schema, minLength - 1), false);
  }
  // A cursor is opaque: what has its length is none, either.
  if (maxLength !== undefined && !schema.description?.includes("nextCursor")) {
    add(textOf(schema, maxLength), true);
    add(textOf(schema, maxLength + 1), false);
  }
  if (minimum !== undefined && maximum !== undefined) {
    for (const value of [minimum, maximum]) add(value, true);
    for (const value of [minimum - 1, maximum + 1]) add(value, false);
  }
  for (const value of values ?? []) {
    add(value, true);
    add(`${value}x`, false);
  }
  if (pattern !== undefined) {
    assert(pattern in PATTERN_PROBES, `PATTERN_PROBES of this file lacks the pattern ${pattern}`);
    const { fit, not } = PATTERN_PROBES[pattern];
    for (const text of [...fit, ...not]) {
      assertEquals(new RegExp(pattern).test(text), fit.includes(text));
      add(text, fit.includes(text));
    }
  }
  return found;
}

/** Makes text of a length that is acceptable but for its length. */
function textOf({ format, description = "" }: Schema, length: number): string {
  if (description.includes("https URL")) return "https://example.com/".padEnd(length, "a");
  if (format === "idn-email") {
    // The part before the @ and every label have limits of their own.
    const domain = `.${"b".repeat(62)}`.repeat(3).slice(1);
    return `${"a".repeat(length - 1 - domain.length - 4)}@${domain}.org`;
  }
  return "a".repeat(length);
}

function exampleOf({ operation }: Endpoint): Record<string, unknown> {
  return operation.requestBody?.content[FORM].example as Record<string, unknown>;
}

function typesOf({ type = [] }: Schema = {}): readonly string[] {
  return typeof type === "string" ? [type] : type;
}

async function refused(endpoint: Endpoint, call: Call): Promise<readonly string[]> {
  const response = await createTestHandler()(requestOf(api, endpoint, call));
  if (response.status !== 422) return [];
  const { errors }: { errors: readonly { field: string }[] } = await response.json();
  return errors.map(({ field }) => field);
}
