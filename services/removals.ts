import type { AnyKind, Item, Kind, ListQuery, Refs, Storage } from "../adapters/storage.ts";
import { addMs } from "../model/values/time.ts";
import type { FencedTransact } from "./leases.ts";
import { readPages, type Selection } from "./records.ts";

/** Tells whether work has to stop; another call does the rest. */
export type IsStopped = () => boolean;

/** The options of work on many records. */
export interface WorkInParts {
  /** Ends the work once it returns `true`; another call continues. */
  readonly isStopped?: IsStopped | undefined;
  /** Works on one record; the caller may go on after a failure, which ends the work otherwise. */
  readonly attempt?: ((part: () => Promise<unknown>) => Promise<unknown>) | undefined;
}

// Removing a record also removes its index keys.
const REMOVED_AT_ONCE = 30;

// Every kind expires within half of this time. A record with a later expiry was stored by a clock
// that was ahead, and is removed now rather than after that long time.
const MAX_AHEAD_MS = 360 * 24 * 3_600_000;

/** Tells whether a kind, by its index `byExpiry`, has a record that expired by a time. */
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

/** Removes the records of these kinds that expired by a time (RFC 3339, UTC, milliseconds). */
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

/**
 * Tells whether a clock that was ahead has stored a record. Excludes waiting messages, which are
 * still sent.
 */
function isAhead({ expiresAt, state }: Item, now: string): boolean {
  return `${expiresAt}` > addMs(now, MAX_AHEAD_MS) && state !== "waiting";
}

/** The selection of records to remove, and the way to do it. */
export interface Removal<T> extends Selection<T>, Pick<ListQuery, "index" | "after" | "within"> {
  /** Default: `transact` of the storage. The removal ends once this resolves to `undefined`. */
  readonly transact?: FencedTransact | undefined;
}

/**
 * Removes the matching records of an index in batches; rechecks each in its transaction. Resolves
 * to `false` if `transact` ended the removal.
 */
export async function removeWhere<T>(
  storage: Storage,
  kind: Kind<T>,
  removal: Removal<T>,
): Promise<boolean> {
  const { index = "", after, within, transact = storage.transact } = removal;
  const { matches = () => true, isOver = () => false } = removal;
  const ordered = kind.indexes?.[index]?.by ?? kind.key;
  const isWithin = (record: T) => String(record[ordered]).startsWith(within ?? "");
  const isRemoved = (record: T) => isWithin(record) && !isOver(record) && matches(record);
  const query = { index: removal.index, after, within, limit: REMOVED_AT_ONCE };
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

/** Removes a number of records from the start of an index. */
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
