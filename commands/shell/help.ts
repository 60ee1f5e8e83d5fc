import { ABOUT } from "../../model/about.ts";
import { nearest } from "../../model/values/nearest.ts";
import { quote } from "../../model/values/text.ts";
import { COMMON_OPTIONS, type Tokens, unknownFlag } from "./arguments.ts";
import type { Command } from "./command.ts";
import { HELP_WIDTH, indent, wrap } from "./layout.ts";
import { type Option, UsageError } from "./options.ts";

const MORE =
  "Run boardcast COMMAND --help for the options of a command and an example, and boardcast --version for " +
  "the version.";
const STATUSES: NonNullable<Command["statuses"]> = {
  0: "Success.",
  1: "It failed, or what it names does not exist.",
  2: "It was called incorrectly.",
};

/** Returns the help for words: for everything, a group of commands, or one command. */
export function helpOn(commands: readonly Command[], words: readonly string[]): string {
  const isGroup = words.length === 1 && groupOf(commands, words[0]).length > 0;
  if (words.length === 0 || isGroup) return overviewHelp(commands, words[0]);
  return commandHelp(commandOf(commands, words) ?? refuseWords(commands, { flags: [], words }));
}

/** Throws an error for words that name no command. */
export function refuseWords(commands: readonly Command[], { flags, words }: Tokens): never {
  const options = commands.flatMap((command) => command.options);
  const flag = flags.find(({ name }) => !options.some((option) => option.name === name));
  // A word after an unknown flag may be its value.
  if (flag !== undefined) throw unknownFlag("boardcast", flag.raw, options);
  const [word, next] = words;
  const group = groupOf(commands, word);
  const names = (group.length > 0 ? group : commands).map(({ name }) => name);
  if (group.length > 0 && next === undefined) {
    throw new UsageError(`${word} needs a command next: ${names.join(", ")} (try ${word} --help)`);
  }
  const asked = words.slice(0, 2).join(" ");
  const meant = nearest(asked, names) ?? nearest(word, names.map(firstWord));
  const hint = meant === undefined
    ? `the commands are ${[...new Set(group.length > 0 ? names : names.map(firstWord))].join(", ")}`
    : `did you mean ${meant}?`;
  throw new UsageError(`there is no command ${quote(asked)}: ${hint} (try --help)`);
}

function firstWord(name: string): string {
  return name.split(" ")[0];
}

/** Returns the help of all commands, or of those that start with a word. */
function overviewHelp(commands: readonly Command[], word = ""): string {
  const group = groupOf(commands, word);
  const shown = group.length > 0 ? group : commands;
  const nameWidth = Math.max(...shown.map((command) => synopsis(command).length));
  return `\
Usage: boardcast ${group.length > 0 ? `${word} COMMAND` : "[COMMAND]"} [OPTIONS]

${wrap(`${ABOUT}.`)}

Commands:
${shown.map((command) => describeCommand(command, nameWidth)).join("\n")}

Data goes to standard output, everything else to standard error.

${wrap(MORE)}
`;
}

function describeCommand(command: Command, nameWidth: number): string {
  const [first, ...rest] = wrap(command.summary, HELP_WIDTH - nameWidth - 4).split("\n");
  const lines = [
    `${synopsis(command).padEnd(nameWidth)}  ${first}`,
    ...rest.map((line) => indent(line, nameWidth + 2)),
  ];
  return indent(lines.join("\n"), 2);
}

/** Returns the commands whose names start with a word, like `keys`. */
function groupOf(commands: readonly Command[], word: string): readonly Command[] {
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

/** Returns the command at the start of the words; without words, the default command. */
export function commandOf(
  commands: readonly Command[],
  words: readonly string[],
): Command | undefined {
  const names = words.length === 0 ? ["serve"] : [words.slice(0, 2).join(" "), words[0]];
  return commands.find(({ name }) => name === names[0]) ??
    commands.find(({ name }) => name === names[1]);
}

function commandHelp(command: Command): string {
  const options = [...command.options, ...COMMON_OPTIONS];
  const paragraphs = [
    wrap(usage(command)),
    wrap(`${command.summary}.`),
    ...(command.details?.split("\n\n") ?? []).map((text) => wrap(text)),
    `Options:\n${options.map(describeOption).join("\n")}`,
    `Exit status:\n${indent(describeStatuses(command), 2)}`,
    `Example:\n${indent(command.example, 2)}`,
  ];
  return paragraphs.join("\n\n") + "\n";
}

function describeStatuses({ statuses }: Command): string {
  const meanings = Object.entries({ ...STATUSES, ...statuses });
  return meanings.map(([status, meaning]) => `${status.padEnd(3)}${meaning}`).join("\n");
}

function synopsis({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(" ");
}

function usage(command: Command): string {
  const required = command.options.filter((option) => option.required).map(flagWithValue);
  return ["Usage: boardcast", synopsis(command), ...required, "[OPTIONS]"].join(" ");
}

function describeOption(option: Option): string {
  const facts = [
    option.required ? "required" : undefined,
    option.default === undefined ? undefined : `default: ${option.default}`,
    option.variable,
  ].filter((fact) => fact !== undefined);
  const suffix = facts.length === 0 ? "" : ` [${facts.join("; ")}]`;
  const description = indent(wrap(option.description + suffix, HELP_WIDTH - 6), 6);
  return `${indent(wrap(flagWithValue(option), HELP_WIDTH - 2), 2)}\n${description}`;
}

function flagWithValue({ name, short, value }: Option): string {
  const flag = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return value === undefined ? flag : `${flag} ${value}`;
}
