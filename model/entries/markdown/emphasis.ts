import type { MarkdownSpan } from "./tree.ts";

type Marker = "*" | "_" | "~";

/**
 * A run of `*` or `_` (CommonMark 0.31, section 6.2), or of one or two `~` (GFM 0.29, section 6.5).
 */
export interface Run {
  readonly type: "run";
  readonly marker: Marker;
  readonly length: number;
  readonly canOpen: boolean;
  readonly canClose: boolean;
  /** The number of its unused characters. */
  left: number;
  /** The number of spans that end here. */
  closes: number;
  /** The spans that start here, innermost first. */
  readonly opens: MarkdownSpan[];
}

const WHITE_SPACE = /[\p{Zs}\t\n]/u;
const PUNCTUATION = /[\p{P}\p{S}]/u;

/** Reads the run of one marker from `start` to `end`. */
export function readRun(text: string, start: number, end: number): Run {
  const marker = text[start] as Marker;
  const before = kindOf(characterBefore(text, start));
  const after = kindOf(String.fromCodePoint(text.codePointAt(end) ?? 0x0a));
  const isLeft = after !== "space" && (after === "letter" || before !== "letter");
  const isRight = before !== "space" && (before === "letter" || after !== "letter");
  const inWord = marker === "_" && isLeft && isRight;
  return {
    type: "run",
    marker,
    length: end - start,
    canOpen: isLeft && (!inWord || before === "punctuation"),
    canClose: isRight && (!inWord || after === "punctuation"),
    left: end - start,
    closes: 0,
    opens: [],
  };
}

/**
 * Pairs the runs that open emphasis with the runs that close it (CommonMark 0.31, appendix,
 * "process emphasis"). Does not repeat a failed search below the same run, so the time is linear.
 */
export function pairRuns(runs: readonly Run[]): void {
  const openers: number[] = [];
  const bottoms = new Map<string, number>();
  runs.forEach((closer, index) => {
    const key = `${closer.marker}${closer.canOpen}${closer.length % 3}`;
    while (closer.canClose && closer.left > 0) {
      const bottom = bottoms.get(key) ?? 0;
      let at = openers.length - 1;
      while (at >= 0 && openers[at] >= bottom && !isPair(runs[openers[at]], closer)) at--;
      if (at < 0 || openers[at] < bottom) {
        bottoms.set(key, index);
        break;
      }
      const opener = runs[openers[at]];
      const used = opener.left >= 2 && closer.left >= 2 ? 2 : 1;
      opener.left -= used;
      closer.left -= used;
      opener.opens.push(
        closer.marker === "~" ? "strikethrough" : used === 2 ? "strong" : "emphasis",
      );
      closer.closes++;
      openers.length = opener.left > 0 ? at + 1 : at;
    }
    if (closer.canOpen && closer.left > 0) openers.push(index);
  });
}

function isPair(opener: Run, closer: Run): boolean {
  if (opener.marker !== closer.marker) return false;
  if (opener.marker === "~") return opener.length === closer.length;
  const isAmbiguous = opener.canClose || closer.canOpen;
  const isOdd = (opener.length + closer.length) % 3 === 0 && opener.length % 3 !== 0;
  return !(isAmbiguous && isOdd);
}

function characterBefore(text: string, offset: number): string {
  if (offset === 0) return "\n";
  const isSurrogate = /[\udc00-\udfff]/.test(text[offset - 1]);
  return text.slice(offset - (isSurrogate ? 2 : 1), offset);
}

function kindOf(character: string): "space" | "punctuation" | "letter" {
  if (WHITE_SPACE.test(character)) return "space";
  return PUNCTUATION.test(character) ? "punctuation" : "letter";
}
