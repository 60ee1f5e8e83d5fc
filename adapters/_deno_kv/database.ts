/** A key: its parts, in whose order entries are listed. */
export type KvKey = readonly (string | number)[];

/** The result of reading a key; value and versionstamp are `null` if the key is not set. */
export interface KvEntry {
  /** The parts of the key. */
  readonly key: readonly unknown[];
  /** The bytes or the count under the key. */
  readonly value: unknown;
  /** The versionstamp of the commit that wrote the value. */
  readonly versionstamp: string | null;
}

/**
 * Selects keys that begin with a prefix, from `start` on or up to `end`, which is left out.
 */
export type KvSelector =
  | { prefix: KvKey }
  | { prefix: KvKey; start: KvKey }
  | { prefix: KvKey; end: KvKey }
  | { start: KvKey; end: KvKey };

/** How {@linkcode KvDatabase} reads a listing. */
export interface KvListOptions {
  /** The greatest number of entries to list. Absent: all. */
  limit?: number;
  /** The number of entries that one read returns, all as of one moment. */
  batchSize: number;
  /** Whether to list in descending order. */
  reverse: boolean;
}

/** Changes that are made together if all checks hold, and not at all otherwise. */
export interface KvAtomicOperation {
  /**
   * Requires that this commit wrote the key last; with `null`, that the key does not exist.
   */
  check(check: { key: KvKey; versionstamp: string | null }): KvAtomicOperation;
  /** Sets a value. */
  set(key: KvKey, value: Uint8Array): KvAtomicOperation;
  /** Deletes a key. */
  delete(key: KvKey): KvAtomicOperation;
  /** Adds to a `Deno.KvU64`, modulo 2^64. A missing value counts as 0. */
  sum(key: KvKey, addend: bigint): KvAtomicOperation;
  /** Makes the changes; resolves to whether all checks held. */
  commit(): Promise<{ readonly ok: boolean }>;
}

/**
 * The part of a database that Boardcast uses. `Deno.Kv` has it, and so has a database of the npm
 * package `@deno/kv`.
 */
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
