import { nearest } from "../../model/values/nearest.ts";
import { quote as quoteText } from "../../model/values/text.ts";
import type { Command } from "./command.ts";
import { type Arguments, type Environment, type Option, option, UsageError } from "./options.ts";

/** The arguments of the process, before the command is known. */
export interface Tokens {
  readonly flags: readonly Flag[];
  /** All other arguments. */
  readonly words: readonly string[];
}

interface Flag {
  readonly name: string;
  /** The flag as it was typed, without its value. */
  readonly raw: string;
  readonly value: string | undefined;
}

/** The options of every command. */
export const COMMON_OPTIONS: readonly Option[] = [
  option("help", "Show this help.", { short: "h" }),
  option("version", "Show the version.", { short: "V" }),
];

/** Separates flags from other arguments; `options` tells which flags take a value. */
export function parseArguments(args: readonly string[], options: readonly Option[]): Tokens {
  if (args.some((text) => text.includes("\uFFFD"))) {
    throw new UsageError("an argument is not valid UTF-8, or has the character U+FFFD");
  }
  const known = [...COMMON_OPTIONS, ...options];
  const flags: Flag[] = [];
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const text = args[at];
    const [, raw, inline] = /^(--[^=]+)(?:=(.*))?$/s.exec(text) ?? [];
    if (text === "--") {
      words.push(...args.slice(at + 1));
      break;
    } else if (raw !== undefined) {
      const name = raw.slice(2);
      const takesValue = known.some((option) => option.name === name && option.value !== undefined);
      const value = takesValue && inline === undefined ? args[++at] : inline;
      if (inline === undefined && value !== undefined && /^-./s.test(value)) {
        throw new UsageError(
          `${raw} needs a value; write ${raw}=-… for one that starts with a dash`,
        );
      }
      flags.push({ name, raw, value });
    } else if (/^-./s.test(text)) {
      for (const letter of text.slice(1)) {
        const { name = letter } = known.find(({ short }) => short === letter) ?? {};
        flags.push({ name, raw: `-${letter}`, value: undefined });
      }
    } else words.push(text);
  }
  return { flags, words };
}

/**
 * Returns the arguments of a command. Throws a {@linkcode UsageError} for an unknown flag or word,
 * and for a missing one.
 */
export function readArguments(
  { flags, words }: Tokens,
  { name: command, options, positionals = [] }: Pick<Command, "name" | "options" | "positionals">,
  environment: Environment,
): Arguments {
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
      const repeated = value.split(",").map((part) => `--${name} ${quoteForShell(part.trim())}`);
      throw new UsageError(`--${name} takes one value at a time: write ${repeated.join(" ")}`);
    }
    values.set(name, [...values.get(name) ?? [], ...(value === undefined ? [] : [value])]);
  }
  const missing = options.find(({ name, required }) => required && !values.has(name));
  // The last one may be given several times.
  const isOpen = positionals.at(-1)?.includes("…") === true;
  const needed = positionals.filter((word) => !word.startsWith("["));
  if (words.length > positionals.length && !isOpen) {
    const surplus = words[positionals.length];
    const hint = missing === undefined ? "" : `: write --${missing.name} ${quoteForShell(surplus)}`;
    throw new UsageError(`${command} does not take the argument ${quoteText(surplus)}${hint}`);
  }
  if (words.length < needed.length) {
    throw new UsageError(`${command} needs ${needed[words.length]}`);
  }
  if (missing !== undefined) throw new UsageError(`${command} needs --${missing.name}`);
  return createArguments(values, { options, positionals: words, environment });
}

/** Flags win over variables, variables over defaults. */
function createArguments(
  values: ReadonlyMap<string, readonly string[]>,
  { options, positionals, environment }: Pick<Command, "options"> & {
    readonly positionals: readonly string[];
    readonly environment: Environment;
  },
): Arguments {
  const all = new Map(values);
  const variables = new Map<string, string>();
  for (const { name, value, variable, multiple, default: preset } of options) {
    const text = variable === undefined || values.has(name) ? undefined : environment(variable);
    if (text !== undefined && value === undefined && !/^(?:true|false|1|0)$/.test(text)) {
      throw new UsageError(`${variable} ${quoteText(text)} is not true or false`);
    }
    if (text !== undefined) {
      variables.set(name, variable!);
      const parts = multiple ? text.split(",").map((part) => part.trim()).filter(Boolean) : [text];
      all.set(name, parts);
    } else if (preset !== undefined && !values.has(name)) all.set(name, [preset]);
  }
  return {
    positionals,
    isGiven: (name) => values.has(name) || variables.has(name),
    texts: (name) => all.get(name) ?? [],
    text: (name) => all.get(name)?.at(-1),
    flag: (name) => values.has(name) || /^(?:true|1)$/.test(all.get(name)?.[0] ?? ""),
    variable: (name) => variables.get(name),
  };
}

/** Creates the error for an unknown flag of a command. */
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

/** Quotes a word for a POSIX shell if necessary. */
export function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
