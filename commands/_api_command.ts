import { CLIENT_OPTIONS, withApi } from "./_client.ts";
import type { Command, Invocation } from "./_command.ts";
import { formatRecord, JSON_OPTION, type Listing, printListing } from "./_listing.ts";
import { type Given, type Option, UsageError } from "./_options.ts";
import { type Answer, type Call, RequestError, type SendRequest, withQuery } from "./_request.ts";

/** A command that is one call of the API, as data. */
export interface ApiCommand extends Omit<Command, "options" | "run"> {
  readonly method: Call["method"];
  /** The path below `/api/v1`, where `:ID` stands for the argument of that name. */
  readonly path: string;
  /** Fields that are always sent; the text `:ID` stands for the argument of that name. */
  readonly fields?: Readonly<Record<string, string | boolean>>;
  readonly options?: readonly ApiOption[];
  /** For a listing, what is listed, and its table. */
  readonly listing?: Listing;
  /** The member of the answer that is shown only once, and printed alone. */
  readonly secret?: string;
  /** What is told when it is done; absent: the answer is printed. */
  readonly done?: (answer: Answer, given: Given) => string;
  /** What is asked before, on a terminal; `--yes` skips it. */
  readonly question?: (given: Given) => string;
}

/** A flag that fills a field of the call, or makes another call. */
export interface ApiOption extends Option {
  /** The field that it fills. Default: that of its name. */
  readonly field?: string;
  /** What a flag without value fills it with. Default: `true`. */
  readonly sends?: boolean;
  /** Whether the value is the path of a file with the text of the field; `-` is standard input. */
  readonly isFile?: boolean;
  /** The method and the path that are called instead. */
  readonly calls?: readonly [method: Call["method"], path: string];
}

const YES_OPTION: Option = { name: "yes", description: "Do not ask." };

/** Makes a command of its description. */
export function apiCommand(described: ApiCommand): Command {
  const { options = [], question } = described;
  const ownOptions = question === undefined ? options : [...options, YES_OPTION];
  return {
    ...described,
    options: [...ownOptions, JSON_OPTION, ...CLIENT_OPTIONS],
    run: (invocation) => run(described, invocation),
  };
}

async function run(command: ApiCommand, invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const call = await readCall(command, given);
  if (command.question !== undefined && !given.flag(YES_OPTION.name)) {
    const answer = terminal.ask?.(`${command.question(given)} [y/N] `) ?? "yes";
    if (!/^y(?:es)?$/i.test(answer)) throw new Error("nothing was changed");
  }
  const isReading = call.method === "GET";
  // What has an argument in its path is about something that exists.
  const mustExist = isReading || command.path.includes(":");
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

async function readCall(command: ApiCommand, given: Given): Promise<Call> {
  const { name, positionals = [], options = [], method, path } = command;
  const args = new Map(positionals.map((name, at) => [`:${name}`, given.positionals[at]]));
  const fields: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(command.fields ?? {})) {
    fields[field] = args.get(`${value}`) ?? value;
  }
  const chosen = new Map<string, ApiOption>();
  for (const option of options) {
    const value = await readValue(option, given);
    if (value === undefined) continue;
    const purpose = option.calls === undefined ? fieldOf(option) : "";
    const other = chosen.get(purpose);
    if (other) throw new UsageError(`--${other.name} and --${option.name} exclude each other`);
    chosen.set(purpose, option);
    if (purpose !== "") fields[purpose] = value;
  }
  if (method === "PATCH" && chosen.size === 0) {
    const flags = options.map(({ name }) => `--${name}`);
    throw new UsageError(`${name} needs one of ${flags.join(", ")}`);
  }
  const [chosenMethod, chosenPath] = chosen.get("")?.calls ?? [method, path];
  return { method: chosenMethod, path: fillPath(chosenPath, args), fields };
}

function fillPath(path: string, args: ReadonlyMap<string, string>): string {
  return path.replace(/:[A-Z]+/g, (name) => {
    const text = args.get(name) ?? "";
    if (!path.startsWith("/keys/") || !text.startsWith("bc_")) return encodeURIComponent(text);
    throw new UsageError(
      `${name.slice(1)} is not the secret of the key, nor its start: keys list shows both`,
    );
  });
}

async function readValue(option: ApiOption, given: Given): Promise<unknown> {
  const { name, value, multiple, isFile, sends = true } = option;
  if (value === undefined) return given.flag(name) ? sends : undefined;
  if (multiple) return given.texts(name).join(" ") || undefined;
  const text = given.text(name);
  if (!isFile || text === undefined) return text;
  try {
    if (text !== "-") return await Deno.readTextFile(text);
    return await new Response(Deno.stdin.readable).text();
  } catch (error) {
    throw new UsageError(`cannot read "${text}": ${(error as Error).message}`);
  }
}

async function perform(
  { secret, done }: ApiCommand,
  { invocation: { given, terminal }, send, call: { method, path, fields } }: {
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
  const answer: Answer = text === "" ? {} : JSON.parse(text);
  if (done !== undefined) terminal.err(`${done(answer, given)}\n`);
  const shown = given.flag(JSON_OPTION.name)
    ? text
    : secret !== undefined
    ? `${answer[secret]}\n`
    : done === undefined
    ? formatRecord(answer)
    : "";
  try {
    terminal.out(shown);
  } catch (cause) {
    if (secret === undefined) throw cause;
    throw new Error(`the secret is lost: ${(cause as Error).message}`, { cause });
  }
}

/** Says what is wrong with the flags and arguments whose fields were refused. */
function explain(error: RequestError, { fields = {}, options = [] }: ApiCommand): Error {
  if (error.errors.length === 0) return error;
  const details = error.errors.map(({ field, detail }) => {
    const option = options.find((option) => fieldOf(option) === field);
    const label = option === undefined ? `${fields[field] ?? field}` : `--${option.name}`;
    // No value is in a form.
    return detail.replace(/; in a form, .*/, "").replace(field, label.replace(":", ""));
  });
  return new UsageError(details.join("; "));
}

function fieldOf({ name, field = name }: ApiOption): string {
  return field;
}
