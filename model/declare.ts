import type { FieldType } from "./kind.ts";
import {
  type Described,
  type Field,
  type Fields,
  type SentField,
  shownFields,
  type ShownOf,
} from "./resource.ts";
import type { JsonType, Schema } from "./values/json_schema.ts";
import { parseBoolean, parseChoice } from "./values/text.ts";
import { EXAMPLE_TIME } from "./values/time.ts";

/** The optional parts of a declaration, besides type, meaning and example. */
interface Rest<V = unknown> extends Omit<Field<V>, "schema"> {
  /** The limits of a value in JSON Schema; in a list, of each word. */
  readonly rules?: Omit<Schema, "examples">;
}

type NoRest = Readonly<Record<never, never>>;

/** A field with values of a type. */
type Declared<V, R> = Omit<R, "rules"> & { readonly schema: Schema<V> };

/** The fields of a declaration that callers can set. */
export type Settable<F> = {
  readonly [N in keyof F as F[N] extends { readonly parse: unknown } ? N : never]: F[N];
};

/** Declares an object with fields, such as a response that is no resource. */
export function object<const F extends Fields>(
  title: string,
  description: string,
  fields: F,
): Described<F> {
  return { title, description, fields };
}

/** Declares a text; without an example if no value suits every server. */
export function text<const R extends Rest<string> = NoRest>(
  description: string,
  example: string | undefined,
  rest?: R,
): Declared<string, R> {
  return declare({ description, type: "string" }, example, rest);
}

/** Declares a text that may be `null`. */
export function textOrNull<const R extends Rest<string | null> = NoRest>(
  description: string,
  example: string | null = null,
  rest?: R,
): Declared<string | null, R> {
  return declare({ description, type: ["string", "null"] }, example, rest);
}

/** The optional parts of a text that is one of some words. */
interface WordRest<W> extends Omit<Rest<W>, "rules"> {
  /** Default: the first word. */
  readonly example?: W;
}

/** Declares a text that is one of some words. */
export function oneOf<const W extends string, const R extends WordRest<W> = NoRest>(
  words: readonly W[],
  description: string,
  rest: R = {} as R,
): Declared<W, Omit<R, "example">> {
  const { example = words[0], ...others } = rest;
  return declare({ description, type: "string", enum: words }, example, others);
}

/** Declares a text that is one of some words; callers may send it. */
export function choice<const W extends string>(
  words: readonly W[],
  description: string,
  rest: WordRest<W> = {},
): SentField<W> {
  return { ...oneOf(words, description, rest), parse: (text) => parseChoice(text, words) };
}

export function texts(
  description: string,
  example: readonly string[],
): Field<readonly string[]> {
  return declare({ description, type: "array", items: { type: "string" } }, example);
}

/** Declares a list of words; callers may send it. */
export function words<V extends readonly string[]>(
  description: string,
  example: NoInfer<V>,
  { rules, ...rest }: Omit<SentField<V>, "schema"> & Pick<Rest, "rules">,
): SentField<V> {
  const items = { type: "string", ...rules } as const;
  return { ...rest, schema: { description, type: "array", items, examples: [example] } };
}

export function time<const R extends Rest<string> = NoRest>(
  description: string,
  rest?: R,
): Declared<string, R> {
  return declare({ description, type: "string", format: "date-time" }, EXAMPLE_TIME, rest);
}

/** Declares a time that may be `null`. */
export function timeOrNull<const R extends Rest<string | null> = NoRest>(
  description: string,
  example: string | null = EXAMPLE_TIME,
  rest?: R,
): Declared<string | null, R> {
  return declare({ description, type: ["string", "null"], format: "date-time" }, example, rest);
}

export function count<const R extends Rest<number> = NoRest>(
  description: string,
  example: number,
  rest?: R,
): Declared<number, R> {
  return declare({ description, type: "integer", minimum: 0 }, example, rest);
}

/** Declares a number that may be `null`. */
export function countOrNull(description: string, example: number | null): Field<number | null> {
  return declare({ description, type: ["integer", "null"], minimum: 0 }, example);
}

/** Declares a boolean. */
export function flag<const R extends Rest<boolean> = NoRest>(
  description: string,
  rest?: R,
): Declared<boolean, R> {
  return declare({ description, type: "boolean" }, true, rest);
}

/** Declares a boolean that callers may send. */
export function sentFlag(description: string, rest?: Rest<boolean>): SentField<boolean> {
  return { ...flag(description, rest), parse: parseBoolean };
}

/** Declares a field that only storage knows. */
export function hidden<const T extends FieldType, const R extends Omit<Rest, "rules"> = NoRest>(
  storedAs: T,
  rest?: R,
): R & Pick<Field, "schema"> & { readonly storedAs: T; readonly hidden: true } {
  return { ...rest as R, schema: {}, storedAs, hidden: true };
}

/** Declares an object within a response. */
export function part<const F extends Fields>(description: string, fields: F): Field<ShownOf<F>> {
  return { ...declare({ description, type: "object" }, exampleOf(fields)), part: fields };
}

/** Declares an object within a response that may be `null`; its example is `null`. */
export function partOrNull<const F extends Fields>(
  description: string,
  fields: F,
): Field<ShownOf<F> | null> {
  return { ...declare({ description, type: ["object", "null"] }, null), part: fields };
}

/** Declares a list of records with a schema of their own. */
export function listOf<const F extends Fields, const R extends Rest = NoRest>(
  items: Described<F>,
  description = "",
  rest?: R,
): Declared<readonly ShownOf<F>[], R> {
  const example = [exampleOf(items.fields)];
  return { ...declare({ description, type: "array" }, example, rest), items };
}

/** Returns a field with a changed meaning, example or limit. */
export function withSchema<F extends Field>(field: F, schema: Omit<Schema, "type">): F {
  return { ...field, schema: { ...field.schema, ...schema } };
}

/** Returns the fields that callers can set. */
export function settable<F extends Fields>(fields: F): Settable<F> {
  const sent = Object.entries(fields).filter(([, { parse }]) => parse !== undefined);
  return Object.fromEntries(sent) as Settable<F>;
}

/** Fields of a change that may be `null`. */
export type OrDefault<F> = {
  readonly [N in keyof F]: F[N] extends SentField<infer V> ? SentField<V | null> : never;
};

/** Returns fields for a change in which `null` stands for the default. */
export function orDefault<F extends Readonly<Record<string, SentField>>>(fields: F): OrDefault<F> {
  const nullable = Object.entries(fields).map(([name, field]) => {
    // An empty text of a form stands for null.
    const { type = "string", enum: known, minLength: _, ...schema } = field.schema;
    const types = [...new Set([type, "null"].flat())] as JsonType[];
    const words = known && { enum: [...known, null] };
    return [name, { ...field, schema: { ...schema, type: types, ...words } }];
  });
  return Object.fromEntries(nullable) as OrDefault<F>;
}

/** Returns some fields of a declaration, such as those of a request body. */
export function pick<F extends Fields, const N extends keyof F>(
  fields: F,
  ...names: readonly N[]
): Pick<F, N> {
  return Object.fromEntries(names.map((name) => [name, fields[name]])) as Pick<F, N>;
}

/** Returns an example of a record with these fields. */
export function exampleOf<F extends Fields>(fields: F): ShownOf<F> {
  const shown = shownFields(fields).map(([name, { schema }]) => [name, schema.examples?.[0]]);
  return Object.fromEntries(shown) as ShownOf<F>;
}

function declare<V, R extends Rest = NoRest>(
  schema: Omit<Schema, "examples">,
  example: V | undefined,
  rest: R = {} as R,
): Declared<V, R> {
  const { rules, ...others } = rest;
  const examples = example === undefined ? {} : { examples: [example] };
  return { ...others, schema: { ...schema, ...rules, ...examples } };
}
