// The commands that docs/ show for bringing back what came after a backup.

import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { canRun } from "./_process.ts";
import { runScript, withScene } from "./_snippet_run.ts";
import { findSnippets } from "./_snippets.ts";
import { HEADER } from "./_import.ts";

const STORAGE = "file:./restored";
const ROWS = `${HEADER}ann@x.org,,true\nbob@x.org,,false\neve@x.org,,false\n`;
const NO_SERVER = { url: "", key: "" };

/** Returns the snippet of a page that has some text in it. */
async function snippetWith(text: string, page: string): Promise<string> {
  const markdown = await Deno.readTextFile(new URL(`../docs/${page}`, import.meta.url));
  return findSnippets(markdown).find(({ code }) => code.includes(text))!.code;
}

describe("restoring a backup", {
  skip: canRun("jq", ["--version"]) ? false : "jq is not installed",
}, () => {
  // Broken off right behind a record.
  const breakOff = `
    boardcast subscribers erase eve@x.org --storage file:./damaged
    printf %s "$(sed '/bob@x.org/q' damaged/snapshot-*.json)" > broken
    mv broken damaged/snapshot-*.json`;
  for (const [kind, isFolded] of [["no snapshot", false], ["half a snapshot", true]] as const) {
    it(`finds the opt-outs in damaged files where there is ${kind}`, () =>
      withScene(NO_SERVER, async (scene) => {
        const { output } = await runScript(
          `
            exec 2>errors
            printf '${ROWS.replaceAll("\n", "\\n")}' |
              boardcast subscribers import - --storage file:./damaged
            ${isFolded ? breakOff : ""}
            printf '{"broken' >> damaged/journal-*.jsonl
            export BOARDCAST_STORAGE=${STORAGE}
            ${await snippetWith("optouts.ndjson", "file-storage.md")}
            boardcast subscribers export | cut -d, -f1-3
          `,
          scene,
        );
        const erased = isFolded ? "" : "eve@x.org,,false\n";
        assertEquals(output, `${HEADER}bob@x.org,,false\n${erased}`);
      }));
  }
});
