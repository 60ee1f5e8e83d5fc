import type { Command } from "./_command.ts";
import type { Option } from "./_options.ts";

const WIDTH = 80;
const INDENT = 6;

/** The help of all commands, or of those that start with a word. */
export function overviewHelp(commands: readonly Command[], word = ""): string {
  const group = commands.filter(({ name }) => name.startsWith(`${word} `));
  const shown = group.length > 0 ? group : commands;
  const width = Math.max(...shown.map((command) => synopsis(command).length));
  return `\
Usage: boardcast [COMMAND] [OPTIONS]

Feedback boards and changelog subscriptions behind a small HTTP API.

Commands:
${shown.map((command) => `  ${synopsis(command).padEnd(width)}  ${command.summary}`).join("\n")}

Run boardcast COMMAND --help for the options of a command.
`;
}

/** The help of one command: usage, options with their defaults, an example. */
export function commandHelp(command: Command): string {
  const options = command.options.map(describeOption).join("\n");
  return `\
Usage: boardcast ${synopsis(command)}${command.options.length > 0 ? " [OPTIONS]" : ""}

${command.summary}.
${options === "" ? "" : `\nOptions:\n${options}\n`}
Example:
  ${command.example}
`;
}

function synopsis({ name, positionals = [] }: Command): string {
  return [name, ...positionals].join(" ");
}

function describeOption(option: Option): string {
  const value = option.value === undefined ? "" : ` ${option.value}`;
  const facts = [
    option.default === undefined ? undefined : `default: ${option.default}`,
    option.variable,
  ].filter((fact) => fact !== undefined);
  const suffix = facts.length === 0 ? "" : ` [${facts.join("; ")}]`;
  return `  --${option.name}${value}\n${wrap(option.description + suffix)}`;
}

function wrap(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length > WIDTH - INDENT) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => " ".repeat(INDENT) + line).join("\n");
}
