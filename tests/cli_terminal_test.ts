import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput, processTerminal } from "../commands/_io.ts";
import { createProgress } from "../commands/_progress.ts";
import { createTable, widthOf } from "../commands/_table.ts";
import { assertFailed } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { canRun, run, runByShell, SERVER } from "./_process.ts";

describe("a table", () => {
  it("fits the terminal by cutting what is not fixed, whatever characters are in it", () => {
    const columns = [
      { title: "ID", text: ([id]: readonly string[]) => id, fixed: true },
      { title: "NAME", text: ([, name]: readonly string[]) => name },
    ];
    assertEquals([widthOf("東京"), widthOf("e\u0301"), widthOf("ab")], [4, 1, 2]);
    const rows = [["1", "Ann Onymous of Somewhere"], ["七", "東京".repeat(9)]];
    const format = createTable(columns, 14);
    assertMatch(format(rows), /^ID {2}NAME\n1 {3}Ann Onymo…\n七 {2}東京東京…\n$/);
    assertEquals(format([["2", "B"]]), "2   B\n");
  });
});

describe("a progress line", () => {
  it("shows part, rate and the time left, ten times a second at most, within the terminal", () => {
    const bar = `${"█".repeat(5)}${"·".repeat(15)}`;
    let [nowMs, text] = [0, ""];
    const write = (part: string) => text += part;
    const now = () => nowMs;
    const progress = createProgress({ write, columns: 60, unit: "bytes", total: 100e6, now });
    for (const [atMs, done] of [[2_000, 25e6], [2_099, 26e6], [3e9, 27e6]]) {
      nowMs = atMs;
      progress.update(done);
    }
    progress.clear();
    const [, first, second, ...rest] = text.replaceAll("\x1b[K", "").split("\r");
    assertEquals(first, ` 25% ${bar} 25.0 MB  12.5 MB/s  0:06 left`);
    assertEquals([second.length, rest], [59, [""]]);
  });
});

describe("standard output and error", () => {
  const { out, err } = processTerminal();

  /** Has a stream be written by another function while one runs. */
  function withWriter(
    stream: { writeSync(bytes: Uint8Array): number },
    writeSync: (piece: Uint8Array) => number,
    use: () => void,
  ): void {
    stream.writeSync = writeSync;
    try {
      use();
    } finally {
      Reflect.deleteProperty(stream, "writeSync");
    }
  }

  it("get all when a pipe takes none or parts of it", () => {
    const text = "äöü€".repeat(5_000);
    const taken: number[] = [];
    let calls = 0;
    withWriter(Deno.stdout, (piece) => {
      if (++calls % 3 === 0) throw new Deno.errors.WouldBlock("full");
      const length = Math.ceil(piece.length / (calls % 2 + 1));
      taken.push(...piece.subarray(0, length));
      return length;
    }, () => out(text));
    assertEquals(new TextDecoder().decode(Uint8Array.from(taken)), text);
  });

  it("tell a reader that has gone from other failures, and drop messages", async () => {
    const fail = () => {
      throw new Deno.errors.BrokenPipe("gone");
    };
    withWriter(Deno.stdout, fail, () => assertThrows(() => out("a"), ClosedOutput));
    withWriter(Deno.stderr, fail, () => err("a"));
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
      assertMatch(importing, /\r100% █+/);
      const lines = listing.trimEnd().split("\r\n");
      assertEquals([lines.length, lines[1].includes("…")], [2, true]);
      for (const line of lines) assert(line.length <= 40, line);
      assertStringIncludes(erasing, "[y/N] ");
      assertMatch(erasing, /boardcast: nothing was changed\r\n\[1\]/);
    }));
});
