import {
  type Item,
  type Kind,
  type ListQuery,
  MAX_LIST_LIMIT,
  type Position,
  type Refs,
  type Storage,
} from "../adapters/storage.ts";
import { createPace } from "../model/turns.ts";
import type { FencedTransact } from "./leases.ts";

/**
 * How many records are changed in one step: few enough for stores that limit a transaction, however long
 * the addresses are.
 */
export const CHANGED_AT_ONCE = 50;

/** Stores a new record; returns `false`, and changes nothing, if its key is taken. */
export function insertRecord<T>(storage: Storage, kind: Kind<T>, record: T): Promise<boolean> {
  const item = record as Item;
  const refs: Refs = { record: { kind, key: String(item[kind.key]) } };
  return storage.transact(
    refs,
    ({ record: current }) =>
      current === undefined ? { answer: true, put: { record: item } } : { answer: false },
  );
}

/**
 * Replaces a record by what `replace` makes of it; returns it as it is then, or `undefined` if there is
 * none, or `replace` refuses it.
 */
export function replaceRecord<T>(
  storage: Storage,
  { kind, key }: { readonly kind: Kind<T>; readonly key: string },
  replace: (current: T) => T | undefined,
): Promise<T | undefined> {
  const refs: Refs = { record: { kind, key } };
  return storage.transact(refs, ({ record: current }) => {
    const record = current === undefined ? undefined : replace(current as T);
    return { answer: record, put: { record: record as Item | undefined } };
  });
}

/** Removes up to 100 records in one step. */
export async function removeRecords<T>(
  storage: Pick<Storage, "transact">,
  kind: Kind<T>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
  await storage.transact(refs, () => ({ answer: undefined, remove: keys }));
}

/** A kind whose records may be forgotten after a time, with an index `byExpiry`. */
type Expiring<T> = Kind<T & { readonly expiresAt: string }>;

/** Tells whether there is a record that has expired by a time (RFC 3339, UTC, milliseconds). */
export async function hasExpired<T>(
  storage: Storage,
  kind: Expiring<T>,
  now: string,
): Promise<boolean> {
  const [first] = await storage.list(kind, { index: "byExpiry", limit: 1 });
  return first !== undefined && first.expiresAt <= now;
}

/** Removes the records that have expired by a time (RFC 3339, UTC, milliseconds). */
export async function removeExpired<T>(
  storage: Storage,
  { kind, transact }: { readonly kind: Expiring<T>; readonly transact: FencedTransact },
  now: string,
): Promise<void> {
  const isExpired = (record: Item | undefined) =>
    record !== undefined && `${record.expiresAt}` <= now;
  const pace = createPace();
  for (;;) {
    const page = await storage.list(kind, { index: "byExpiry", limit: CHANGED_AT_ONCE });
    const keys = (page as readonly Item[]).filter(isExpired).map((record) => `${record[kind.key]}`);
    if (keys.length === 0) return;
    const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
    const isRemoved = await transact(refs, (found) => ({
      answer: true,
      remove: keys.filter((key) => isExpired(found[key])),
    }));
    if (!isRemoved || keys.length < page.length) return;
    await pace();
  }
}

/** Which records of an index a listing has. */
export interface Selection<T> {
  /** Absent: all do. */
  readonly matches?: ((record: T) => boolean) | undefined;
  /** Tells whether neither a record nor any that follows it is part of the listing. Absent: of none. */
  readonly isOver?: ((record: T) => boolean) | undefined;
}

/** What a listing found. */
export interface Listed<T> {
  readonly records: readonly T[];
  /** Up to where it has looked, if it stopped before it had found as many as it was asked for. */
  readonly stoppedAt?: Position | undefined;
}

/** How a selection is read. */
export interface ReadOptions extends ListQuery {
  /** How many records are read at once at most. Default: 1,000. */
  readonly pageSize?: number | undefined;
  /** Whether nobody waits for the result any more; asked after the first page alone. */
  readonly isGone?: (() => boolean) | undefined;
}

// With pages of 1,000, what a database reads in a second or two.
const MAX_PAGES = 100;

/**
 * Lists the records of an index that match: reads on, in larger and larger pages and with turns between
 * them, until there are enough, no more follow, or it has read {@linkcode MAX_PAGES}.
 */
export async function listMatching<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit, pageSize = MAX_LIST_LIMIT, isGone, ...query }: ReadOptions,
  selection: Selection<T> = {},
): Promise<Listed<T>> {
  const records: T[] = [];
  const pace = createPace();
  let { after } = query;
  for (
    let pages = 1, size = limit;;
    pages++, size = Math.min(4 * size, Math.max(pageSize, limit))
  ) {
    const { found, last } = await readPage(
      storage,
      kind,
      { ...query, after, limit: size },
      selection,
    );
    records.push(...found);
    if (records.length >= limit || last === undefined) return { records: records.slice(0, limit) };
    after = last;
    if (pages === MAX_PAGES || isGone?.()) return { records, stoppedAt: after };
    await pace();
  }
}

/**
 * Reads all records, or those of an index that match, page by page, with turns between them, and never
 * holds more than one. A page may be empty, so that who stops waiting is noticed soon.
 */
export async function* readPages<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit = MAX_LIST_LIMIT, ...query }: Partial<ListQuery> = {},
  selection: Selection<T> = {},
): AsyncGenerator<readonly T[]> {
  const pace = createPace();
  let { after } = query;
  while (true) {
    const { found, last } = await readPage(storage, kind, { ...query, after, limit }, selection);
    yield found;
    if (last === undefined) return;
    after = last;
    await pace();
  }
}

/** Reads one page; returns what matches, and the position from which to go on if more may follow. */
async function readPage<T>(
  storage: Storage,
  kind: Kind<T>,
  query: ListQuery,
  { matches = () => true, isOver = () => false }: Selection<T>,
): Promise<{ readonly found: readonly T[]; readonly last: Position | undefined }> {
  const page = await storage.list(kind, query);
  const end = page.findIndex(isOver);
  const isLast = end >= 0 || page.length < query.limit;
  return {
    found: (end < 0 ? page : page.slice(0, end)).filter(matches),
    last: isLast ? undefined : positionOf(kind, query.index, page[page.length - 1]),
  };
}

/** Counts the records of an index; reads them all where storage keeps no count. */
export async function countRecords<T>(
  storage: Storage,
  kind: Kind<T>,
  index: string,
): Promise<number> {
  if (storage.count !== undefined) return await storage.count(kind, index);
  let count = 0;
  for await (const page of readPages(storage, kind, { index })) count += page.length;
  return count;
}

/** Returns the position of a record in the order of an index, or else of the keys. */
function positionOf<T>(kind: Kind<T>, index: string | undefined, record: T): Position {
  const by = index === undefined ? undefined : kind.indexes?.[index]?.by;
  return { key: String(record[kind.key]), by: by && String(record[by]) };
}
