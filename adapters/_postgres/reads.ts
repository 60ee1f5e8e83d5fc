import { isKey } from "../records.ts";
import type { AnyKind, Item, ListQuery } from "../storage.ts";
import { createBatches } from "./batches.ts";
import { type Cache, createCache } from "./cache.ts";
import type { Call } from "./calls.ts";
import type { Client } from "./client.ts";
import { tooSlow, toStorageError } from "./errors.ts";
import { type Statements, toArray } from "./statements.ts";

/** Reads the records of one kind. */
export interface Reads {
  /** Returns the record with a key; what is asked for at the same time is one statement. */
  get(key: string, call: Call): Promise<Item | undefined>;
  /** Lists records. */
  list(query: ListQuery): Promise<readonly Item[]>;
  /** What was read a moment ago, if the kind allows that it is used. */
  readonly cache: Cache | undefined;
}

/** How records are read. */
export interface ReadOptions {
  readonly timeoutMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

interface Look {
  readonly key: string;
  readonly call: Call;
  readonly resolve: (record: Item | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 500;
// A key that another process revoked must be refused within a second, however long a read takes.
const MAX_LATE_MS = 1_000;

/** Creates the reads of one kind. */
export function createReads(
  client: Client,
  kind: AnyKind,
  statements: Statements,
  { timeoutMs, now }: ReadOptions,
): Reads {
  const cache = kind.staleMs === undefined ? undefined : createCache(kind.staleMs, now);

  async function find(looks: readonly Look[]): Promise<void> {
    const wanted = looks.filter(({ call }) => !call.isOver());
    for (const { reject } of looks) if (wanted.length < looks.length) reject(tooSlow());
    const found = new Map<string, Item>();
    try {
      const start = cache?.begin();
      const keys = toArray(new Set(wanted.map(({ key }) => key)));
      for (const row of await client.use((send) => send(statements.find, keys), timeoutMs)) {
        const record = statements.toRecord(row);
        const key = String(record[kind.key]);
        found.set(key, record);
        if (start !== undefined) cache?.add(key, record, start);
      }
      if (start !== undefined && now() - start.atMs > MAX_LATE_MS) throw tooSlow();
      for (const { key, resolve } of wanted) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of wanted) reject(toStorageError(error));
    }
  }
  const look = createBatches(find, MAX_BATCH);

  return {
    cache,
    async get(key, call) {
      if (!isKey(key)) return undefined;
      return cache?.get(key) ??
        await new Promise((resolve, reject) => look({ key, call, resolve, reject }));
    },
    async list(query) {
      const [statement, ...parameters] = statements.list(query);
      try {
        const rows = await client.use((send) => send(statement, ...parameters), timeoutMs);
        return rows.map(statements.toRecord);
      } catch (error) {
        throw toStorageError(error);
      }
    },
  };
}
