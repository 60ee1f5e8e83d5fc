import type { Position, Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { createYielder } from "../../model/turns.ts";
import { hasShownWords, readEntries } from "./entries.ts";

/** A search among published entries. */
export interface EntrySearch {
  /** The words that title and body must contain, as `wordsOf` returns them. */
  readonly words: readonly string[];
  /** The label that the entries must have, if any. */
  readonly label: string | undefined;
  readonly after: Position | undefined;
  readonly limit: number;
  /** Tells whether the client has disconnected. */
  readonly isGone: () => boolean;
}

/**
 * Finds published entries, newest first. Yields to the event loop between entries, because each may
 * be long.
 */
export async function searchPublished(
  storage: Storage,
  { words, label, after, limit, isGone }: EntrySearch,
  now: string,
): Promise<readonly Entry[]> {
  const yieldIfBusy = createYielder();
  const found: Entry[] = [];
  for await (const page of readEntries(storage, { state: "published", label, after, now })) {
    for (const entry of page) {
      await yieldIfBusy();
      if (!hasShownWords(entry, words)) continue;
      found.push(entry);
      if (found.length === limit) return found;
    }
    if (isGone()) break;
  }
  return found;
}
