import { nearest } from "../model/nearest.ts";
import { quote as quoteText } from "../model/text.ts";
import type { Command } from "./_command.ts";
import { type Environment, type Given, type Option, UsageError } from "./_options.ts";

/** The arguments of the process, told apart. */
export interface Arguments {
  /** The flags, by the names of their options, with all their values. */
  readonly flags: readonly Flag[];
  /** What stands beside the flags. */
  readonly words: readonly string[];
}

/** One flag as it was given. */
interface Flag {
  /** The name of the option, or what stands for it. */
  readonly name: string;
  /** As it was written, without its value. */
  readonly raw: string;
  readonly value: string | undefined;
}

/** The options of every command. */
export const COMMON_OPTIONS: readonly Option[] = [
  { name: "help", short: "h", description: "Show this help." },
  { name: "version", short: "V", description: "Show the version." },
];

/** Tells the flags of some options, and what stands beside them, apart. */
export async function parseArguments(
  args: readonly string[],
  options: readonly Option[],
): Promise<Arguments> {
  // Loading the parser takes an eighth of the time of a start, and few starts have arguments.
  if (args.length === 0) return { flags: [], words: [] };
  if (args.some((text) => text.includes("\uFFFD"))) {
    throw new UsageError("an argument is not valid UTF-8, or has the character U+FFFD");
  }
  const { parseArgs } = await import("node:util");
  const { tokens, positionals } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries([...COMMON_OPTIONS, ...options].map(({ name, value, short }) => [
      name,
      { type: value === undefined ? "boolean" : "string", ...(short && { short }) },
    ])),
  });
  const flags = tokens.flatMap((token) => {
    if (token.kind !== "option") return [];
    const { name, rawName: raw, value, inlineValue } = token;
    if (value?.startsWith("-") && value.length > 1 && !inlineValue) {
      throw new UsageError(`${raw} needs a value; write ${raw}=-… for one that starts with a dash`);
    }
    return [{ name, raw, value }];
  });
  return { flags, words: positionals };
}

/**
 * Returns what a command is given. Throws a {@linkcode UsageError} for flags and words that it does not
 * take, and for those that it needs and did not get.
 */
export function readArguments(
  { flags, words }: Arguments,
  { name: command, options, positionals = [] }: Pick<Command, "name" | "options" | "positionals">,
  environment: Environment,
): Given {
  const values = new Map<string, string[]>();
  for (const { name, raw, value } of flags) {
    const option = options.find((other) => other.name === name);
    if (option === undefined) throw unknownFlag(command, raw, options);
    if (option.value === undefined && value !== undefined) {
      throw new UsageError(`--${name} takes no value`);
    }
    if (option.value !== undefined && value === undefined) {
      throw new UsageError(`${raw} needs a value`);
    }
    if (option.multiple && value?.includes(",")) {
      const repeated = value.split(",").map((part) => `--${name} ${quote(part.trim())}`);
      throw new UsageError(`--${name} takes one value at a time: write ${repeated.join(" ")}`);
    }
    values.set(name, [...values.get(name) ?? [], ...(value === undefined ? [] : [value])]);
  }
  const missing = options.find(({ name, required }) => required && !values.has(name));
  if (words.length > positionals.length) {
    const surplus = words[positionals.length];
    const hint = missing === undefined ? "" : `: write --${missing.name} ${quote(surplus)}`;
    throw new UsageError(`${command} does not take the argument ${quoteText(surplus)}${hint}`);
  }
  if (words.length < positionals.length) {
    throw new UsageError(`${command} needs ${positionals[words.length]}`);
  }
  if (missing !== undefined) throw new UsageError(`${command} needs --${missing.name}`);
  return createGiven(values, { options, positionals: words, environment });
}

/** Flags win over variables, variables over defaults. */
function createGiven(
  values: ReadonlyMap<string, readonly string[]>,
  { options, positionals, environment }: Pick<Command, "options"> & {
    readonly positionals: readonly string[];
    readonly environment: Environment;
  },
): Given {
  const given = new Map(values);
  const variables = new Map<string, string>();
  for (const { name, variable, multiple, default: preset } of options) {
    const text = variable === undefined || values.has(name) ? undefined : environment(variable);
    if (text !== undefined) {
      variables.set(name, variable!);
      given.set(
        name,
        multiple ? text.split(",").map((part) => part.trim()).filter(Boolean) : [text],
      );
    } else if (preset !== undefined && !values.has(name)) given.set(name, [preset]);
  }
  return {
    positionals,
    texts: (name) => given.get(name) ?? [],
    text: (name) => given.get(name)?.at(-1),
    flag: (name) => values.has(name),
    variable: (name) => variables.get(name),
  };
}

/** Creates the error of a flag that a command does not have. */
export function unknownFlag(
  command: string,
  raw: string,
  options: readonly Option[],
): UsageError {
  const known = [...COMMON_OPTIONS, ...options].map(({ name }) => name);
  const meant = raw.startsWith("--") ? nearest(raw.slice(2), known) : undefined;
  const hint = meant === undefined ? `try ${command} --help` : `did you mean --${meant}?`;
  const dash = raw.startsWith("--") ? "" : "; put arguments that start with a dash after --";
  return new UsageError(`${command} has no option ${quoteText(raw)}: ${hint}${dash}`);
}

/** Quotes a word for a POSIX shell, where that is needed. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
