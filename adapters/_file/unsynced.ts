import type { JournalEntry } from "./format.ts";
import type { TableName } from "./records.ts";
import type { RecordChange, Tables } from "../_tables.ts";

/** The records that were changed and are not yet durable. */
export interface Unsynced {
  /** Must be called with each change just before it is made. */
  note(change: RecordChange): void;
  /** Must be called with changes that were noted and won't be written. */
  forget(changes: readonly RecordChange[]): void;
  /** Must be called with the number under which changes are written. */
  number(
    changes: readonly RecordChange[],
    seq: number,
    options?: { readonly noteOnly: boolean },
  ): void;
  /** Returns the number that must be durable before the record may be shown; 0 if it is. */
  awaited(table: TableName, key: string): number;
  /** Must be called with what became durable. */
  settle(entries: readonly JournalEntry[]): void;
  /** Sets all these records back to what is durable. */
  takeBack(): void;
}

interface UnsyncedRecord {
  /** The change that sets the record back. */
  back: RecordChange;
  /** The number of the last change. */
  lastSeq: number;
  /** The number of the last change that somebody may rely on. */
  awaitedSeq: number;
}

/** Creates an empty set over tables. */
export function createUnsynced(tables: Tables): Unsynced {
  const records: Readonly<Record<TableName, Map<string, UnsyncedRecord>>> = {
    boards: new Map(),
    apiKeys: new Map(),
    subscriptions: new Map(),
  };

  return {
    note({ table, key }) {
      if (records[table].has(key)) return;
      const back = { table, key, next: tables[table].get(key) } as RecordChange;
      records[table].set(key, { back, lastSeq: 0, awaitedSeq: 0 });
    },
    forget(changes) {
      for (const { table, key } of changes) {
        if (records[table].get(key)?.lastSeq === 0) records[table].delete(key);
      }
    },
    number(changes, seq, { noteOnly } = { noteOnly: false }) {
      for (const { table, key } of changes) {
        const record = records[table].get(key);
        if (record === undefined) continue;
        record.lastSeq = seq;
        if (!noteOnly) record.awaitedSeq = seq;
      }
    },
    awaited: (table, key) => records[table].get(key)?.awaitedSeq ?? 0,
    settle(entries) {
      for (const { seq, changes } of entries) {
        for (const change of changes) {
          const record = records[change.table].get(change.key);
          if (record === undefined) continue;
          if (record.lastSeq <= seq) records[change.table].delete(change.key);
          else record.back = change;
        }
      }
    },
    takeBack() {
      for (const table of Object.values(records)) {
        for (const { back } of table.values()) tables.assign(back);
        table.clear();
      }
    },
  };
}
