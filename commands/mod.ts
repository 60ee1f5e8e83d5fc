import { nearest } from "../model/nearest.ts";
import { quote } from "../model/text.ts";
import { type Arguments, parseArguments, readArguments, unknownFlag } from "./_arguments.ts";
import type { Command, Surroundings } from "./_command.ts";
import { commandHelp, groupOf, overviewHelp } from "./_help.ts";
import { ClosedOutput, processTerminal } from "./_io.ts";
import { type Given, readVariable, UsageError } from "./_options.ts";
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
  const { terminal: { out } } = surroundings;
  const serving = await parseArguments(args, serveCommand.options);
  if (isServe(serving)) return await run(serveCommand, { ...serving, words: [] }, surroundings);
  // A server starts sooner without what the other commands need.
  const { COMMANDS } = await import("./_all.ts");
  const parsed = await parseArguments(args, COMMANDS.flatMap(({ options }) => options));
  const asks = (name: string) => parsed.flags.some((flag) => flag.name === name);
  const words = parsed.words[0] === "help" ? parsed.words.slice(1) : parsed.words;
  if (asks("help") || parsed.words[0] === "help") {
    out(helpOn(COMMANDS, words));
    return 0;
  }
  if (asks("version")) {
    const { default: { version } } = await import("../deno.json", { with: { type: "json" } });
    out(`boardcast ${version}\n`);
    return 0;
  }
  const command = commandOf(COMMANDS, words) ?? refuseWords(COMMANDS, { ...parsed, words });
  const count = command.name.split(" ").length;
  return await run(command, { ...parsed, words: words.slice(count) }, surroundings);
}

/** Tells whether nothing but flags of the server is given, or its name before them. */
function isServe({ flags, words: [word, ...rest] }: Arguments): boolean {
  return rest.length === 0 && (word === undefined || word === "serve") &&
    flags.every(({ name }) => serveCommand.options.some((option) => option.name === name));
}

async function run(
  command: Command,
  parsed: Arguments,
  surroundings: Surroundings,
): Promise<number> {
  const given = readArguments(parsed, command, surroundings.environment);
  try {
    return await command.run({ ...surroundings, given });
  } catch (error) {
    throw error instanceof UsageError ? blameVariable(error, given) : error;
  }
}

/** Names the variable, not the flag, where the value that can't be taken came from one. */
function blameVariable({ message }: UsageError, given: Given): UsageError {
  return new UsageError(
    message.replace(/^--([a-z-]+)/, (flag, name) => given.variable(name) ?? flag),
  );
}

function helpOn(commands: readonly Command[], words: readonly string[]): string {
  const isGroup = words.length === 1 && groupOf(commands, words[0]).length > 0;
  if (words.length === 0 || isGroup) return overviewHelp(commands, words[0]);
  return commandHelp(commandOf(commands, words) ?? refuseWords(commands, { flags: [], words }));
}

function commandOf(commands: readonly Command[], words: readonly string[]): Command | undefined {
  if (words.length === 0) return serveCommand;
  const names = [words.slice(0, 2).join(" "), words[0]];
  return commands.find(({ name }) => name === names[0]) ??
    commands.find(({ name }) => name === names[1]);
}

/** Says what is wrong with words that name no command. */
function refuseWords(commands: readonly Command[], { flags, words }: Arguments): never {
  const options = commands.flatMap((command) => command.options);
  const flag = flags.find(({ name }) => !options.some((option) => option.name === name));
  // What stands behind an unknown flag may be its value.
  if (flag !== undefined) throw unknownFlag("boardcast", flag.raw, options);
  const [word, next] = words;
  const group = groupOf(commands, word);
  const names = (group.length > 0 ? group : commands).map(({ name }) => name);
  if (group.length > 0 && next === undefined) {
    throw new UsageError(`${word} needs a command next: ${names.join(", ")} (try ${word} --help)`);
  }
  const asked = words.slice(0, 2).join(" ");
  const meant = nearest(asked, names) ?? nearest(word, names.map((name) => name.split(" ")[0]));
  const hint = meant === undefined
    ? `the commands are ${names.join(", ")}`
    : `did you mean ${meant}?`;
  throw new UsageError(`there is no command ${quote(asked)}: ${hint} (try --help)`);
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // What it quotes may be a URL with a password, in whatever spelling, that stands in the wrong place;
  // what to write instead is none.
  return message.replace(/\s*\n\s*/g, " ")
    .replace(/:\/\/.*(?:@|password=).*(?=["'])/i, "://…")
    .replace(/:\/\/(?!USER:PASSWORD@)\S*@/, "://…");
}
