import { nearest } from "../../model/values/nearest.ts";

/** A mistake in the call of a command; ends the process with status 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The description of a flag. */
export interface Option {
  /** The name without the dashes. */
  readonly name: string;
  /** The placeholder of the value in the help; absent: the flag takes no value. */
  readonly value?: string;
  /** The single letter of the short form. */
  readonly short?: string;
  /** The environment variable that sets the value if the flag is absent. */
  readonly variable?: string;
  /** Whether the flag may be given several times. */
  readonly multiple?: boolean;
  readonly required?: boolean;
  readonly default?: string;
  readonly description: string;
}

/** The flags and arguments of one call, completed by variables and defaults. */
export interface Arguments {
  /** The value of a flag that takes one. */
  text(name: string): string | undefined;
  /** Whether the value of a flag is no default. */
  isGiven(name: string): boolean;
  /** The values of a flag that may be repeated. */
  texts(name: string): readonly string[];
  /** Whether a flag is on the command line. */
  flag(name: string): boolean;
  /** The environment variable that set the value of a flag; `undefined` if none did. */
  variable(name: string): string | undefined;
  readonly positionals: readonly string[];
}

/** Describes a flag by its name and the placeholder of its value, such as `port PORT`. */
export function option<T extends object>(
  synopsis: string,
  description: string,
  rest?: T,
): Option & T {
  const [, name, value] = /^(\S+)(?: (.+))?$/.exec(synopsis)!;
  return { name, ...(value && { value }), description, ...rest as T };
}

/**
 * Describes a flag that a variable can also set. By default, the variable's name derives from the
 * flag's.
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

/** The flag that prints the API's response. */
export const JSON_OPTION: Option = option(
  "json",
  "Print the response of the API. A listing is NDJSON: one JSON object per line.",
);

/** Returns the value of an environment variable; `undefined` if it is not set. */
export type Environment = (name: string) => string | undefined;

/**
 * Reads a variable of the process. Throws a {@linkcode UsageError} if it is empty or not UTF-8; the
 * message omits the value, which may be secret.
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

/** Reads a flag whose value is one of some words; `undefined` if it is absent. */
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
