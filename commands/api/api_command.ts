import { quote } from "../../model/values/text.ts";
import type { Command, Invocation } from "../shell/command.ts";
import { type Arguments, type Option, option, UsageError } from "../shell/options.ts";
import { CLIENT_OPTIONS, withApi } from "./client.ts";
import { type ApiArgument, argumentsOf, type CallSource, readCall, writeExample } from "./call.ts";
import { type ApiOption, columnsOf, fieldOf, flagsOf, operationOf } from "./fields.ts";
import { formatRecord, JSON_OPTION, printLines, printListing } from "./listing.ts";
import { type Call, type JsonObject, RequestError, type SendRequest } from "./request.ts";

/** A command that is one call of the API; what its operation says is not said again. */
export interface ApiCommand extends Partial<Pick<Command, "summary" | "example" | "statuses">> {
  readonly details?: string;
  readonly fields?: CallSource["fields"];
  /** Flags beside, or in place of, those that follow from the fields. */
  readonly options?: readonly ApiOption[];
  /** What a listing shows of a record in place of the values of some fields. */
  readonly cells?: Readonly<Record<string, (record: JsonObject) => string>>;
  /** What the lines of the response are called, one and many: they are printed as they arrive. */
  readonly lines?: readonly [one: string, many: string];
  /** The member of the response that is shown only once, and printed alone. */
  readonly secret?: string;
  /** What is printed in place of all members of the response. */
  readonly text?: (content: JsonObject, invocation: Invocation) => string;
  /**
   * What is printed on standard error when it is done, in place of the response. Default: follows from the
   * summary of what creates, changes or removes something.
   */
  readonly done?: (content: JsonObject, args: Arguments) => string;
  /** Goes on with the API once it has printed lines. */
  readonly after?: (invocation: Invocation, send: SendRequest) => Promise<void>;
  /** Does more than the call, which it is given; returns the exit status. */
  readonly run?: (invocation: Invocation, call: Call) => Promise<number>;
  /** The exit status. Default: 0. */
  readonly statusOf?: (content: JsonObject) => number;
  /** What is said of a server that does not have the path. */
  readonly noPath?: string;
  /** What is asked before, on a terminal; `--yes` skips it. */
  readonly question?: (args: Arguments) => string;
}

const OF_PAGES = ["limit", "cursor"];
const YES_OPTION: Option = option("yes", "Do not ask.");

type Described = Omit<ApiCommand, "options"> & CallSource;

/** Makes a command of an operation; `synopsis` has its name, and its arguments in capitals. */
export function apiCommand(
  synopsis: string,
  operationId: string,
  described: ApiCommand = {},
): Command {
  const { fields = {}, options: own = [], question, lines, secret } = described;
  const operation = operationOf(operationId);
  const { method, query, body = {}, successes: [{ page }] } = operation;
  const [, name, words] = /^([a-z ]+?)((?: [A-Z]+…?)*)$/.exec(synopsis)!;
  const positionals = words.split(" ").slice(1);
  const args = described.run ? [] : argumentsOf(operation, positionals);
  const isFilled = (field: string) =>
    field in fields || args.some((argument) => argument.field === field) ||
    (query !== undefined && OF_PAGES.includes(field));
  const options = flagsOf(operation, { own, isFilled });
  const clearable = options.filter((option) => !option.isFile && body[fieldOf(option)]?.nullable);
  const flags = clearable.map((option) => `--${option.name}`).join(" or ");
  const summary = operation.summary.replace(/^Read /, "Show ");
  const details = [
    described.details,
    method === "PATCH" && flags && `An empty value of ${flags} clears it.`,
    page && !lines && "Dates are in UTC.",
  ].filter(Boolean).join(" ");
  const command = { done: describeDone(name, operation, args), ...described, name, args, options };
  return {
    name,
    positionals,
    summary: described.summary ?? (secret ? `${summary} and print its secret, once` : summary),
    details: `${details}\n\nThrough a server, the key needs ${operation.scope}.`.trim(),
    statuses: described.statuses,
    example: described.example ?? writeExample(name, { args, options, method }),
    options: [
      ...options,
      ...question ? [YES_OPTION] : [],
      ...lines ? [] : [JSON_OPTION],
      ...CLIENT_OPTIONS,
    ],
    run: (invocation) => run({ ...command, operationId }, invocation),
  };
}

/** Words what was done to one thing, as in `Deleted the board ideas.`. */
function describeDone(
  name: string,
  { method, summary, successes: [{ status }] }: ReturnType<typeof operationOf>,
  [argument]: readonly ApiArgument[],
): ApiCommand["done"] {
  const noun = summary.replace(/^.* an? /, "");
  const [verb] = /\w+?(?=e?$)/.exec(name) ?? [];
  if (method !== "PATCH" && method !== "DELETE" && status !== 201) return undefined;
  const done = `${verb![0].toUpperCase()}${verb!.slice(1)}ed the ${noun}`;
  // A change may give it another identifier.
  return (content, { positionals: [id] }) => `${done} ${content[argument.field] ?? id}.`;
}

async function run(command: Described, invocation: Invocation): Promise<number> {
  const { args, terminal } = invocation;
  const { path, successes: [{ page, description, others }] } = operationOf(command.operationId);
  const call = await readCall(command, args);
  if (command.question !== undefined && !args.flag(YES_OPTION.name)) {
    const said = terminal.ask?.(`${command.question(args)} [y/N] `) ?? "yes";
    if (!/^y(?:es)?$/i.test(said)) throw new Error("nothing was changed");
  }
  const isReading = call.method === "GET";
  // What has an argument in its path is about something that exists.
  const mustExist = isReading || path.includes(":");
  const access = { isReading, mustExist };
  try {
    if (command.run !== undefined) return await command.run(invocation, call);
    return await withApi(invocation, access, async (send) => {
      if (command.lines !== undefined) {
        const count = await printLines(terminal, await send(call));
        terminal.err(`Exported ${count} ${command.lines[count === 1 ? 0 : 1]}.\n`);
        await command.after?.(invocation, send);
      } else if (page !== undefined) {
        const [, noun = ""] = /^A page of ([\w ]+)/.exec(description ?? "") ?? [];
        const listing = { noun, columns: columnsOf(page, command.cells), isStreamed: !!others };
        await printListing(invocation, listing, { send, call });
      } else return await perform(command, { invocation, send, call });
      return 0;
    });
  } catch (error) {
    throw error instanceof RequestError ? explain(error, command, args.positionals) : error;
  }
}

async function perform(
  { secret, text: write, done, statusOf }: Described,
  { invocation, send, call }: {
    readonly invocation: Invocation;
    readonly send: SendRequest;
    readonly call: Call;
  },
): Promise<number> {
  const { args, terminal } = invocation;
  const text = await (await send(call)).text();
  const content: JsonObject = text === "" ? {} : JSON.parse(text);
  if (done !== undefined) terminal.err(`${done(content, args)}\n`);
  let output = "";
  if (args.flag(JSON_OPTION.name)) output = text;
  else if (write !== undefined) output = write(content, invocation);
  else if (secret !== undefined) output = `${content[secret]}\n`;
  else if (done === undefined) output = formatRecord(content);
  try {
    terminal.out(output);
  } catch (cause) {
    if (secret === undefined) throw cause;
    throw new Error(`the secret is lost: ${(cause as Error).message}`, { cause });
  }
  return statusOf?.(content) ?? 0;
}

/** Names the flags and arguments in place of the fields that were refused. */
function explain(
  error: RequestError,
  { args, options, noPath }: Described,
  texts: readonly string[],
): Error {
  if (error.code === "not_found" && noPath !== undefined) return new Error(noPath);
  if (error.errors.length === 0) {
    const message = error.message.replace(/ with this (\w+)/, (words, name) => {
      const at = args.findIndex(({ field }) => field === name);
      return at < 0 ? words : ` ${quote(texts[at])}`;
    });
    return new Error(message, { cause: error });
  }
  let isUsage = false;
  const details = error.errors.map(({ field, detail }) => {
    const flags = options.filter((option) => fieldOf(option) === field);
    const names = flags.map(({ name }) => `--${name}`).join(" or ");
    const label = names || args.find((argument) => argument.field === field)?.word;
    isUsage ||= label !== undefined;
    // The API tells users of forms, too, what to write.
    return detail.replace(/; in a form, .*/, "").replace(field, label ?? field);
  });
  // What comes on standard input, such as a mail, is nothing that was typed.
  const ErrorType = isUsage ? UsageError : Error;
  return new ErrorType(details.join("; "));
}
