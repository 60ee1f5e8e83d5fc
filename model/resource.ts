import type { Schema } from "./json_schema.ts";
import type { FieldType, FieldTypeOf, Kind } from "./kind.ts";
import type { Refusal } from "./refusal.ts";

/** Everything that is known of one field; all else that names the field is made from this. */
export interface FieldDeclaration<V> {
  /** What storage keeps. */
  readonly type: FieldTypeOf<V>;
  /** What it means, for people: a sentence of Markdown. */
  readonly description: string;
  readonly example: V;
  /** What JSON Schema can say of a value, or of each word in a list. */
  readonly rules?: Schema;
  /** Accepts what a caller sends; absent: callers can't set the field. */
  readonly parse?: (text: string) => V | Refusal;
  /** What callers who set it have to know besides. */
  readonly inputRemark?: string;
  /** What a new record has, and one that was stored before the field was declared. Default: `null`. */
  readonly default?: V;
  /** Whether storage alone knows it. */
  readonly hidden?: true;
  /** Its heading where the command line lists records; absent: it isn't listed. */
  readonly column?: string;
}

/**
 * One resource of the API, described once: its kind in storage, the check of requests, the schemas of
 * the reference, and the flags and columns of the command line are all made from it.
 */
export interface Resource<T> extends Omit<Kind<T>, "fields" | "defaults"> {
  /** What a record is, for people. */
  readonly description: string;
  readonly fields: { readonly [F in keyof T]-?: FieldDeclaration<T[F]> };
}

/** A resource whose records' type is not known. */
export interface AnyResource {
  readonly key: string;
  readonly description: string;
  readonly fields: Readonly<Record<string, AnyField>>;
}

/** A field of such a resource. */
export interface AnyField extends Omit<FieldDeclaration<unknown>, "type"> {
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
export function kindOf<T>({ description: _, fields, ...rest }: Resource<T>): Kind<T> {
  const types: Partial<Record<keyof T, string>> = {};
  const defaults: Partial<T> = {};
  for (const name in fields) {
    types[name] = fields[name].type;
    const value = defaultOf(fields[name]);
    if (value !== undefined) defaults[name] = value as T[typeof name];
  }
  return { ...rest, fields: types as Kind<T>["fields"], defaults };
}

/** Returns what a field has where nothing else is known; `undefined` where it has to be given. */
export function defaultOf({ type, default: value }: AnyField): unknown {
  return value === undefined && isNullable({ type }) ? null : value;
}

/** Makes a record of values, and of the defaults of fields that are `undefined`. */
export function fillRecord<T>(
  { fields }: Resource<T>,
  values: { readonly [F in keyof T]?: T[F] | undefined },
): T {
  const record: Partial<T> = {};
  for (const name in fields) {
    record[name] = (values[name] === undefined ? defaultOf(fields[name]) : values[name]) as T[
      typeof name
    ];
  }
  return record as T;
}

/** Tells whether a field may be `null`. */
export function isNullable({ type }: Pick<AnyField, "type">): boolean {
  return type.endsWith("?");
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
