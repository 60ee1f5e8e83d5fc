import type { Schema } from "./values/json_schema.ts";
import type { AnyKind, FieldType, Item, Kind, Limits } from "./kind.ts";
import type { Refusal } from "./values/refusal.ts";

/**
 * A field of a record, request or response. Storage, the check of requests, OpenAPI and the
 * reference all derive from this declaration.
 */
export interface Field<V = unknown> {
  /**
   * The schema of the value in requests and responses: its type, meaning, limits and an example.
   */
  readonly schema: Schema<V>;
  /** Accepts a caller's text; absent if callers can't set the field. */
  readonly parse?: (text: string) => V | Refusal;
  /**
   * The value in a new record, and in a record that is older than the field. Default: `null` for a
   * field that may be `null`.
   */
  readonly default?: V;
  /**
   * Limit of a long text in bytes of UTF-8; it raises the size limit of request bodies with the
   * field.
   */
  readonly maxBytes?: number;
  /** The limits that databases check, besides those of the schema of a field that callers set. */
  readonly limits?: Limits;
  /** Whether only storage knows the field. */
  readonly hidden?: true;
  /** Whether the field derives from others and is not stored. */
  readonly computed?: true;
  /** Whether some responses lack the field, as their caller may not read it. */
  readonly optional?: true;
  /** The type in storage, if it does not follow from the schema. */
  readonly storedAs?: FieldType;
  /** The records in a list with a schema of their own. */
  readonly items?: Described;
  /** The fields of an object within the record. */
  readonly part?: Fields;
}

/** A field that callers can set. */
export interface SentField<V = unknown> extends Field<V> {
  readonly parse: (text: string) => V | Refusal;
}

/** Fields by name, in the order in which responses show them. */
export type Fields = Readonly<Record<string, Field>>;

/** An object with fields: a record, or another response. */
export interface Described<F extends Fields = Fields> {
  /** The name of its schema in the reference. */
  readonly title: string;
  /** The meaning of the field, for people. */
  readonly description: string;
  readonly fields: F;
}

/**
 * A resource of the API; its kind in storage derives from it. A declaration has no declared type,
 * so that the compiler infers all of its details. The package's types require one, so each
 * declaration is marked as internal to stay out of them.
 */
// The tag itself would keep this interface out of the package's types, too.
export interface Resource<F extends Fields = Fields>
  extends Omit<AnyKind, "fields" | "defaults" | "limits" | "words">, Described<F> {}

/** The values of declared fields in responses. */
export type ShownOf<F> =
  & {
    readonly [N in keyof F as F[N] extends Unshown | Optional ? never : N]: ValueOf<F[N]>;
  }
  & { readonly [N in keyof F as F[N] extends Optional ? N : never]?: ValueOf<F[N]> };

type Unshown = { readonly hidden: true };
type Optional = { readonly optional: true };

/** The values of declared fields in storage. */
export type StoredOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly computed: true } ? never : N]: F[N] extends {
    readonly storedAs: infer T;
  } ? StoredValue<F[N], T>
    : ValueOf<F[N]>;
};

type ValueOf<F> = F extends { readonly schema: Schema<infer V> } ? V : never;

type StoredValue<F, T> = T extends `${infer B}?` ? StoredValue<F, B> | null
  : T extends "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "texts" ? readonly string[]
  : T extends "json" ? F extends { readonly default: infer V } ? V : unknown
  : string;

/** Returns the kind of a resource's records. */
export function kindOf<F extends Fields>(resource: Resource<F>): Kind<StoredOf<F>> {
  const { title: _title, description: _, fields, ...rest } = resource;
  const types: Record<string, FieldType> = {};
  const defaults: Record<string, unknown> = {};
  const limits: Record<string, Limits> = {};
  const words: Record<string, readonly unknown[]> = {};
  for (const [name, field] of Object.entries<Field>(fields)) {
    if (field.computed) continue;
    types[name] = storageTypeOf(field);
    const limit = limitsOf(field);
    if (limit !== undefined) limits[name] = limit;
    const known = field.schema.enum ?? field.schema.items?.enum;
    if (known !== undefined) words[name] = known;
    const value = defaultOf(field);
    if (value !== undefined) defaults[name] = value;
  }
  // V8 reads the copy much faster than an object to which many fields were added one by one.
  return { ...rest, fields: { ...types }, defaults, limits, words } as Kind<StoredOf<F>>;
}

/** Returns the limits of a field in storage; `undefined` if it has none. */
function limitsOf(field: Field): Limits | undefined {
  const { schema, maxBytes, parse, limits } = field;
  if (parse === undefined) return limits;
  const { format, pattern, minLength, maxLength } = schema;
  // Length and form of an address are those of its bytes.
  const given: Limits = format === "idn-email"
    ? { maxBytes: maxLength, pattern: ".@." }
    // An empty text of a field that may be null is null.
    : {
      minLength: minLength ?? (maxLength && isNullable(field) ? 1 : undefined),
      maxLength,
      pattern,
      maxBytes,
    };
  const all = Object.entries({ ...given, ...limits }).filter(([, limit]) => limit !== undefined);
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** Returns the type that a field has in storage. */
function storageTypeOf({ schema, storedAs }: Field): FieldType {
  if (storedAs !== undefined) return storedAs;
  const types = [schema.type ?? "string"].flat();
  const suffix = types.includes("null") ? "?" : "";
  if (types.includes("boolean")) return `boolean${suffix}`;
  if (types.includes("integer")) return `integer${suffix}`;
  if (types.includes("array")) {
    return `${schema.items?.type === "string" ? "texts" : "json"}${suffix}`;
  }
  if (types.includes("object")) return `json${suffix}`;
  return `${schema.format === "date-time" ? "time" : "text"}${suffix}`;
}

/** Returns the fields that callers see, by name. */
export function shownFields(fields: Fields): readonly (readonly [string, Field])[] {
  return Object.entries(fields).filter(([, { hidden }]) => !hidden);
}

/** Returns the default of a field; `undefined` if a record must have a value. */
export function defaultOf(field: Field): unknown {
  return field.default === undefined && isNullable(field) ? null : field.default;
}

/** Tells whether a field may be `null` in storage. */
function isNullable(field: Field): boolean {
  return storageTypeOf(field).endsWith("?");
}

/** Tells whether callers may clear a field to `null` or an empty list. */
export function isClearable(field: Field): boolean {
  return isNullable(field) || (Array.isArray(field.default) && field.default.length === 0);
}

/**
 * The values of the fields that callers set, as storage has them; absent fields stay as they are.
 */
export type SentValues<F> = {
  readonly [N in keyof F as F[N] extends { readonly parse: unknown } ? N : never]?:
    | ValueOf<F[N]>
    | undefined;
};

/** Returns the names of the fields that callers can set. */
export function sentNames({ fields }: Described): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name].parse !== undefined);
}

/** Returns the values of a record that callers set. */
export function sentValues<T>(described: Described, record: T): T {
  const values = sentNames(described).map((name) => [name, record[name as keyof T]]);
  return Object.fromEntries(values) as T;
}

/** Values of some fields; `null` stands for the default of a field that can't be `null`. */
export type GivenValues<T> = { readonly [F in keyof T]?: T[F] | null | undefined };

/** Creates a record from values; absent fields get their defaults. */
export function fillRecord<T>({ fields }: Described, values: GivenValues<T>): T {
  const record: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!field.computed) record[name] = valueOr(field, values[name as keyof T]);
  }
  return record as T;
}

/** Creates a change from values; `null` clears a field. */
export function changeOf<T>({ fields }: Described, values: GivenValues<T>): Partial<T> {
  const change: Partial<T> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) change[name] = valueOr(fields[name], value) as T[typeof name];
  }
  return change;
}

/** Returns a record as the API shows it, including computed fields. */
export function showRecord<T, S>(
  { fields }: Described,
  record: T,
  computed: Omit<S, keyof T>,
): S {
  const values = { ...record, ...computed } as Item;
  const shown: Record<string, Item[string]> = {};
  for (const name in fields) if (!fields[name].hidden) shown[name] = values[name];
  return shown as S;
}

/**
 * Applies a change to a record at a time (RFC 3339, UTC, milliseconds); see
 * {@linkcode applyValues}.
 */
export function applyChange<T extends { readonly updatedAt: string }>(
  current: T,
  change: Partial<T>,
  at: string,
): T {
  const next = applyValues(current, change);
  return next === current ? current : { ...next, updatedAt: at };
}

/**
 * Applies a change to a record; fields that are `undefined` stay as they are. Returns `current`
 * itself if nothing changes, so that comparing references shows whether anything has to be stored.
 */
export function applyValues<T>(current: T, change: Partial<T>): T {
  const changed: Partial<T> = {};
  for (const name in change) {
    const value = change[name];
    const isSame = value === undefined || JSON.stringify(value) === JSON.stringify(current[name]);
    if (!isSame) changed[name] = value;
  }
  return Object.keys(changed).length === 0 ? current : { ...current, ...changed };
}

function valueOr(field: Field, value: unknown): unknown {
  return value === undefined || (value === null && !isNullable(field)) ? defaultOf(field) : value;
}
