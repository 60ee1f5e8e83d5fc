import { nearest } from "../model/values/nearest.ts";
import { parseArguments, readArguments, type Tokens } from "./shell/arguments.ts";
import type { Command, ProcessContext } from "./shell/command.ts";
import { ClosedOutput, processTerminal } from "./shell/io.ts";
import { printable } from "./shell/layout.ts";
import { type Arguments, readVariable, UsageError } from "./shell/options.ts";
import { FILE_ENDING, SECRET_VARIABLES, withSecretFiles } from "./shell/secrets.ts";
import { openStorage } from "./storage/storage.ts";
import { serveCommand } from "./serve/serve.ts";

const USAGE_STATUS = 2;
const FAILURE_STATUS = 1;
/** The exit status after which relays try again later: EX_TEMPFAIL of BSD's sysexits. */
const TEMPORARY_STATUS = 75;

/**
 * Runs the command that the arguments name and returns the exit status: 0 for success, 1 for a
 * failure, 2 for a wrong call, or one of the command's own.
 */
export async function runCommand(
  args: readonly string[],
  context: ProcessContext = processContext(),
): Promise<number> {
  const { err } = context.terminal;
  try {
    const environment = withSecretFiles(context.environment);
    return await dispatch(args, { ...context, environment });
  } catch (error) {
    if (error instanceof ClosedOutput) return 0;
    err(`boardcast: ${describe(error)}\n`);
    if (isAlias(args)) return TEMPORARY_STATUS;
    return error instanceof UsageError ? USAGE_STATUS : FAILURE_STATUS;
  }
}

/**
 * Tells whether a mail relay runs the command. The relay would return a mail at any other status.
 */
function isAlias(args: readonly string[]): boolean {
  return args[0] === "bounces" && args[1] === "read" && args.includes("--alias");
}

function processContext(): ProcessContext {
  return { environment: readVariable, variableNames, terminal: processTerminal(), openStorage };
}

function variableNames(): readonly string[] {
  const { state } = Deno.permissions.querySync({ name: "env" });
  return state === "granted" ? Object.keys(Deno.env.toObject()) : [];
}

/** Throws a {@linkcode UsageError} for a variable whose name is nearly one of ours. */
function refuseMisspelt(names: readonly string[]): void {
  const prefix = "BOARDCAST_";
  const known = [
    ...serveCommand.options.flatMap(({ variable }) => variable?.slice(prefix.length) ?? []),
    "SERVER",
    ...SECRET_VARIABLES.flatMap((name) => [name, name + FILE_ENDING])
      .map((name) => name.slice(prefix.length)),
  ];
  for (const name of names) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    const meant = rest === "" || known.includes(rest) ? undefined : nearest(rest, known);
    if (meant === undefined) continue;
    throw new UsageError(`there is no variable ${name}: did you mean ${prefix}${meant}?`);
  }
}

async function dispatch(args: readonly string[], context: ProcessContext): Promise<number> {
  const { terminal: { out } } = context;
  refuseMisspelt(context.variableNames?.() ?? []);
  const serving = parseArguments(args, serveCommand.options);
  if (isServe(serving)) return await run(serveCommand, { ...serving, words: [] }, context);
  // A server starts faster if the modules of other commands are not loaded.
  const { COMMANDS } = await import("./shell/all.ts");
  const { commandOf, helpOn, refuseWords } = await import("./shell/help.ts");
  const parsed = parseArguments(args, COMMANDS.flatMap(({ options }) => options));
  const asks = (name: string) => parsed.flags.some((flag) => flag.name === name);
  const words = parsed.words[0] === "help" ? parsed.words.slice(1) : parsed.words;
  if (asks("help") || parsed.words[0] === "help") {
    const named = commandOf(COMMANDS, words);
    if (named?.help === undefined || words.length === 1) out(helpOn(COMMANDS, words));
    else {
      const flags = parsed.flags.filter(({ name }) => name !== "help");
      const args = readArguments({ flags, words: words.slice(1) }, named, context.environment);
      out(await named.help({ ...context, args }));
    }
    return 0;
  }
  if (asks("version")) {
    const { default: { version } } = await import("../deno.json", { with: { type: "json" } });
    out(`boardcast ${version}\n`);
    return 0;
  }
  const command = commandOf(COMMANDS, words) ?? refuseWords(COMMANDS, { ...parsed, words });
  const count = command.name.split(" ").length;
  return await run(command, { ...parsed, words: words.slice(count) }, context);
}

/** Tells whether the arguments are flags of `serve`, perhaps with its name. */
function isServe({ flags, words: [word, ...rest] }: Tokens): boolean {
  return rest.length === 0 && (word === undefined || word === "serve") &&
    flags.every(({ name }) => serveCommand.options.some((option) => option.name === name));
}

async function run(
  command: Command,
  parsed: Tokens,
  context: ProcessContext,
): Promise<number> {
  const args = readArguments(parsed, command, context.environment);
  try {
    return await command.run({ ...context, args });
  } catch (error) {
    throw error instanceof UsageError ? blameVariable(error, args) : error;
  }
}

/** Names the variable instead of the flag if the refused value came from a variable. */
function blameVariable({ message }: UsageError, args: Arguments): UsageError {
  return new UsageError(
    message.replace(/^--([a-z-]+)/, (flag, name) => args.variable(name) ?? flag),
  );
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The message may quote a mistyped or misplaced URL with a password; USER:PASSWORD is only
  // advice.
  return printable(message.replace(/\s*\n\s*/g, " "))
    .replace(/:\/\/.*(?:@|password=).*(?=["'])/i, "://…")
    .replace(/:\/\/(?!USER:PASSWORD@)\S*@/, "://…");
}
