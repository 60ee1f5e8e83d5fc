import { answer, exampleOf, listOf, textOrNull } from "../../../model/declare.ts";
import type { AnyFields, AnyShownField, Described } from "../../../model/resource.ts";
import { isNullable, shownFields } from "../../../model/resource.ts";
import type { JsonType, Schema } from "../../../model/values/json_schema.ts";

/** Describes a value, which is text unless `rules` say otherwise. */
export function describe(description: string, rules: Omit<Schema, "description"> = {}): Schema {
  return { description, type: "string", ...rules };
}

/** Makes a record of the same names by making something of each value. */
export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  make: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, it]) => [name, make(it, name)]));
}

/** Returns the reference to a schema. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Declares a page of a listing of records. */
export function pageOf(record: Described): Described {
  return answer(`${record.title}Page`, "A page of a listing.", {
    data: listOf(record),
    nextCursor: textOrNull(
      "What to send as `cursor` for the next page; `null` on the last one.",
    ),
  });
}

/** Describes records, and those within them, by the names of their schemas. */
export function describeRecords(records: readonly Described[]): Readonly<Record<string, Schema>> {
  const schemas: Record<string, Schema> = {};
  for (const { title, description, fields } of records) {
    schemas[title] ??= { ...describeFields(description, fields), examples: [exampleOf(fields)] };
    const within = shownFields(fields).flatMap(([, { items }]) => items ?? []);
    for (const [name, schema] of Object.entries(describeRecords(within))) schemas[name] ??= schema;
  }
  return schemas;
}

/** Describes an object that always has all of these fields. */
function describeFields(description: string, fields: AnyFields): Schema {
  const shown = shownFields(fields);
  return {
    description,
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, describeField(field)])),
    required: shown.map(([name]) => name),
  };
}

const TYPES: Readonly<Record<string, Schema & { readonly type: JsonType }>> = {
  text: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer", minimum: 0 },
  time: { type: "string", format: "date-time" },
  texts: { type: "array" },
  json: { type: "object" },
};

function describeField(field: AnyShownField): Schema {
  const { description, items, part, shownAs = field.type, rules = {} } = field;
  if (part !== undefined) {
    const described = describeFields(description, part);
    return isNullable(field) ? { ...described, type: ["object", "null"] } : described;
  }
  const { type, ...implied } = TYPES[shownAs.replace("?", "")];
  const told = description && { description };
  if (items !== undefined) return { ...told, type: "array", items: schemaRef(items.title) };
  return {
    ...told,
    type: isNullable({ type: shownAs }) ? [type, "null"] : type,
    ...implied,
    ...(type === "array" ? { items: { type: "string", ...rules } } : rules),
  };
}
