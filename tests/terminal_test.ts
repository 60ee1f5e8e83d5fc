// What the command does on a terminal, which `script` of util-linux makes.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { withFolder } from "./_folder.ts";
import { canRun, run, SERVER } from "./_process.ts";

const COLUMNS = 40;
// What asks something on a terminal would wait for ever.
const DEADLINE_MS = 30_000;

/** Runs a script of `sh` on a terminal, where `boardcast` is the command; returns all it shows. */
async function show(script: string, folder: string, permissions = "-A"): Promise<string> {
  const deno = `"$DENO" run ${permissions} --quiet "$SERVER"`;
  const text = `stty cols ${COLUMNS}; boardcast() { ${deno} "$@"; }; ${script}`;
  const { out } = await run("script", ["-qec", text, "/dev/null"], {
    cwd: folder,
    env: { SHELL: "/bin/sh", DENO: Deno.execPath(), SERVER },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  // At the end of its input it may show how that is typed; and Deno, that others use its cache.
  return out.replace("^D\b\b", "").replace(/^Failed to open cache file .*\r\n/gm, "");
}

describe("on a terminal", {
  skip: canRun("script", ["-qec", "true", "/dev/null"])
    ? false
    : "script of util-linux is not installed",
}, () => {
  it("a table fits it, and the log of an import is a line that is redrawn", async () => {
    await withFolder(async (folder) => {
      const rows = `ann@example.com,${"Ann ".repeat(30)},true\n`;
      await Deno.writeTextFile(`${folder}/p.csv`, `userEmail,userName,subscribed\n${rows}`);
      const imported = await show("boardcast subscribers import p.csv", folder);
      assertMatch(imported, /\r100% █+/);
      const listed = await show("boardcast subscribers list", folder);
      const lines = listed.trimEnd().split("\r\n");
      assertEquals([lines.length, lines[1].includes("…")], [2, true]);
      for (const line of lines) assert(line.length <= COLUMNS, line);
    });
  });

  it("nothing is asked for a folder that is to be made, and may be", async () => {
    await withFolder(async (folder) => {
      const permissions = "--allow-read=data --allow-write=data --allow-env='BOARDCAST_*'";
      const shown = await show("boardcast boards create a --name A", folder, permissions);
      assertEquals(shown, "Created the board a.\r\n");
    });
  });

  it("the log is text", async () => {
    await withFolder(async (folder) => {
      const shown = await show(
        "boardcast serve --storage memory --port 0 > key & " +
          "until [ -s key ]; do sleep 0.05; done; kill -TERM $!; wait $! || true",
        folder,
      );
      assertMatch(shown, /^listening on http:\/\/127\.0\.0\.1:\d+\/\r\n/);
    });
  });
});
