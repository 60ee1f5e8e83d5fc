import type { FieldType } from "./kind.ts";
import type { AnyFields, AnyShownField, Described } from "./resource.ts";
import { shownFields } from "./resource.ts";
import { EXAMPLE_TIME } from "./values/time.ts";

/** A declared field. */
interface Declared<T extends FieldType, E> {
  readonly type: T;
  readonly description: string;
  readonly example: E;
}

/** What is known of a field besides. */
type Rest = Omit<Partial<AnyShownField>, keyof Declared<FieldType, unknown>>;

/** Declares an answer that is no resource: its name in the reference, what it is, and its fields. */
export function answer<const F extends AnyFields>(
  title: string,
  description: string,
  fields: F,
): Described<F> {
  return { title, description, fields };
}

/** Declares a text. */
export function text<const E extends string, const R extends Rest = Rest>(
  description: string,
  example: E,
  rest?: R,
): Declared<"text", E> & R {
  return declare("text", { description, example }, rest);
}

/** Declares a text that may be `null`, which is its example unless one is given. */
export function textOrNull<const R extends Rest = Rest>(
  description: string,
  example: string | null = null,
  rest?: R,
): Declared<"text?", string | null> & R {
  return declare("text?", { description, example }, rest);
}

/** Declares a time. */
export function time<const R extends Rest = Rest>(
  description: string,
  rest?: R,
): Declared<"time", string> & R {
  return declare("time", { description, example: EXAMPLE_TIME }, rest);
}

/** Declares a time that may be `null`. */
export function timeOrNull<const R extends Rest = Rest>(
  description: string,
  example: string | null = EXAMPLE_TIME,
  rest?: R,
): Declared<"time?", string | null> & R {
  return declare("time?", { description, example }, rest);
}

/** Declares a number of something. */
export function count<const R extends Rest = Rest>(
  description: string,
  example: number,
  rest?: R,
): Declared<"integer", number> & R {
  return declare("integer", { description, example }, rest);
}

/** Declares whether something is so. */
export function flag<const R extends Rest = Rest>(
  description: string,
  rest?: R,
): Declared<"boolean", boolean> & R {
  return declare("boolean", { description, example: true }, rest);
}

function declare<T extends FieldType, E, R extends Rest>(
  type: T,
  known: { readonly description: string; readonly example: E },
  rest?: R,
): Declared<T, E> & R {
  return { type, ...known, ...rest } as Declared<T, E> & R;
}

/** Declares an object within an answer. */
export function part<const F extends AnyFields>(
  description: string,
  fields: F,
): Declared<"json", unknown> & { readonly part: F } {
  return { type: "json", description, example: exampleOf(fields), part: fields };
}

/** Declares an object within an answer that may be `null`, which is its example. */
export function partOrNull<const F extends AnyFields>(
  description: string,
  fields: F,
): Declared<"json?", null> & { readonly part: F } {
  return { type: "json?", description, example: null, part: fields };
}

/** Declares a list of records that have a schema of their own. */
export function listOf<D extends Described>(
  items: D,
  description = "",
): Declared<"json", unknown> & { readonly items: D } {
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

/** What callers see of declared fields. */
export type AnswerOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly hidden: true } ? never : N]: ValueOf<
    F[N],
    F[N] extends { readonly shownAs: infer T } ? T : TypeOf<F[N]>
  >;
};

/** What storage keeps of declared fields. */
export type StoredOf<F> = {
  readonly [N in keyof F as F[N] extends { readonly computed: true } ? never : N]: ValueOf<
    F[N],
    TypeOf<F[N]>
  >;
};

type TypeOf<F> = F extends { readonly type: infer T } ? T : never;

type ValueOf<F, T> = T extends `${infer B}?` ? ValueOf<F, B> | null
  : T extends "integer" ? number
  : T extends "boolean" ? boolean
  : T extends "texts" ? readonly TextOf<F>[]
  : T extends "json" ? ObjectOf<F>
  : TextOf<F>;

type TextOf<F> = F extends { readonly rules: { readonly enum: readonly (infer E)[] } } ? E : string;

type ObjectOf<F> = F extends { readonly items: Described<infer G> } ? readonly AnswerOf<G>[]
  : F extends { readonly part: infer G } ? AnswerOf<G>
  : F extends { readonly default: infer V } ? V
  : unknown;
