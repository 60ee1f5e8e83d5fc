import type { JsonType, Schema } from "../../model/json_schema.ts";
import type { AnyResource, AnyShownField } from "../../model/resource.ts";
import { isNullable, shownFields } from "../../model/resource.ts";
import { EXAMPLE_TIME } from "../../model/time.ts";

type Rules = Omit<Schema, "description">;

/** A property of a record, with an example of its value, which may be `null` or not. */
export interface Property<V, IsNullable = false> {
  readonly schema: Schema;
  readonly example: V;
  readonly isNullable: IsNullable;
}

/**
 * The properties of a record. The compiler refuses one that is missing or that `T` does not have, and
 * one that may be `null` here but not in `T`, or the other way round.
 */
export type Properties<T> = {
  readonly [K in keyof Required<T>]: Property<T[K], null extends T[K] ? true : false>;
};

/** Describes a value, which is text unless `rules` say otherwise. */
export function describe(description: string, rules: Rules = {}): Schema {
  return { description, type: "string", ...rules };
}

function property<V>(description: string, example: V, rules?: Rules): Property<V> {
  return { schema: describe(description, rules), example, isNullable: false };
}

export function text<V extends string>(
  description: string,
  example: V,
  rules?: Rules,
): Property<V> {
  return property(description, example, rules);
}

export function time(description: string, example: string = EXAMPLE_TIME): Property<string> {
  return property(description, example, { format: "date-time" });
}

export function count(description: string, example: number): Property<number> {
  return property(description, example, { type: "integer", minimum: 0 });
}

export function flag(description: string, example: boolean): Property<boolean> {
  return property(description, example, { type: "boolean" });
}

export function list<V>(
  description: string,
  example: readonly V[],
  items: Rules,
): Property<readonly V[]> {
  return property(description, example, { type: "array", items: { type: "string", ...items } });
}

/** Lets a property be `null`, which stands for its example, too, if it is given. */
export function orNull<V>({ schema, example }: Property<V>, none?: null): Property<V | null, true> {
  const type = [schema.type as JsonType, "null"] as const;
  return { schema: { ...schema, type }, example: none === null ? null : example, isNullable: true };
}

export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes an object that always has all of its properties. */
export function record<T>(description: string, properties: Properties<T>): Schema {
  const all = Object.entries(properties) as readonly [string, Property<unknown>][];
  return {
    description,
    type: "object",
    properties: Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    required: Object.keys(properties),
    examples: [Object.fromEntries(all.map(([name, { example }]) => [name, example]))],
  };
}

/** Describes a page of a listing of records. */
export function page(name: string, { examples = [] }: Schema): Schema {
  const next = text("What to send as `cursor` for the next page; `null` on the last one.", "");
  const data = { type: "array", items: schemaRef(name) } as const;
  return record<{ data: readonly unknown[]; nextCursor: string | null }>("A page of a listing.", {
    data: { schema: data, example: examples, isNullable: false },
    nextCursor: orNull(next, null),
  });
}

/** Describes an object that always has all of these fields. */
export function describeRecord({ description, fields }: Described): Schema {
  const shown = shownFields(fields);
  return {
    description,
    type: "object",
    properties: Object.fromEntries(shown.map(([name, field]) => [name, describeField(field)])),
    required: shown.map(([name]) => name),
    examples: [Object.fromEntries(shown.map(([name, { example }]) => [name, example]))],
  };
}

/** A resource, or what else has fields. */
type Described = Pick<AnyResource, "description" | "fields">;

const TYPES: Readonly<Record<string, Schema & { readonly type: JsonType }>> = {
  text: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer", minimum: 0 },
  time: { type: "string", format: "date-time" },
  texts: { type: "array" },
  json: { type: "object" },
};

function describeField(field: AnyShownField): Schema {
  const { description, rules = {} } = field;
  const { type, ...implied } = TYPES[field.type.replace("?", "")];
  const isList = type === "array";
  return {
    description,
    type: isNullable(field) ? [type, "null"] : type,
    ...implied,
    ...(isList ? { items: { type: "string", ...rules } } : rules),
  };
}
