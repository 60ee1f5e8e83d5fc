import { StorageError } from "../mod.ts";
import type { Command } from "./_command.ts";
import { commandHelp, overviewHelp } from "./_help.ts";
import { writeErr, writeOut } from "./_io.ts";
import { readArguments, UsageError } from "./_options.ts";
import { boardCommands } from "./boards.ts";
import { keyCommands } from "./keys.ts";
import { serveCommand } from "./serve.ts";

const COMMANDS: readonly Command[] = [serveCommand, ...keyCommands, ...boardCommands];
const USAGE_STATUS = 2;
const FAILURE_STATUS = 1;

/**
 * Runs the command that the arguments name and returns the exit status: 0 when it is done, 1
 * when it failed, 2 when it was called wrongly, or one of the command's own.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    writeErr(`boardcast: ${describe(error)}\n`);
    return error instanceof UsageError ? USAGE_STATUS : FAILURE_STATUS;
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const wantsHelp = args.includes("--help") || args.includes("-h");
  const { command, rest } = findCommand(args);
  if (wantsHelp || args[0] === "help") {
    writeOut(command === undefined ? overviewHelp(COMMANDS, args[0]) : commandHelp(command));
    return 0;
  }
  if (command === undefined) throw unknownCommand(args);
  const environment = (name: string) => Deno.env.get(name);
  const given = readArguments(rest, command.options, environment);
  checkPositionals(command, given.positionals);
  return await command.run({ given, environment });
}

function findCommand(args: readonly string[]) {
  for (const words of [2, 1]) {
    const name = args.slice(0, words).join(" ");
    const command = COMMANDS.find((other) => other.name === name);
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  const isFlag = args.length === 0 || args[0].startsWith("-");
  const asksForAll = args[0] === "--help" || args[0] === "-h";
  return { command: isFlag && !asksForAll ? serveCommand : undefined, rest: args };
}

function unknownCommand(args: readonly string[]): UsageError {
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${args[0]} `));
  const names = (group.length > 0 ? group : COMMANDS).map(({ name }) => name).join(", ");
  const words = args.slice(0, group.length > 0 ? 2 : 1).join(" ");
  return new UsageError(`there is no command "${words}"; there are ${names} (try --help)`);
}

function checkPositionals(command: Command, given: readonly string[]): void {
  const expected = command.positionals ?? [];
  if (given.length > expected.length) {
    throw new UsageError(`${command.name} does not take "${given[expected.length]}"`);
  }
  if (given.length < expected.length) {
    throw new UsageError(`${command.name} needs ${expected[given.length]}`);
  }
}

function describe(error: unknown): string {
  const oneLine = (text: string) => text.replace(/\s*\n\s*/g, " ");
  if (error instanceof StorageError && error.cause instanceof Error) {
    return oneLine(`${error.message} (${error.cause.message})`);
  }
  return oneLine(error instanceof Error ? error.message : String(error));
}
