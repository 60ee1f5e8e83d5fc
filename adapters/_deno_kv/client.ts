import { StorageError } from "../storage.ts";
import type { KvDatabase, KvEntry, KvKey, KvListOptions, KvSelector } from "./database.ts";

/**
 * A change of one key: sets `value`, adds `sum` to its number or, without either, deletes the key.
 */
export interface Write {
  readonly key: KvKey;
  readonly value?: Uint8Array | undefined;
  readonly sum?: bigint | undefined;
}

/** A condition of a commit: the key must still have this versionstamp. */
export interface Check {
  readonly key: KvKey;
  readonly versionstamp: string | null;
}

/** A database that reports each failure as a {@linkcode StorageError}. */
export interface KvClient {
  /** Reads keys. All keys of one group of 10 are read as of the same moment. */
  read(keys: readonly KvKey[]): Promise<readonly KvEntry[]>;
  list(selector: KvSelector, options: KvListOptions): Promise<readonly KvEntry[]>;
  /** Makes all changes if all checks hold; resolves to whether it did. */
  commit(checks: readonly Check[], writes: readonly Write[]): Promise<boolean>;
}

// The limits of Deno KV (docs.deno.com, "Transactions"). Not all of its clients check them.
/** The maximum number of checks in a commit. */
export const MAX_CHECKS = 100;
const MAX_KEYS_READ = 10;
const MAX_WRITES = 1_000;
const MAX_KEY_BYTES = 80 * 1_024;
const MAX_BYTES = 800 * 1_024;
const NUMBER_BYTES = 9;
const TOO_MANY_CHECKS = /too ?many ?checks/i;
const LOCKED = /database is locked/;
const MAX_ATTEMPTS = 100;
const MAX_PAUSE_MS = 20;

/** Creates a client of a database. `pause` waits for a random time of at most `maxMs`. */
export function createKvClient(
  database: KvDatabase,
  pause: (maxMs: number) => Promise<void>,
): KvClient {
  /**
   * Runs an operation. Repeats it while another process has the lock of the SQLite file, because a
   * failed attempt changes nothing.
   */
  async function guard<T>(operation: () => Promise<T>): Promise<T> {
    for (let attempt = 1;; attempt++) {
      try {
        return await operation();
      } catch (cause) {
        if (TOO_MANY_CHECKS.test(String(cause))) {
          throw new StorageError(
            "incompatible",
            `This client or server of Deno KV takes fewer than ${MAX_CHECKS} checks in a transaction`,
          );
        }
        if (attempt === MAX_ATTEMPTS || !LOCKED.test(String(cause))) {
          throw new StorageError("unavailable", "Cannot use Deno KV", { cause });
        }
        await pause(MAX_PAUSE_MS);
      }
    }
  }

  return {
    async read(keys) {
      const reads: Promise<readonly KvEntry[]>[] = [];
      for (let at = 0; at < keys.length; at += MAX_KEYS_READ) {
        reads.push(guard(() => database.getMany(keys.slice(at, at + MAX_KEYS_READ))));
      }
      return (await Promise.all(reads)).flat();
    },
    list: (selector, options) =>
      guard(async () => {
        const entries: KvEntry[] = [];
        for await (const entry of database.list(selector, options)) entries.push(entry);
        return entries;
      }),
    async commit(checks, writes) {
      checkSize(checks, writes);
      return await guard(async () => {
        const operation = database.atomic();
        for (const { key, versionstamp } of checks) operation.check({ key, versionstamp });
        for (const { key, value, sum } of writes) {
          if (sum !== undefined) operation.sum(key, sum);
          else if (value === undefined) operation.delete(key);
          else operation.set(key, value);
        }
        return (await operation.commit()).ok;
      });
    },
  };
}

function checkSize(checks: readonly Check[], writes: readonly Write[]): void {
  const keyBytes = [...checks, ...writes].reduce((bytes, { key }) => bytes + sizeOf(key), 0);
  const bytes = writes.reduce((bytes, { value }) => bytes + (value?.length ?? 0), keyBytes);
  const sizes = [
    [checks.length, MAX_CHECKS, "records"],
    [writes.length, MAX_WRITES, "keys"],
    [keyBytes, MAX_KEY_BYTES, "bytes of keys"],
    [bytes, MAX_BYTES, "bytes"],
  ] as const;
  for (const [size, max, what] of sizes) {
    if (size <= max) continue;
    throw new StorageError(
      "incompatible",
      `Deno KV takes at most ${max} ${what} in one transaction, not ${size}`,
    );
  }
}

/** Returns the encoded length of a key, whose texts are all ASCII. */
function sizeOf(key: KvKey): number {
  return key.reduce<number>(
    (bytes, part) => bytes + (typeof part === "number" ? NUMBER_BYTES : part.length + 2),
    0,
  );
}
