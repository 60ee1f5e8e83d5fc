import type { Position, Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { createPace } from "../../model/turns.ts";
import { hasAllWords } from "../../model/values/found_words.ts";
import { readEntries } from "./entries.ts";

/** A search among what readers see. */
export interface EntrySearch {
  /** The words that an entry has in its title or body, as `wordsOf` returns them. */
  readonly words: readonly string[];
  /** The label that an entry has; absent: any. */
  readonly label: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
  /** Tells whether nobody waits for the result any more. */
  readonly isGone: () => boolean;
}

/**
 * Finds published entries, newest first. Each entry may be long, so that there are turns of the
 * event loop between them.
 */
export async function searchPublished(
  storage: Storage,
  { words, label, after, limit, isGone }: EntrySearch,
  now: string,
): Promise<readonly Entry[]> {
  const pace = createPace();
  const found: Entry[] = [];
  for await (const page of readEntries(storage, { state: "published", label, after, now })) {
    for (const entry of page) {
      await pace();
      if (!hasAllWords(`${entry.title}\n${entry.body}`, words)) continue;
      found.push(entry);
      if (found.length === limit) return found;
    }
    if (isGone()) break;
  }
  return found;
}
