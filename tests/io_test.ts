import { assert, assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ClosedOutput, processTerminal } from "../commands/_io.ts";

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

describe("writing to a pipe", () => {
  it("writes all, in pieces that a pipe takes whole, when it takes none for a while", () => {
    let calls = 0;
    const { text, longest } = withPipe(Deno.stdout, (piece) => {
      if (++calls % 3 === 0) throw new Deno.errors.WouldBlock("the pipe is full");
      return piece.length;
    }, () => out(TEXT));
    assertEquals(text, TEXT);
    assertEquals(longest, Deno.build.os === "linux" ? 4_096 : 512);
  });

  it("writes all when only a part of each piece is taken", () => {
    const { text } = withPipe(Deno.stdout, ({ length }) => Math.ceil(length / 2), () => {
      out(TEXT);
    });
    assertEquals(text, TEXT);
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

describe("the width of a terminal", () => {
  const sizes: readonly (readonly [number, string, () => number])[] = [
    [40, "its own", () => 40],
    [80, "the usual one where it has none", () => 0],
    [80, "the usual one where it can't be asked", () => {
      throw new Error("Inappropriate ioctl for device");
    }],
  ];
  for (const [width, name, columns] of sizes) {
    it(`is ${name}`, () => {
      const { consoleSize } = Deno;
      Deno.stdout.isTerminal = () => true;
      Deno.consoleSize = () => ({ columns: columns(), rows: 0 });
      try {
        assertEquals(processTerminal().outColumns, width);
      } finally {
        Deno.consoleSize = consoleSize;
        Reflect.deleteProperty(Deno.stdout, "isTerminal");
      }
    });
  }
});
