import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { toAnonymousLine } from "../../model/deliveries/mail_outcome.ts";

/** A parser with the input that makes it work hardest for a number of characters. */
interface Parser {
  readonly parse: (text: string) => unknown;
  readonly texts: Readonly<Record<string, (length: number) => string>>;
}

const LENGTHS = [4, 16, 64, 256].map((kib) => kib * 1024);
// Linear work takes 4 times as long for 4 times the text, quadratic work 16 times.
const MAX_RATIO = 9;
// Shorter times are mostly those of the compiler and of the garbage collector.
const MIN_MS = 2;
const RUNS = 3;

const PARSERS: Readonly<Record<string, Parser>> = {
  "the words of a relay": {
    parse: toAnonymousLine,
    texts: { "a word": repeat("a."), "local parts": repeat("a@"), "words": repeat("a ") },
  },
};

function repeat(part: string, around: { before?: string; after?: string } = {}) {
  const { before = "", after = "" } = around;
  return (length: number): string => before + part.repeat(Math.ceil(length / part.length)) + after;
}

/** Returns the time of the fastest of some runs, which a busy machine hardly changes. */
function measureMs(parse: (text: string) => unknown, text: string): number {
  const runs = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    try {
      parse(text);
    } catch {
      // A parser may refuse the text; it must do so as fast.
    }
    return performance.now() - start;
  });
  return Math.min(...runs);
}

describe("a parser", () => {
  for (const [name, { parse, texts }] of Object.entries(PARSERS)) {
    for (const [text, write] of Object.entries(texts)) {
      it(`of ${name} takes time in proportion to its text when that is ${text}`, () => {
        let before = Infinity;
        for (const length of LENGTHS) {
          const ms = measureMs(parse, write(length));
          const limit = Math.max(before, MIN_MS) * MAX_RATIO;
          assert(ms <= limit, `${length} characters took ${ms} ms, a quarter of them ${before} ms`);
          before = ms;
        }
      });
    }
  }
});

describe("the words of a relay", () => {
  it("keep everything but addresses when they are stored", () => {
    const said = "550 5.1.1 <ann@example.com>: unknown (mailto:bob@b.example) @x y@ a@b@ user";
    assertEquals(
      toAnonymousLine(said),
      "550 5.1.1 <…>: unknown (mailto:…) @x y@ … user",
    );
  });
});
