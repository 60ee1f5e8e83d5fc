import type { Field } from "./resource.ts";
import { nearest } from "./values/nearest.ts";
import { Refusal } from "./values/refusal.ts";

/** Why an option can't be used: a `TypeError` or `RangeError` that tells the option apart from the reason. */
export interface OptionError extends Error {
  /** The name of the option. */
  readonly option: string;
  /** What is wrong with it, for people, worded to follow its name and a colon. */
  readonly detail: string;
}

/** Returns the error of an option that can't be used. */
export function optionError(
  option: string,
  detail: string,
  ErrorType: new (message: string) => Error = TypeError,
): OptionError {
  return Object.assign(new ErrorType(`Cannot use ${option}: ${detail}`), { option, detail });
}

/** Tells whether an error is that of an option. */
export function isOptionError(error: unknown): error is OptionError {
  return error instanceof Error && "option" in error && "detail" in error;
}

/** Returns what a `parse…` function of the model accepted; throws an {@linkcode OptionError} for a refusal. */
export function acceptOption<T>(option: string, parsed: T | Refusal): T {
  if (parsed instanceof Refusal) throw optionError(option, `it ${parsed.detail}`);
  return parsed;
}

/** Throws a `TypeError` that names the first option that is not known, and the one that was meant. */
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

/** Throws an {@linkcode OptionError} unless calls of storage may take so long: what a timer can count. */
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

/** What checks the value of an option that is given, and throws an {@linkcode OptionError}. */
export type OptionCheck = (value: unknown, option: string) => void;

/** An option that `serve` takes as a flag and a variable, too. Its schema has the default of the flag, a text. */
export interface FlaggedOption<V = unknown> extends Pick<Field<V>, "schema" | "parse"> {
  readonly check: OptionCheck;
  /** The name of the flag, and what stands for its value, as in `title TEXT`. A list can be repeated. */
  readonly flag: string;
  /** The variable. Default: `BOARDCAST_` and the name of the flag. */
  readonly variable?: string;
  /** Whether the text is the path of a file whose bytes are the option. */
  readonly isFile?: boolean;
  /** The value of the option where a flag without value is given. Default: `true`. */
  readonly sends?: boolean;
}

/** Every option: its check alone, or with its flag. The compiler refuses a table that lacks one. */
export type OptionDeclarations<O> = {
  readonly [K in keyof O]-?: OptionCheck | FlaggedOption<O[K]>;
};

/** Returns the value of an option that isn't given: the default of its flag. */
export function defaultOf<V>(declared: OptionCheck | FlaggedOption<V>): Exclude<V, undefined> {
  const { parse, schema } = declared as FlaggedOption<V>;
  const text = `${schema.default ?? ""}`;
  return (parse === undefined ? text : parse(text)) as Exclude<V, undefined>;
}

/** Throws a `TypeError` or {@linkcode OptionError} for the first option that is unknown or can't be used. */
export function checkOptions<O extends object>(
  options: Partial<O>,
  declarations: OptionDeclarations<O>,
): void {
  checkOptionNames(options, Object.keys(declarations));
  for (const [name, value] of Object.entries(options)) {
    const declared = declarations[name as keyof O];
    if (value === undefined) continue;
    if (typeof declared === "function") declared(value, name);
    else declared.check(value, name);
  }
}

/** Throws an {@linkcode OptionError} unless a value is `true` or `false`. */
export function checkBoolean(value: unknown, option: string): void {
  if (typeof value !== "boolean") throw optionError(option, "give true or false");
}

const UNIT_BYTES: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 };

/** Reads a size like `200M` in KiB, MiB or GiB as bytes, or `off` as 0. */
export function readSize(text: string): number | Refusal {
  const [, number, unit] = /^([1-9]\d{0,8})([KMG])$/.exec(text) ?? [];
  if (number !== undefined || text === "off") return Number(number ?? 0) * (UNIT_BYTES[unit] ?? 0);
  const remark = "is not off, nor a size like 200M: a whole number and K, M or G";
  return new Refusal("invalid_value", remark);
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a rate like `100/s` in one of some units; `words` say what it may be. */
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
