import { boundsOf, checkQuery, positionIn } from "../positions.ts";
import { type Change, runDecide, type TransactionOutcome } from "../decisions.ts";
import { inPieces } from "../../model/turns.ts";
import { createSortedKeys, type SortedKeys } from "./sorted_keys.ts";
import type { AnyKind, Decide, Item, Kind, ListQuery, Position, Ref, Refs } from "../storage.ts";

/**
 * All records as frozen objects in memory: the common part of adapters that keep everything there.
 */
export interface Tables {
  /** Returns a record. */
  get<T>(kind: Kind<T>, key: string): T | undefined;
  /** Lists records; synchronously, if their order has been built before. */
  list<T>(kind: Kind<T>, query: ListQuery): readonly T[] | Promise<readonly T[]>;
  /** Returns how many records are in an index; synchronously, if they have been counted before. */
  count(kind: AnyKind, index: string): number | Promise<number>;
  /** Runs `decide` on the present records. The caller has to assign the changes. */
  decide<R extends Refs, A>(refs: R, decide: Decide<R, A>): TransactionOutcome<A>;
  /** Stores or removes a frozen record. */
  assign(kindName: string, key: string, next: Item | undefined): void;
  /** Returns all present records by the name of their kind, in no order. */
  all(): ReadonlyMap<string, readonly Item[]>;
}

/**
 * The records of one kind. Orders and counts have the names of indexes; "" is the order of keys.
 */
interface Table {
  readonly records: Map<string, Item>;
  readonly orders: Map<string, Derived<SortedKeys>>;
  readonly counts: Map<string, Derived<Counter>>;
}

/** A value that is computed from the records of an index, and is kept up to date. */
interface Derived<T> {
  readonly value: T;
  /** Updates the value after a record has changed. */
  readonly update: (previous: Item | undefined, next: Item | undefined) => void;
  /** Resolves once the value covers all records; `undefined` afterwards. */
  making: Promise<void> | undefined;
}

interface Counter {
  count: number;
}

// Sorts before every character of a key.
const SEPARATOR = "\0";
// The number of records that are read in one piece of work, which takes less than a millisecond.
const PIECE = 500;

/**
 * Creates empty tables. An order is built when a listing first needs it, in pieces with turns of
 * the event loop between them, and then kept up to date; so is a count.
 */
export function createTables(): Tables {
  const tables = new Map<string, Table>();

  function tableOf(kindName: string): Table {
    let table = tables.get(kindName);
    if (table === undefined) {
      table = { records: new Map(), orders: new Map(), counts: new Map() };
      tables.set(kindName, table);
    }
    return table;
  }

  function read({ kind, key }: Ref): Item | undefined {
    return tables.get(kind.name)?.records.get(key);
  }

  return {
    get: <T>(kind: Kind<T>, key: string) => read({ kind, key }) as T | undefined,
    list<T>(kind: Kind<T>, query: ListQuery) {
      const { above, below } = boundsOf(kind, query);
      const { index, limit, reverse = false } = query;
      const [start, end] = [above, below].map(entryAt);
      const table = tableOf(kind.name);
      const { records, orders } = table;
      return whenMade(orders, index ?? "", () => makeOrder(table, kind, index), (order) => {
        const found: unknown[] = [];
        for (const entry of reverse ? order.descending(end) : order.ascending(start)) {
          if (reverse ? start !== undefined && entry <= start : end !== undefined && entry >= end) {
            break;
          }
          found.push(records.get(entry.slice(entry.indexOf(SEPARATOR) + 1))!);
          if (found.length === limit) break;
        }
        return found as T[];
      });
    },
    count(kind, index) {
      checkQuery(kind, { index, limit: 1 });
      const table = tableOf(kind.name);
      const make = () => makeCount(table, kind, index);
      return whenMade(table.counts, index, make, ({ count }) => count);
    },
    decide: (refs, decide) => runDecide(refs, decide, read),
    assign(kindName, key, next) {
      const { records, orders, counts } = tableOf(kindName);
      const previous = records.get(key);
      if (next === undefined) records.delete(key);
      else records.set(key, next);
      for (const { update } of orders.values()) update(previous, next);
      for (const { update } of counts.values()) update(previous, next);
    },
    all: () => new Map([...tables].map(([name, { records }]) => [name, [...records.values()]])),
  };
}

/** Calls `use` with the value that is kept under a name, which is made first if it is missing. */
function whenMade<T, R>(
  kept: Map<string, Derived<T>>,
  name: string,
  make: () => Derived<T>,
  use: (value: T) => R,
): R | Promise<R> {
  let derived = kept.get(name);
  if (derived === undefined) kept.set(name, derived = make());
  const { value, making } = derived;
  return making === undefined ? use(value) : making.then(() => use(value));
}

/** Builds the order of an index, or the order of keys. */
function makeOrder(
  { records }: Table,
  kind: AnyKind,
  index: string | undefined,
): Derived<SortedKeys> {
  const keys = createSortedKeys();
  const entryOf = (record: Item) =>
    index === undefined ? String(record[kind.key]) : entryAt(positionIn(kind, index, record));
  // Changes that come before the order is built are applied afterwards.
  let changes: (readonly [before: string | undefined, after: string | undefined])[] | undefined =
    [];

  function move(before: string | undefined, after: string | undefined): void {
    if (before !== undefined) keys.remove(before);
    if (after !== undefined) keys.add(after);
  }

  function* make(): Generator<void, void> {
    const entries: string[] = [];
    for (const piece of piecesOf([...records.values()])) {
      entries.push(...piece.map(entryOf).filter((entry) => entry !== undefined));
      if (piece.length === PIECE) yield;
    }
    yield* keys.fill(entries);
    for (const [before, after] of changes!) {
      move(before, after);
      yield;
    }
    changes = undefined;
  }

  return derive(keys, make(), (previous, next) => {
    const before = previous && entryOf(previous);
    const after = next && entryOf(next);
    if (before === after) return;
    if (changes === undefined) move(before, after);
    else changes.push([before, after]);
  });
}

function makeCount({ records }: Table, kind: AnyKind, index: string): Derived<Counter> {
  const counter = { count: 0 };
  const isIn = (record: Item | undefined) =>
    record !== undefined && positionIn(kind, index, record) !== undefined;

  function* make(): Generator<void, void> {
    // Counts the present records. A change meanwhile updates the count at once.
    for (const piece of piecesOf([...records.values()])) {
      counter.count += piece.filter(isIn).length;
      if (piece.length === PIECE) yield;
    }
  }

  return derive(counter, make(), (previous, next) => {
    counter.count += Number(isIn(next)) - Number(isIn(previous));
  });
}

function derive<T>(
  value: T,
  work: Iterator<void, void>,
  update: Derived<T>["update"],
): Derived<T> {
  const derived: Derived<T> = { value, update, making: undefined };
  const making = inPieces(work);
  if (making !== undefined) derived.making = making.then(() => derived.making = undefined);
  return derived;
}

function* piecesOf<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < list.length; at += PIECE) yield list.slice(at, at + PIECE);
}

/** Assigns the changes of a transaction. */
export function assignAll(tables: Tables, changes: readonly Change[]): void {
  for (const { kind, key, next } of changes) tables.assign(kind.name, key, next);
}

function entryAt(position: Position | undefined): string | undefined {
  if (position === undefined) return undefined;
  const { by, key } = position;
  return by === undefined ? key : `${by}${SEPARATOR}${key}`;
}
