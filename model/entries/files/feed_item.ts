import { hash64 } from "../../crypto/hash64.ts";
import {
  checkEntry,
  type LeftOut,
  type RawEntry,
  type ReadEntry,
  toEntryId,
} from "./file_entry.ts";

/** An item of a feed. If it has no title, the start of its body becomes the title. */
export interface FeedItem extends RawEntry {
  /** Its identifier in the feed. */
  readonly id: string;
}

const MAX_TITLE_LENGTH = 80;

/**
 * Reads the items of a feed, with pauses. Different items with the same `entryId` get distinct
 * ones.
 */
export function* readItems<I>(
  items: readonly I[],
  read: (item: I) => Generator<void, FeedItem | LeftOut>,
): Generator<void, readonly ReadEntry[]> {
  const owners = new Map<string, string>();
  const entries: ReadEntry[] = [];
  for (const item of items) {
    const found = yield* read(item);
    yield;
    if (!("entryId" in found)) {
      entries.push(found);
      continue;
    }
    const { id, ...entry } = found;
    const title = entry.title.trim() || titleOf(entry.body);
    const owner = owners.get(entry.entryId) ?? id;
    owners.set(entry.entryId, owner);
    const entryId = owner === id ? entry.entryId : `${entry.entryId.slice(0, 100)}-${hash64(id)}`;
    entries.push(checkEntry({ ...entry, entryId, title }));
  }
  return entries;
}

/** Derives an `entryId` from the last part of an item's address, or else from its identifier. */
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
