import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput, processTerminal } from "../commands/_io.ts";
import { createProgress } from "../commands/_progress.ts";
import { type Column, createTable, widthOf } from "../commands/_table.ts";
import { withFolder } from "./_folder.ts";
import { canRun, run, SERVER } from "./_process.ts";

const COLUMNS: readonly Column<readonly [id: string, name: string]>[] = [
  { title: "ID", text: ([id]) => id, fixed: true },
  { title: "NAME", text: ([, name]) => name },
];

describe("a table", () => {
  it("is as wide as the first page needs, and has its titles once", () => {
    const format = createTable(COLUMNS);
    assertEquals(format([["12", "A"], ["345", "B"]]), "ID   NAME\n12   A\n345  B\n");
    assertEquals(format([["4567", "B"]]), "4567  B\n");
  });

  it("fits the terminal by cutting what is not fixed, and only where it must", () => {
    const ann = ["1", "Ann Onymous of Somewhere"] as const;
    assertEquals(createTable(COLUMNS, 14)([ann]), "ID  NAME\n1   Ann Onymo…\n");
    const format = createTable(COLUMNS, 20);
    format([["1", "A"]]);
    assertEquals(format([["2", "Ann Onymous"]]), "2   Ann Onymous\n");
    for (let width = 1; width < 40; width++) {
      const lines = createTable(COLUMNS, width)([ann, ["七", "東京".repeat(9)]]);
      for (const line of lines.trimEnd().split("\n")) assert(widthOf(line) <= width, line);
    }
  });

  it("counts two columns for East Asian characters and none for marks", () => {
    assertEquals([widthOf("東京"), widthOf("e\u0301"), widthOf("ab")], [4, 1, 2]);
  });
});

describe("a progress line", () => {
  function draw(steps: readonly (readonly [nowMs: number, done: number])[], total?: number) {
    let [nowMs, text] = [0, ""];
    const progress = createProgress({
      write: (part) => text += part,
      columns: 60,
      unit: total === undefined ? "records" : "bytes",
      total,
      now: () => nowMs,
    });
    for (const [at, done] of steps) {
      nowMs = at;
      progress.update(done);
    }
    progress.clear();
    progress.clear();
    return text;
  }

  it("shows part, rate and the time left, where the total is known", () => {
    const bar = `${"█".repeat(5)}${"·".repeat(15)}`;
    assertEquals(
      draw([[2_000, 25e6]], 100e6),
      `\r 25% ${bar} 25.0 MB  12.5 MB/s  0:06 left\x1b[K\r\x1b[K`,
    );
    assertStringIncludes(draw([[1_000, 1e6]], 4e9), "  66:39 left");
    assertEquals(draw([[2_000, 1_500]]), "\r1,500 records  750 records/s\x1b[K\r\x1b[K");
  });

  it("is drawn ten times a second at most, within the terminal, and cleared once", () => {
    const text = draw([[1_000, 1], [1_099, 2], [1_100, 3]], 1e15);
    assertEquals(text.split("\r").length, 4);
    for (const line of text.split("\r")) assert(line.replace("\x1b[K", "").length < 60, line);
    assertEquals(draw([]), "");
  });
});

describe("writing to a pipe", () => {
  const { out, err } = processTerminal();
  const TEXT = "äöü€".repeat(5_000);

  /** Has standard output or error take pieces as a pipe does; returns what it took. */
  function withPipe(
    stream: { writeSync(bytes: Uint8Array): number },
    take: (piece: Uint8Array) => number,
    use: () => void,
  ): { readonly text: string; readonly longest: number } {
    const taken: number[] = [];
    let longest = 0;
    stream.writeSync = (piece) => {
      longest = Math.max(longest, piece.length);
      const length = take(piece);
      taken.push(...piece.subarray(0, length));
      return length;
    };
    try {
      use();
    } finally {
      Reflect.deleteProperty(stream, "writeSync");
    }
    return { text: new TextDecoder().decode(Uint8Array.from(taken)), longest };
  }

  it("writes all, in pieces that a pipe takes whole, when it takes none or parts of them", () => {
    let calls = 0;
    const { text, longest } = withPipe(Deno.stdout, ({ length }) => {
      if (++calls % 3 === 0) throw new Deno.errors.WouldBlock("the pipe is full");
      return Math.ceil(length / (calls % 2 + 1));
    }, () => out(TEXT));
    assertEquals(text, TEXT);
    assertEquals(longest, Deno.build.os === "linux" ? 4_096 : 512);
  });

  it("tells a reader that has gone from other failures, and drops messages", () => {
    const fail = (error: Error) => () => {
      throw error;
    };
    const gone = new Deno.errors.BrokenPipe("gone");
    withPipe(Deno.stdout, fail(gone), () => assertThrows(() => out("a"), ClosedOutput));
    const full = new Error("the disk is full");
    withPipe(Deno.stdout, fail(full), () => {
      const error = assertThrows(() => out("a"), Error, "the disk is full");
      assert(!(error instanceof ClosedOutput));
    });
    withPipe(Deno.stderr, fail(full), () => err("a"));
  });
});

describe("on a terminal", {
  skip: canRun("script", ["-qec", "true", "/dev/null"])
    ? false
    : "script of util-linux is not installed",
}, () => {
  const COLUMNS = 40;

  /** Runs a script of `sh` on a terminal, where `boardcast` is the command; returns all it shows. */
  async function show(script: string, folder: string): Promise<string> {
    const text =
      `stty cols ${COLUMNS} -echo; boardcast() { "$DENO" run -A --quiet "$SERVER" "$@"; }; ` +
      script;
    const { out } = await run("script", ["-qec", text, "/dev/null"], {
      cwd: folder,
      env: { SHELL: "/bin/sh", DENO: Deno.execPath(), SERVER },
      signal: AbortSignal.timeout(30_000),
    });
    // At the end of its input it may show how that is typed.
    return out.replace("^D\b\b", "");
  }

  it("a table fits it, the progress of an import is redrawn, and nothing is erased unasked", () =>
    withFolder(async (folder) => {
      const rows = `ann@example.com,${"Ann ".repeat(30)},true\n`;
      await Deno.writeTextFile(`${folder}/p.csv`, `userEmail,userName,subscribed\n${rows}`);
      assertMatch(await show("boardcast subscribers import p.csv", folder), /\r100% █+/);
      const lines = (await show("boardcast subscribers list", folder)).trimEnd().split("\r\n");
      assertEquals([lines.length, lines[1].includes("…")], [2, true]);
      for (const line of lines) assert(line.length <= COLUMNS, line);
      const erase = 'boardcast subscribers erase ann@example.com || echo "[$?]"';
      assertMatch(await show(erase, folder), /\[y\/N\] boardcast: nothing was changed\r\n\[1\]/);
    }));
});
