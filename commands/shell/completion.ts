import { COMMANDS } from "./all.ts";
import { COMMON_OPTIONS } from "./arguments.ts";
import { FILES, SCRIPTS } from "../completions.ts";
import { commandOf } from "./help.ts";
import type { Option } from "./options.ts";

/** What the word under the cursor may become, and what that means. */
type Candidate = readonly [word: string, meaning?: string];

/**
 * Returns what the last of some words may become: a line for each, with what it means behind a tab; or
 * {@linkcode FILES}.
 */
export function complete(words: readonly string[]): string {
  const current = words.at(-1) ?? "";
  const found = candidatesFor(words.slice(0, -1), current);
  if (found === FILES) return FILES;
  return found.filter(([word]) => word.startsWith(current))
    .map(([word, meaning]) => `${word}${meaning ? `\t${firstSentence(meaning)}` : ""}\n`).join("");
}

function candidatesFor(
  before: readonly string[],
  current: string,
): readonly Candidate[] | typeof FILES {
  const takesValue = (flag: string | undefined) =>
    COMMANDS.some(({ options }) => flagOf(options, flag)?.value !== undefined);
  const names = before.filter((word, at) => !word.startsWith("-") && !takesValue(before[at - 1]));
  const command = commandOf(COMMANDS, names);
  const options = command === undefined ? [] : [...command.options, ...COMMON_OPTIONS];
  const awaited = flagOf(options, before.at(-1));
  if (awaited?.value !== undefined) return valuesOf(awaited);
  const [, flag, start] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (start !== undefined) {
    const values = valuesOf(flagOf(options, flag) ?? {});
    return values === FILES ? [] : values.map(([word]) => [`${flag}=${word}`]);
  }
  if (current.startsWith("-")) {
    return options.filter(({ name, multiple }) => multiple || !before.includes(`--${name}`))
      .map(({ name, description }) => [`--${name}`, description]);
  }
  if (command === undefined || names.length === 0) return nextWords(names);
  const at = names.length - command.name.split(" ").length;
  const value = command.positionals?.[at]?.replace("…", "");
  return valuesOf({ value, choices: value === "SHELL" ? Object.keys(SCRIPTS) : undefined });
}

/** Returns the words that come next in the names of commands. */
function nextWords(names: readonly string[]): readonly Candidate[] {
  const words = new Map<string, string>();
  for (const { name, summary } of COMMANDS) {
    const parts = name.split(" ");
    if (names.some((word, at) => word !== parts[at]) || parts.length <= names.length) continue;
    const isWhole = parts.length === names.length + 1;
    words.set(parts[names.length], isWhole ? summary : `Commands about ${parts[0]}`);
  }
  return [...words];
}

function valuesOf({ value = "", choices }: Partial<Option>): readonly Candidate[] | typeof FILES {
  if (/(?:^|\W)(?:FILE|DIR)$/.test(value) && !value.includes("|")) return FILES;
  const words = choices ?? value.split(" | ").filter((word) => /^[a-z][\w-]*$/.test(word));
  return words.map((word) => [word]);
}

function flagOf(options: readonly Option[], flag: string | undefined): Option | undefined {
  return options.find(({ name, short }) => flag === `--${name}` || flag === `-${short}`);
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.;:]) /)[0].replace(/[.;:]$/, "");
}
