import {
  type Item,
  type Kind,
  type ListQuery,
  MAX_LIST_LIMIT,
  type Position,
  type Refs,
  type Storage,
} from "../adapters/storage.ts";
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
  }
}

/** Which records of an index a listing has. */
export interface Selection<T> {
  readonly matches: (record: T) => boolean;
  /** Tells whether neither a record nor any that follows it is part of the listing. Absent: of none. */
  readonly isOver?: (record: T) => boolean;
}

/** Lists the records of an index that match: reads on until there are enough, or no more follow. */
export async function listMatching<T>(
  storage: Storage,
  kind: Kind<T>,
  query: ListQuery,
  { matches, isOver = () => false }: Selection<T>,
): Promise<readonly T[]> {
  const found: T[] = [];
  const { limit } = query;
  for (let { after } = query;;) {
    const page = await storage.list(kind, { ...query, after });
    const end = page.findIndex(isOver);
    found.push(...(end < 0 ? page : page.slice(0, end)).filter(matches));
    const last = page.at(-1);
    const isLast = page.length < limit || end >= 0 || last === undefined;
    if (found.length >= limit || isLast) return found.slice(0, limit);
    after = positionOf(kind, query.index, last);
  }
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

/** Lists all records, or all of an index, page by page, and never holds more than one. */
export async function* readPages<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit = MAX_LIST_LIMIT, ...order }: Omit<Partial<ListQuery>, "after"> = {},
): AsyncGenerator<readonly T[]> {
  let after: Position | undefined;
  while (true) {
    const page = await storage.list(kind, { ...order, after, limit });
    if (page.length > 0) yield page;
    if (page.length < limit) return;
    after = positionOf(kind, order.index, page[limit - 1]);
  }
}

/** Returns the position of a record in the order of an index, or else of the keys. */
function positionOf<T>(kind: Kind<T>, index: string | undefined, record: T): Position {
  const by = index === undefined ? undefined : kind.indexes?.[index]?.by;
  return { key: String(record[kind.key]), by: by && String(record[by]) };
}
