import type { Schema } from "../../model/values/json_schema.ts";
import { nearest } from "../../model/values/nearest.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { parseChoice, quote } from "../../model/values/text.ts";
import { type FieldProblem, type Problem, validationFailed } from "./problem.ts";

/** A field, described to people and tools. */
export interface FieldSchema extends Schema {
  readonly description: string;
}

/** How one field of a body or query is taken. */
export interface Field<T> {
  readonly required: boolean;
  /** Whether `null` in JSON, or an empty value in a form, is accepted. */
  readonly nullable: boolean;
  /**
   * The type of the value in JSON; in forms and queries all values are text. Words are separated by
   * spaces, or are an array of strings in JSON.
   */
  readonly type: "string" | "boolean" | "integer" | "words";
  readonly parse: (text: string) => T | Refusal;
  /** The most bytes of UTF-8 in it, if that is many. */
  readonly maxBytes?: number | undefined;
  readonly schema: FieldSchema;
  /** What the command line shows, where it doesn't follow from the rest. */
  readonly shown?: FieldOnCommandLine;
}

/** How the command line shows a field. */
export interface FieldOnCommandLine {
  /** Its name and its value, as in `scope SCOPE`. Default: by the field's name and type. */
  readonly flag?: string | undefined;
  /** What it means. Default: the description. */
  readonly help?: string;
  /** The words that a list may have. */
  readonly choices?: readonly string[] | undefined;
}

/** The fields of a body or query, by name. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** The values of fields: `undefined` where absent, `null` where given as `null` or left empty. */
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> & Required ? T : ValueOf<F[K]>;
};
/** Of a field that has to be there. */
export type Required = { readonly required: true };
/** Of a field that is not `null` where it is there. */
export type NeverNull = { readonly nullable: false };
type ValueOf<F> = F extends Field<infer T>
  ? F extends NeverNull ? T | undefined : T | null | undefined
  : never;

/** Values as they came in, before they were checked. */
export interface RawValues {
  /** Text from a form or query, or values from JSON. */
  readonly kind: "text" | "json";
  readonly values: ReadonlyMap<string, unknown>;
}

/** Describes a field that may be absent; text that may be `null`, unless told otherwise. */
export function optional<T>(
  parse: Field<T>["parse"],
  schema: FieldSchema,
  options: Partial<Pick<Field<T>, "type" | "nullable" | "shown">> = {},
): Field<T> {
  return { required: false, nullable: true, type: "string", parse, schema, ...options };
}

/** Describes a text that may be absent, and is not empty otherwise. */
export function textual<T>(parse: Field<T>["parse"], schema: FieldSchema): Field<T> & NeverNull {
  return { required: false, nullable: false, type: "string", parse, schema };
}

/** Describes a field that may be absent, and otherwise is one of some words. */
export function choice<W extends string>(
  words: readonly W[],
  description: string,
): Field<W> & NeverNull {
  return textual((text) => parseChoice(text, words), { description, enum: words });
}

/** Describes a field that has to be there; text, unless told otherwise. */
export function required<T>(
  parse: Field<T>["parse"],
  schema: FieldSchema,
  type: Field<T>["type"] = "string",
): Field<T> & Required {
  return { required: true, nullable: false, type, parse, schema };
}

/** How values are checked. */
export interface CheckOptions<F extends Fields> {
  /** Whether unknown fields are ignored; otherwise they are refused. */
  readonly ignoresUnknown?: boolean | undefined;
  readonly check?: ((accepted: Partial<Values<F>>) => readonly FieldProblem[]) | undefined;
}

/**
 * Checks raw values against fields; returns what was accepted, or `validation_failed`, naming every
 * bad field at once.
 */
export function checkValues<F extends Fields>(
  fields: F,
  raw: RawValues,
  { ignoresUnknown = false, check }: CheckOptions<F> = {},
): Values<F> | Problem {
  const accepted: Record<string, unknown> = {};
  const errors: FieldProblem[] = [];
  for (const name of Object.keys(fields)) {
    const value = checkValue(fields[name], raw.values.get(name), raw.kind);
    if (value instanceof Refusal) {
      const { code, detail } = value;
      errors.push({ field: name, code, detail: `${name} ${detail}` });
    } else accepted[name] = value;
  }
  if (check !== undefined) errors.push(...check(accepted as Partial<Values<F>>));
  if (!ignoresUnknown) errors.push(...refuseUnknown(fields, raw.values.keys()));
  if (errors.length > 0) return validationFailed(errors);
  return accepted as Values<F>;
}

function refuseUnknown(fields: Fields, names: Iterable<string>): FieldProblem[] {
  const errors: FieldProblem[] = [];
  for (const name of names) {
    if (Object.hasOwn(fields, name)) continue;
    const known = nearest(name, Object.keys(fields));
    const hint = known === undefined ? "" : `; did you mean ${known}?`;
    // Quoting shortens and masks the name, which may be long or a secret.
    const field = quote(name).slice(1, -1);
    errors.push({ field, code: "unknown_field", detail: `${field} is not a field here${hint}` });
  }
  return errors;
}

function checkValue(field: Field<unknown>, value: unknown, kind: RawValues["kind"]): unknown {
  if (value === undefined || value === null) {
    if (field.required || (value === null && !field.nullable)) {
      return new Refusal("required", "is required");
    }
    return value;
  }
  if (kind === "json" && field.type === "words" && Array.isArray(value)) {
    const isWord = (word: unknown) => typeof word === "string" && /^\S+$/.test(word);
    return value.every(isWord)
      ? field.parse(value.join(" "))
      : new Refusal("invalid_type", "must be an array of words, each a string without spaces");
  }
  if (kind === "json" && (field.type === "boolean" || field.type === "integer")) {
    return typeof value === "boolean" && field.type === "boolean"
      ? value
      : new Refusal("invalid_value", `must be a JSON ${field.type}`);
  }
  if (typeof value !== "string") return new Refusal("invalid_type", "must be a string");
  if (value === "" && field.nullable && kind === "text") return null;
  return field.parse(value);
}
