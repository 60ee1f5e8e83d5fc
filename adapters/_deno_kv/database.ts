/** A key: its parts, in whose order entries are listed. */
export type KvKey = readonly (string | number)[];

/** What was read of a key; value and versionstamp are `null` where there is nothing. */
export interface KvEntry {
  /** The key. */
  readonly key: readonly unknown[];
  /** The value. */
  readonly value: unknown;
  /** Which commit wrote the value. */
  readonly versionstamp: string | null;
}

/** Which keys to list: those that begin with a prefix, and are not before `start` and before `end`. */
export type KvSelector =
  | { prefix: KvKey }
  | { prefix: KvKey; start: KvKey }
  | { prefix: KvKey; end: KvKey };

/** How to list. */
export interface KvListOptions {
  /** How many entries to list; absent: all. */
  limit?: number;
  /** How many entries to read at once, as they are at one moment. */
  batchSize: number;
  /** Whether to list in descending order. */
  reverse: boolean;
}

/** Changes that are made all together, if what is checked still holds, or not at all. */
export interface KvAtomicOperation {
  /** Makes the changes only if a key was last written by this commit; `null`: if it does not exist. */
  check(check: { key: KvKey; versionstamp: string | null }): KvAtomicOperation;
  /** Sets a value. */
  set(key: KvKey, value: Uint8Array): KvAtomicOperation;
  /** Deletes a key. */
  delete(key: KvKey): KvAtomicOperation;
  /** Adds to a value, which is a `Deno.KvU64`, modulo 2^64; what does not exist is 0. */
  sum(key: KvKey, addend: bigint): KvAtomicOperation;
  /** Makes the changes; resolves to whether what was checked did hold. */
  commit(): Promise<{ readonly ok: boolean }>;
}

/** What Boardcast needs of a database: what `Deno.Kv` is, and a database of the npm package `@deno/kv`. */
export interface KvDatabase {
  /** Reads up to 10 keys, as they are at one moment. */
  getMany(keys: KvKey[]): Promise<readonly KvEntry[]>;
  /** Lists entries. */
  list(selector: KvSelector, options: KvListOptions): AsyncIterable<KvEntry>;
  /** Begins a change. */
  atomic(): KvAtomicOperation;
  /** Closes the database. */
  close(): void;
}
