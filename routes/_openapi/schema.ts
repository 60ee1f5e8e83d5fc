/** The types of JSON that schemas name. */
export type JsonType = "string" | "boolean" | "integer" | "object" | "array" | "null";

/** What is used here of JSON Schema (draft 2020-12). */
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

/**
 * The properties of a record. Naming its type makes an error of types of a property that is missing or
 * has gone, and of one that leaves out that the value may be null, or tells it where it can't be.
 */
export type Properties<T> = { readonly [K in keyof Required<T>]: PropertySchema<T[K]> };

/** A property, which says whether it may be `null`. */
export interface PropertySchema<V> extends Schema {
  readonly type: null extends V ? readonly [JsonType, "null"] : Exclude<JsonType, "null">;
}

/** Refers to one of the {@linkcode SCHEMAS}. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes an object, all of whose properties are there. */
export function record<T>(description: string, properties: Properties<T>, example: T): Schema {
  const required = Object.keys(properties);
  return { description, type: "object", properties, required, examples: [example] };
}

/** Describes a page of a listing of records. */
export function page<T>(name: string, example: T): Schema {
  return record<{ data: readonly T[]; nextCursor: string | null }>("A page of a listing.", {
    data: { type: "array", items: schemaRef(name) },
    nextCursor: {
      description: "What to send as `cursor` for the next page; `null` on the last one.",
      type: ["string", "null"],
    },
  }, { data: [example], nextCursor: null });
}

/** The time in examples. */
export const AT: string = "2026-11-21T10:00:00.000Z";
/** A time. */
export const TIME: PropertySchema<string> = { type: "string", format: "date-time" };
/** A time, or none. */
export const TIME_OR_NULL: PropertySchema<string | null> = {
  type: ["string", "null"],
  format: "date-time",
};
