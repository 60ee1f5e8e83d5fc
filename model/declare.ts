import type { FieldType } from "./kind.ts";
import { type AnswerOf, type Described, type Field, type Fields, shownFields } from "./resource.ts";
import type { Schema } from "./values/json_schema.ts";
import type { Refusal } from "./values/refusal.ts";
import { parseBoolean, parseChoice } from "./values/text.ts";
import { EXAMPLE_TIME } from "./values/time.ts";

/** The optional parts of a declaration, besides type, meaning and example. */
interface Rest extends Omit<Field, "schema"> {
  /** The limits of a value in JSON Schema; in a list, of each word. */
  readonly rules?: Schema;
}

type NoRest = Readonly<Record<never, never>>;

/** The parts of a schema that affect no type. */
type Known = Pick<Schema, "description" | "examples" | "format" | "minimum">;

/** A field of a JSON type. */
type Declared<T, R> = Omit<R, "rules"> & {
  readonly schema: Known & { readonly type: T } & RulesIn<R>;
};

type RulesIn<R> = R extends { readonly rules: infer S } ? S : unknown;

/** Declares an object with fields, such as a response that is no resource. */
export function answer<const F extends Fields>(
  title: string,
  description: string,
  fields: F,
): Described<F> {
  return { title, description, fields };
}

/** Declares a text; without an example if no value suits every server. */
export function text<const R extends Rest = NoRest>(
  description: string,
  example: string | undefined,
  rest?: R,
): Declared<"string", R> {
  return declare("string", { description, example }, rest);
}

/** Declares a text that may be `null`. */
export function textOrNull<const R extends Rest = NoRest>(
  description: string,
  example: string | null = null,
  rest?: R,
): Declared<readonly ["string", "null"], R> {
  return declare(["string", "null"], { description, example }, rest);
}

/** Declares a text that is one of some words; callers may send it. */
export function choice<const W extends string>(
  words: readonly W[],
  description: string,
): Declared<"string", { readonly rules: { readonly enum: readonly W[] } }> & {
  readonly parse: (text: string) => W | Refusal;
} {
  const parse = (text: string) => parseChoice(text, words);
  return { ...text(description, words[0], { rules: { enum: words } }), parse };
}

/** Declares a list of words. */
export function words<const R extends Rest = NoRest>(
  description: string,
  example: readonly string[],
  { rules, ...rest }: R,
): Omit<R, "rules"> & {
  readonly schema: Known & {
    readonly type: "array";
    readonly items: { readonly type: "string" } & RulesIn<R>;
  };
} {
  const items = { type: "string", ...rules } as { readonly type: "string" } & RulesIn<R>;
  return { ...rest, schema: { description, type: "array", items, examples: [example] } };
}

/** Declares a time. */
export function time<const R extends Rest = NoRest>(
  description: string,
  rest?: R,
): Declared<"string", R> {
  const field = declare<"string", R>("string", { description, example: EXAMPLE_TIME }, rest);
  return withSchema(field, { format: "date-time" });
}

/** Declares a time that may be `null`. */
export function timeOrNull<const R extends Rest = NoRest>(
  description: string,
  example: string | null = EXAMPLE_TIME,
  rest?: R,
): Declared<readonly ["string", "null"], R> {
  const type = ["string", "null"] as const;
  const field = declare<typeof type, R>(type, { description, example }, rest);
  return withSchema(field, { format: "date-time" });
}

/** Declares a count. */
export function count<const R extends Rest = NoRest>(
  description: string,
  example: number,
  rest?: R,
): Declared<"integer", R> {
  return withSchema(declare<"integer", R>("integer", { description, example }, rest), {
    minimum: 0,
  });
}

/** Declares a number that may be `null`. */
export function countOrNull(
  description: string,
  example: number | null,
): Declared<readonly ["integer", "null"], NoRest> {
  return withSchema(declare(["integer", "null"], { description, example }), { minimum: 0 });
}

/** Declares a boolean. */
export function flag<const R extends Rest = NoRest>(
  description: string,
  rest?: R,
): Declared<"boolean", R> {
  return declare("boolean", { description, example: true }, rest);
}

/** Declares a boolean that callers may send. */
export function sentFlag<const R extends Rest = NoRest>(
  description: string,
  rest?: R,
): Declared<"boolean", R> & { readonly parse: typeof parseBoolean } {
  return { ...flag(description, rest), parse: parseBoolean };
}

/** Declares a field that only storage knows. */
export function hidden<const T extends FieldType, const R extends Rest = NoRest>(
  storedAs: T,
  rest: R = {} as R,
): Omit<R, "rules"> & {
  readonly schema: Schema & RulesIn<R>;
  readonly storedAs: T;
  readonly hidden: true;
} {
  const { rules = {}, ...others } = rest;
  return { ...others, schema: rules as Schema & RulesIn<R>, storedAs, hidden: true };
}

/** Declares an object within a response. */
export function part<const F extends Fields>(
  description: string,
  fields: F,
): Declared<"object", NoRest> & { readonly part: F } {
  return { ...declare("object", { description, example: exampleOf(fields) }), part: fields };
}

/** Declares an object within a response that may be `null`; its example is `null`. */
export function partOrNull<const F extends Fields>(
  description: string,
  fields: F,
): Declared<readonly ["object", "null"], NoRest> & { readonly part: F } {
  return { ...declare(["object", "null"], { description, example: null }), part: fields };
}

/** Declares a list of records with a schema of their own. */
export function listOf<D extends Described, const R extends Rest = NoRest>(
  items: D,
  description = "",
  rest?: R,
): Declared<"array", R> & { readonly items: D } {
  const example = [exampleOf(items.fields)];
  return { ...declare<"array", R>("array", { description, example }, rest), items };
}

/** Returns a field with a changed meaning, example or limit. */
export function withSchema<F extends Field>(field: F, schema: Omit<Schema, "type">): F {
  return { ...field, schema: { ...field.schema, ...schema } };
}

/** Returns some fields of a declaration, such as those of a request body. */
export function pick<F extends Fields, const N extends keyof F>(
  fields: F,
  ...names: readonly N[]
): Pick<F, N> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<F, N>;
}

/** Returns an example of a record with these fields. */
export function exampleOf<F extends Fields>(fields: F): AnswerOf<F> {
  const shown = shownFields(fields).map(([name, { schema }]) => [name, schema.examples?.[0]]);
  return Object.fromEntries(shown) as AnswerOf<F>;
}

function declare<const T, R extends Rest>(
  type: T,
  { description, example }: { readonly description: string; readonly example: unknown },
  rest: R = {} as R,
): Declared<T, R> {
  const { rules, ...others } = rest;
  const examples = example === undefined ? {} : { examples: [example] };
  const schema = { description, type, ...rules, ...examples };
  return { ...others, schema } as Declared<T, R>;
}
