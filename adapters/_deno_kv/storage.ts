import { randomText } from "../../model/crypto/random.ts";
import { createCallDeadlines, type Deadline, tooSlow } from "../_shared/deadlines.ts";
import { isKey } from "../records.ts";
import { checkQuery } from "../positions.ts";
import { createDecider, type Decider, type TransactionOutcome } from "../decisions.ts";
import type { Decide, Kind, ListQuery, Ref, Refs, Storage } from "../storage.ts";
import { createKvClient } from "./client.ts";
import { countKey, countWrites, readCount } from "./counts.ts";
import type { KvDatabase, KvKey } from "./database.ts";
import { createIndexer } from "./indexes.ts";
import { recordKey, UNUSED_KEY, writesOf } from "./layout.ts";
import { createKvReads, type Stored } from "./reads.ts";

/** Options of {@linkcode createKvStorage}. */
export interface KvTools {
  /** The deadline of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Returns a number from 0 to 1. It varies the pauses, so that processes do not retry in step. */
  readonly random: () => number;
}

/** An attempt of a transaction that seems to have failed. */
interface LastAttempt<A> {
  /** The text that marks the records that it stored. */
  readonly mark: string;
  readonly answer: () => A;
  /** The key of the first record that it created, if there is one. */
  readonly created: readonly KvKey[];
}

const MARK_LENGTH = 12;
const MAX_WAIT_MS = 100;

/** Creates a storage in a database. Closing the storage closes the database. */
export function createKvStorage(
  database: KvDatabase,
  { timeoutMs, now, random }: KvTools,
): Storage {
  const deadlines = createCallDeadlines(timeoutMs, now);
  const client = createKvClient(database, pause);
  const reads = createKvReads(client);
  const prepareIndexes = createIndexer(client, reads);
  let pinging: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  function pause(maxMs: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, maxMs * random()));
  }

  async function transact<R extends Refs, A>(
    refs: R,
    decide: Decide<R, A>,
    deadline: Deadline,
  ): Promise<A> {
    const decider = createDecider(refs, decide);
    let last: LastAttempt<A> | undefined;
    let waitMs = 1;
    while (!deadline.isOver()) {
      const all = Object.values(decider.refs).filter(({ key }) => isKey(key));
      const keys = all.map(({ kind, key }) => recordKey(kind, key));
      await Promise.all(all.map(({ kind }) => prepareIndexes(kind)));
      const found = await reads.find([...keys, ...last?.created ?? []]);
      // Over a network, the client repeats a commit whose response was lost, and then reports a
      // failed check. The mark of a stored record shows that the first commit succeeded.
      if (last !== undefined && found.some((stored) => stored?.mark === last?.mark)) {
        return last.answer();
      }
      const byName = new Map(all.map((ref, i) => [nameOf(ref), found[i]]));
      const outcome = attempt(decider, byName);
      if (outcome === undefined) continue;
      const { answer, changes } = outcome;
      const created = changes.filter(({ isNew }) => isNew);
      await Promise.all(created.map(({ kind }) => prepareIndexes(kind)));
      const mark = randomText(MARK_LENGTH);
      const replacements = changes.map(({ kind, key, next }) => {
        return { kind, before: byName.get(nameOf({ kind, key })), next };
      });
      const writes = [
        ...replacements.flatMap(({ kind, before, next }) =>
          writesOf(before && { ...before, kind }, next && { record: next, mark, kind })
        ),
        ...countWrites(replacements),
      ];
      const checks = keys.map((key, i) => ({ key, versionstamp: found[i]?.versionstamp ?? null }));
      // A single record was read as of one moment. Several records need a check that none has
      // changed since.
      const isCommitted = writes.length === 0 && keys.length <= 1 ||
        await client.commit(checks, writes);
      if (isCommitted) return answer();
      const first = created.slice(0, 1).map(({ kind, key }) => recordKey(kind, key));
      last = { mark, answer, created: first };
      await pause(waitMs);
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS);
    }
    throw tooSlow();
  }

  return {
    get: <T>(kind: Kind<T>, key: string) =>
      deadlines.run(async () => {
        if (!isKey(key)) return undefined;
        const [stored] = await reads.find([recordKey(kind, key)]);
        return stored?.record as T | undefined;
      }),
    list: <T>(kind: Kind<T>, query: ListQuery) =>
      deadlines.run(async () => {
        checkQuery(kind, query);
        // Reading in the order of keys changes nothing.
        if (query.index !== undefined) await prepareIndexes(kind);
        return await reads.list(kind, query) as readonly T[];
      }),
    count: <T>(kind: Kind<T>, index: string) =>
      deadlines.run(async () => {
        checkQuery(kind, { index, limit: 1 });
        await prepareIndexes(kind);
        if (!kind.counted) return await reads.count(kind, index);
        const [entry] = await client.read([countKey(kind, index)]);
        return readCount(entry);
      }),
    transact: (refs, decide) => deadlines.run((deadline) => transact(refs, decide, deadline)),
    // Concurrent calls share one commit: /readyz needs no key, so anybody may send many requests.
    ping: () => deadlines.run(() => pinging ??= ping().finally(() => pinging = undefined)),
    close: () => closing ??= deadlines.close().then(() => database.close()),
  };

  async function ping(): Promise<void> {
    await client.commit([{ key: UNUSED_KEY, versionstamp: null }], []);
  }
}

/**
 * Runs a decision; `undefined` if it needs more records. The caller gets its answer, or the error
 * that it threw, once the records are known to be current.
 */
function attempt<A>(
  decider: Decider<A>,
  found: ReadonlyMap<string, Stored | undefined>,
): Pick<TransactionOutcome<() => A>, "answer" | "changes"> | undefined {
  try {
    const outcome = decider.decide((ref) => found.get(nameOf(ref))?.record);
    return outcome && { answer: () => outcome.answer, changes: outcome.changes };
  } catch (error) {
    return {
      answer() {
        throw error;
      },
      changes: [],
    };
  }
}

function nameOf({ kind, key }: Ref): string {
  return `${kind.name} ${key}`;
}
