// Japanese and Chinese have no spaces between words, so each pair of their characters is one word.
const PAIRED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー";
const RUNS = new RegExp(`[${PAIRED}]+|(?:(?![${PAIRED}])[\\p{L}\\p{N}])+`, "gu");
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, "u");
const MARKS = /\p{M}+/gu;

/** The words that a text must contain: complete words, and the start of the last one. */
export interface WordQuery {
  readonly whole: readonly string[];
  /** `undefined` if the query has no words. */
  readonly start: string | undefined;
}

/**
 * Returns a text without differences that a search ignores: case, diacritics, and variants of a
 * character. Removes marks first, because normalizing many in a row takes quadratic time.
 */
export function simplify(text: string): string {
  const decomposed = text.replace(MARKS, "").normalize("NFKD").toLowerCase();
  return decomposed.replace(MARKS, "").replaceAll("ß", "ss");
}

/** Returns the words of a text in order, as a search compares them. */
export function wordsOf(text: string): readonly string[] {
  return (simplify(text).match(RUNS) ?? []).flatMap((run) =>
    IS_PAIRED.test(run) ? pairs(run) : run
  );
}

/** Returns the pairs of characters in a run, and its last character alone. */
function pairs(run: string): readonly string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}

/** Reads the words of a search. */
export function parseQuery(text: string): WordQuery {
  const runs = simplify(text).match(RUNS) ?? [];
  const last = runs[runs.length - 1];
  // A last character counts as a word only where a run ends.
  const words = runs.flatMap((run) => {
    const all = IS_PAIRED.test(run) ? pairs(run) : [run];
    return all.length > 1 ? all.slice(0, -1) : all;
  });
  return { whole: last === undefined ? [] : words.slice(0, -1), start: words[words.length - 1] };
}

/** Tells whether some texts together contain all words of a query. */
export function hasWords(texts: readonly (string | null)[], { whole, start }: WordQuery): boolean {
  if (start === undefined) return true;
  const simple = texts.map((text) => simplify(text ?? "")).join("\n");
  // This faster test rejects most texts.
  if (!simple.includes(start) || !whole.every((word) => simple.includes(word))) return false;
  const words = new Set(wordsOf(simple));
  return whole.every((word) => words.has(word)) &&
    (words.has(start) || [...words].some((word) => word.startsWith(start)));
}
