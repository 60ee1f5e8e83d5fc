import type { Subscription } from "../../model/subscription.ts";
import type { RecordSlices } from "./snapshot.ts";
import type { RecordChange, Tables } from "../_tables.ts";

const SLICE_RECORDS = 500;

/** The tables as they were at one moment, read out slice by slice while they change. */
export interface Capture {
  /** Reads the records of one table in slices, in the order of their keys. */
  readonly slices: RecordSlices;
  /** Must be called with each change just before it is made. */
  note(change: RecordChange): void;
}

/**
 * Captures tables. Records are never changed in place, so that it is enough to hold on to
 * those that are replaced before their slice has come.
 */
export function captureTables(tables: Tables): Capture {
  // There are few of these; the references are copied at once.
  const few = {
    boards: tables.boards.list({ limit: Infinity }),
    apiKeys: tables.apiKeys.list({ limit: Infinity }),
  };
  const replaced = new Map<string, Subscription | undefined>();
  let passed = "";

  function* subscriptionSlices(): Generator<readonly Subscription[]> {
    while (true) {
      // No key is empty: nothing comes before the first slice.
      const present = tables.subscriptions.list({ after: passed, limit: SLICE_RECORDS });
      const last = present.length < SLICE_RECORDS ? undefined : present[present.length - 1];
      const slice = present.filter(({ userEmail }) => !replaced.has(userEmail));
      let sorted = true;
      for (const [userEmail, previous] of replaced) {
        if (last !== undefined && userEmail > last.userEmail) continue;
        replaced.delete(userEmail);
        if (previous === undefined) continue;
        slice.push(previous);
        sorted = false;
      }
      if (!sorted) slice.sort((a, b) => a.userEmail < b.userEmail ? -1 : 1);
      if (last !== undefined) passed = last.userEmail;
      yield slice;
      if (last === undefined) return;
    }
  }

  return {
    *slices(table) {
      if (table === "subscriptions") {
        yield* subscriptionSlices();
        return;
      }
      for (let start = 0; start < few[table].length; start += SLICE_RECORDS) {
        yield few[table].slice(start, start + SLICE_RECORDS);
      }
    },
    note({ table, key }) {
      if (table !== "subscriptions" || key <= passed || replaced.has(key)) return;
      replaced.set(key, tables.subscriptions.get(key));
    },
  };
}
