import { createPace } from "../turns.ts";
import { wordsOf } from "./words.ts";

/** The texts of a post that the index covers. */
export interface IndexedTexts {
  readonly title: string;
  readonly body: string;
}

/** A similar post, and its similarity. */
export interface Matched {
  readonly id: string;
  readonly score: number;
}

/** An index of words that finds similar posts. */
export interface WordIndex {
  /** Adds a post that is not in the index yet. */
  add(id: string, texts: IndexedTexts): void;
  /**
   * Finds the posts that are most similar to a text, in descending order. The last word may be
   * incomplete. Yields between pieces of work, and ends after {@linkcode SEARCH_MS} with the posts
   * found.
   */
  search(text: string): Promise<readonly Matched[]>;
  /** Returns the words of an indexed post, if its texts are unchanged. */
  recall(id: string, texts: IndexedTexts): ReadonlyMap<string, number> | undefined;
}

/** Time limit of a search, in milliseconds. */
export const SEARCH_MS = 100;

const TITLE_WEIGHT = 3;
const BODY_WEIGHT = 1;
// Related words often start alike: "notification" and "notify".
const STEM_LENGTH = 5;
const STEM_WEIGHT = 0.5;
const STEM_MARK = "^";
// Words of many languages change at their start, middle or end, so titles are compared by parts of
// words.
const PART_LENGTH = 3;
const PART_WEIGHT = 0.2;
const PART_MARK = "~";
// Additional words make a post less similar.
const WEIGHT_LOST_PER_WORD = 0.01;
const MAX_MATCHES = 20;

/**
 * Creates an empty index. It reuses words of an earlier index, because reading texts takes time.
 */
export function createWordIndex(earlier?: WordIndex): WordIndex {
  const posts = new Map<string, IndexedTexts & { readonly words: ReadonlyMap<string, number> }>();
  const byWord = new Map<string, Map<string, number>>();

  /** Returns the weight of a word: a rare word says more than a frequent one. */
  function rarity(word: string): number {
    return Math.log(1 + posts.size / (byWord.get(word)?.size ?? Infinity));
  }

  return {
    add(id, { title, body }) {
      const words = earlier?.recall(id, { title, body }) ?? weigh({ title, body });
      posts.set(id, { title, body, words });
      for (const [word, weight] of words) {
        let ids = byWord.get(word);
        if (ids === undefined) byWord.set(word, ids = new Map());
        ids.set(id, weight);
      }
    },
    async search(text) {
      const endMs = performance.now() + SEARCH_MS;
      const pace = createPace();
      const words = wordsOf(text);
      const last = words[words.length - 1];
      const sought = new Map([...new Set(words)].flatMap(withStem));
      for (const word of new Set(words)) {
        for (const part of partsOf(word)) sought.set(part, PART_WEIGHT);
      }
      if (last !== undefined && !byWord.has(last)) {
        for (const word of byWord.keys()) if (word.startsWith(last)) sought.set(word, 1);
      }
      const scores = new Map<string, number>();
      for (const [word, share] of sought) {
        const weight = share * rarity(word);
        for (const [id, own] of byWord.get(word) ?? []) {
          scores.set(id, (scores.get(id) ?? 0) + weight * own);
        }
        await pace();
        if (performance.now() > endMs) break;
      }
      return best(scores);
    },
    recall(id, { title, body }) {
      const known = posts.get(id);
      return known?.title === title && known.body === body ? known.words : undefined;
    },
  };
}

/** Returns the weights of a post's words: words in the title weigh more. */
function weigh({ title, body }: IndexedTexts): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const length = wordsOf(title).length + wordsOf(body).length;
  const share = 1 / (1 + WEIGHT_LOST_PER_WORD * length);
  for (const [text, weight] of [[title, TITLE_WEIGHT], [body, BODY_WEIGHT]] as const) {
    for (const [word, part] of wordsOf(text).flatMap(withStem)) {
      weights.set(word, Math.max(weights.get(word) ?? 0, weight * part * share));
    }
  }
  for (const part of wordsOf(title).flatMap(partsOf)) weights.set(part, TITLE_WEIGHT * share);
  return weights;
}

function withStem(word: string): readonly (readonly [word: string, share: number])[] {
  return word.length <= STEM_LENGTH
    ? [[word, 1]]
    : [[word, 1], [STEM_MARK + word.slice(0, STEM_LENGTH), STEM_WEIGHT]];
}

/** Returns the parts of a word with its ends marked: for "mode" `~ mo`, `~mod`, `~ode`, `~de `. */
function partsOf(word: string): readonly string[] {
  if (word.length <= PART_LENGTH) return [];
  const marked = ` ${word} `;
  return Array.from(
    { length: marked.length - PART_LENGTH + 1 },
    (_, at) => PART_MARK + marked.slice(at, at + PART_LENGTH),
  );
}

function best(scores: ReadonlyMap<string, number>): readonly Matched[] {
  return [...scores].map(([id, score]) => ({ id, score }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_MATCHES);
}
