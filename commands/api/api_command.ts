import { CLIENT_OPTIONS, withApi } from "./client.ts";
import type { Command, Invocation } from "../shell/command.ts";
import { formatRecord, JSON_OPTION, type Listing, printListing } from "./listing.ts";
import { type Arguments, type Option, option, UsageError } from "../shell/options.ts";
import {
  type Call,
  type JsonObject,
  RequestError,
  type SendRequest,
  withQuery,
} from "./request.ts";

/** A method and a path below `/api/v1`, where `:ID` stands for the argument of that name. */
type RequestLine = `${Call["method"]} /${string}`;

/** A command that is one call of the API, as data. */
export interface ApiCommand extends Omit<Command, "name" | "positionals" | "options" | "run"> {
  /** The name, and the arguments in capitals. */
  readonly synopsis: string;
  readonly request: RequestLine;
  /** Fields that are always sent; the text `:ID` stands for the argument of that name. */
  readonly fields?: Readonly<Record<string, string | boolean>>;
  readonly options?: readonly ApiOption[];
  readonly listing?: Listing;
  /** The member of the response that is shown only once, and printed alone. */
  readonly secret?: string;
  /** What is printed in place of all members of the response. */
  readonly text?: (content: JsonObject) => string;
  /** What is printed on standard error when it is done; absent: the response is printed. */
  readonly done?: (content: JsonObject, args: Arguments) => string;
  /** What is said of a server that does not have the path. */
  readonly noPath?: string;
  /** What is asked before, on a terminal; `--yes` skips it. */
  readonly question?: (args: Arguments) => string;
}

/** A flag that fills a field of the call, or makes another call. */
export interface ApiOption extends Option {
  /** The field that it fills. Default: that of its name. */
  readonly field?: string;
  /** What a flag without value fills it with. Default: `true`. */
  readonly sends?: boolean;
  /** Whether the value is the path of a file with the text of the field; `-` is standard input. */
  readonly isFile?: boolean;
  readonly request?: RequestLine;
}

// No request takes more.
const MAX_FILE_BYTES = 128 * 1_024;

const YES_OPTION: Option = option("yes", "Do not ask.");

type Described = Omit<ApiCommand, "synopsis"> & Required<Pick<Command, "name" | "positionals">>;

/** Makes a command of a call of the API. */
export function apiCommand({ synopsis, ...described }: ApiCommand): Command {
  const { options = [], question } = described;
  const [, name, words] = /^([a-z ]+?)((?: [A-Z]+)*)$/.exec(synopsis)!;
  const command = { ...described, name, positionals: words.split(" ").slice(1) };
  const ownOptions = question === undefined ? options : [...options, YES_OPTION];
  return {
    ...command,
    options: [...ownOptions, JSON_OPTION, ...CLIENT_OPTIONS],
    run: (invocation) => run(command, invocation),
  };
}

async function run(command: Described, invocation: Invocation): Promise<number> {
  const { args, terminal } = invocation;
  const call = await readCall(command, args);
  if (command.question !== undefined && !args.flag(YES_OPTION.name)) {
    const said = terminal.ask?.(`${command.question(args)} [y/N] `) ?? "yes";
    if (!/^y(?:es)?$/i.test(said)) throw new Error("nothing was changed");
  }
  const isReading = call.method === "GET";
  // What has an argument in its path is about something that exists.
  const mustExist = isReading || command.request.includes(":");
  await withApi(invocation, { isReading, mustExist }, async (send) => {
    try {
      if (command.listing === undefined) await perform(command, { invocation, send, call });
      else await printListing(invocation, command.listing, { send, call });
    } catch (error) {
      throw error instanceof RequestError ? explain(error, command) : error;
    }
  });
  return 0;
}

async function readCall(command: Described, args: Arguments): Promise<Call> {
  const { name, positionals, options = [], request } = command;
  const words = new Map(positionals.map((name, at) => [`:${name}`, args.positionals[at]]));
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(command.fields ?? {})) {
    fields[field] = words.get(`${value}`) ?? value;
  }
  const chosen = new Map<string, ApiOption>();
  for (const option of options) {
    const value = await readValue(option, args);
    if (value === undefined) continue;
    const purpose = option.request === undefined ? fieldOf(option) : "";
    const other = chosen.get(purpose);
    if (other) throw new UsageError(`--${other.name} and --${option.name} exclude each other`);
    chosen.set(purpose, option);
    if (purpose !== "") fields[purpose] = value;
  }
  if (request.startsWith("PATCH") && chosen.size === 0) {
    const flags = options.map(({ name }) => `--${name}`);
    throw new UsageError(`${name} needs one of ${flags.join(", ")}`);
  }
  const [method, path] = (chosen.get("")?.request ?? request).split(" ");
  return { method: method as Call["method"], path: fillPath(path, words), fields };
}

function fillPath(path: string, words: ReadonlyMap<string, string>): string {
  return path.replace(/:[A-Z]+/g, (name) => {
    const text = words.get(name) ?? "";
    if (!path.startsWith("/keys/") || !text.startsWith("bc_")) return encodeURIComponent(text);
    throw new UsageError(
      `${name.slice(1)} is not the secret of the key, nor its start: keys list shows both`,
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
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    const { readable } = path === "-" ? Deno.stdin : await Deno.open(path);
    let text = "";
    let bytes = 0;
    for await (const chunk of readable) {
      bytes += chunk.length;
      if (bytes > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    const reason = error instanceof TypeError ? "it is not UTF-8 text" : (error as Error).message;
    throw new UsageError(`cannot read "${path}": ${reason}`);
  }
}

async function perform(
  { secret, text: write, done }: Described,
  { invocation: { args, terminal }, send, call: { method, path, fields } }: {
    readonly invocation: Invocation;
    readonly send: SendRequest;
    readonly call: Call;
  },
): Promise<void> {
  // An empty text clears a field, as in a form.
  const entries = Object.entries(fields).map(([name, text]) => [name, text === "" ? null : text]);
  const hasBody = method !== "GET" && method !== "DELETE";
  const response = await send(
    hasBody
      ? { method, path, body: Object.fromEntries(entries) }
      : { method, path: withQuery(path, fields) },
  );
  const text = await response.text();
  const content: JsonObject = text === "" ? {} : JSON.parse(text);
  if (done !== undefined) terminal.err(`${done(content, args)}\n`);
  let output = "";
  if (args.flag(JSON_OPTION.name)) output = text;
  else if (write !== undefined) output = `${write(content)}\n`;
  else if (secret !== undefined) output = `${content[secret]}\n`;
  else if (done === undefined) output = formatRecord(content);
  try {
    terminal.out(output);
  } catch (cause) {
    if (secret === undefined) throw cause;
    throw new Error(`the secret is lost: ${(cause as Error).message}`, { cause });
  }
}

/** Names the flags and arguments in place of the fields that were refused. */
function explain(error: RequestError, { fields = {}, options = [], noPath }: Described): Error {
  if (error.code === "not_found" && noPath !== undefined) return new Error(noPath);
  if (error.errors.length === 0) return error;
  const details = error.errors.map(({ field, detail }) => {
    const flags = options.filter((option) => fieldOf(option) === field);
    const names = flags.map(({ name }) => `--${name}`).join(" or ");
    const label = names || `${fields[field] ?? field}`;
    // The API tells users of forms, too, what to write.
    return detail.replace(/; in a form, .*/, "").replace(field, label.replace(":", ""));
  });
  return new UsageError(details.join("; "));
}

function fieldOf({ name, field = name }: ApiOption): string {
  return field;
}
