import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { COMMANDS } from "../../commands/shell/all.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { forEachRow } from "../_support/rows.ts";

describe("completions", () => {
  const { run, succeed } = createCommandLine({ environment: { BOARDCAST_STORAGE: "" } });

  async function complete(...words: readonly string[]): Promise<readonly string[]> {
    const { out } = await succeed("__complete", ...words);
    return out.trim().split("\n").map((line) => line.split("\t")[0]);
  }

  it("have every command and every flag", () =>
    forEachRow(COMMANDS, async ({ name, options }) => {
      const words = name.split(" ");
      assertStringIncludes((await complete(...words)).join(" "), words.at(-1)!);
      const flags = await complete(...words, "--");
      for (const option of options) assertStringIncludes(flags.join(" "), `--${option.name}`);
    }));

  it("have the values of flags, and files where one is meant", () =>
    forEachRow<readonly [string, string]>([
      ["subscribers import people.csv --state ", "subscribed unsubscribed cleaned"],
      ["subscribers import people.csv --format li", "listmonk"],
      ["subscribers import ", ":files"],
      ["subscribers import --rejects ", ":files"],
      ["entries list --state=dr", "--state=draft"],
      ["entries deliveries --json --state h", "held"],
      ["keys create --scope boards:", "boards:read boards:write"],
      ["webhooks messages ID --type entry.u", "entry.updated entry.unpublished"],
      ["serve --language d", "de"],
      ["--language d", "de"],
      ["completions ", "bash zsh fish"],
      ["boards get nothing", ""],
    ], async ([line, expected]) => {
      assertEquals((await complete(...line.split(" "))).join(" "), expected);
    }));

  it("come from a script for each shell, and are refused for another one", async () => {
    await forEachRow(["bash", "zsh", "fish"], async (shell) => {
      assertStringIncludes((await succeed(`completions ${shell}`)).out, "__complete");
    });
    assertFailed(await run("completions tcsh"), 2, "needs one of bash, zsh, fish");
  });
});
