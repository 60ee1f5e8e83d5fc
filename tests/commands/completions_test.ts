import { assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { COMMANDS } from "../../commands/shell/all.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { forEachRow } from "../_support/rows.ts";

describe("completions", () => {
  const { run, succeed } = createCommandLine({ environment: { BOARDCAST_STORAGE: "" } });

  it("have every command and every flag, for each shell", () =>
    forEachRow(["bash", "zsh", "fish"], async (shell) => {
      const { out } = await succeed(`completions ${shell}`);
      for (const { name, options } of COMMANDS) {
        for (const word of name.split(" ")) assertStringIncludes(out, word);
        const flags = options.map((option) =>
          shell === "fish" ? `-l ${option.name}` : `--${option.name}`
        );
        for (const flag of flags) assertStringIncludes(out, flag);
      }
    }));

  it("are refused for another shell", async () => {
    assertFailed(await run("completions tcsh"), 2, "needs one of bash, zsh, fish");
  });
});
