import { Refusal } from "../../values/refusal.ts";
import { parseChoice, quote } from "../../values/text.ts";
import { POST_STATUSES, type PostStatus } from "../post.ts";

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
  "won't do": "declined",
  "wont do": "declined",
  "not planned": "declined",
  "rejected": "declined",
};

/** Statuses by a file's word in lower case. */
export type StatusWords = ReadonlyMap<string, PostStatus>;

/** Reads a file's word for a status; refuses an unknown word. */
export function readStatusWord(text: string, words: StatusWords | undefined): PostStatus | Refusal {
  const word = plainWord(text);
  const own = POST_STATUSES.find((status) => status === word);
  const known = words?.get(word) ?? own ?? (Object.hasOwn(WORDS, word) ? WORDS[word] : undefined);
  return known ?? new Refusal(
    "invalid_value",
    `is ${quote(text.trim())}, which is not known: say what it means (--status ` +
      `'${word.replace(/'/g, "")}=STATUS'), one of ${POST_STATUSES.join(", ")}`,
  );
}

/** Accepts words and their statuses, such as `Under review=considering,Later=open`. */
export function parseStatusWords(text: string): StatusWords | Refusal {
  const words = new Map<string, PostStatus>();
  for (const pair of text.split(",")) {
    const at = pair.lastIndexOf("=");
    const word = plainWord(pair.slice(0, Math.max(0, at)));
    if (word === "") return new Refusal("invalid_value", "must be like WORD=STATUS,WORD=STATUS");
    const status = parseChoice(pair.slice(at + 1).trim(), POST_STATUSES);
    if (status instanceof Refusal) {
      return new Refusal(status.code, `has a status that ${status.detail}`);
    }
    words.set(word, status);
  }
  return words;
}

function plainWord(text: string): string {
  return text.trim().toLowerCase().replace(/[\s_-]+/g, " ").replaceAll("’", "'");
}
