import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput, processTerminal } from "../../commands/shell/io.ts";
import { assertFailed } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { canRun, run, runByShell, SERVER } from "../_support/process.ts";

describe("standard output", () => {
  /** Replaces the function that writes to standard output, and writes a text. */
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
  it("the progress of an import is redrawn", () =>
    withFolder(async (folder) => {
      const rows = `ann@example.com,${"Ann ".repeat(30)},true\n`;
      await Deno.writeTextFile(`${folder}/p.csv`, `userEmail,userName,subscribed\n${rows}`);
      const script =
        `stty cols 40 -echo; "$DENO" run -A --quiet "$SERVER" subscribers import p.csv`;
      const { out } = await run("script", ["-qec", script, "/dev/null"], {
        cwd: folder,
        env: { SHELL: "/bin/sh", DENO: Deno.execPath(), SERVER },
        signal: AbortSignal.timeout(30_000),
      });
      assertMatch(out, /\r100% █{20} 0\.0 MB/);
    }));
});
