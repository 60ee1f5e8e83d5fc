import { COMMON_OPTIONS } from "./arguments.ts";
import type { Command } from "./command.ts";
import type { Option } from "./options.ts";

/** Writes what makes a shell complete the arguments of commands. */
type Completion = (commands: readonly Command[]) => string;

/** What a shell sources, by its name. */
export const COMPLETIONS: Readonly<Record<string, Completion>> = {
  bash: completeInBash,
  zsh: completeInZsh,
  fish: completeInFish,
};

const FILE = /\b(?:FILE|DIR)$/;

/** Returns the words that the value of a flag may be; none where it may be anything. */
function choicesOf({ value = "", choices }: Option): readonly string[] {
  return choices ?? value.split(" | ").filter((word) => /^[a-z][\w-]*$/.test(word));
}

function takesFile({ value = "" }: Option): boolean {
  return FILE.test(value);
}

function optionsOf({ options }: Command): readonly Option[] {
  return [...options, ...COMMON_OPTIONS];
}

/** Returns the names of commands and of groups, each with what follows it; commands alone have none. */
function groupsOf(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { name } of commands) {
    const [first, ...rest] = name.split(" ");
    groups.set(first, [...groups.get(first) ?? [], ...rest]);
  }
  return groups;
}

function summaryOf(commands: readonly Command[], word: string): string {
  return commands.find(({ name }) => name === word)?.summary ??
    `Commands about ${word}`;
}

function completeInBash(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const group = ([first, rest]: readonly [string, readonly string[]]) =>
    `    ${quote(`${first} `)}) words=${quote(rest.join(" "))} ;;\n`;
  const flags = (command: Command) =>
    `    ${quote(command.name)}) words=${
      quote(optionsOf(command).map(({ name }) => `--${name}`).join(" "))
    } ;;\n`;
  const value = (command: Command) => (option: Option) => {
    const label = quote(`${command.name} --${option.name}`);
    if (option.value === undefined) return "";
    if (takesFile(option)) return `    ${label}) files=yes ;;\n`;
    return `    ${label}) words=${quote(choicesOf(option).join(" "))} ;;\n`;
  };
  const files = commands.filter(({ positionals = [] }) => positionals.some((it) => FILE.test(it)));
  return `# Completion of boardcast in bash.
_boardcast() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  local first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} command words= files=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quote([...groups.keys()].join(" "))} -- "$cur"))
    return
  fi
  case "$first" in
    ${[...groups].filter(([, rest]) => rest.length > 0).map(([first]) => quote(first)).join("|")})
      command="$first $second" ;;
    *) command=$first ;;
  esac
  [ "$COMP_CWORD" -eq 2 ] && [ "$command" != "$first" ] && command="$first "
  case "$command" in
${[...groups].filter(([, rest]) => rest.length > 0).map(group).join("")}${
    commands.map(flags).join("")
  }  esac
  case "$command $prev" in
${commands.flatMap((command) => command.options.map(value(command))).join("")}  esac
  case "$command" in
    ${files.map(({ name }) => quote(name)).join("|")}) [ "\${cur:0:1}" = - ] || files=yes ;;
  esac
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _boardcast boardcast
`;
}

function completeInZsh(commands: readonly Command[]): string {
  const escape = (text: string) => text.replace(/[[\]:\\]/g, "\\$&");
  const argument = (option: Option) => {
    const { name, value, multiple, description } = option;
    const choices = choicesOf(option);
    const action = takesFile(option)
      ? "_files"
      : choices.length > 0
      ? `(${choices.join(" ")})`
      : " ";
    const taken = value === undefined ? "" : `:${escape(value)}:${action}`;
    return quote(`${multiple ? "*" : ""}--${name}[${escape(firstSentence(description))}]${taken}`);
  };
  const describe = (words: readonly (readonly [string, string])[]) =>
    words.map(([word, summary]) => quote(`${word}:${escape(summary)}`)).join(" ");
  const groups = groupsOf(commands);
  const list = [...groups.keys()].map((word) => [word, summaryOf(commands, word)] as const);
  const group = ([first, rest]: readonly [string, readonly string[]]) => {
    const words = rest.map((word) => [word, summaryOf(commands, `${first} ${word}`)] as const);
    return `    ${first}) list=(${describe(words)}) ;;\n`;
  };
  const command = (command: Command) => {
    const positionals = (command.positionals ?? [])
      .map((name) => quote(`:${name}:${FILE.test(name) ? "_files" : " "}`));
    const all = [...optionsOf(command).map(argument), ...positionals];
    return `    ${quote(command.name)}) _arguments ${all.join(" ")} ;;\n`;
  };
  return `#compdef boardcast
# Completion of boardcast in zsh.
_boardcast() {
  local -a list
  local name=$words[2]
  if (( CURRENT == 2 )); then
    list=(${describe(list)})
    _describe command list
    return
  fi
  case "$name" in
${[...groups].filter(([, rest]) => rest.length > 0).map(group).join("")}  esac
  if (( $#list )); then
    if (( CURRENT == 3 )); then
      _describe command list
      return
    fi
    name="$name $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case "$name" in
${commands.map(command).join("")}  esac
}
if [ "$funcstack[1]" = _boardcast ]; then _boardcast "$@"; else compdef _boardcast boardcast; fi
`;
}

function completeInFish(commands: readonly Command[]): string {
  const groups = groupsOf(commands);
  const add = (condition: string, rest: string, files = "-f") =>
    `complete -c boardcast ${files} -n ${quote(`__boardcast_at ${condition}`)} ${rest}\n`;
  const word = (condition: string, word: string, summary: string) =>
    add(condition, `-a ${quote(word)} -d ${quote(summary)}`);
  const flag = ({ name }: Command) => (option: Option) => {
    const choices = choicesOf(option);
    const value = option.value === undefined ? "" : " -r";
    const words = choices.length > 0 ? ` -a ${quote(choices.join(" "))}` : "";
    const help = quote(firstSentence(option.description));
    const short = option.short === undefined ? "" : ` -s ${option.short}`;
    const files = takesFile(option) ? "-F" : "-f";
    return add(`-f ${name}`, `-l ${option.name}${short}${value}${words} -d ${help}`, files);
  };
  const files = commands.filter(({ positionals = [] }) => positionals.some((it) => FILE.test(it)));
  return `# Completion of boardcast in fish.
# Tells whether the words so far are these; with -f, whether they begin with these.
function __boardcast_at
  set -l words (commandline -opc)[2..]
  if test "$argv[1]" = -f
    set -e argv[1]
    set words $words[1..(count $argv)]
  end
  test "$words" = "$argv"
end
${[...groups.keys()].map((name) => word("", name, summaryOf(commands, name))).join("")}${
    [...groups].flatMap(([first, rest]) =>
      rest.map((name) => word(first, name, summaryOf(commands, `${first} ${name}`)))
    ).join("")
  }${commands.flatMap((command) => optionsOf(command).map(flag(command))).join("")}${
    files.map(({ name }) => add(`-f ${name}`, "", "-F")).join("")
  }`;
}

function firstSentence(text: string): string {
  return text.split(/(?<=[.;:]) /)[0].replace(/[.;:]$/, "");
}

/** Quotes a text for all three shells, none of which can have an apostrophe in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
