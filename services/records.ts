import {
  type AnyKind,
  type Decide,
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
import { createPace } from "../model/turns.ts";
import { addMs, AFTER_TIMES, sortKeyOf } from "../model/values/time.ts";
import type { FencedTransact } from "./leases.ts";

/**
 * How many records are changed in one step: few enough for stores that limit a transaction, however long
 * the addresses are.
 */
export const CHANGED_AT_ONCE = 50;
// Each takes its keys in indexes along.
const REMOVED_AT_ONCE = 30;

/**
 * Transacts or, in a dry run, only decides on the records as they are: that makes nobody wait, and creates
 * nothing.
 */
export async function transactUnlessDry<R extends Refs, A>(
  storage: Storage,
  refs: R,
  decide: Decide<R, A>,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<A> {
  if (!isDryRun) return await storage.transact(refs, decide);
  const reads = Object.entries(refs).map(async ([name, { kind, key }]) =>
    [name, await storage.get(kind as Kind<Item>, key)] as const
  );
  return decide(Object.fromEntries(await Promise.all(reads)) as Found<R>).answer;
}

/** Describes a record that a decision is to create. */
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

/** Removes a record, if there is one with this key. */
export async function removeRecord<T>(storage: Storage, kind: Kind<T>, key: string): Promise<void> {
  const refs: Refs = { record: { kind, key } };
  await storage.transact(refs, () => ({ answer: undefined, remove: ["record"] }));
}

// No kind keeps its records for longer than half of this: one that expires later was stored by a clock
// that was ahead, and would stay for as long as that was.
const MAX_AHEAD_MS = 360 * 24 * 3_600_000;

/** Tells whether one of these kinds, in their index `byExpiry`, has a record that has expired by a time. */
export async function hasExpired(
  storage: Storage,
  kinds: readonly AnyKind[],
  now: string,
): Promise<boolean> {
  for (const kind of kinds) {
    const query = { index: "byExpiry", limit: 1 };
    const [first] = await storage.list<Item>(kind, query);
    if (first !== undefined && `${first.expiresAt}` <= now) return true;
    const [last] = await storage.list<Item>(kind, { ...query, reverse: true });
    if (last !== undefined && isAhead(last, now)) return true;
  }
  return false;
}

/** Removes their records that have expired by a time (RFC 3339, UTC, milliseconds). */
export async function removeExpired(
  storage: Storage,
  { kinds, transact }: {
    readonly kinds: readonly AnyKind[];
    readonly transact: FencedTransact;
  },
  now: string,
): Promise<void> {
  const isOver = ({ expiresAt }: Item) => `${expiresAt}` > now;
  for (const kind of kinds) {
    await removeWhere<Item>(storage, kind, { index: "byExpiry", isOver, transact });
    const after = { key: "", by: addMs(now, MAX_AHEAD_MS) };
    const matches = (record: Item) => isAhead(record, now);
    await removeWhere<Item>(storage, kind, { index: "byExpiry", after, matches, transact });
  }
}

/** Tells whether a clock that was ahead has stored a record; a message that waits is sent all the same. */
function isAhead({ expiresAt, state }: Item, now: string): boolean {
  return `${expiresAt}` > addMs(now, MAX_AHEAD_MS) && state !== "waiting";
}

/** Which records are removed, and how. */
export interface Removal<T> extends Selection<T>, Pick<ListQuery, "index" | "after"> {
  /** Default: that of the storage; it ends once that resolves to `undefined`. */
  readonly transact?: FencedTransact | undefined;
}

/**
 * Removes the records of an index that match, some at a time, each if it still does. Resolves to `false`
 * where `transact` ended it.
 */
export async function removeWhere<T>(
  storage: Storage,
  kind: Kind<T>,
  { index, after, matches = () => true, isOver = () => false, transact = storage.transact }:
    Removal<T>,
): Promise<boolean> {
  const isRemoved = (record: T) => !isOver(record) && matches(record);
  const query = { index, after, limit: REMOVED_AT_ONCE };
  for await (const found of readPages(storage, kind, query, { matches, isOver })) {
    const keys = found.map((record) => String(record[kind.key]));
    const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
    const isDone = keys.length === 0 || await transact(refs, (current) => ({
      answer: true,
      remove: keys.filter((key) => current[key] !== undefined && isRemoved(current[key] as T)),
    }));
    if (!isDone) return false;
  }
  return true;
}

/** Removes the first records of an index, so many of them. */
export async function removeFirst<T>(
  storage: Storage,
  kind: Kind<T>,
  { index, count, transact = storage.transact }: Pick<Removal<T>, "index" | "transact"> & {
    readonly count: number;
  },
): Promise<void> {
  for (let left = count; left > 0;) {
    const page = await storage.list(kind, { index, limit: Math.min(left, REMOVED_AT_ONCE) });
    const keys = page.map((record) => String(record[kind.key]));
    const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
    const isDone = keys.length > 0 &&
      await transact(refs, () => ({ answer: true, remove: keys }));
    if (!isDone) return;
    left -= keys.length;
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
 * Reads all records, or those of an index that match, page by page, with turns between them, and never
 * holds more than one. A page may be empty, so that who stops waiting is noticed soon.
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

/** Reads pages, of which each tells what matches, and from where to go on if more may follow. */
async function* followPages<T>(
  storage: Storage,
  kind: Kind<T>,
  { limit: first, ...query }: ListQuery,
  { matches = () => true, isOver = () => false, grow = (size) => size }: Selection<T> & {
    readonly grow?: (size: number) => number;
  },
): AsyncGenerator<{ readonly found: readonly T[]; readonly last: Position | undefined }> {
  const pace = createPace();
  let { after } = query;
  for (let limit = first;; limit = grow(limit)) {
    const page = await storage.list(kind, { ...query, after, limit });
    const end = page.findIndex(isOver);
    const isLast = end >= 0 || page.length < limit;
    after = isLast ? undefined : positionOf(kind, query.index, page[page.length - 1]);
    yield { found: (end < 0 ? page : page.slice(0, end)).filter(matches), last: after };
    if (isLast) return;
    await pace();
  }
}

/**
 * Lists the first records of an index whose order begins with an identifier (`sortKeyOf`), which a field has,
 * and, where there are many, some of the last: a clock that was ahead may have planned them for a time that is
 * far away by now.
 */
export async function listEnds<T>(
  storage: Storage,
  kind: Kind<T>,
  { index, field, id, first, last }: {
    readonly index: string;
    readonly field: keyof T;
    readonly id: string;
    /** How many at most. */
    readonly first: number;
    readonly last: number;
  },
): Promise<readonly T[]> {
  async function list(limit: number, reverse = false): Promise<readonly T[]> {
    const after = { by: sortKeyOf(id, reverse ? AFTER_TIMES : ""), key: "" };
    const page = await storage.list(kind, { index, after, limit, reverse });
    return page.filter((record) => record[field] === id);
  }
  const found = await list(first);
  if (found.length < first) return found;
  const keys = new Set(found.map((record) => record[kind.key]));
  return [...found, ...(await list(last, true)).filter((record) => !keys.has(record[kind.key]))];
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
