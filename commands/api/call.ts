import { type Operation, parametersOf } from "../../routes/operations.ts";
import { quote } from "../shell/arguments.ts";
import type { Command } from "../shell/command.ts";
import { readFile } from "../shell/files.ts";
import { type Arguments, optionalChoice, UsageError } from "../shell/options.ts";
import { type ApiOption, fieldOf, operationOf } from "./fields.ts";
import type { Call } from "./request.ts";

/** An argument of a command. */
export interface ApiArgument {
  /** What stands for it in the help. */
  readonly word: string;
  /** The parameter of the path, or the field, that it fills. */
  readonly field: string;
  readonly inPath: boolean;
  /** An example of it. */
  readonly sample: unknown;
}

/** Which operation a command calls, and with what. */
export interface CallSource extends Pick<Command, "name"> {
  readonly operationId: string;
  readonly args: readonly ApiArgument[];
  readonly options: readonly ApiOption[];
  /** Fields that are always sent, or never if `undefined`. */
  readonly fields?: Readonly<Record<string, string | boolean | undefined>>;
}

// No request takes more.
const MAX_FILE_BYTES = 128 * 1_024;

/** Tells what each argument is: the parameters of the path in their order, then fields by their last word. */
export function argumentsOf(
  { path, body = {} }: Operation,
  words: readonly string[],
): readonly ApiArgument[] {
  const parameters = parametersOf(path);
  const inPath = Object.keys(parameters);
  const isMeant = (word: string) => (name: string) =>
    /[A-Z]?[a-z]+$/.exec(name)?.[0].toUpperCase() === word;
  return words.map((word, at) => {
    const field = inPath[at] ?? Object.keys(body).find(isMeant(word));
    const sample = parameters[field]?.example ?? body[field].schema.examples?.[0];
    return { word, field, inPath: at < inPath.length, sample };
  });
}

/** Writes an example of a command: of its arguments, and of the flags that it needs. */
export function writeExample(
  name: string,
  { args, options, method }: {
    readonly args: readonly ApiArgument[];
    readonly options: readonly ApiOption[];
    readonly method: Operation["method"];
  },
): string {
  const needed = options.filter(({ required }, at) => required || (method === "PATCH" && at === 0));
  const flags = needed.map(({ name, sample }) => [`--${name}`, sample]);
  const samples = [...args.map(({ sample }) => sample), ...flags.flat()];
  return `boardcast ${[name, ...samples.map((sample) => quote(`${sample}`))].join(" ")}`;
}

/** Makes the call of a command from its arguments. Throws a {@linkcode UsageError} for bad ones. */
export async function readCall(command: CallSource, args: Arguments): Promise<Call> {
  const { name: commandName, options } = command;
  let { operationId } = command;
  const fields: Record<string, unknown> = {};
  const headers: Record<string, string> = {};
  const chosen = new Map<string, string>();
  for (const option of options) {
    const { name, accepts, operation, isOwn } = option;
    if (accepts !== undefined) {
      headers.Accept = accepts[optionalChoice(args, name, Object.keys(accepts))!];
      continue;
    }
    const value = isOwn ? undefined : await readValue(option, args);
    if (value === undefined) continue;
    const purpose = operation === undefined ? fieldOf(option) : "operation";
    const other = chosen.get(purpose);
    if (other) throw new UsageError(`--${other} and --${name} exclude each other`);
    chosen.set(purpose, name);
    if (operation === undefined) fields[purpose] = value;
    else operationId = operation;
  }
  const { method, path } = operationOf(operationId);
  if (method === "PATCH" && chosen.size === 0) {
    const flags = options.map(({ name }) => `--${name}`);
    throw new UsageError(`${commandName} needs one of ${flags.join(", ")}`);
  }
  Object.assign(fields, command.fields);
  command.args.forEach(({ field, inPath }, at) => {
    if (!inPath) fields[field] = args.positionals[at];
  });
  return { method, path: fillPath(path, command.args, args), fields, headers };
}

/** Puts arguments into a path, in their order. */
function fillPath(
  path: string,
  names: readonly ApiArgument[],
  { positionals }: Arguments,
): string {
  let at = 0;
  return path.replace(/:\w+/g, (param) => {
    const text = positionals[at++];
    if (param !== ":keyId" || !text.startsWith("bc_")) return encodeURIComponent(text);
    throw new UsageError(
      `${names[at - 1].word} is not the secret of the key, nor its start: keys list shows both`,
    );
  });
}

async function readValue(option: ApiOption, args: Arguments): Promise<unknown> {
  const { name, value, multiple, isFile, sends = true } = option;
  if (value === undefined) return args.flag(name) ? sends : undefined;
  if (multiple) return args.texts(name).join(" ") || undefined;
  const text = args.text(name);
  return isFile && text !== undefined ? await readTextFile(text) : text;
}

/** Reads the text of a file, or of standard input, without a byte order mark. */
async function readTextFile(path: string): Promise<string> {
  const bytes = await readFile(path, MAX_FILE_BYTES);
  if (bytes.length > MAX_FILE_BYTES) {
    throw new UsageError(`cannot read "${path}": it is larger than ${MAX_FILE_BYTES} bytes`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`cannot read "${path}": it is not UTF-8 text`);
  }
}
