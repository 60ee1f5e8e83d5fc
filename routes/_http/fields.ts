import { type Field, isClearable, type SentField } from "../../model/resource.ts";
import { nearest } from "../../model/values/nearest.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { quote } from "../../model/values/text.ts";
import { type FieldProblem, type Problem, validationFailed } from "./problem.ts";

/** Declared fields that callers send. */
export type InputFields = Readonly<Record<string, SentField>>;

/**
 * The values of a body. The fields of `R` are required; others are `undefined` if absent, and
 * `null` if given as `null` or left empty.
 */
export type BodyValues<B, R> = {
  readonly [N in keyof B]: N extends R ? Parsed<B[N]> : Parsed<B[N]> | null | undefined;
};

/** The values of a query. Those of `R` are required; others are `undefined` if absent. */
export type QueryValues<Q, R = never> = {
  readonly [N in keyof Q]: N extends R ? Parsed<Q[N]> : Parsed<Q[N]> | undefined;
};

type Parsed<F> = F extends { readonly parse: (text: string) => infer V }
  ? Exclude<V, Refusal | null>
  : never;

/** The accepted values, by field. */
export type Accepted = Readonly<Record<string, unknown>>;

/** A field, prepared for the check of each request. */
export interface FieldInput {
  /** The type of the value. Forms and queries have only texts; a list is words or a JSON array. */
  readonly type: "string" | "boolean" | "integer" | "words";
  readonly required: boolean;
  /** Whether `null` in JSON, or an empty value in a form, is accepted. */
  readonly nullable: boolean;
  readonly parse: SentField["parse"];
}

/** The fields of a body or a query, prepared. */
export type Inputs = Readonly<Record<string, FieldInput>>;

/** Values before they are checked. */
export interface RawValues {
  /** Whether the values are texts of a form or query, or values of JSON. */
  readonly kind: "text" | "json";
  readonly values: ReadonlyMap<string, unknown>;
}

/**
 * Prepares the fields of a body. An optional field may be `null`, which stands for its default,
 * unless its schema asks for at least one character. In a change, `null` clears a field that can be
 * cleared.
 */
export function bodyInputs(
  fields: InputFields,
  { required, isChange }: { readonly required: readonly string[]; readonly isChange: boolean },
): Inputs {
  return prepare(fields, (name, field) => {
    const isRequired = required.includes(name);
    const mayBeEmpty = isChange ? isClearable(field) : field.schema.minLength === undefined;
    return { required: isRequired, nullable: !isRequired && mayBeEmpty };
  });
}

/** Prepares the parameters of a query, which are never `null`. */
export function queryInputs(fields: InputFields, required: readonly string[]): Inputs {
  return prepare(fields, (name) => ({ required: required.includes(name), nullable: false }));
}

function prepare(
  fields: InputFields,
  decide: (name: string, field: Field) => Pick<FieldInput, "required" | "nullable">,
): Inputs {
  const inputs = Object.entries(fields).map(([name, field]): readonly [string, FieldInput] => {
    const { required, nullable } = decide(name, field);
    return [name, { type: typeOf(field), required, nullable, parse: field.parse }];
  });
  return Object.fromEntries(inputs);
}

function typeOf({ schema: { type = "string" } }: Field): FieldInput["type"] {
  const types = [type].flat();
  if (types.includes("array")) return "words";
  if (types.includes("boolean")) return "boolean";
  return types.includes("integer") ? "integer" : "string";
}

/** The options of a check of values. */
export interface CheckOptions {
  /** Whether unknown fields are ignored; otherwise they are refused. */
  readonly ignoresUnknown?: boolean | undefined;
  readonly check?: ((accepted: Accepted) => readonly FieldProblem[]) | undefined;
}

/**
 * Checks raw values against inputs. Returns the accepted values, or `validation_failed`, which
 * names every bad field.
 */
export function checkValues(
  inputs: Inputs,
  raw: RawValues,
  { ignoresUnknown = false, check }: CheckOptions = {},
): Accepted | Problem {
  const accepted: Record<string, unknown> = {};
  const errors: FieldProblem[] = [];
  for (const name of Object.keys(inputs)) {
    const value = checkValue(inputs[name], raw.values.get(name), raw.kind);
    if (value instanceof Refusal) {
      const { code, detail } = value;
      errors.push({ field: name, code, detail: `${name} ${detail}` });
    } else accepted[name] = value;
  }
  if (check !== undefined) errors.push(...check(accepted));
  if (!ignoresUnknown) errors.push(...refuseUnknown(inputs, raw.values.keys()));
  if (errors.length > 0) return validationFailed(errors);
  return accepted;
}

function refuseUnknown(inputs: Inputs, names: Iterable<string>): FieldProblem[] {
  const errors: FieldProblem[] = [];
  for (const name of names) {
    if (Object.hasOwn(inputs, name)) continue;
    const known = nearest(name, Object.keys(inputs));
    const hint = known === undefined ? "" : `; did you mean ${known}?`;
    // Quoting shortens and masks the name, which may be long or secret.
    const field = quote(name).slice(1, -1);
    errors.push({ field, code: "unknown_field", detail: `${field} is not a field here${hint}` });
  }
  return errors;
}

function checkValue(input: FieldInput, value: unknown, kind: RawValues["kind"]): unknown {
  if (value === undefined || value === null) {
    if (input.required || (value === null && !input.nullable)) {
      return new Refusal("required", "is required");
    }
    return value;
  }
  if (kind === "json" && input.type === "words" && Array.isArray(value)) {
    const isWord = (word: unknown) => typeof word === "string" && /^\S+$/.test(word);
    return value.every(isWord)
      ? input.parse(value.join(" "))
      : new Refusal("invalid_type", "must be an array of words, each a string without spaces");
  }
  if (kind === "json" && (input.type === "boolean" || input.type === "integer")) {
    return typeof value === "boolean" && input.type === "boolean"
      ? value
      : new Refusal("invalid_value", `must be a JSON ${input.type}`);
  }
  if (typeof value !== "string") return new Refusal("invalid_type", "must be a string");
  if (value === "" && input.nullable && kind === "text") return null;
  return input.parse(value);
}
