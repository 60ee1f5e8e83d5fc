import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput, processTerminal } from "../../commands/shell/io.ts";
import { createTable } from "../../commands/api/table.ts";
import { assertFailed } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { canRun, run, runByShell, SERVER } from "../_support/process.ts";

describe("a table", () => {
  it("fits the terminal by cutting what is not fixed, whatever characters are in it", () => {
    const columns = ["ID", "NAME"].map((title, at) => ({
      ...{ title, fixed: at === 0 },
      text: (cells: readonly string[]) => cells[at],
    }));
    const rows = [["1", "Ann Onymous of Somewhere"], ["七", "東京".repeat(9)]];
    const expected = "ID  NAME\n1   Ann Onymo…\n七  東京東京…\n";
    assertEquals(createTable(columns, 14)(rows), expected);
  });

  it("shows enough of an address to know it when the terminal is too narrow for the rest", () => {
    const columns = ["EMAIL", "SOURCE", "UPDATED"].map((title, at) => ({
      ...{ title, fixed: at > 0 },
      text: (cells: readonly string[]) => cells[at],
    }));
    const rows = [["ann.onymous@example.com", "import", "2026-11-21"]];
    const expected = "EMAIL         SOURCE  U…\nann.onymous…  import  2…\n";
    assertEquals(createTable(columns, 24)(rows), expected);
  });
});

describe("standard output", () => {
  /** Has standard output be written by another function, and writes to it. */
  function write(text: string, writeSync: (piece: Uint8Array) => number): void {
    Deno.stdout.writeSync = writeSync;
    try {
      processTerminal().out(text);
    } finally {
      Reflect.deleteProperty(Deno.stdout, "writeSync");
    }
  }

  it("gets all when a pipe takes none or parts of it", () => {
    const text = "äöü€".repeat(5_000);
    const taken: number[] = [];
    let calls = 0;
    write(text, (piece) => {
      if (++calls % 3 === 0) throw new Deno.errors.WouldBlock("full");
      const length = Math.ceil(piece.length / (calls % 2 + 1));
      taken.push(...piece.subarray(0, length));
      return length;
    });
    assertEquals(new TextDecoder().decode(Uint8Array.from(taken)), text);
  });

  it("tells a reader that has gone from other failures", async () => {
    const fail = () => {
      throw new Deno.errors.BrokenPipe("gone");
    };
    assertThrows(() => write("a", fail), ClosedOutput);
    const full = await runByShell("boardcast --help > /dev/full");
    assertFailed(full, 1, "cannot write to standard output: No space left");
  });
});

describe("on a terminal", {
  skip: canRun("script", ["-qec", "true", "/dev/null"])
    ? false
    : "script of util-linux is not installed",
}, () => {
  it("a table fits it, the progress of an import is redrawn, and nothing is erased unasked", () =>
    withFolder(async (folder) => {
      const rows = `ann@example.com,${"Ann ".repeat(30)},true\n`;
      await Deno.writeTextFile(`${folder}/p.csv`, `userEmail,userName,subscribed\n${rows}`);
      const script = `
        stty cols 40 -echo
        boardcast() { "$DENO" run -A --quiet "$SERVER" "$@"; }
        boardcast subscribers import p.csv
        echo "[list]"
        boardcast subscribers list
        echo "[erase]"
        boardcast subscribers erase ann@example.com || echo "[$?]"`;
      const { out } = await run("script", ["-qec", script, "/dev/null"], {
        cwd: folder,
        env: { SHELL: "/bin/sh", DENO: Deno.execPath(), SERVER },
        signal: AbortSignal.timeout(30_000),
      });
      const [importing, listing, erasing] = out.split(/\[(?:list|erase)\]\r\n/);
      assertMatch(importing, /\r100% █{20} 0\.0 MB/);
      const lines = listing.trimEnd().split("\r\n");
      assertEquals([lines.length, lines[1].includes("…")], [2, true]);
      for (const line of lines) assert(line.length <= 40, line);
      assertStringIncludes(erasing, "[y/N] ");
      assertMatch(erasing, /boardcast: nothing was changed\r\n\[1\]/);
    }));
});
