import type { Position } from "../../../adapters/storage.ts";
import { EPOCH } from "../../../model/values/time.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import { encodeCursor } from "../../_http/page.ts";

/** The published entries as lists need them, newest first. */
export interface Catalogue {
  readonly items: readonly CatalogueItem[];
  /** All labels, the most frequent first. */
  readonly labels: readonly string[];
  /** When anything in it last changed (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
}

/** A page of a list. */
export interface ListPlace {
  /** The label that all its entries have; `undefined` for any. */
  readonly label: string | undefined;
  readonly items: readonly CatalogueItem[];
  /** How many entries stand before the page. */
  readonly from: number;
  /** The cursor of the page; `undefined` for the first. */
  readonly cursor: string | undefined;
  /** The cursor of the page before it, or `null` for the first page; `undefined` where there is none. */
  readonly newer: string | null | undefined;
  /** The cursor of the page after it; `undefined` where there is none. */
  readonly older: string | undefined;
}

/** The entries next to one. */
export interface Neighbours {
  readonly newer: CatalogueItem | undefined;
  readonly older: CatalogueItem | undefined;
}

/** The name of the listing, which takes its own cursors alone. */
export const LISTING = "changelog";

const PAGE_LENGTH = 20;

/** Creates the catalogue of public entries, newest first. */
export function createCatalogue(items: readonly CatalogueItem[]): Catalogue {
  const counts = new Map<string, number>();
  let changedAt = EPOCH;
  for (const item of items) {
    if (item.changedAt > changedAt) changedAt = item.changedAt;
    for (const label of item.labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const labels = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([label]) => label);
  return { items, labels, changedAt };
}

/** Returns the entries that have a label, or all. */
export function itemsWith({ items }: Catalogue, label?: string): readonly CatalogueItem[] {
  return label === undefined ? items : items.filter(({ labels }) => labels.includes(label));
}

/** Finds the page that follows a position, or the first one. */
export function placeOf(
  catalogue: Catalogue,
  { label, after }: { readonly label: string | undefined; readonly after: Position | undefined },
): ListPlace {
  const items = itemsWith(catalogue, label);
  const found = after === undefined ? 0 : items.findIndex((item) => follows(item, after));
  const from = found < 0 ? items.length : found;
  // Positions between the same two entries lead to the same page.
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

/** Returns the entries next to one; `undefined` where it is not in the catalogue. */
export function neighboursOf({ items }: Catalogue, entryId: string): Neighbours | undefined {
  const index = items.findIndex((item) => item.entryId === entryId);
  return index < 0 ? undefined : { newer: items[index - 1], older: items[index + 1] };
}

function follows({ entryId, publishedAt }: CatalogueItem, { key, by }: Position): boolean {
  return publishedAt < `${by}` || (publishedAt === by && entryId < key);
}

function encodeItem({ entryId, publishedAt }: CatalogueItem): string {
  return encodeCursor({ listing: LISTING, key: entryId, by: publishedAt });
}
