import { foldText } from "./folded_text.ts";

const MAX_WORDS = 20;

/** Returns the normalized words of a query, separated by white space. */
export function queryWords(query: string): readonly string[] {
  const words = foldText(query).split(/\s+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Tells whether a text contains all of some words, also as parts of longer words. */
export function hasAllWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const folded = foldText(text);
  return words.every((word) => folded.includes(word));
}

/** A part of a text, and whether it matches a searched word. */
export interface TextPart {
  readonly text: string;
  readonly isFound: boolean;
}

const BEFORE = 80;
const AFTER = 220;

/** Returns an excerpt around the first match, or the start of the text, with all matches marked. */
export function findAround(text: string, words: readonly string[]): readonly TextPart[] {
  const first = matchesIn(text, words).next().value?.start ?? 0;
  const start = first <= BEFORE ? 0 : gapAfter(text, first - BEFORE, first);
  const end = Math.min(text.length, first + AFTER);
  const around = text.slice(start, end).toWellFormed();
  const parts: TextPart[] = start > 0 ? [{ text: "… ", isFound: false }] : [];
  let at = 0;
  for (const match of matchesIn(around, words)) {
    parts.push({ text: around.slice(at, match.start), isFound: false });
    parts.push({ text: around.slice(match.start, match.end), isFound: true });
    at = match.end;
  }
  parts.push({ text: around.slice(at) + (end < text.length ? " …" : ""), isFound: false });
  return parts.filter(({ text }) => text !== "");
}

function gapAfter(text: string, from: number, end: number): number {
  for (let at = from; at < end; at++) if (/\s/.test(text[at])) return at + 1;
  return from;
}

/** Finds words in a text one after another; at each position, the longest match. */
function* matchesIn(
  text: string,
  words: readonly string[],
): Generator<{ readonly start: number; readonly end: number }, undefined> {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  const characters = [...text];
  const folded = characters.map(foldText);
  let start = 0;
  for (let index = 0; index < characters.length;) {
    const length = folded[index] === ""
      ? 0
      : longestFirst.reduce((found, word) => found || lengthAt(folded, index, word), 0);
    const end = index + Math.max(1, length);
    let next = start;
    for (; index < end; index++) next += characters[index].length;
    if (length > 0) yield { start, end: next };
    start = next;
  }
}

/** Returns the length of a word at an index; 0 if there is no match. */
function lengthAt(folded: readonly string[], index: number, word: string): number {
  let rest = word;
  let at = index;
  while (rest !== "") {
    if (at === folded.length || !rest.startsWith(folded[at])) return 0;
    rest = rest.slice(folded[at].length);
    at++;
  }
  // Marks belong to the letter before them.
  while (folded[at] === "") at++;
  return at - index;
}
