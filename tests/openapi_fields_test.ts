import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Endpoint } from "../routes/_docs/operation.ts";
import type { Schema } from "../routes/_openapi/schema.ts";
import { createDescribed, ENDPOINTS, fieldsOf, parametersOf, pathOf } from "./_openapi.ts";
import { forEachRow } from "./_rows.ts";
import { FORM, JSON_TYPE, type Problem, type Sent } from "./_service.ts";

describe("the fields described", () => {
  it("are those that are checked, required, and may be null or empty", async () => {
    const withFields = ENDPOINTS.filter(({ operation }) => operation.requestBody?.content[FORM]);
    await forEachRow(withFields, async (endpoint) => {
      const properties = fieldsOf(endpoint, JSON_TYPE);
      const names = Object.keys(properties);
      const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
      assertEquals(await refused(endpoint, { json: all({ not: "a value" }) }), names);
      const missing = await refused(endpoint, { json: {} });
      const { required } = endpoint.operation.requestBody!.content[JSON_TYPE].schema;
      // Earlier drafts of JSON Schema forbid an empty list.
      assertEquals(required, missing.length > 0 ? missing : undefined);
      const nullable = names.filter((name) => properties[name].type?.includes("null"));
      const others = names.filter((name) => !nullable.includes(name));
      assertEquals(await refused(endpoint, { json: all(null) }), others);
      // In a form, an empty text stands for null, and so no pattern may forbid it.
      const form = Object.fromEntries(nullable.map((name) => [name, ""]));
      const bad = await refused(endpoint, { form });
      assertEquals(bad.filter((name) => nullable.includes(name)), []);
      const inForms = fieldsOf(endpoint, FORM);
      assertEquals(Object.keys(inForms), names);
      for (const name of nullable) {
        const { format, pattern, minLength } = inForms[name];
        assertEquals([format, pattern, minLength], [undefined, undefined, undefined]);
      }
    });
    await forEachRow(ENDPOINTS, async (endpoint) => {
      const names = parametersOf(endpoint, "query").map(({ name }) => name);
      const query = names.map((name) => `${name}=not+a+value`).join("&");
      assertEquals(await refused(endpoint, {}, query), names);
    });
  });

  it("have the limits and patterns described", async () => {
    const rows: (readonly [Endpoint, name: string, Probe, sent: Sent, query?: string])[] = [];
    for (const endpoint of ENDPOINTS) {
      for (const { name, description, schema } of parametersOf(endpoint, "query")) {
        for (const probe of probes({ description, ...schema })) {
          rows.push([endpoint, name, probe, {}, `${new URLSearchParams({ [name]: probe.value })}`]);
        }
      }
      const example = endpoint.operation.requestBody?.content[FORM]?.example ?? {};
      for (const [name, schema] of Object.entries(fieldsOf(endpoint, FORM))) {
        for (const probe of probes(schema)) {
          rows.push([endpoint, name, probe, { form: { ...example, [name]: probe.value } }]);
        }
      }
      for (const [name, schema] of Object.entries(fieldsOf(endpoint, JSON_TYPE))) {
        for (const probe of probes(schema)) {
          rows.push([endpoint, name, probe, { json: { ...example, [name]: probe.value } }]);
        }
      }
    }
    await forEachRow(rows, async ([endpoint, name, { fits }, sent, query]) => {
      assertEquals((await refused(endpoint, sent, query)).includes(name), !fits);
    });
  });
});

/** A value at a limit or just beyond it. */
interface Probe {
  readonly value: string;
  readonly fits: boolean;
}

// What fits a pattern, and what only just does not.
const PATTERNS: Readonly<Record<string, readonly [fit: string[], not: string[]]>> = {
  "^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$": [
    ["a", "Z.9_~-", "a".repeat(128)],
    ["-a", "a/b", "a b", "a".repeat(129)],
  ],
  "^[0-9]{1,9}[smhd]$": [["1s", "36500d", "000000001d"], ["1", "1w", "0000000001d", "1.5h"]],
  "^(0|[0-9]{1,9}[smhd])$": [["0", "0s", "24h"], ["1", "-1s", "00", "1 h"]],
};

function probes(schema: Schema): readonly Probe[] {
  const { minLength, maxLength, minimum, maximum, pattern, enum: values = [] } = schema;
  const fit = values.map(String);
  const not = values.map((value) => `${value}x`);
  if (minLength !== undefined) {
    fit.push(textOf(schema, minLength));
    not.push(textOf(schema, minLength - 1));
  }
  // A cursor is opaque: what has its length is none, either.
  if (maxLength !== undefined && !schema.description?.includes("nextCursor")) {
    fit.push(textOf(schema, maxLength));
    not.push(textOf(schema, maxLength + 1));
  }
  if (minimum !== undefined && maximum !== undefined) {
    fit.push(`${minimum}`, `${maximum}`);
    not.push(`${minimum - 1}`, `${maximum + 1}`);
  }
  if (pattern !== undefined) {
    assert(pattern in PATTERNS, `PATTERNS of this file lacks the pattern ${pattern}`);
    const [fitting, others] = PATTERNS[pattern];
    const matching = [...fitting, ...others].filter((text) => new RegExp(pattern).test(text));
    assertEquals(matching, fitting);
    fit.push(...fitting);
    not.push(...others);
  }
  const probesOf = (texts: readonly string[], fits: boolean) =>
    texts.map((value) => ({ value, fits }));
  return [...probesOf(fit, true), ...probesOf(not, false)];
}

/** Makes text of a length that is acceptable but for its length. */
function textOf({ format, description = "" }: Schema, length: number): string {
  if (description.includes("https URL")) return "https://example.com/".padEnd(length, "a");
  if (format !== "idn-email") return "a".repeat(length);
  // The part before the @ and every label have limits of their own.
  const domain = `${`${"b".repeat(62)}.`.repeat(3)}org`;
  return `${"a".repeat(length - 1 - domain.length)}@${domain}`;
}

async function refused(endpoint: Endpoint, sent: Sent, query = ""): Promise<readonly string[]> {
  const path = `${pathOf(endpoint)}?${query}`;
  const response = await createDescribed().send(endpoint.method, path, sent);
  if (response.status !== 422) return [];
  const { errors }: Problem = await response.json();
  return errors!.map(({ field }) => field);
}
