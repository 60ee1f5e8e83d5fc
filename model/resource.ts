import type { Schema } from "./values/json_schema.ts";
import type { AnyKind, FieldType, FieldTypeOf, Item, Kind } from "./kind.ts";
import type { Refusal } from "./values/refusal.ts";

/** Everything that is known of a field that callers see; all else that names the field is made from this. */
export interface ShownField<V> {
  /** What storage keeps. */
  readonly type: FieldTypeOf<V>;
  /** What callers see, where that is something else. */
  readonly shownAs?: FieldType;
  /** What it means, for people: a sentence of Markdown. */
  readonly description: string;
  readonly example: V;
  /** What JSON Schema can say of a value, or of each word in a list. */
  readonly rules?: Schema;
  /** Accepts what a caller sends; absent: callers can't set the field. */
  readonly parse?: (text: string) => V | Refusal;
  /** What callers who set it have to know besides. */
  readonly inputRemark?: string;
  /** What JSON Schema can say of what they send. Default: `rules`. */
  readonly inputRules?: Schema;
  /** The most bytes of UTF-8 in a text, if that is many: it widens the limit of the bodies that have it. */
  readonly maxBytes?: number;
  /** What a new record has, and one that was stored before the field was declared. Default: `null`. */
  readonly default?: V;
  /** Its heading where the command line lists records; absent: it isn't listed. */
  readonly column?: string;
  /** How the command line calls it and its value, as in `scope SCOPE`. Default: by name and type. */
  readonly flag?: string;
}

/** A field that storage alone knows. */
export interface HiddenField<V> extends Pick<ShownField<V>, "type" | "default"> {
  readonly hidden: true;
}

/** A field that callers see and storage doesn't know, since it follows from others. */
export interface ComputedField<V> extends ShownField<V> {
  readonly computed: true;
}

/** What an answer consists of: a record, or what else has fields. */
export interface Described<F extends AnyFields = AnyFields> {
  /** The name of its schema in the reference. */
  readonly title: string;
  /** What it is, for people. */
  readonly description: string;
  /** In the order in which it shows them. */
  readonly fields: F;
}

/**
 * One resource of the API, described once: its kind in storage, the check of requests, the schemas of
 * the reference, and the flags and columns of the command line are all made from it. `T` is a record
 * as it is stored, `S` as callers see it. A declaration has no type of its own, so that the compiler
 * knows all that it says; `@internal` keeps it out of the types of the package, which need one.
 */
export interface Resource<T, S = T>
  extends Omit<Kind<T>, "fields" | "defaults">, Omit<Described, "fields"> {
  readonly fields: {
    readonly [F in keyof T | keyof S]-?: F extends keyof T
      ? F extends keyof S ? ShownField<T[F]> : HiddenField<T[F]>
      : F extends keyof S ? ComputedField<S[F]>
      : never;
  };
}

/** A resource whose records' type is not known. */
export interface AnyResource extends Omit<AnyKind, "fields" | "defaults">, Described {}

/** The fields of such a resource, by name. */
export type AnyFields = Readonly<Record<string, AnyField>>;

/** A field of such a resource. */
export type AnyField = AnyShownField | Omit<HiddenField<unknown>, "type"> & HasType;

/** A field of such a resource that callers see. */
export type AnyShownField = Omit<ShownField<unknown>, "type"> & HasType & {
  readonly computed?: true;
  /** What each of a list of records is. */
  readonly items?: Described;
  /** The fields of an object within the record. */
  readonly part?: AnyFields;
};

interface HasType {
  readonly type: FieldType;
}

/** The fields that callers set. */
export type InputOf<R extends AnyResource> = {
  readonly [
    F in keyof R["fields"] as R["fields"][F] extends { readonly parse: unknown } ? F : never
  ]: R["fields"][F];
};

/** The values that a field of this declaration has. */
export type ValueOf<F> = F extends { readonly parse: (text: string) => infer V }
  ? Exclude<V, Refusal>
  : never;

/** Makes the kind of a resource's records. */
export function kindOf<T>(
  resource: AnyResource & NoInfer<Omit<Kind<T>, "fields" | "defaults">>,
): Kind<T> {
  const { title: _title, description: _, fields, ...rest } = resource;
  const types: Record<string, FieldType> = {};
  const defaults: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<AnyField>(fields)) {
    if ("computed" in field) continue;
    types[name] = field.type;
    const value = defaultOf(field);
    if (value !== undefined) defaults[name] = value;
  }
  return { ...rest, fields: types as Kind<T>["fields"], defaults: defaults as Partial<T> };
}

/** Returns the fields of a record that callers see, by name. */
export function shownFields(fields: AnyFields): readonly (readonly [string, AnyShownField])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    "hidden" in field ? [] : [[name, field] as const]
  );
}

/** Returns the fields that callers set, by name. */
export function inputFields(fields: AnyFields): ReturnType<typeof shownFields> {
  return shownFields(fields).filter(([, { parse }]) => parse !== undefined);
}

/** Returns what a field has where nothing else is known; `undefined` where it has to be given. */
export function defaultOf({ type, default: value }: Pick<AnyField, "type" | "default">): unknown {
  return value === undefined && isNullable({ type }) ? null : value;
}

/** Tells whether a field may be `null`. */
export function isNullable({ type }: Pick<AnyField, "type">): boolean {
  return type.endsWith("?");
}

/** Tells whether callers may clear a field: it then is `null`, or a list with nothing in it. */
export function isClearable(field: Pick<AnyField, "type" | "default">): boolean {
  return isNullable(field) || (Array.isArray(field.default) && field.default.length === 0);
}

/** Values of some fields, which may be `null` in vain. */
type Values<T> = { readonly [F in keyof T]?: T[F] | null | undefined };

/** Makes a record of values, and of the defaults of fields that are absent or `null` in vain. */
export function fillRecord<T>({ fields }: Described, values: Values<T>): T {
  const record: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (!("computed" in field)) record[name] = valueOr(field, values[name as keyof T]);
  }
  return record as T;
}

/** Makes a change of values, of which `null` clears the field. */
export function changeOf<T>({ fields }: Described, values: Values<T>): Partial<T> {
  const change: Partial<T> = {};
  for (const name in values) {
    const value = values[name];
    if (value !== undefined) change[name] = valueOr(fields[name], value) as T[typeof name];
  }
  return change;
}

/** Returns a record as callers see it, with what is computed. */
export function showRecord<T, S>(
  { fields }: Described,
  record: T,
  computed: Omit<S, keyof T>,
): S {
  const values = { ...record, ...computed } as Item;
  const shown: Record<string, Item[string]> = {};
  for (const name in fields) if (!("hidden" in fields[name])) shown[name] = values[name];
  return shown as S;
}

/**
 * Applies a change to a record at a time (RFC 3339, UTC, milliseconds); fields that are `undefined` stay
 * as they are. Returns `current` itself if nothing changes, so that comparing references shows whether
 * anything has to be stored.
 */
export function applyChange<T extends { readonly updatedAt: string }>(
  current: T,
  change: Partial<T>,
  at: string,
): T {
  const changed: Partial<T> = {};
  for (const name in change) {
    const value = change[name];
    const isSame = value === undefined || JSON.stringify(value) === JSON.stringify(current[name]);
    if (!isSame) changed[name] = value;
  }
  return Object.keys(changed).length === 0 ? current : { ...current, ...changed, updatedAt: at };
}

function valueOr(field: AnyField, value: unknown): unknown {
  return value === undefined || (value === null && !isNullable(field)) ? defaultOf(field) : value;
}
