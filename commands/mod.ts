import { StorageError } from "../mod.ts";
import type { Command, Invocation, Surroundings } from "./_command.ts";
import { commandHelp, groupOf, overviewHelp } from "./_help.ts";
import { formatCurl } from "./_http_call.ts";
import { ClosedOutput, processTerminal } from "./_io.ts";
import { type Given, readArguments, readVariable, UsageError } from "./_options.ts";
import { openStorage } from "./_storage.ts";
import { serveCommand } from "./serve.ts";

const USAGE_STATUS = 2;
const FAILURE_STATUS = 1;

/**
 * Runs the command that the arguments name and returns the exit status: 0 when it is done, 1
 * when it failed, 2 when it was called wrongly, or one of the command's own.
 */
export async function runCommand(
  args: readonly string[],
  surroundings: Surroundings = processSurroundings(),
): Promise<number> {
  const { err } = surroundings.terminal;
  try {
    return await dispatch(args, surroundings);
  } catch (error) {
    if (error instanceof ClosedOutput) return 0;
    err(`boardcast: ${describe(error)}\n`);
    return error instanceof UsageError ? USAGE_STATUS : FAILURE_STATUS;
  }
}

function processSurroundings(): Surroundings {
  return { environment: readVariable, terminal: processTerminal(), openStorage };
}

async function dispatch(args: readonly string[], surroundings: Surroundings): Promise<number> {
  if (args.length === 1 && args[0] === "--version") {
    const { default: { version } } = await import("../deno.json", { with: { type: "json" } });
    surroundings.terminal.out(`boardcast ${version}\n`);
    return 0;
  }
  const asked = readHelp(args);
  if (asked !== undefined) {
    surroundings.terminal.out(helpOn(await loadCommands(), asked));
    return 0;
  }
  const commands = isServe(args) ? [serveCommand] : await loadCommands();
  const { command, rest } = findCommand(commands, args);
  const given = await readArguments(rest, command.options, surroundings.environment);
  checkPositionals(command, { given: given.positionals, isNamed: rest !== args });
  return await run(command, { ...surroundings, given });
}

/** The words about which help is asked; `undefined` where it isn't. */
function readHelp(args: readonly string[]): readonly string[] | undefined {
  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  const words = flags.filter((word) => word !== "--help" && word !== "-h");
  if (args[0] === "help") return words.slice(1);
  return words.length < flags.length ? words : undefined;
}

function helpOn(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0 || isGroup(commands, words)) return overviewHelp(commands, words[0]);
  return commandHelp(findCommand(commands, words).command);
}

async function run(command: Command, invocation: Invocation): Promise<number> {
  try {
    return await command.run(invocation);
  } catch (error) {
    if (error instanceof UsageError) throw blameVariable(error, invocation.given);
    const isLocked = error instanceof StorageError && error.code === "locked";
    if (!isLocked || command.overHttp === undefined) throw error;
    const call = command.overHttp(invocation.given);
    invocation.terminal.err(`\
boardcast: ${describe(error)}; while a server runs on it, ask the server:
  ${formatCurl(call, invocation.environment)}
${call.note === undefined ? "" : `${call.note}\n`}`);
    return FAILURE_STATUS;
  }
}

/** Names the variable, not the flag, where the value that can't be taken came from one. */
function blameVariable({ message }: UsageError, given: Given): UsageError {
  return new UsageError(
    message.replace(/^--([a-z-]+)/, (flag, name) => given.variable(name) ?? flag),
  );
}

function findCommand(commands: readonly Command[], args: readonly string[]) {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(" ");
    const command = commands.find((other) => other.name === name);
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  if (!isServe(args)) throw unknownCommand(commands, args);
  return { command: serveCommand, rest: args };
}

function isServe(args: readonly string[]): boolean {
  return args.length === 0 || args[0] === "serve" || args[0].startsWith("-");
}

// A server starts sooner without what the other commands need.
async function loadCommands(): Promise<readonly Command[]> {
  return (await import("./_all.ts")).COMMANDS;
}

function unknownCommand(commands: readonly Command[], args: readonly string[]): UsageError {
  const group = groupOf(commands, args[0]);
  const names = (group.length > 0 ? group : commands).map(({ name }) => name).join(", ");
  if (isGroup(commands, args)) {
    return new UsageError(`${args[0]} needs a command next: ${names} (try ${args[0]} --help)`);
  }
  const words = args.slice(0, group.length > 0 ? 2 : 1).join(" ");
  return new UsageError(`there is no command "${words}"; the commands are ${names} (try --help)`);
}

/** Tells whether words name a group of commands, like `keys`, and none of them. */
function isGroup(commands: readonly Command[], [word, next = "-"]: readonly string[]): boolean {
  return next.startsWith("-") && groupOf(commands, word).length > 0;
}

function checkPositionals(
  command: Command,
  { given, isNamed }: { readonly given: readonly string[]; readonly isNamed: boolean },
): void {
  const expected = command.positionals ?? [];
  if (given.length > expected.length) {
    const surplus = `"${given[expected.length]}"`;
    throw new UsageError(
      isNamed
        ? `${command.name} does not accept the argument ${surplus}`
        : `options come after the command: put ${surplus} before them`,
    );
  }
  if (given.length < expected.length) {
    throw new UsageError(`${command.name} needs ${expected[given.length]}`);
  }
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // What it quotes may be a URL with a password, in whatever spelling, that stands in the wrong place;
  // what to write instead is none.
  return message.replace(/\s*\n\s*/g, " ")
    .replace(/:\/\/.*(?:@|password=).*(?=["'])/i, "://…")
    .replace(/:\/\/(?!USER:PASSWORD@)\S*@/, "://…");
}
