import type { Item } from "../storage.ts";

/** Records of a kind that may be read late, as they were read a moment ago. */
export interface Cache {
  /** Returns the record with a key, if it is known and still young enough. */
  get(key: string): Item | undefined;
  /** Notes that a read begins: what it finds is as old as that. */
  begin(): ReadStart;
  /** Keeps a record that a read found. */
  add(key: string, record: Item, start: ReadStart): void;
  /** Forgets all records, and keeps none until `operation` has settled. */
  whileChanging<T>(operation: () => Promise<T>): Promise<T>;
}

/** The start of a read. */
export interface ReadStart {
  /** When it began. */
  readonly atMs: number;
  /** How many changes had begun or ended by then. */
  readonly version: number;
}

const MAX_RECORDS = 10_000;

/** Creates a cache. `now` is a monotonic clock, in milliseconds. */
export function createCache(staleMs: number, now: () => number): Cache {
  const records = new Map<string, { readonly record: Item; readonly atMs: number }>();
  let changing = 0;
  let version = 0;

  function forget(): void {
    version++;
    records.clear();
  }

  return {
    get(key) {
      const known = records.get(key);
      return known !== undefined && now() - known.atMs < staleMs ? known.record : undefined;
    },
    begin: () => ({ atMs: now(), version }),
    add(key, record, start) {
      if (changing > 0 || start.version !== version) return;
      if (records.size >= MAX_RECORDS) records.clear();
      records.set(key, { record, atMs: start.atMs });
    },
    async whileChanging(operation) {
      changing++;
      forget();
      try {
        return await operation();
      } finally {
        changing--;
        forget();
      }
    },
  };
}
