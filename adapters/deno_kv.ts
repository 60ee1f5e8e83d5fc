/**
 * Storage in Deno KV: SQLite on one machine, FoundationDB on Deno Deploy.
 *
 * @module
 */
import { checkOptionNames, checkTimeout } from "../model/options.ts";
import type {
  KvAtomicOperation,
  KvDatabase,
  KvEntry,
  KvKey,
  KvListOptions,
  KvSelector,
} from "./_deno_kv/database.ts";
import { createKvStorage } from "./_deno_kv/storage.ts";
import type { Storage } from "./storage.ts";

export type { KvAtomicOperation, KvDatabase, KvEntry, KvKey, KvListOptions, KvSelector };

/** Options of {@linkcode openKvStorage}. */
export interface KvStorageOptions {
  /**
   * The deadline of a call in milliseconds, from 100 to 2,000,000,000. It includes waiting and all
   * attempts while others change the same records. Default: 5,000.
   */
  readonly timeoutMs?: number | undefined;
}

const DEFAULT_TIMEOUT_MS = 5_000;

/**
 * Opens storage in a database that `Deno.openKv` has opened, or `openKv` of the npm package
 * `@deno/kv`. Closing the storage closes the database. All keys start with `boardcast`, so an app
 * may keep its own records in the same database.
 *
 * Throws a `TypeError` or `RangeError` for a bad database or option. A
 * transaction that is too large for Deno KV rejects with a `StorageError` of the code
 * `incompatible`.
 *
 * @example Usage
 * ```ts ignore
 * import { openKvStorage } from "@boardcast/boardcast/kv";
 *
 * const storage = openKvStorage(await Deno.openKv("boardcast.db"));
 * await storage.ping();
 * await storage.close();
 * ```
 */
export function openKvStorage(database: KvDatabase, options: KvStorageOptions = {}): Storage {
  if (typeof database?.atomic !== "function") {
    throw new TypeError("Cannot use the database: give what openKv resolved to, awaited");
  }
  checkOptionNames(options, ["timeoutMs"]);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  checkTimeout(timeoutMs, "timeoutMs");
  return createKvStorage(database, {
    timeoutMs,
    now: () => performance.now(),
    random: Math.random,
  });
}
