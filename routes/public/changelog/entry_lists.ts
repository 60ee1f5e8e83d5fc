import type { Position } from "../../../adapters/storage.ts";
import { inPieces } from "../../../model/turns.ts";
import { EPOCH } from "../../../model/values/time.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import { encodeCursor } from "../../_http/page.ts";

/** The published entries in the form that lists need, newest first. */
export interface EntryLists {
  readonly items: readonly CatalogueItem[];
  /** All labels, the most frequent first. */
  readonly labels: readonly string[];
  /** The entries with each label. */
  readonly byLabel: ReadonlyMap<string, readonly CatalogueItem[]>;
  /** The index of each entry in `items`, by its identifier. */
  readonly indexes: ReadonlyMap<string, number>;
  /** When an entry last changed (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
}

/** A page of a list. */
export interface ListPlace {
  /** The label of all its entries; `undefined` for all entries. */
  readonly label: string | undefined;
  readonly items: readonly CatalogueItem[];
  /** The number of entries before the page. */
  readonly from: number;
  /** The cursor of the page; `undefined` for the first page. */
  readonly cursor: string | undefined;
  /** The cursor of the previous page: `null` for the first page, `undefined` if there is none. */
  readonly newer: string | null | undefined;
  /** The cursor of the next page; `undefined` if there is none. */
  readonly older: string | undefined;
}

/** The previous and the next entry. */
export interface Neighbours {
  readonly newer: CatalogueItem | undefined;
  readonly older: CatalogueItem | undefined;
}

/** The name of the listing, which accepts only its own cursors. */
export const LISTING = "changelog";

export const PAGE_LENGTH = 20;
const PIECE = 500;

/** Creates the lists, newest entries first, and yields to other requests if there are many. */
export async function createEntryLists(items: readonly CatalogueItem[]): Promise<EntryLists> {
  return await inPieces(fill(items));
}

function* fill(items: readonly CatalogueItem[]): Generator<void, EntryLists> {
  const byLabel = new Map<string, CatalogueItem[]>();
  const indexes = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    indexes.set(item.entryId, place);
    for (const label of item.labels) {
      const labelled = byLabel.get(label);
      if (labelled === undefined) byLabel.set(label, [item]);
      else labelled.push(item);
    }
    if (place % PIECE === PIECE - 1) yield;
  }
  const labels = [...byLabel].sort(([a, { length: many }], [b, { length: more }]) =>
    more - many || (a < b ? -1 : 1)
  ).map(([label]) => label);
  return { items, labels, byLabel, indexes, changedAt: latestChange(items) ?? EPOCH };
}

/** Returns the time of the latest change of some entries; `undefined` for none. */
export function latestChange(items: readonly CatalogueItem[]): string | undefined {
  let latest: string | undefined;
  for (const { changedAt } of items) {
    if (latest === undefined || changedAt > latest) latest = changedAt;
  }
  return latest;
}

/** Returns the entries with a label, or all. */
export function itemsWith(
  { items, byLabel }: EntryLists,
  label?: string,
): readonly CatalogueItem[] {
  return label === undefined ? items : byLabel.get(label) ?? [];
}

/** Returns the page after a position, or the first page. */
export function placeOf(
  lists: EntryLists,
  { label, after }: { readonly label: string | undefined; readonly after: Position | undefined },
): ListPlace {
  const items = itemsWith(lists, label);
  const from = after === undefined ? 0 : firstAfter(items, after);
  // All positions between two entries lead to the same page.
  const cursorOf = (start: number) => start === 0 ? undefined : encodeItem(items[start - 1]);
  const end = from + PAGE_LENGTH;
  return {
    label,
    items: items.slice(from, end),
    from,
    cursor: cursorOf(from),
    newer: from === 0 ? undefined : cursorOf(Math.max(0, from - PAGE_LENGTH)) ?? null,
    older: end < items.length ? cursorOf(end) : undefined,
  };
}

/** Returns the neighbours of an entry; `undefined` if it is not in the lists. */
export function neighboursOf(
  { items, indexes }: EntryLists,
  entryId: string,
): Neighbours | undefined {
  const place = indexes.get(entryId);
  return place === undefined ? undefined : { newer: items[place - 1], older: items[place + 1] };
}

/** Returns the index of the first entry after a position, by binary search. */
function firstAfter(items: readonly CatalogueItem[], position: Position): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (follows(items[middle], position)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function follows({ entryId, publishedAt }: CatalogueItem, { key, by }: Position): boolean {
  return publishedAt < `${by}` || (publishedAt === by && entryId < key);
}

/** Returns the cursor of the page after an entry. */
export function encodeItem(
  { entryId, publishedAt }: Pick<CatalogueItem, "entryId" | "publishedAt">,
): string {
  return encodeCursor({ listing: LISTING, key: entryId, by: publishedAt });
}
