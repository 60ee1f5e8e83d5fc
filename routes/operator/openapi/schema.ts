import { exampleOf, listOf, object, textOrNull } from "../../../model/declare.ts";
import { type Described, type Field, type Fields, shownFields } from "../../../model/resource.ts";
import type { JsonType, Schema } from "../../../model/values/json_schema.ts";
import type { FieldInput } from "../../_http/fields.ts";

/** Describes a value, by default a text; `rules` may change that. */
export function describe(description: string, rules: Omit<Schema, "description"> = {}): Schema {
  return { description, type: "string", ...rules };
}

/** Maps the values of a record and keeps its names. */
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
  return object(`${record.title}Page`, "A page of a listing.", {
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

/** Describes an object whose fields are all required, unless they are said to be optional. */
function describeFields(description: string, fields: Fields): Schema {
  const shown = shownFields(fields);
  return {
    description,
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, describeField(field)])),
    required: shown.filter(([, { optional }]) => !optional).map(([name]) => name),
  };
}

function describeField({ schema, items, part }: Field): Schema {
  const { examples: _, ...shown } = schema;
  if (items !== undefined) return { ...shown, items: schemaRef(items.title) };
  if (part === undefined) return shown;
  return { ...describeFields(schema.description ?? "", part), type: schema.type };
}

/**
 * Describes a field in a JSON body. A list may be a text as well, and a field that may be absent
 * may be `null`.
 */
export function describeJsonInput(
  { schema, default: byDefault }: Field,
  input: FieldInput,
): Schema {
  const types: JsonType[] = input.type === "words" ? ["array", "string"] : [typeOfInput(input)];
  if (input.nullable) types.push("null");
  const preset = presetOf(schema.default ?? byDefault);
  return { ...schema, ...preset, type: types.length === 1 ? types[0] : types };
}

/**
 * Describes a field in a form or a query, whose values are texts. An empty value stands for `null`,
 * so that no format or pattern can be required.
 */
export function describeTextInput(
  { schema, default: byDefault }: Field,
  input: FieldInput,
): FieldSchema {
  const { format, pattern, items, examples = [], enum: words, ...rest } = schema;
  const known = items?.enum === undefined ? "" : ` Words of these: ${items.enum.join(", ")}.`;
  return {
    ...rest,
    ...(input.nullable ? {} : { format, pattern }),
    enum: words?.map((word) => word ?? ""),
    ...presetOf(textOf(schema.default ?? byDefault)),
    description: `${schema.description ?? ""}${known}`,
    type: typeOfInput(input),
    examples: examples.length === 0 ? undefined : [textOf(examples[0])],
  };
}

function textOf(value: unknown): unknown {
  return Array.isArray(value) ? value.join(" ") : value ?? "";
}

/** A schema with the description of its field. */
export interface FieldSchema extends Schema {
  readonly description: string;
}

function typeOfInput({ type }: FieldInput): JsonType {
  return type === "words" ? "string" : type;
}

/** Returns the default of a field for its schema; an empty one goes without saying. */
function presetOf(value: unknown): Pick<Schema, "default"> {
  const isEmpty = value === undefined || value === null || value === "" ||
    (Array.isArray(value) && value.length === 0);
  return isEmpty ? {} : { default: value };
}
