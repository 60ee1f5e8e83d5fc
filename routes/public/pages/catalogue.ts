import type { Position } from "../../../adapters/storage.ts";
import { inPieces } from "../../../model/turns.ts";
import { EPOCH } from "../../../model/values/time.ts";
import type { CatalogueItem } from "../../../services/entries/catalogue.ts";
import { encodeCursor } from "../../_http/page.ts";

/** The published entries as lists need them, newest first. */
export interface Catalogue {
  readonly items: readonly CatalogueItem[];
  /** All labels, the most frequent first. */
  readonly labels: readonly string[];
  /** The entries that have a label. */
  readonly byLabel: ReadonlyMap<string, readonly CatalogueItem[]>;
  /** The index of each entry among the items, by its identifier. */
  readonly places: ReadonlyMap<string, number>;
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

/** The number of entries on a page. */
export const PAGE_LENGTH = 20;
const PIECE = 500;

/** Creates the catalogue of public entries, newest first, with turns between where there are many. */
export async function createCatalogue(items: readonly CatalogueItem[]): Promise<Catalogue> {
  return await inPieces(catalogue(items));
}

function* catalogue(items: readonly CatalogueItem[]): Generator<void, Catalogue> {
  const byLabel = new Map<string, CatalogueItem[]>();
  const places = new Map<string, number>();
  for (const [place, item] of items.entries()) {
    places.set(item.entryId, place);
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
  return { items, labels, byLabel, places, changedAt: latestChange(items) ?? EPOCH };
}

/** Returns when one of some entries last changed; `undefined` where there is none. */
export function latestChange(items: readonly CatalogueItem[]): string | undefined {
  let latest: string | undefined;
  for (const { changedAt } of items) {
    if (latest === undefined || changedAt > latest) latest = changedAt;
  }
  return latest;
}

/** Returns the entries that have a label, or all. */
export function itemsWith(
  { items, byLabel }: Catalogue,
  label?: string,
): readonly CatalogueItem[] {
  return label === undefined ? items : byLabel.get(label) ?? [];
}

/** Finds the page that follows a position, or the first one. */
export function placeOf(
  catalogue: Catalogue,
  { label, after }: { readonly label: string | undefined; readonly after: Position | undefined },
): ListPlace {
  const items = itemsWith(catalogue, label);
  const from = after === undefined ? 0 : firstAfter(items, after);
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
export function neighboursOf(
  { items, places }: Catalogue,
  entryId: string,
): Neighbours | undefined {
  const place = places.get(entryId);
  return place === undefined ? undefined : { newer: items[place - 1], older: items[place + 1] };
}

/** Returns the place of the first entry that follows a position; a binary search. */
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

/** Returns the cursor of the page that follows an entry. */
export function encodeItem(
  { entryId, publishedAt }: Pick<CatalogueItem, "entryId" | "publishedAt">,
): string {
  return encodeCursor({ listing: LISTING, key: entryId, by: publishedAt });
}
