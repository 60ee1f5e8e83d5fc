import { nearest } from "../../model/values/nearest.ts";

/** A mistake in how the command was called; ends the process with status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A flag, described. */
export interface Option {
  /** The name without the dashes. */
  readonly name: string;
  /** The word for the value in the help; absent: the flag takes none. */
  readonly value?: string;
  /** One letter that stands for the name. */
  readonly short?: string;
  /** The environment variable that gives the value where the flag doesn't. */
  readonly variable?: string;
  /** Whether the flag may be given several times. */
  readonly multiple?: boolean;
  readonly required?: boolean;
  readonly default?: string;
  readonly description: string;
}

/** The flags and arguments of one call, with what variables and defaults add to them. */
export interface Arguments {
  /** The value of a flag that takes one. */
  text(name: string): string | undefined;
  /** The values of a flag that may be repeated. */
  texts(name: string): readonly string[];
  /** Whether a flag is on the command line. */
  flag(name: string): boolean;
  /** The environment variable that the value of a flag comes from; absent where it doesn't. */
  variable(name: string): string | undefined;
  readonly positionals: readonly string[];
}

/** Describes a flag by its name and what stands for its value, like `port PORT`. */
export function option<T extends object>(
  synopsis: string,
  description: string,
  rest?: T,
): Option & T {
  const [, name, value] = /^(\S+)(?: (.+))?$/.exec(synopsis)!;
  return { name, ...(value && { value }), description, ...rest as T };
}

/**
 * Describes a flag that a variable may set, too. The name of the variable follows from the flag by
 * default.
 */
export function setting(
  synopsis: string,
  description: string,
  rest: Partial<Option> = {},
): Option {
  const described = option(synopsis, description);
  const variable = `BOARDCAST_${described.name.toUpperCase().replaceAll("-", "_")}`;
  return { ...described, variable, ...rest };
}

/** The flag that prints the answer of the API. */
export const JSON_OPTION: Option = option(
  "json",
  "Print what the API answered, for a listing as NDJSON: one JSON object per line.",
);

/** Returns the value of an environment variable; `undefined` where it isn't set. */
export type Environment = (name: string) => string | undefined;

/**
 * Reads a variable of the process. Throws a {@linkcode UsageError} where it is empty or not UTF-8,
 * without its value, which may be a secret.
 */
export function readVariable(name: string): string | undefined {
  try {
    const value = Deno.env.get(name);
    if (value !== "") return value;
  } catch (error) {
    if (!(error instanceof Deno.errors.InvalidData)) throw error;
    throw new UsageError(`${name} is not valid UTF-8`);
  }
  throw new UsageError(`${name} is empty: give it a value, or unset it`);
}

/** Reads a flag that is one of some words; `undefined` if it wasn't given. */
export function optionalChoice<T extends string>(
  args: Arguments,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = args.text(name);
  const choice = choices.find((other) => other === text);
  if (text !== undefined && choice === undefined) {
    const list = `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
    const meant = nearest(text, choices);
    const hint = meant === undefined ? "" : `: did you mean ${meant}?`;
    throw new UsageError(`--${name} "${text}" is not ${list}${hint}`);
  }
  return choice;
}
