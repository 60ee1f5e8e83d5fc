import type { Row } from "./values.ts";

/** Makes records of rows, and the same record again of a row that has not changed. */
export type ReadSame<T> = (row: Row) => T;

interface Known<T> {
  readonly values: readonly (string | null)[];
  readonly record: T;
}

const MAX_RECORDS = 10_000;

/**
 * Wraps `read`, which makes a frozen record of a row whose first column is the key. Callers
 * that keep what they derive from a record, as routes do, then need not derive it again each
 * time. Each row is still read from the database: this is no cache of what is stored there.
 */
export function createReadSame<T>(read: (row: Row) => T): ReadSame<T> {
  const records = new Map<string | null, Known<T>>();

  return function readSame(row) {
    const values = row.map((value) => value === null ? null : value.toString("utf8"));
    const known = records.get(values[0]);
    if (known?.values.every((value, i) => value === values[i])) return known.record;
    const record = read(row);
    if (records.size >= MAX_RECORDS) records.clear();
    records.set(values[0], { values, record });
    return record;
  };
}
