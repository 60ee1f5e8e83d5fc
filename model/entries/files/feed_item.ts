import { hash64 } from "../../crypto/hash64.ts";
import { checkEntry, type RawEntry, type ReadEntry, toEntryId } from "./file_entry.ts";

/** An item of a feed; one without a title is called as its body begins. */
export interface FeedItem extends RawEntry {
  /** What the feed knows it by. */
  readonly id: string;
}

const MAX_TITLE_LENGTH = 80;

/**
 * Reads the items of a feed, with pauses. Those with the same identifier of an entry get different ones,
 * unless they are the same item.
 */
export function* readItems<I>(
  items: readonly I[],
  read: (item: I) => Generator<void, FeedItem>,
): Generator<void, readonly ReadEntry[]> {
  const owners = new Map<string, string>();
  const entries: ReadEntry[] = [];
  for (const item of items) {
    const { id, ...entry } = yield* read(item);
    const title = entry.title.trim() || titleOf(entry.body);
    const owner = owners.get(entry.entryId) ?? id;
    owners.set(entry.entryId, owner);
    const entryId = owner === id ? entry.entryId : `${entry.entryId.slice(0, 100)}-${hash64(id)}`;
    entries.push(checkEntry({ ...entry, entryId, title }));
    yield;
  }
  return entries;
}

/** Makes an identifier of an item of a feed: of the last part of its address, or else of its own. */
export function idOfItem({ id, url }: { readonly id: string; readonly url: string }): string {
  const parts = [url, id].flatMap((text) => {
    const [, path, query, fragment] = /^([^?#]*)\??([^#]*)#?(.*)$/s.exec(text) ?? [];
    const name = path.replace(/^\w+:\/\/[^/]*/, "").split(/[/:]/).findLast((part) => part !== "");
    return [fragment, name, query.split("=").at(-1)];
  });
  const found = parts.map((part) => toEntryId(decode(part ?? ""))).find((part) => part !== "");
  return found ?? `entry-${hash64(id)}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function titleOf(markdown: string): string {
  const [line] = markdown.trim().split("\n", 1);
  return [...line.replace(/[#*_`\\]/g, "").trim()].slice(0, MAX_TITLE_LENGTH).join("");
}
