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
export function checkFunction(option: string, value: unknown): void {
  if (typeof value !== "function") throw optionError(option, "give a function");
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
export type OptionChecks<O> = Readonly<Record<keyof O, (value: unknown, option: string) => void>>;

/** Throws a `TypeError` or {@linkcode OptionError} for the first option that is unknown or can't be used. */
export function checkOptions<O extends object>(options: Partial<O>, checks: OptionChecks<O>): void {
  checkOptionNames(options, Object.keys(checks));
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) checks[name as keyof O](value, name);
  }
}
