import type { Field } from "./resource.ts";
import { nearest } from "./values/nearest.ts";
import { Refusal } from "./values/refusal.ts";

/**
 * The error of an invalid option: a `TypeError` or `RangeError` with the option's name and the
 * reason.
 */
export interface OptionError extends Error {
  /** The name of the option. */
  readonly option: string;
  /** The reason for people, worded to follow the option's name and a colon. */
  readonly detail: string;
}

/** Returns the error of an invalid option. */
export function optionError(
  option: string,
  detail: string,
  ErrorType: new (message: string) => Error = TypeError,
): OptionError {
  return Object.assign(new ErrorType(`Cannot use ${option}: ${detail}`), { option, detail });
}

/** Tells whether an error concerns an option. */
export function isOptionError(error: unknown): error is OptionError {
  return error instanceof Error && "option" in error && "detail" in error;
}

/**
 * Returns a value that a `parse…` function of the model accepted; throws an {@linkcode OptionError}
 * for a refusal.
 */
export function acceptOption<T>(option: string, parsed: T | Refusal): T {
  if (parsed instanceof Refusal) throw optionError(option, `it ${parsed.detail}`);
  return parsed;
}

/** Throws a `TypeError` for the first unknown option, with the most similar known name. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = nearest(unknown, known);
  const hint = meant === undefined
    ? `the options are ${known.join(", ")}`
    : `did you mean ${meant}?`;
  throw new TypeError(`Cannot use the option "${unknown}": there is none; ${hint}`);
}

/** Throws an {@linkcode OptionError} unless a value is a function. */
export function checkFunction(value: unknown, option: string): void {
  if (typeof value !== "function") throw optionError(option, "give a function");
}

/** Returns a check that throws an {@linkcode OptionError} unless a value is a number in a range. */
export function checkNumber(min: number, max: number): OptionCheck {
  return (value, option) => {
    if (isBetween(min, value, max)) return;
    throw optionError(option, `it must be from ${min} to ${max}`, RangeError);
  };
}

/**
 * Throws an {@linkcode OptionError} unless a value is a valid timeout of storage, within a timer's
 * limit.
 */
export const checkTimeout: OptionCheck = checkNumber(100, 2_000_000_000);

/** Tells whether a value is a number in a range. */
export function isBetween(min: number, value: unknown, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

/** Throws an {@linkcode OptionError} unless a value is a rate: `requests` in `windowSeconds`. */
export function checkRate(rate: unknown, option: string): void {
  const { requests, windowSeconds } = (rate || {}) as Readonly<Record<string, unknown>>;
  if (
    [requests, windowSeconds].every((count) => Number.isSafeInteger(count) && Number(count) >= 1)
  ) {
    return;
  }
  throw optionError(option, "it needs whole requests and windowSeconds from 1", RangeError);
}

/** Checks the value of an option; throws an {@linkcode OptionError} if it is invalid. */
export type OptionCheck = (value: unknown, option: string) => void;

/**
 * An option that `serve` also takes as a flag and a variable. Its schema contains the flag's
 * default, a text.
 */
export interface FlaggedOption<V = unknown> extends Pick<Field<V>, "schema" | "parse"> {
  readonly check: OptionCheck;
  /** The flag and the name of its value, such as `title TEXT`. A list may be repeated. */
  readonly flag: string;
  /** The environment variable. Default: `BOARDCAST_` and the flag's name. */
  readonly variable?: string;
  /** Whether the text is the path of a file with the option's bytes. */
  readonly isFile?: boolean;
  /** The value for a flag without a value. Default: `true`. */
  readonly sends?: boolean;
}

/**
 * Declarations of all options: a check, or a check with a flag. The compiler refuses a table that
 * lacks one.
 */
export type OptionDeclarations<O> = {
  readonly [K in keyof O]-?: OptionCheck | FlaggedOption<O[K]>;
};

/** Returns the value of an absent option: the default of its flag. */
export function optionDefault<V>(declared: OptionCheck | FlaggedOption<V>): Exclude<V, undefined> {
  const { parse, schema } = declared as FlaggedOption<V>;
  const text = `${schema.default ?? ""}`;
  return (parse === undefined ? text : parse(text)) as Exclude<V, undefined>;
}

/**
 * Throws a `TypeError` or {@linkcode OptionError} for the first unknown or invalid option. `prefix`
 * precedes the names in errors.
 */
export function checkOptions<O extends object>(
  options: Partial<O>,
  declarations: OptionDeclarations<O>,
  prefix = "",
): void {
  checkOptionNames(options, Object.keys(declarations));
  for (const [name, value] of Object.entries(options)) {
    const declared = declarations[name as keyof O];
    if (value === undefined) continue;
    if (typeof declared === "function") declared(value, prefix + name);
    else declared.check(value, prefix + name);
  }
}

/** Throws an {@linkcode OptionError} unless a value is `true` or `false`. */
export function checkBoolean(value: unknown, option: string): void {
  if (typeof value !== "boolean") throw optionError(option, "give true or false");
}

const UNIT_BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Reads a size such as `200M` in KiB, MiB or GiB as bytes; `off` is 0. */
export function readSize(text: string): number | Refusal {
  const [, number, unit] = /^([1-9]\d{0,8})([KMG])$/.exec(text) ?? [];
  if (number !== undefined || text === "off") return Number(number ?? 0) * (UNIT_BYTES[unit] ?? 0);
  const remark = "is not off, nor a size like 200M: a whole number and K, M or G";
  return new Refusal("invalid_value", remark);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a rate such as `100/s` in one of some units; `words` describe the allowed forms. */
export function readRate(
  text: string,
  { units, words }: { readonly units: string; readonly words: string },
): { readonly requests: number; readonly windowSeconds: number } | Refusal {
  const [, count, unit = ""] = /^(\d{1,9})\/([a-z])$/.exec(text) ?? [];
  if (Number(count) < 1 || !count || !units.includes(unit)) {
    return new Refusal("invalid_value", `is not ${words}`);
  }
  return { requests: Number(count), windowSeconds: UNIT_SECONDS[unit] };
}
