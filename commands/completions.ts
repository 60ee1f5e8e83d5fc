import type { Command } from "./shell/command.ts";
import { UsageError } from "./shell/options.ts";

/** Creates the command that prints what makes a shell complete the arguments of all commands. */
export function createCompletionsCommand(list: () => readonly Command[]): Command {
  return {
    name: "completions",
    summary: "Print what makes a shell complete commands, flags and their values",
    positionals: ["SHELL"],
    options: [],
    details:
      "SHELL is bash, zsh or fish. In ~/.bashrc: source <(boardcast completions bash). For zsh, into a " +
      "folder of $fpath: boardcast completions zsh > _boardcast. For fish: boardcast completions fish " +
      "> ~/.config/fish/completions/boardcast.fish.",
    example: "boardcast completions bash > /etc/bash_completion.d/boardcast",
    async run({ args: { positionals: [shell] }, terminal }) {
      const { COMPLETIONS } = await import("./shell/completion_scripts.ts");
      if (!Object.hasOwn(COMPLETIONS, shell)) {
        throw new UsageError(`completions needs one of ${Object.keys(COMPLETIONS).join(", ")}`);
      }
      terminal.out(COMPLETIONS[shell](list()));
      return 0;
    },
  };
}
