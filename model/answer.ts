import type { AnyFields, AnyShownField, Described } from "./resource.ts";
import { shownFields } from "./resource.ts";

/** A field of an answer. */
type Part<F> = Omit<AnyShownField, keyof F> & F;

/** Declares an answer that is no resource: its name in the reference, what it is, and its fields. */
export function answer<const F extends AnyFields>(
  title: string,
  description: string,
  fields: F,
): Described<F> {
  return { title, description, fields };
}

/** Declares a text. */
export function text(
  description: string,
  example: string,
  rest: Partial<AnyShownField> = {},
): Part<{ readonly type: "text" }> {
  return { ...rest, type: "text", description, example };
}

/** Declares a text that may be `null`, which is its example unless one is given. */
export function textOrNull(
  description: string,
  example: string | null = null,
  rest: Partial<AnyShownField> = {},
): Part<{ readonly type: "text?" }> {
  return { ...rest, type: "text?", description, example };
}

/** Declares a number of something. */
export function count(description: string, example: number): Part<{ readonly type: "integer" }> {
  return { type: "integer", description, example };
}

/** Declares whether something is so. */
export function flag(description: string): Part<{ readonly type: "boolean" }> {
  return { type: "boolean", description, example: true };
}

/** Declares an object within an answer. */
export function part<const F extends AnyFields>(
  description: string,
  fields: F,
): Part<{ readonly part: F }> {
  return { type: "json", description, example: exampleOf(fields), part: fields };
}

/** Declares an object within an answer that may be `null`, which is its example. */
export function partOrNull<const F extends AnyFields>(
  description: string,
  fields: F,
): Part<{ readonly type: "json?"; readonly part: F }> {
  return { type: "json?", description, example: null, part: fields };
}

/** Declares a list of records that have a schema of their own. */
export function listOf<D extends Described>(
  items: D,
  description = "",
): Part<{ readonly items: D }> {
  return { type: "json", description, example: [exampleOf(items.fields)], items };
}

/** Returns an example of a record with these fields. */
export function exampleOf<F extends AnyFields>(fields: F): ExampleOf<F> {
  const shown = shownFields(fields).map(([name, { example }]) => [name, example]);
  return Object.fromEntries(shown) as ExampleOf<F>;
}

type ExampleOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly hidden: true } ? never : N]: F[N] extends {
    readonly example: infer E;
  } ? E
    : unknown;
};

/** The values that declared fields have. */
export type AnswerOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly hidden: true } ? never : N]: ValueOf<F[N]>;
};

type ValueOf<F> = F extends { readonly items: Described<infer G> } ? readonly AnswerOf<G>[]
  : F extends { readonly type: "json?"; readonly part: infer G } ? AnswerOf<G> | null
  : F extends { readonly part: infer G } ? AnswerOf<G>
  : F extends { readonly shownAs: `${infer T}?` } ? TypeOf<F, T> | null
  : F extends { readonly type: `${infer T}?` } ? TypeOf<F, T> | null
  : F extends { readonly type: infer T } ? TypeOf<F, T>
  : never;

type TypeOf<F, T> = T extends "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "texts" ? readonly string[]
  : T extends "json" ? unknown
  : F extends { readonly rules: { readonly enum: readonly (infer E)[] } } ? E
  : string;
