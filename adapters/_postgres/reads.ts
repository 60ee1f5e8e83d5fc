import { type Deadline, tooSlow } from "../_shared/deadlines.ts";
import { isKey } from "../records.ts";
import type { AnyKind, Item, ListQuery } from "../storage.ts";
import { createBatches } from "./batches.ts";
import type { Client } from "./client.ts";
import { toStorageError } from "./errors.ts";
import { type Bound, type Row, toArray } from "./sql.ts";
import type { Statements } from "./statements.ts";

/** Reads the records of one kind. */
export interface Reads {
  /** Returns a recently read record, or that it was absent; `undefined` if it has to be read. */
  findCached(key: string): { readonly record: Item | undefined } | undefined;
  /** Returns the record with a key. Concurrent calls share one statement. */
  get(key: string, deadline: Deadline): Promise<Item | undefined>;
  list(query: ListQuery): Promise<readonly Item[]>;
  /** Returns the number of records in an index. */
  count(index: string): Promise<number>;
  /** Empties the cache after a change. */
  forget(): void;
}

/** Options of {@linkcode createReads}. */
export interface TableReadOptions {
  readonly statements: Statements;
  /** The time limit for one statement. */
  readonly timeoutMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

interface Lookup {
  readonly key: string;
  readonly deadline: Deadline;
  readonly resolve: (record: Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

interface CachedRead {
  /** The record; `undefined` if there was none. */
  readonly record: Item | undefined;
  /** The time when its read began. */
  readonly atMs: number;
}

const MAX_BATCH = 500;
const MAX_CACHED = 10_000;
// A key that another process revoked must be refused within a second, even if the read is slow.
const MAX_LATE_MS = 1_000;

/** Creates the reads of a kind. Caches its records for `staleMs` if the kind has that. */
export function createReads(
  client: Pick<Client, "use">,
  { key: keyName, staleMs = 0 }: AnyKind,
  { statements, timeoutMs, now }: TableReadOptions,
): Reads {
  const cache = new Map<string, CachedRead>();
  const add = createBatches(find, MAX_BATCH);
  let changes = 0;

  async function find(lookups: readonly Lookup[]): Promise<void> {
    const found = new Map<string, Item>();
    const atMs = now();
    const before = changes;
    try {
      if (lookups.every(({ deadline }) => deadline.isOver())) throw tooSlow();
      const keys = toArray(new Set(lookups.map(({ key }) => key)));
      for (const row of await client.use((send) => send(statements.find, keys), timeoutMs)) {
        const record = statements.toRecord(row);
        found.set(String(record[keyName]), record);
      }
      if (staleMs > 0 && now() - atMs > MAX_LATE_MS) throw tooSlow();
      if (staleMs > 0 && before === changes) {
        if (cache.size >= MAX_CACHED) cache.clear();
        for (const { key } of lookups) cache.set(key, { record: found.get(key), atMs });
      }
      for (const { key, resolve } of lookups) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of lookups) reject(toStorageError(error));
    }
  }

  async function ask(bound: Bound): Promise<readonly Row[]> {
    try {
      return await client.use((send) => send(...bound), timeoutMs);
    } catch (error) {
      throw toStorageError(error);
    }
  }

  return {
    findCached(key) {
      const cached = staleMs > 0 ? cache.get(key) : undefined;
      return cached !== undefined && now() - cached.atMs < staleMs ? cached : undefined;
    },
    get(key, deadline) {
      if (!isKey(key)) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => add({ key, deadline, resolve, reject }));
    },
    async list(query) {
      const rows = await ask(statements.list(query));
      return rows.slice(0, query.limit).map(statements.toRecord);
    },
    async count(index) {
      const [row] = await ask([statements.count(index)]);
      return Number(row.count);
    },
    forget() {
      changes++;
      cache.clear();
    },
  };
}
