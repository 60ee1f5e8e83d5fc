import { createYielder } from "../turns.ts";
import { withoutLightWords } from "./light_words.ts";
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
  /** Adds a post, or replaces its texts. */
  set(id: string, texts: IndexedTexts): void;
  /** Removes a post, if it is in the index. */
  delete(id: string): void;
  /** Lists the posts in the index. */
  ids(): Iterable<string>;
  /**
   * Finds the posts that are most similar to a text, in descending order: those with at least
   * a share of the score that the text has as a title. The last word may be incomplete. Words such
   * as "for" don't count. Yields between pieces of work, and leaves out the most frequent words of
   * a text that would take too much work.
   */
  search(text: string): Promise<readonly Matched[]>;
}

/** The score of the least similar match, as a share of the score of the text itself. */
const LEAST_SHARE = 0.15;

// A search reads at most so many weights: a tenth of a second of work.
const MAX_WEIGHTS_READ = 1_000_000;
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

/** Creates an empty index. */
export function createWordIndex(): WordIndex {
  const posts = new Map<string, IndexedTexts & { readonly words: Iterable<string> }>();
  const byWord = new Map<string, Map<string, number>>();

  /** Returns the weight of a word: a rare word says more than a frequent one. */
  function rarity(word: string): number {
    return Math.log(1 + posts.size / (byWord.get(word)?.size ?? Infinity));
  }

  function remove(id: string): void {
    for (const word of posts.get(id)?.words ?? []) {
      const ids = byWord.get(word);
      ids?.delete(id);
      if (ids?.size === 0) byWord.delete(word);
    }
    posts.delete(id);
  }

  /** Returns the words to search for, the rarest first, with their shares of a whole word. */
  function soughtWords(text: string): readonly (readonly [word: string, share: number])[] {
    const words = withoutLightWords(wordsOf(text));
    const last = words[words.length - 1];
    const sought = new Map([...new Set(words)].flatMap(withStem));
    for (const part of words.flatMap(partsOf)) sought.set(part, PART_WEIGHT);
    if (last !== undefined && !byWord.has(last)) {
      for (const word of byWord.keys()) if (word.startsWith(last)) sought.set(word, 1);
    }
    return [...sought].sort(([one], [other]) => rarity(other) - rarity(one));
  }

  return {
    set(id, { title, body }) {
      const known = posts.get(id);
      if (known?.title === title && known.body === body) return;
      remove(id);
      const weights = weigh({ title, body });
      posts.set(id, { title, body, words: [...weights.keys()] });
      for (const [word, weight] of weights) {
        let ids = byWord.get(word);
        if (ids === undefined) byWord.set(word, ids = new Map());
        ids.set(id, weight);
      }
    },
    delete: remove,
    ids: () => posts.keys(),
    async search(text) {
      const yieldIfBusy = createYielder();
      const scores = new Map<string, number>();
      let read = 0;
      for (const [word, share] of soughtWords(text)) {
        const weights = byWord.get(word);
        if (weights === undefined) continue;
        read += weights.size;
        if (read > MAX_WEIGHTS_READ) break;
        const weight = share * rarity(word);
        for (const [id, own] of weights) scores.set(id, (scores.get(id) ?? 0) + weight * own);
        await yieldIfBusy();
      }
      const least = LEAST_SHARE * ownScore(text, rarity);
      return best(scores).filter(({ score }) => score >= least);
    },
  };
}

/** Returns the score that a text has as the title of a post without a body. */
function ownScore(text: string, rarity: (word: string) => number): number {
  const words = withoutLightWords(wordsOf(text));
  const shares = new Map(words.flatMap(withStem));
  for (const part of words.flatMap(partsOf)) shares.set(part, PART_WEIGHT);
  let score = 0;
  for (const [word, weight] of weigh({ title: text, body: "" })) {
    score += (shares.get(word) ?? 0) * rarity(word) * weight;
  }
  return score;
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
