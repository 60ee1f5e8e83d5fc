import {
  type Decision,
  type Found,
  type Item,
  type Kind,
  type ListQuery,
  MAX_LIST_LIMIT,
  type NewRecord,
  type Position,
  type Refs,
  type Storage,
} from "../adapters/storage.ts";
import { SETTINGS } from "../model/kinds.ts";
import { createYielder } from "../model/turns.ts";

/**
 * Records changed per step: low enough for stores that limit a transaction, even with the longest
 * addresses.
 */
export const CHANGED_AT_ONCE = 50;

/**
 * Transacts or, in a dry run, only decides on the stored records: this delays nobody and changes
 * nothing.
 */
export async function transactUnlessDry<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: (found: Found<R>) => Decision<R, A>,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<A> {
  if (!isDryRun) return await storage.transact(refs, decide);
  const reads = Object.entries(refs).map(async ([name, { kind, key }]) =>
    [name, await storage.get(kind as Kind<Item>, key)] as const
  );
  return decide(Object.fromEntries(await Promise.all(reads)) as Found<R>).answer;
}

/** Describes a new record for a decision's `create`. */
export function newRecord<T>(kind: Kind<T>, record: T): NewRecord {
  return { kind, record: record as Item };
}

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
 * Replaces a record by the result of `replace`; returns the new record, or `undefined` if there is
 * none or `replace` refuses it.
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

/** Removes the record with a key, if there is one. */
export async function removeRecord<T>(storage: Storage, kind: Kind<T>, key: string): Promise<void> {
  const refs: Refs = { record: { kind, key } };
  await storage.transact(refs, () => ({ answer: undefined, remove: ["record"] }));
}

/** Returns the value of a setting; the first call creates it, for all processes on the storage. */
export async function getSetting(
  storage: Storage,
  settingId: string,
  create: () => string,
): Promise<string> {
  const known = await storage.get(SETTINGS, settingId);
  if (known !== undefined) return known.value;
  const refs = { setting: { kind: SETTINGS, key: settingId } };
  const created = { settingId, value: create() };
  return await storage.transact(refs, ({ setting }) => ({
    answer: (setting ?? created).value,
    put: { setting: setting ?? created },
  }));
}

/** Selects the records of an index that a listing returns. */
export interface Selection<T> {
  /** Absent: all records match. */
  readonly matches?: ((record: T) => boolean) | undefined;
  /** Tells whether the listing ends before this record. Absent: it ends with the index. */
  readonly isOver?: ((record: T) => boolean) | undefined;
}

/** The result of a listing. */
export interface Listed<T> {
  readonly records: readonly T[];
  /** The position at which the listing stopped early, before it had found enough records. */
  readonly stoppedAt?: Position | undefined;
}

/** The options of reading a selection. */
export interface ReadOptions extends ListQuery {
  /** Limit of records per read. Default: 1,000. */
  readonly pageSize?: number | undefined;
  /** Tells whether the client has disconnected; called between pages. */
  readonly isGone?: (() => boolean) | undefined;
}

// A database reads this many pages of 1,000 records in a second or two.
const MAX_PAGES = 100;

/**
 * Lists the matching records of an index. Reads larger and larger pages, and yields between them,
 * until there are enough records, the index ends, or it has read {@linkcode MAX_PAGES} pages.
 */
export async function listMatching<T>(
  storage: Storage,
  kind: Kind<T>,
  { pageSize = MAX_LIST_LIMIT, isGone, ...query }: ReadOptions,
  selection: Selection<T> = {},
): Promise<Listed<T>> {
  const { limit } = query;
  const records: T[] = [];
  const grow = (size: number) => Math.min(4 * size, Math.max(pageSize, limit));
  let pages = 0;
  for await (const { found, last } of followPages(storage, kind, query, { ...selection, grow })) {
    records.push(...found);
    if (records.length >= limit || last === undefined) break;
    if (++pages === MAX_PAGES || isGone?.()) return { records, stoppedAt: last };
  }
  return { records: records.slice(0, limit) };
}

/**
 * Reads all records, or the matching records of an index, page by page. Yields between pages and
 * keeps only one in memory. Also yields empty pages, so that a consumer can stop early.
 */
export async function* readPages<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit = MAX_LIST_LIMIT, ...query }: Partial<ListQuery> = {},
  selection: Selection<T> = {},
): AsyncGenerator<readonly T[]> {
  for await (const { found } of followPages(storage, kind, { ...query, limit }, selection)) {
    yield found;
  }
}

/** Reads pages; each tells which records match, and where the next page starts. */
async function* followPages<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit: first, ...query }: ListQuery,
  { matches = () => true, isOver = () => false, grow = (size) => size }: Selection<T> & {
    readonly grow?: (size: number) => number;
  },
): AsyncGenerator<{ readonly found: readonly T[]; readonly last: Position | undefined }> {
  const yieldIfBusy = createYielder();
  let { after } = query;
  for (let limit = first;; limit = grow(limit)) {
    const page = await storage.list(kind, { ...query, after, limit });
    const end = page.findIndex(isOver);
    const isLast = end >= 0 || page.length < limit;
    after = isLast ? undefined : positionOf(kind, query.index, page[page.length - 1]);
    yield { found: (end < 0 ? page : page.slice(0, end)).filter(matches), last: after };
    if (isLast) return;
    await yieldIfBusy();
  }
}

/**
 * Lists the first records of an index within a prefix. If there are many, also lists some of the
 * last ones, because a clock that was ahead may have planned them for a distant time.
 */
export async function listEnds<T>(
  storage: Storage,
  kind: Kind<T>,
  { index, within, first, last }: Pick<ListQuery, "index" | "within"> & {
    /** Limit of records from the start. */
    readonly first: number;
    readonly last: number;
  },
): Promise<readonly T[]> {
  const found = await storage.list(kind, { index, within, limit: first });
  if (found.length < first) return found;
  const keys = new Set(found.map((record) => record[kind.key]));
  const ends = await storage.list(kind, { index, within, limit: last, reverse: true });
  return [...found, ...ends.filter((record) => !keys.has(record[kind.key]))];
}

/** Counts the records of an index; reads all of them if storage keeps no count. */
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

/** Returns the position of a record in an index or, without one, in the order of keys. */
function positionOf<T>(kind: Kind<T>, index: string | undefined, record: T): Position {
  const by = index === undefined ? undefined : kind.indexes?.[index]?.by;
  return { key: String(record[kind.key]), by: by && String(record[by]) };
}
