import { isKey } from "../records.ts";
import type { AnyKind, Item, ListQuery } from "../storage.ts";
import { createBatches } from "./batches.ts";
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
  /** Forgets what was read, as something has changed. */
  forget(): void;
}

/** How records are read. */
export interface ReadOptions {
  readonly statements: Statements;
  /** How long one statement may take. */
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

/** A record that was read, and when the read began. */
interface Known {
  readonly record: Item;
  readonly atMs: number;
}

const MAX_BATCH = 500;
const MAX_KNOWN = 10_000;
// A key that another process revoked must be refused within a second, however long a read takes.
const MAX_LATE_MS = 1_000;

/** Creates the reads of a kind; of one that may be read late, it keeps what was read a moment ago. */
export function createReads(
  client: Client,
  { key: keyName, staleMs = 0 }: AnyKind,
  { statements, timeoutMs, now }: ReadOptions,
): Reads {
  const known = new Map<string, Known>();
  let changes = 0;

  async function find(looks: readonly Look[]): Promise<void> {
    const found = new Map<string, Item>();
    const atMs = now();
    const before = changes;
    try {
      if (looks.every(({ call }) => call.isOver())) throw tooSlow();
      const keys = toArray(new Set(looks.map(({ key }) => key)));
      for (const row of await client.use((send) => send(statements.find, keys), timeoutMs)) {
        const record = statements.toRecord(row);
        const key = String(record[keyName]);
        found.set(key, record);
        if (staleMs > 0 && before === changes) keep(key, { record, atMs });
      }
      if (staleMs > 0 && now() - atMs > MAX_LATE_MS) throw tooSlow();
      for (const { key, resolve } of looks) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of looks) reject(toStorageError(error));
    }
  }
  const look = createBatches(find, MAX_BATCH);

  function keep(key: string, value: Known): void {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, value);
  }

  return {
    async get(key, call) {
      if (!isKey(key)) return undefined;
      const kept = known.get(key);
      if (kept !== undefined && now() - kept.atMs < staleMs) return kept.record;
      return await new Promise((resolve, reject) => look({ key, call, resolve, reject }));
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
    forget() {
      changes++;
      known.clear();
    },
  };
}
