import type { Command } from "./shell/command.ts";
import { COMPLETE } from "./shell/arguments.ts";
import { UsageError } from "./shell/options.ts";

/** What is answered where the name of a file is meant, which shells complete better. */
export const FILES = ":files\n";

/** The scripts by which shells ask, by the name of the shell. */
export const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of boardcast in bash.
_boardcast() {
  local -a words=("\${COMP_WORDS[@]:0:COMP_CWORD+1}")
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:\${COMP_POINT:-0}} current found
  # Readline breaks words at : and =, which scopes and flags have.
  if [ -n "$line" ]; then
    read -ra words <<< "$line"
    case "$line" in *[[:space:]]) words+=("") ;; esac
  fi
  current=\${words[\${#words[@]}-1]}
  found=$("\${words[0]}" ${COMPLETE} "\${words[@]:1}" 2>/dev/null)
  IFS=$'\\n'
  if [ "$found" = ${FILES.trim()} ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(cut -f 1 <<< "$found"))
    COMPREPLY=("\${COMPREPLY[@]#"\${current%"\${current##*[:=]}"}"}")
  fi
}
complete -F _boardcast boardcast
`,
  zsh: `#compdef boardcast
# Completion of boardcast in zsh.
_boardcast() {
  local -a found
  local tab=$'\\t'
  found=("\${(@f)$("\${words[1]}" ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "$found" == ${FILES.trim()} ]]; then
    _files
  else
    found=("\${(@)found//:/\\\\:}")
    found=("\${(@)found/\$tab/:}")
    _describe boardcast found
  fi
}
if [ "$funcstack[1]" = _boardcast ]; then _boardcast "$@"; else compdef _boardcast boardcast; fi
`,
  fish: `# Completion of boardcast in fish.
function __boardcast_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l found ($words[1] ${COMPLETE} $words[2..] "$current" 2>/dev/null)
  if test "$found" = ${FILES.trim()}
    __fish_complete_path "$current"
  else
    printf '%s\\n' $found
  end
end
complete -c boardcast -f -a '(__boardcast_complete)'
`,
};

/** Prints what makes a shell ask this command what the arguments of all commands may be. */
export const completionsCommand: Command = {
  name: "completions",
  summary: "Print what makes a shell complete commands, flags and their values",
  positionals: ["SHELL"],
  options: [],
  details:
    "SHELL is bash, zsh or fish. In ~/.bashrc: source <(boardcast completions bash). For zsh, into a folder of $fpath: boardcast " +
    "completions zsh > _boardcast. For fish: boardcast completions fish > " +
    "~/.config/fish/completions/boardcast.fish.",
  example: "boardcast completions bash > /etc/bash_completion.d/boardcast",
  // deno-lint-ignore require-await
  async run({ args: { positionals: [shell] }, terminal }) {
    if (!Object.hasOwn(SCRIPTS, shell)) {
      throw new UsageError(`completions needs one of ${Object.keys(SCRIPTS).join(", ")}`);
    }
    terminal.out(SCRIPTS[shell]);
    return 0;
  },
};
