import { foldText } from "../values/folded_text.ts";

// Japanese and Chinese have no spaces between words, so each pair of their characters is one word.
const PAIRED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー";
const RUNS = new RegExp(`[${PAIRED}]+|(?:(?![${PAIRED}])[\\p{L}\\p{N}\\p{M}])+`, "gu");
const IS_PAIRED = new RegExp(`^[${PAIRED}]`, "u");

/** The words that a text must contain: complete words, and the start of the last one. */
export interface WordQuery {
  readonly whole: readonly string[];
  /** `undefined` if the query has no words. */
  readonly start: string | undefined;
}

/** Returns the words of a text in order, as a search compares them. */
export function wordsOf(text: string): readonly string[] {
  return (foldText(text).match(RUNS) ?? []).flatMap((run) =>
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
  const runs = foldText(text).match(RUNS) ?? [];
  const last = runs[runs.length - 1];
  // A last character counts as a word only where a run ends.
  const words = runs.flatMap((run) => {
    const all = IS_PAIRED.test(run) ? pairs(run) : [run];
    return all.length > 1 ? all.slice(0, -1) : all;
  });
  return { whole: last === undefined ? [] : words.slice(0, -1), start: words[words.length - 1] };
}

/** Tells whether a text contains all words of a query. */
export function hasWords(text: string, { whole, start }: WordQuery): boolean {
  if (start === undefined) return true;
  const folded = foldText(text);
  // This faster test rejects most texts.
  if (!folded.includes(start) || !whole.every((word) => folded.includes(word))) return false;
  const words = new Set(wordsOf(folded));
  return whole.every((word) => words.has(word)) &&
    (words.has(start) || [...words].some((word) => word.startsWith(start)));
}
