import { Refusal } from "../../values/refusal.ts";
import { parseChoice, quote } from "../../values/text.ts";
import { POST_STATES, POST_STATUSES, type PostState, type PostStatus } from "../post.ts";

/** Other products' lower-case words for statuses. */
const WORDS: Readonly<Record<string, PostStatus>> = {
  "": "open",
  "new": "open",
  "active": "open",
  "published": "open",
  "gathering feedback": "open",
  "under review": "considering",
  "in review": "considering",
  "reviewing": "considering",
  "under consideration": "considering",
  "in progress": "started",
  "in development": "started",
  "complete": "shipped",
  "completed": "shipped",
  "done": "shipped",
  "closed as done": "shipped",
  "released": "shipped",
  "closed": "declined",
  "wont do": "declined",
  "not planned": "declined",
  "rejected": "declined",
};

const PAIR_END = new RegExp(`(?<==\\s*(?:${POST_STATUSES.join("|")})\\s*),`);

/** Statuses by a file's word in lower case. */
export type StatusWords = ReadonlyMap<string, PostStatus>;

/** The reasons for which another product's post or vote is not imported. */
export const LEFT_OUT_POSTS = ["spam", "deleted", "withoutAddress"] as const;
/** One of the {@linkcode LEFT_OUT_POSTS}. */
export type LeftOutPost = typeof LEFT_OUT_POSTS[number];
type Unwanted = Exclude<LeftOutPost, "withoutAddress">;

/** Other products' lower-case words for a post's visibility. */
const MODERATION: Readonly<Record<string, PostState | Unwanted>> = {
  "": "public",
  "approved": "public",
  "published": "public",
  "active": "public",
  "visible": "public",
  "pending": "held",
  "pending approval": "held",
  "pending moderation": "held",
  "awaiting approval": "held",
  "awaiting moderation": "held",
  "needs approval": "held",
  "needs moderation": "held",
  "unapproved": "held",
  "not approved": "held",
  "unpublished": "held",
  "draft": "held",
  "archived": "hidden",
  "private": "hidden",
  "rejected": "hidden",
  "spam": "spam",
  "deleted": "deleted",
  "removed": "deleted",
  "trash": "deleted",
  "trashed": "deleted",
};

/** Reads a file's word for a status; refuses an unknown word. */
export function readStatusWord(
  text: string,
  words: StatusWords | undefined,
  ofProduct: Readonly<Record<string, PostStatus>> = {},
): PostStatus | Refusal {
  const word = plainWord(text);
  const own = POST_STATUSES.find((status) => status === word);
  const known = words?.get(word) ?? own ?? wordIn(ofProduct, word) ?? wordIn(WORDS, word);
  return known ?? new Refusal(
    "invalid_value",
    `is ${quote(text.trim())}, which is not known: say what it means (--status ` +
      `'${word}=STATUS'), one of ${POST_STATUSES.join(", ")}`,
  );
}

/** Reads a file's word for whether a post was approved; refuses an unknown word. */
export function readStateWord(text: string): PostState | Unwanted | Refusal {
  const word = plainWord(text);
  const own = POST_STATES.find((state) => state === word);
  return own ?? wordIn(MODERATION, word) ?? new Refusal(
    "invalid_value",
    `is ${quote(text.trim())}, which is not known: write approved, pending, hidden, spam or ` +
      "deleted in the file",
  );
}

function wordIn<T>(words: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(words, word) ? words[word] : undefined;
}

/** Accepts words and their statuses, such as `Under review=considering,Later=open`. */
export function parseStatusWords(text: string): StatusWords | Refusal {
  const words = new Map<string, PostStatus>();
  // A word may have a comma, too.
  for (const pair of text.split(PAIR_END)) {
    const at = pair.lastIndexOf("=");
    const word = plainWord(pair.slice(0, Math.max(0, at)));
    if (word === "") return new Refusal("invalid_value", "must be like WORD=STATUS,WORD=STATUS");
    const [, unknown] = /=([^=,]*),/.exec(pair) ?? [];
    const status = parseChoice((unknown ?? pair.slice(at + 1)).trim(), POST_STATUSES);
    if (status instanceof Refusal) {
      return new Refusal(status.code, `has a status that ${status.detail}`);
    }
    words.set(word, status);
  }
  return words;
}

/** Makes spellings of a word equal. A shell can't quote an apostrophe, so it has none. */
function plainWord(text: string): string {
  return text.trim().toLowerCase().replace(/['’]/g, "").replace(/[\s_-]+/g, " ");
}
