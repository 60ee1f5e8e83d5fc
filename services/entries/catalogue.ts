import type { Storage } from "../../adapters/storage.ts";
import { ENTRIES } from "../../model/kinds.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { readEntries } from "./entries.ts";
import { entryStateAt } from "../../model/entries/publication.ts";

/** What lists say of a published entry without its body. */
export interface CatalogueItem {
  readonly entryId: string;
  readonly title: string;
  readonly labels: readonly string[];
  /** From when on it is public (RFC 3339, UTC, milliseconds). */
  readonly publishedAt: string;
  /** When what readers see of it last changed. */
  readonly changedAt: string;
}

/** Returns when what readers see of an entry last changed (RFC 3339, UTC, milliseconds). */
export function lastChange({ publishedAt, updatedAt }: Entry): string {
  return publishedAt !== null && publishedAt > updatedAt ? publishedAt : updatedAt;
}

/** Lists all that is published, newest first. */
export async function listCatalogue(
  storage: Storage,
  now: string,
): Promise<readonly CatalogueItem[]> {
  const items: CatalogueItem[] = [];
  for await (const page of readEntries(storage, { state: "published", now })) {
    for (const entry of page) {
      const { entryId, title, labels, publishedAt } = entry;
      items.push({
        ...{ entryId, title, labels },
        publishedAt: `${publishedAt}`,
        changedAt: lastChange(entry),
      });
    }
  }
  return items;
}

/** Returns those of some entries that are published still. */
export async function getPublished(
  storage: Storage,
  items: readonly Pick<CatalogueItem, "entryId">[],
  now: string,
): Promise<readonly Entry[]> {
  const found = await Promise.all(items.map(({ entryId }) => storage.get(ENTRIES, entryId)));
  return found.filter((entry) => entry !== undefined)
    .filter((entry) => entryStateAt(entry, now) === "published");
}
