import {
  type Change,
  checkQuery,
  checkRefs,
  positionIn,
  runDecide,
  type TransactionOutcome,
} from "../records.ts";
import { createSortedKeys, type SortedKeys } from "./sorted_keys.ts";
import type { AnyKind, Decide, Item, Kind, ListQuery, Position, Ref, Refs } from "../storage.ts";

/** All records as frozen objects in memory: what adapters that keep everything there have in common. */
export interface Tables {
  /** Returns a record. */
  get<T>(kind: Kind<T>, key: string): T | undefined;
  /** Lists records. */
  list<T>(kind: Kind<T>, query: ListQuery): readonly T[];
  /** Returns how many records are in an index. */
  count(kind: AnyKind, index: string): number;
  /** Decides on a transaction. Nothing changes before its changes are assigned. */
  decide<R extends Refs, A>(refs: R, decide: Decide<R, A>): TransactionOutcome<A>;
  /** Stores or removes a frozen record. */
  assign(kindName: string, key: string, next: Item | undefined): void;
  /** Returns all records as they are now, in no order, by the name of their kind. */
  all(): ReadonlyMap<string, readonly Item[]>;
}

/** The records of one kind, and the orders of these that were asked for, by the name of their index. */
interface Table {
  readonly records: Map<string, Item>;
  readonly orders: Map<string, { readonly keys: SortedKeys; readonly entryOf: EntryOf }>;
}

/** Returns the text that stands for a record in an order; `undefined` if it is not in it. */
type EntryOf = (record: Item) => string | undefined;

// Sorts before every character that a key may have.
const SEPARATOR = "\0";

/** Creates empty tables. An order is made when it is first asked for, and kept from then on. */
export function createTables(): Tables {
  const tables = new Map<string, Table>();

  function tableOf(kindName: string): Table {
    let table = tables.get(kindName);
    if (table === undefined) {
      tables.set(kindName, table = { records: new Map(), orders: new Map() });
    }
    return table;
  }

  function orderOf(kind: AnyKind, index: string | undefined): SortedKeys {
    const { records, orders } = tableOf(kind.name);
    const name = index ?? "";
    let order = orders.get(name);
    if (order === undefined) {
      const entryOf: EntryOf = index === undefined
        ? (record) => String(record[kind.key])
        : (record) => entryAt(positionIn(kind, index, record));
      const entries = [...records.values()].map(entryOf).filter((entry) => entry !== undefined);
      orders.set(name, order = { keys: createSortedKeys(entries), entryOf });
    }
    return order.keys;
  }

  function read({ kind, key }: Ref): Item | undefined {
    return tables.get(kind.name)?.records.get(key);
  }

  return {
    get: <T>(kind: Kind<T>, key: string) => read({ kind, key }) as T | undefined,
    list<T>(kind: Kind<T>, query: ListQuery) {
      checkQuery(kind, query);
      const { index, after, limit, reverse = false } = query;
      const order = orderOf(kind, index);
      const { records } = tableOf(kind.name);
      const start = entryAt(after);
      const found: unknown[] = [];
      for (const entry of reverse ? order.descending(start) : order.ascending(start)) {
        found.push(records.get(entry.slice(entry.indexOf(SEPARATOR) + 1))!);
        if (found.length === limit) break;
      }
      return found as T[];
    },
    count(kind, index) {
      checkQuery(kind, { index, limit: 1 });
      return orderOf(kind, index).size();
    },
    decide(refs, decide) {
      checkRefs(refs);
      return runDecide(refs, decide, read);
    },
    assign(kindName, key, next) {
      const { records, orders } = tableOf(kindName);
      const previous = records.get(key);
      if (next === undefined) records.delete(key);
      else records.set(key, next);
      for (const { keys, entryOf } of orders.values()) {
        const before = previous && entryOf(previous);
        const after = next && entryOf(next);
        if (before === after) continue;
        if (before !== undefined) keys.remove(before);
        if (after !== undefined) keys.add(after);
      }
    },
    all: () => new Map([...tables].map(([name, { records }]) => [name, [...records.values()]])),
  };
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
