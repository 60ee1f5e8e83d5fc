import { CLIENT_OPTIONS, RequestError, type SendRequest, withApi } from "./_client.ts";
import type { Command, Invocation } from "./_command.ts";
import { type Answer, type Call, withQuery } from "./_call.ts";
import { JSON_OPTION, type Listing, printListing, printRecord } from "./_listing.ts";
import { type Given, type Option, UsageError } from "./_options.ts";

/** A command that is one call of the API, as data. */
export interface ApiCommand extends Omit<Command, "positionals" | "options" | "run"> {
  readonly method: Call["method"];
  /** The path below `/api/v1`, where `:ID` stands for the argument of that name. */
  readonly path: string;
  /** What stands after the name: in the path, or in the field that is named with it. */
  readonly positionals?: Readonly<Record<string, Positional>>;
  readonly options?: readonly ApiOption[];
  /** Fields that are always sent. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** For a listing, what is listed, and its table. */
  readonly listing?: Listing;
  /** The member of the answer that is shown only once, and printed alone. */
  readonly secret?: string;
  /** What is told when it is done; absent: the answer is printed. */
  readonly done?: (answer: Answer, given: Given) => string;
  /** What is asked before, on a terminal; `--yes` skips it. */
  readonly question?: (given: Given) => string;
}

/** An argument beside the flags. */
export interface Positional {
  /** The field that it fills; absent: it is in the path. */
  readonly field?: string;
  /** Whether it must not be the secret of a key, which would be sent in a URL. */
  readonly isKeyId?: boolean;
}

/** A flag that fills a field of the call, or changes the call. */
export interface ApiOption extends Option {
  /** The field that it fills. Default: that of its name. Flags without value fill it with `true`. */
  readonly field?: string;
  /** Whether the flag has a counterpart `--no-…`, which fills the field with `false`. */
  readonly hasOff?: boolean;
  /** Whether the value is the path of a file with the text of the field; `-` is standard input. */
  readonly isFile?: boolean;
  /** The method and the path that are called instead. */
  readonly calls?: readonly [method: Call["method"], path: string];
}

const YES_OPTION: Option = { name: "yes", description: "Do not ask." };

/** Makes a command of its description. */
export function apiCommand(described: ApiCommand): Command {
  const { positionals = {}, options = [], question } = described;
  return {
    ...described,
    positionals: Object.keys(positionals),
    options: [
      ...options.flatMap(withOff),
      ...(question ? [YES_OPTION] : []),
      JSON_OPTION,
      ...CLIENT_OPTIONS,
    ],
    run: (invocation) => run(described, invocation),
  };
}

async function run(command: ApiCommand, invocation: Invocation): Promise<number> {
  const { given, terminal } = invocation;
  const call = await readCall(command, given);
  if (command.question !== undefined && !given.flag(YES_OPTION.name)) {
    const answer = terminal.ask?.(`${command.question(given)} [y/N] `) ?? "yes";
    if (!/^y(?:es)?$/i.test(answer.trim())) throw new Error("nothing was changed");
  }
  const isReading = call.method === "GET";
  // What has an argument in its path is about something that exists.
  const mustExist = isReading || command.path.includes(":");
  await withApi(invocation, { isReading, mustExist }, async (send) => {
    try {
      if (command.listing !== undefined) {
        await printListing(invocation, command.listing, { send, call });
      } else await perform(command, call, { invocation, send });
    } catch (error) {
      throw error instanceof RequestError ? explain(error, command) : error;
    }
  });
  return 0;
}

async function readCall(command: ApiCommand, given: Given): Promise<Call> {
  const { options = [], positionals = {} } = command;
  const fields: Record<string, unknown> = { ...command.fields };
  const args = Object.entries(positionals).map(([name, positional], at) => ({
    ...positional,
    name,
    text: given.positionals[at],
  }));
  for (const { field, text } of args) if (field !== undefined) fields[field] = text;
  const filledBy = new Map<string, string>();
  for (const option of options) {
    const value = await readValue(option, given);
    if (value === undefined) continue;
    const field = fieldOf(option);
    const other = filledBy.get(field);
    if (other !== undefined) throw excluding(other, option.name);
    filledBy.set(field, option.name);
    fields[field] = value;
  }
  if (command.method === "PATCH" && filledBy.size === 0) {
    const flags = options.map(({ name }) => `--${name}`);
    throw new UsageError(`${command.name} needs one of ${flags.join(", ")}`);
  }
  const chosen = options.filter(({ name, calls }) => calls !== undefined && given.flag(name));
  if (chosen.length > 1) throw excluding(chosen[0].name, chosen[1].name);
  const [method, path] = chosen[0]?.calls ?? [command.method, command.path];
  return { method, path: args.reduce(fillPath, path), fields };
}

function fillPath(
  path: string,
  { name, text, isKeyId }: Positional & { readonly name: string; readonly text: string },
): string {
  if (isKeyId && text.startsWith("bc_")) {
    throw new UsageError(
      `${name} is not the secret of the key, nor its start: keys list shows both side by side`,
    );
  }
  return path.replace(`:${name}`, encodeURIComponent(text));
}

async function readValue(option: ApiOption, given: Given): Promise<unknown> {
  const { name, value, multiple, hasOff, isFile, calls } = option;
  if (calls !== undefined) return undefined;
  if (value === undefined) {
    const isOff = hasOff && given.flag(`no-${name}`);
    if (given.flag(name) && isOff) throw excluding(name, `no-${name}`);
    return given.flag(name) ? true : isOff ? false : undefined;
  }
  const text = multiple && given.flag(name) ? given.texts(name).join(" ") : given.text(name);
  return isFile && text !== undefined ? await readText(text) : text;
}

async function readText(path: string): Promise<string> {
  try {
    if (path !== "-") return await Deno.readTextFile(path);
    return await new Response(Deno.stdin.readable).text();
  } catch (error) {
    throw new UsageError(`cannot read "${path}": ${(error as Error).message}`);
  }
}

async function perform(
  { secret, done }: ApiCommand,
  { method, path, fields }: Call,
  { invocation, send }: { readonly invocation: Invocation; readonly send: SendRequest },
): Promise<void> {
  const { given, terminal } = invocation;
  const hasBody = method !== "GET" && Object.keys(fields).length > 0;
  // An empty text clears a field, as in a form.
  const body = hasBody
    ? Object.fromEntries(
      Object.entries(fields).map(([name, text]) => [name, text === "" ? null : text]),
    )
    : undefined;
  const response = await send({ method, path: hasBody ? path : withQuery(path, fields), body });
  const text = await response.text();
  const answer: Answer = text === "" ? {} : JSON.parse(text);
  const asJson = given.flag(JSON_OPTION.name);
  if (done === undefined && !asJson) return printRecord(terminal, answer);
  if (done !== undefined) terminal.err(`${done(answer, given)}\n`);
  if (!asJson && secret === undefined) return;
  try {
    terminal.out(asJson ? text : `${answer[secret!]}\n`);
  } catch (cause) {
    if (secret === undefined) throw cause;
    throw new Error(
      `the secret is lost, and can't be shown again: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** Says what is wrong with the flags and arguments whose fields were refused. */
function explain(error: RequestError, { options = [], positionals = {} }: ApiCommand): Error {
  const labels = new Map(
    [
      ...Object.entries(positionals).map(([name, { field = "" }]) => [field, name] as const),
      ...options.map((option) => [fieldOf(option), `--${option.name}`] as const),
    ].reverse(),
  );
  const details = error.errors.map(({ field, detail }) => {
    const label = labels.get(field);
    // No value is in a form.
    const reason = detail.replace(/; in a form, .*/, "");
    return label === undefined ? reason : reason.replace(field, label);
  });
  if (details.length > 0) return new UsageError(details.join("; "));
  return error;
}

function withOff(option: ApiOption): readonly Option[] {
  return option.hasOff
    ? [option, { name: `no-${option.name}`, description: `The opposite of --${option.name}.` }]
    : [option];
}

function fieldOf({ name, field = name }: ApiOption): string {
  return field;
}

function excluding(one: string, other: string): UsageError {
  return new UsageError(`--${one} and --${other} exclude each other`);
}
