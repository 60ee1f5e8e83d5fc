// The commands that docs/ show for bringing back what came after a backup.

import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { join } from "node:path";
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

  it("ends the keys that the list shows as revoked or expired", () =>
    withScene(NO_SERVER, async (scene) => {
      const run = async (script: string) =>
        (await runScript(
          `export STORAGE=${STORAGE} BOARDCAST_STORAGE=${STORAGE}\n${script}`,
          scene,
        ))
          .output;
      const listed = async () =>
        (await run("boardcast keys list --json")).trim().split("\n").map((line) =>
          JSON.parse(line)
        );

      await run("for name in live revoked expired; do boardcast keys create --name $name; done");
      await run(`echo '${HEADER}ann@example.com,,true' > optouts-2026-11-21T09.csv`);
      const changes: Readonly<Record<string, unknown>> = {
        live: { expiresAt: "9999-12-31T23:59:59.999Z" },
        revoked: { revokedAt: "2026-11-21T09:00:00.000Z" },
        expired: { expiresAt: "2026-11-21T09:00:00.000Z" },
      };
      const lines = (await listed()).map((key) =>
        JSON.stringify({ ...key, ...changes[key.name] as object })
      );
      const path = join(scene.folder, "work", "keys-2026-11-21T09.ndjson");
      await Deno.writeTextFile(path, lines.join("\n"));
      await run(await snippetWith("comm -12", "operations.md"));
      const ended = (await listed()).filter(({ revokedAt }) => revokedAt !== null);
      assertEquals(ended.map(({ name }) => name).sort(), ["expired", "revoked"]);
    }));
});
