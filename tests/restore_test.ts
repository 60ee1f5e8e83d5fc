import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { HEADER } from "./_import.ts";
import { canRun } from "./_process.ts";
import { runSnippet, withScene } from "./_snippet_run.ts";
import { findSnippets } from "./_snippets.ts";

const ROWS = `${HEADER}ann@x.org,,true\nbob@x.org,,false\neve@x.org,,false\n`;
// Broken off right behind a record.
const BREAK_SNAPSHOT = `
  boardcast subscribers erase eve@x.org --storage file:./damaged
  printf %s "$(sed '/bob@x.org/q' damaged/snapshot-*.json)" > broken
  mv broken damaged/snapshot-*.json`;

describe("restoring a backup", {
  skip: canRun("jq", ["--version"]) ? false : "jq is not installed",
}, () => {
  it("brings back the opt-outs in damaged files by the commands of the documentation", async () => {
    const page = new URL("../docs/file-storage.md", import.meta.url);
    const snippets = findSnippets(await Deno.readTextFile(page));
    const { code } = snippets.find(({ code }) => code.includes("optouts.ndjson"))!;
    const rows = [["", "bob@x.org,,false\neve@x.org,,false\n"], [
      BREAK_SNAPSHOT,
      "bob@x.org,,false\n",
    ]];
    await Promise.all(
      rows.map(([damage, expected]) =>
        withScene({ url: "", key: "" }, async (scene) => {
          // People type at a shell that a line which fails does not end.
          const script = `
          set +e +u +o pipefail
          exec 2>errors
          printf '${ROWS.replaceAll("\n", "\\n")}' |
            boardcast subscribers import - --storage file:./damaged
          ${damage}
          printf '{"broken' >> damaged/journal-*.jsonl
          export BOARDCAST_STORAGE=file:./restored
          ${code}
          boardcast subscribers export | cut -d, -f1-3`;
          const { output } = await runSnippet({ language: "sh", code: script }, scene);
          assertEquals(output, HEADER + expected);
        })
      ),
    );
  });
});
