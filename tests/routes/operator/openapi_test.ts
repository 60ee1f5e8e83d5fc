import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { DescribedOperation } from "../../../routes/operator/docs/operation.ts";
import type { OpenApi } from "../../../routes/operator/openapi/types.ts";
import { PROBLEMS } from "../../../routes/_http/problem.ts";
import { api, createDescribed, DESCRIBED, fieldsOf, pathOf } from "../../_support/openapi.ts";
import { PROMISED, PROMISED_PAGES, PROMISED_PUBLIC } from "../../_support/promised.ts";
import { forEachRow } from "../../_support/rows.ts";
import { FORM, JSON_TYPE, type Problem, type Sent } from "../../_support/service.ts";

/** Returns the fields that an operation refuses. */
async function refused(described: DescribedOperation, sent: Sent): Promise<readonly string[]> {
  const response = await createDescribed().send(described.method, pathOf(described), sent);
  if (response.status !== 422) return [];
  const { errors }: Problem = await response.json();
  return errors!.map(({ field }) => field);
}

const DOCS = new URL("../../../docs/", import.meta.url);

/** Returns the names of all properties and query parameters in a description. */
function namesIn(value: unknown, key = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { name, in: place } = value as { readonly name?: string; readonly in?: string };
  return [
    ...(place === "query" ? [name!] : []),
    ...Object.entries(value).flatMap(([member, inner]) => [
      ...(key === "properties" ? [member] : []),
      ...namesIn(inner, member),
    ]),
  ];
}

describe("the OpenAPI description", () => {
  it("has the promised operations and no others, no pages, each with a name and a scope", () => {
    const described = DESCRIBED.map(({ method, path, operation }) =>
      `${method} ${path} ${operation["x-scope"] ?? null}`
    );
    const promised = [...PROMISED, ...PROMISED_PUBLIC]
      .filter((operation) => !PROMISED_PAGES.includes(operation))
      .map(([method, path, scope]) => `${method} ${path} ${scope}`);
    assertEquals(described.sort(), promised.sort());
    const ids = DESCRIBED.map(({ operation }) => operation.operationId);
    assertEquals(new Set(ids).size, ids.length);
    for (const { path, operation: { security, "x-scope": scope } } of DESCRIBED) {
      const session = path.startsWith("/api/v1/") ? [{ session: [] }] : [];
      assertEquals(security, scope === undefined ? [] : [{ apiKey: [] }, ...session]);
    }
  });

  it("names the base path as its server", async () => {
    const { call } = createDescribed({ basePath: "/feedback" });
    const mounted = await call<OpenApi>("GET", "/feedback/openapi.json");
    assertEquals([mounted, api].map(({ servers }) => servers[0].url), ["/feedback", "/"]);
  });

  it("has no default in a change, because what is left out there keeps its value", async () => {
    const changes = DESCRIBED.filter(({ method }) => method === "PATCH");
    await forEachRow(changes, (described) => {
      const fields = { ...fieldsOf(described, JSON_TYPE), ...fieldsOf(described, FORM) };
      const presets = Object.keys(fields).filter((name) => fields[name].default !== undefined);
      assertEquals(presets, []);
    });
  });

  it("has the fields that are checked, required, and may be null or empty", async () => {
    // These operations are left out: forms of pages are shown again instead of a problem, or ignore
    // wrong fields.
    const withFields = DESCRIBED.filter(({ path, operation }) =>
      operation.requestBody?.content[FORM] && path.startsWith("/api/v1/")
    );
    await forEachRow(withFields, async (described) => {
      const properties = fieldsOf(described, JSON_TYPE);
      const names = Object.keys(properties);
      assertEquals(Object.keys(fieldsOf(described, FORM)), names);
      const all = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]));
      assertEquals(await refused(described, { json: all({ not: "a value" }) }), names);
      const missing = await refused(described, { json: {} });
      const { required } = described.operation.requestBody!.content[JSON_TYPE].schema;
      // Earlier drafts of JSON Schema forbid an empty list.
      assertEquals(required, missing.length > 0 ? missing : undefined);
      const nullable = names.filter((name) => properties[name].type?.includes("null"));
      const others = names.filter((name) => !nullable.includes(name));
      assertEquals(await refused(described, { json: all(null) }), others);
      // In a form, an empty text stands for null, and so no pattern may forbid it.
      const bad = await refused(described, { form: all("") as Record<string, string> });
      assertEquals(bad.filter((name) => nullable.includes(name)), []);
      for (const name of nullable) {
        const { format, pattern, minLength } = fieldsOf(described, FORM)[name];
        assertEquals([format, pattern, minLength], [undefined, undefined, undefined]);
      }
    });
  });
});

describe("the pages", () => {
  const read = (path: string) => Deno.readTextFileSync(new URL(path, DOCS));
  const page = read("http-api.md");

  it("name every field, query parameter and type of event that is described", () => {
    const pages = [...Deno.readDirSync(DOCS)].filter(({ name }) => name.endsWith(".md"));
    const text = pages.map(({ name }) => read(name)).join("\n");
    const names = [...namesIn(api), ...Object.keys(api.webhooks)];
    const isNamed = (name: string) => new RegExp(`[\`"]${RegExp.escape(name)}\\b`).test(text);
    assert(names.length > 80, `${names.length}`);
    // The check boxes of a form have numbers in their names.
    const unnamed = [...new Set(names)].filter((name) =>
      !isNamed(name) && !/^label\d+$/.test(name)
    );
    assertEquals(unnamed, []);
  });

  it("name every page with its address", () => {
    const rows = [...page.split("## Pages\n")[1].matchAll(/^\| (`[^|]*) \|/gm)];
    const named = rows.flatMap(([, paths]) =>
      [...paths.matchAll(/`([^`]+)`/g)].map(([, at]) => at)
    );
    const promised = PROMISED_PAGES.map(([, path]) => path.replace(/{(\w+)}/g, ":$1"));
    assertEquals([...new Set(named)].sort(), [...new Set(promised)].sort());
  });

  it("says of every problem which status it has", () => {
    const rows = [...page.split("## Problems\n")[1].matchAll(/^\| (\d{3}) \| (.*) \|$/gm)];
    const statuses = rows.flatMap(([, status, codes]) =>
      [...codes.matchAll(/`([a-z_]+)`/g)].map(([, code]) => [code, Number(status)])
    );
    const promised = Object.entries(PROBLEMS).map(([code, [status]]) => [code, status]);
    assertEquals(Object.fromEntries(statuses), Object.fromEntries(promised));
  });
});
