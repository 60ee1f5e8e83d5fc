import type { Command, Invocation } from "../shell/command.ts";
import { type Arguments, type Option, option, UsageError } from "../shell/options.ts";
import { CLIENT_OPTIONS, withApi } from "./client.ts";
import { type ApiOption, fieldOf, flagsOf, operationOf } from "./fields.ts";
import { formatRecord, JSON_OPTION, type Listing, printListing } from "./listing.ts";
import {
  type Call,
  type JsonObject,
  RequestError,
  type SendRequest,
  withQuery,
} from "./request.ts";

/** A command that is one call of the API; what its operation says is not said again. */
export interface ApiCommand extends Pick<Command, "details" | "example"> {
  /** Default: that of the operation. */
  readonly summary?: string;
  /**
   * Fields that are always sent, or never if `undefined`; the text `:ID` stands for the argument of that
   * name. Parameters of the path take the arguments in their order.
   */
  readonly fields?: Readonly<Record<string, string | boolean | undefined>>;
  /** Flags beside, or in place of, those that follow from the fields. */
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

// No request takes more.
const MAX_FILE_BYTES = 128 * 1_024;
const OF_PAGES = ["limit", "cursor"];

const YES_OPTION: Option = option("yes", "Do not ask.");

type Described = ApiCommand & Pick<Command, "name"> & {
  readonly operationId: string;
  readonly positionals: readonly string[];
  readonly options: readonly ApiOption[];
};

/** Makes a command of an operation; `synopsis` has its name, and its arguments in capitals. */
export function apiCommand(
  synopsis: string,
  operationId: string,
  described: ApiCommand,
): Command {
  const { fields = {}, options: own = [], question, listing } = described;
  const operation = operationOf(operationId);
  const [, name, words] = /^([a-z ]+?)((?: [A-Z]+)*)$/.exec(synopsis)!;
  const isFilled = (field: string) =>
    field in fields || (listing !== undefined && OF_PAGES.includes(field));
  const options = flagsOf(operation, { own, isFilled });
  const positionals = words.split(" ").slice(1);
  const command = { ...described, name, positionals, options, operationId };
  const rights = `Through a server, the key needs ${operation.scope}.`;
  return {
    ...{ name, positionals, summary: described.summary ?? operation.summary },
    ...{
      example: described.example,
      details: [described.details, rights].filter(Boolean).join("\n\n"),
    },
    options: [...options, ...question ? [YES_OPTION] : [], JSON_OPTION, ...CLIENT_OPTIONS],
    run: (invocation) => run(command, invocation),
  };
}

async function run(command: Described, invocation: Invocation): Promise<number> {
  const { args, terminal } = invocation;
  const { path, successes: [success] } = operationOf(command.operationId);
  const call = await readCall(command, args);
  if (command.question !== undefined && !args.flag(YES_OPTION.name)) {
    const said = terminal.ask?.(`${command.question(args)} [y/N] `) ?? "yes";
    if (!/^y(?:es)?$/i.test(said)) throw new Error("nothing was changed");
  }
  const isReading = call.method === "GET";
  // What has an argument in its path is about something that exists.
  const mustExist = isReading || path.includes(":");
  const isStreamed = success.others !== undefined;
  await withApi(invocation, { isReading, mustExist }, async (send) => {
    try {
      if (command.listing === undefined) await perform(command, { invocation, send, call });
      else await printListing(invocation, { ...command.listing, isStreamed }, { send, call });
    } catch (error) {
      throw error instanceof RequestError ? explain(error, command) : error;
    }
  });
  return 0;
}

async function readCall(command: Described, args: Arguments): Promise<Call> {
  const { name, positionals, options, operationId } = command;
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(command.fields ?? {})) {
    const at = positionals.indexOf(`${value}`.slice(1));
    if (value !== undefined) fields[field] = at < 0 ? value : args.positionals[at];
  }
  const chosen = new Map<string, ApiOption>();
  for (const option of options) {
    const value = await readValue(option, args);
    if (value === undefined) continue;
    const purpose = option.operation === undefined ? fieldOf(option) : "";
    const other = chosen.get(purpose);
    if (other) throw new UsageError(`--${other.name} and --${option.name} exclude each other`);
    chosen.set(purpose, option);
    if (purpose !== "") fields[purpose] = value;
  }
  const { method, path } = operationOf(chosen.get("")?.operation ?? operationId);
  if (method === "PATCH" && chosen.size === 0) {
    const flags = options.map(({ name }) => `--${name}`);
    throw new UsageError(`${name} needs one of ${flags.join(", ")}`);
  }
  return { method, path: fillPath(path, positionals, args), fields };
}

/** Puts arguments into a path, in their order. */
function fillPath(path: string, names: readonly string[], { positionals }: Arguments): string {
  let at = 0;
  return path.replace("/api/v1", "").replace(/:\w+/g, (param) => {
    const text = positionals[at++];
    if (param !== ":keyId" || !text.startsWith("bc_")) return encodeURIComponent(text);
    throw new UsageError(
      `${names[at - 1]} is not the secret of the key, nor its start: keys list shows both`,
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
function explain(error: RequestError, { fields = {}, options, noPath }: Described): Error {
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
