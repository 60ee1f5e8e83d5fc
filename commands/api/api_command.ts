import type { Command, Invocation } from "../shell/command.ts";
import { type Arguments, type Option, option, UsageError } from "../shell/options.ts";
import { CLIENT_OPTIONS, withApi } from "./client.ts";
import { type CallSource, readCall, toRequest } from "./call.ts";
import { type ApiOption, fieldOf, flagsOf, operationOf } from "./fields.ts";
import { formatRecord, JSON_OPTION, type Listing, printLines, printListing } from "./listing.ts";
import { type Call, type JsonObject, RequestError, type SendRequest } from "./request.ts";

/** A command that is one call of the API; what its operation says is not said again. */
export interface ApiCommand extends Pick<Command, "details" | "example"> {
  /** Default: that of the operation. */
  readonly summary?: string;
  readonly fields?: CallSource["fields"];
  /** Flags beside, or in place of, those that follow from the fields. */
  readonly options?: readonly ApiOption[];
  readonly listing?: Listing;
  /** What the lines of the response are called, one and many: they are printed as they arrive. */
  readonly lines?: readonly [one: string, many: string];
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

const OF_PAGES = ["limit", "cursor"];

const YES_OPTION: Option = option("yes", "Do not ask.");

type Described = Omit<ApiCommand, "options"> & CallSource;

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
    field in fields || ((listing ?? described.lines) !== undefined && OF_PAGES.includes(field));
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
    options: [
      ...options,
      ...question ? [YES_OPTION] : [],
      ...described.lines ? [] : [JSON_OPTION],
      ...CLIENT_OPTIONS,
    ],
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
      if (command.lines !== undefined) {
        const count = await printLines(terminal, await send(toRequest(call)));
        terminal.err(`Exported ${count} ${command.lines[count === 1 ? 0 : 1]}.\n`);
      } else if (command.listing === undefined) await perform(command, { invocation, send, call });
      else await printListing(invocation, { ...command.listing, isStreamed }, { send, call });
    } catch (error) {
      throw error instanceof RequestError ? explain(error, command) : error;
    }
  });
  return 0;
}

async function perform(
  { secret, text: write, done }: Described,
  { invocation: { args, terminal }, send, call }: {
    readonly invocation: Invocation;
    readonly send: SendRequest;
    readonly call: Call;
  },
): Promise<void> {
  const text = await (await send(toRequest(call))).text();
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
