/** A mistake in how the command was called; ends the process with status 2. */
export class UsageError extends Error {
  /** Always `UsageError`. */
  override readonly name = "UsageError";
}

/** One flag of a command. */
export interface Option {
  /** The name without the dashes. */
  readonly name: string;
  /** What stands for the value in the help; absent: the flag takes none. */
  readonly value?: string;
  /** The environment variable that gives the value where the flag doesn't. */
  readonly variable?: string;
  /** Whether the flag may be given several times. */
  readonly multiple?: boolean;
  /** Whether the flag has to be given. */
  readonly required?: boolean;
  /** The value if none is given. */
  readonly default?: string;
  /** What the flag does. */
  readonly description: string;
}

/** The values of a command's flags and arguments. */
export interface Given {
  /** The value of a flag that takes one. */
  text(name: string): string | undefined;
  /** The values of a flag that may be repeated. */
  texts(name: string): readonly string[];
  /** Whether a flag without value was given. */
  flag(name: string): boolean;
  /** The environment variable that the value of a flag comes from; absent where it doesn't. */
  variable(name: string): string | undefined;
  /** What stands beside the flags. */
  readonly positionals: readonly string[];
}

/** Looks up an environment variable. */
export type Environment = (name: string) => string | undefined;

/**
 * Reads a variable of the process. Throws a {@linkcode UsageError} where it is not UTF-8, without
 * its value, which may be a secret.
 */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (!(error instanceof Deno.errors.InvalidData)) throw error;
    throw new UsageError(`${name} is not valid UTF-8`);
  }
}

/**
 * Reads the arguments of a command. Flags win over variables, variables over defaults; an
 * empty variable counts as none. Throws a {@linkcode UsageError} for what it doesn't know.
 */
export async function readArguments(
  args: readonly string[],
  options: readonly Option[],
  environment: Environment,
): Promise<Given> {
  if (args.some((text) => text.includes("\uFFFD"))) {
    throw new UsageError("an argument is not valid UTF-8, or has the character U+FFFD");
  }
  const { values, positionals } = await parse(args, options);
  const find = (name: string) => options.find((option) => option.name === name);
  const texts = (name: string): readonly string[] => {
    const given = values[name];
    if (Array.isArray(given)) return given;
    const option = find(name);
    const text = option?.variable && environment(option.variable);
    if (text) return option.multiple ? splitList(text) : [text];
    return option?.default === undefined ? [] : [option.default];
  };
  return {
    positionals,
    texts,
    variable(name) {
      const variable = values[name] === undefined ? find(name)?.variable : undefined;
      return variable && environment(variable) ? variable : undefined;
    },
    text: (name) => texts(name).at(-1),
    flag: (name) => values[name] !== undefined,
  };
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

async function parse(args: readonly string[], options: readonly Option[]): Promise<Parsed> {
  // Loading the parser takes an eighth of the time of a start, and few starts have arguments.
  if (args.length === 0) return { values: {}, positionals: [] };
  const { parseArgs } = await import("node:util");
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      strict: true,
      options: Object.fromEntries(options.map((option) => [option.name, {
        type: option.value === undefined ? "boolean" as const : "string" as const,
        multiple: option.value !== undefined,
      }])),
    });
  } catch (error) {
    const [sentence] = (error as Error).message.split(". ");
    const [, flag] = /^Option '(--[^' ]+)[^']*' argument (?:is ambiguous|missing)/.exec(sentence) ??
      [];
    if (flag !== undefined) {
      throw new UsageError(
        `${flag} needs a value; write ${flag}=-… for one that starts with a dash`,
      );
    }
    const remedy = sentence.includes("'--")
      ? "(try --help)"
      : "(try --help); put arguments that start with a dash after --";
    throw new UsageError(`${sentence} ${remedy}`);
  }
}

function splitList(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}
