/** The types of JSON that schemas name. */
export type JsonType = "string" | "boolean" | "integer" | "object" | "array" | "null";

/** The part of JSON Schema (draft 2020-12) that the description uses. */
export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
}

type SingleType = Exclude<JsonType, "null">;

/** A property that is never `null`. */
export interface Property extends Schema {
  readonly type: SingleType;
}

/** A property that may be `null`. */
export interface NullableProperty extends Schema {
  readonly type: readonly [SingleType, "null"];
}

/**
 * The properties of a record of type `T`. The compiler refuses one that is missing, one that `T` does
 * not have, and one that may be `null` here but not in `T`, or the other way round.
 */
export type Properties<T> = {
  readonly [K in keyof Required<T>]: null extends T[K] ? NullableProperty : Property;
};

/** Describes a property of any type; text unless `rules` say otherwise. */
export function property(description: string, rules: Partial<Property> = {}): Property {
  return { description, type: "string", ...rules };
}

/** Describes a time. */
export function time(description: string): Property {
  return property(description, { format: "date-time" });
}

/** Describes a number of things. */
export function count(description: string): Property {
  return property(description, { type: "integer", minimum: 0 });
}

/** Describes a list of strings. */
export function list(description: string, items: Schema): Property {
  return property(description, { type: "array", items: { type: "string", ...items } });
}

/** Lets a property be `null`. */
export function orNull(schema: Property): NullableProperty {
  return { ...schema, type: [schema.type, "null"] };
}

/** Refers to one of the schemas by its name. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes an object that always has all of its properties. */
export function record<T>(description: string, properties: Properties<T>, example: T): Schema {
  const required = Object.keys(properties);
  return { description, type: "object", properties, required, examples: [example] };
}

/** Describes a page of a listing of records. */
export function page<T>(name: string, example: T): Schema {
  return record<{ data: readonly T[]; nextCursor: string | null }>("A page of a listing.", {
    data: { type: "array", items: schemaRef(name) },
    nextCursor: orNull(
      property("What to send as `cursor` for the next page; `null` on the last one."),
    ),
  }, { data: [example], nextCursor: null });
}

/** The time in examples. */
export const AT: string = "2026-11-21T10:00:00.000Z";
