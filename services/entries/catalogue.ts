import type { Storage } from "../../adapters/storage.ts";
import { ENTRIES } from "../../model/kinds.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { readEntries } from "./entries.ts";
import { entryStateAt } from "../../model/entries/publication.ts";

/** A published entry in lists, without its body. */
export interface CatalogueItem {
  readonly entryId: string;
  readonly title: string;
  readonly labels: readonly string[];
  /** The time of publication (RFC 3339, UTC, milliseconds). */
  readonly publishedAt: string;
  /** The time of the last change that readers see. */
  readonly changedAt: string;
}

/** Returns the time of the last change that readers see (RFC 3339, UTC, milliseconds). */
export function lastChange({ publishedAt, updatedAt }: Entry): string {
  return publishedAt !== null && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** Lists all published entries, newest first. */
export async function listCatalogue(
  storage: Storage,
  now: string,
): Promise<readonly CatalogueItem[]> {
  const items: CatalogueItem[] = [];
  for await (const page of readEntries(storage, { state: "published", now })) {
    for (const entry of page) {
      const { entryId, title, labels, publishedAt } = entry;
      items.push({
        entryId,
        title,
        labels,
        publishedAt: `${publishedAt}`,
        changedAt: lastChange(entry),
      });
    }
  }
  return items;
}

/** Returns the entries, among some, that are still published. */
export async function getPublished(
  storage: Storage,
  items: readonly Pick<CatalogueItem, "entryId">[],
  now: string,
): Promise<readonly Entry[]> {
  const found = await Promise.all(items.map(({ entryId }) => storage.get(ENTRIES, entryId)));
  return found.filter((entry) => entry !== undefined)
    .filter((entry) => entryStateAt(entry, now) === "published");
}
