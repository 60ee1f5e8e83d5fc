import type { RecordSlices } from "./snapshot.ts";
import type { PageQuery } from "../storage.ts";
import type { RecordChange, Tables } from "../_tables.ts";

const SLICE_RECORDS = 500;

/** The tables as they were at one moment, read out slice by slice while they change. */
export interface Capture {
  /** Reads the records of one table in slices, in the order of their keys. */
  readonly slices: RecordSlices;
  /** Must be called with each change just before it is made. */
  note(change: RecordChange): void;
}

interface Table<T> {
  get(key: string): T | undefined;
  list(query: PageQuery): readonly T[];
}

/**
 * Captures tables. Records are never changed in place, so that it is enough to hold on to
 * those that are replaced before their slice has come.
 */
export function captureTables({ boards, apiKeys, subscriptions }: Tables): Capture {
  const captures = {
    boards: captureTable(boards, ({ boardId }) => boardId),
    apiKeys: captureTable(apiKeys, ({ keyId }) => keyId),
    subscriptions: captureTable(subscriptions, ({ userEmail }) => userEmail),
  };
  return {
    slices: (table) => captures[table].slices(),
    note: ({ table, key }) => captures[table].note(key),
  };
}

function captureTable<T extends object>(table: Table<T>, keyOf: (record: T) => string) {
  const replaced = new Map<string, T | undefined>();
  // No key is empty: nothing comes before the first slice. Behind the last one nothing is left.
  let passed: string | undefined = "";

  function* slices(): Generator<readonly T[]> {
    while (true) {
      const present = table.list({ after: passed, limit: SLICE_RECORDS });
      const last = present.length < SLICE_RECORDS ? undefined : keyOf(present[present.length - 1]);
      const slice = present.filter((record) => !replaced.has(keyOf(record)));
      let sorted = true;
      for (const [key, previous] of replaced) {
        if (last !== undefined && key > last) continue;
        replaced.delete(key);
        if (previous === undefined) continue;
        slice.push(previous);
        sorted = false;
      }
      if (!sorted) slice.sort((a, b) => keyOf(a) < keyOf(b) ? -1 : 1);
      passed = last;
      yield slice;
      if (last === undefined) return;
    }
  }

  return {
    slices,
    note(key: string): void {
      if (passed === undefined || key <= passed || replaced.has(key)) return;
      replaced.set(key, table.get(key));
    },
  };
}
