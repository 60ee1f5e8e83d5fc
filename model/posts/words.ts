// Japanese and Chinese have no spaces between words: each pair of their characters counts as one.
const PAIRED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー";
const RUNS = new RegExp(`[${PAIRED}]+|(?:(?![${PAIRED}])[\\p{L}\\p{N}])+`, "gu");
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, "u");
const MARKS = /\p{M}+/gu;

/** Words that a text has to have: each as a whole, and the last one as the start of a word. */
export interface WordQuery {
  readonly whole: readonly string[];
  /** `undefined` where the query has no words at all. */
  readonly start: string | undefined;
}

/**
 * Returns a text without the differences that a search ignores: case, diacritics, and other forms
 * of the same character. Marks go first, as normalizing many in a row takes quadratic time.
 */
export function simplify(text: string): string {
  const decomposed = text.replace(MARKS, "").normalize("NFKD").toLowerCase();
  return decomposed.replace(MARKS, "").replaceAll("ß", "ss");
}

/** Returns the words of a text as a search compares them, in their order. */
export function wordsOf(text: string): readonly string[] {
  return (simplify(text).match(RUNS) ?? []).flatMap((run) =>
    IS_PAIRED.test(run) ? pairs(run) : run
  );
}

/** Returns the pairs of characters in a run, and its last character, which may be alone. */
function pairs(run: string): readonly string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}

/** Reads what somebody searches for. */
export function parseQuery(text: string): WordQuery {
  const runs = simplify(text).match(RUNS) ?? [];
  const last = runs[runs.length - 1];
  // The last character of a run of pairs is a word of its own where a run ends, and only there.
  const words = runs.flatMap((run) => {
    const all = IS_PAIRED.test(run) ? pairs(run) : [run];
    return all.length > 1 ? all.slice(0, -1) : all;
  });
  return { whole: last === undefined ? [] : words.slice(0, -1), start: words[words.length - 1] };
}

/** Tells whether some texts together have all words of a query. */
export function hasWords(texts: readonly (string | null)[], { whole, start }: WordQuery): boolean {
  if (start === undefined) return true;
  const simple = texts.map((text) => simplify(text ?? "")).join("\n");
  // Most texts are told by this, which takes a fraction of the time.
  if (!simple.includes(start) || !whole.every((word) => simple.includes(word))) return false;
  const words = new Set(wordsOf(simple));
  return whole.every((word) => words.has(word)) &&
    (words.has(start) || [...words].some((word) => word.startsWith(start)));
}
