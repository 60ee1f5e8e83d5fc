import { fileURLToPath } from "node:url";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createCommandLine } from "../../_support/cli.ts";
import { withFolder } from "../../_support/folder.ts";
import { forEachRow } from "../../_support/rows.ts";

// The word under the cursor is the last one; what stands for it in the folder are these files.
const FILES = ["people.csv", "pears.csv"];

/** What a line is completed to: its last word, and all that it may be. */
const ROWS: readonly (readonly [line: string, expected: string])[] = [
  ["boardcast stat", "status"],
  ["boardcast entries un", "unpublish"],
  ["boardcast webhooks r", "replay retry rotate"],
  ["boardcast entries list --st", "--state --storage"],
  ["boardcast entries list --state dr", "draft"],
  ["boardcast entries deliveries --state h", "held"],
  ["boardcast keys create --scope boards:", "boards:read boards:write"],
  ["boardcast serve --log j", "json"],
  ["boardcast subscribers import pe", "pears.csv people.csv"],
  ["boardcast entries create x --body-file peo", "people.csv"],
  ["boardcast subscribers import people.csv --state cl", "cleaned"],
  ["boardcast --language d", "de"],
  ["boardcast boards get nothing", ""],
];

const SERVER = `deno run -A --no-check ${
  fileURLToPath(new URL("../../../server.ts", import.meta.url))
}`;
const COMMAND = `boardcast() { ${SERVER} "$@"; }`;

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await new Deno.Command(program, { args: [...args], cwd }).output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout);
}

/** Calls a function with a folder that has the completion of a shell, and files to complete. */
async function withCompletion(
  shell: string,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const { succeed } = createCommandLine({ environment: { BOARDCAST_STORAGE: "" } });
  const { out } = await succeed(`completions ${shell}`);
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/completion`, out);
    for (const file of FILES) await Deno.writeTextFile(`${folder}/${file}`, "");
    await use(folder);
  });
}

describe("completions", () => {
  it("complete in bash", () =>
    withCompletion("bash", (folder) =>
      forEachRow(ROWS, async ([line, expected]) => {
        // As readline calls it: words are broken at colons, too.
        const words = line.split(/(?<=:)|(?=:)| /);
        const script = `${COMMAND}; source completion; COMP_LINE='${line}'
          COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
          COMP_CWORD=${words.length - 1}; _boardcast; printf '%s\n' "\${COMPREPLY[@]}"`;
        const found = await run("bash", ["--norc", "-c", script], folder);
        const start = line.split(" ").at(-1)!.replace(/[^:]*$/, "");
        const all = found.trim().split("\n").map((word) => `${word && start}${word}`);
        assertEquals(all.sort().join(" "), expected);
      })));

  it("complete in fish", () =>
    withCompletion("fish", (folder) =>
      forEachRow(ROWS, async ([line, expected]) => {
        const script =
          `function boardcast; ${SERVER} $argv; end; source completion; complete -C '${line}'`;
        const found = await run("fish", ["--no-config", "-c", script], folder);
        const words = found.trim().split("\n").map((text) => text.split("\t")[0]);
        assertEquals(words.sort().join(" "), expected);
      })));

  it("complete in zsh", () =>
    withCompletion("zsh", async (folder) => {
      // In a terminal of its own: what is completed there is run, and printed.
      const lines = ROWS.filter(([, expected]) => /^\S+$/.test(expected));
      await Deno.writeTextFile(
        `${folder}/setup`,
        `boardcast() { if [[ $1 == __complete ]]; then ${SERVER} "$@"; else print -r -- "<$*>"; fi }`,
      );
      const script = `zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell 'unsetopt zle_bracketed_paste; PS1=; autoload -U compinit; compinit -D -u'
        zpty -w shell 'source completion; source setup; print loa""ded'
        zpty -r shell text '*loaded*'
        ${
        lines.map(([line]) =>
          `zpty -w -n shell $'${line}\\t\\n'; zpty -r shell text '*<*>*'; print -r -- "$text"`
        ).join("\n")
      }
        zpty -d shell`;
      const printed = await run("zsh", ["-f", "-c", script], folder);
      for (const [line, expected] of lines) {
        const before = line.split(" ").slice(1, -1);
        assertStringIncludes(printed, `<${[...before, expected].join(" ")}>`);
      }
    }));
});
