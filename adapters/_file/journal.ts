import type { Change } from "../decisions.ts";
import type { StorageError } from "../storage.ts";
import { type Timers, withDeadline } from "./timers.ts";
import { type DiskFile, writeFully } from "./disk.ts";
import type { PreparedFile } from "./folder.ts";
import { encodeLine, encodeLines } from "./lines.ts";

/** The file that a journal is written to, open for appending. */
export interface JournalFile {
  readonly file: DiskFile;
  /** Its length in bytes. */
  readonly bytes: number;
}

/** The file in which a journal continues. */
export interface NextJournalFile extends JournalFile, PreparedFile {}

/** Options of {@linkcode createJournal}. */
export interface JournalOptions extends JournalFile {
  /** The number of the last transaction in the file. */
  readonly seq: number;
  readonly timers: Timers;
  /** Called with the length of the file after each sync. If it throws, nothing is acknowledged. */
  readonly verify: (bytes: number) => void;
  /** Called with the length of the transactions that became durable, in bytes. */
  readonly onDurable: (bytes: number) => void;
  /** Called when a write or sync has failed, or `verify` threw. It has to stop the journal. */
  readonly onFailure: (cause: unknown) => void;
}

/** Appends transactions. Those that come during a sync share the next one. */
export interface Journal {
  /** The number of the last transaction, durable or not. */
  readonly lastSeq: number;
  /** The number of the last durable transaction, which may have been acknowledged. */
  readonly durableSeq: number;
  /** The length of the file in bytes; `undefined` during a write. */
  readonly idleBytes: number | undefined;
  /** Adds a transaction; resolves once it is durable. */
  append(changes: readonly Change[]): Promise<void>;
  /**
   * Resolves once all previous changes, of one kind or of all, are durable; `undefined` if they are
   * durable already.
   */
  durable(kindName?: string): Promise<void> | undefined;
  /** Continues in another file after the previous transactions. Rejects if `prepare` does. */
  rotate(prepare: () => Promise<NextJournalFile>): Promise<void>;
  /** Makes all waiting calls reject, and those in flight once they end. */
  stop(error: StorageError): void;
  /** Writes the waiting transactions and a line that confirms the last one, and closes the file. */
  close(): Promise<void>;
}

/** Transactions that are written and synced together. */
interface Batch {
  readonly transactions: (readonly Change[])[];
  /** Resolves once the transactions are durable. */
  readonly durable: Promise<void>;
}

/** Creates a journal that continues in a file. */
export function createJournal(options: JournalOptions): Journal {
  const { timers, verify, onDurable, onFailure } = options;
  let { file, bytes, seq: durableSeq } = options;
  let lastSeq = durableSeq;
  // Whether a line of the file confirms its last transaction.
  let isConfirmed = true;
  let stopped: StorageError | undefined;
  // Ends with the last operation of the queue.
  let tail = Promise.resolve();
  let waiting = 0;
  // The batch that takes transactions, and the last batch that is not durable yet.
  let open: Batch | undefined;
  let last: Batch | undefined;
  // For each kind, the last batch that changes it and is not durable yet.
  const pending = new Map<string, Batch>();

  function enqueue(run: () => Promise<void>): Promise<void> {
    waiting++;
    const done = tail.then(run).finally(() => waiting--);
    tail = done.catch(() => {});
    return done;
  }

  /**
   * Runs an operation. If it fails, the state of the disk is unknown, so the journal is stopped.
   */
  async function runOrStop(run: () => Promise<void>): Promise<void> {
    try {
      if (stopped === undefined) await run();
    } catch (cause) {
      if (stopped === undefined) onFailure(cause);
    }
    if (stopped !== undefined) throw stopped;
  }

  function openBatch(): Batch {
    const transactions: (readonly Change[])[] = [];
    const durable = withDeadline(timers, enqueue(() => runOrStop(() => write(batch))));
    const batch: Batch = { transactions, durable };
    return last = batch;
  }

  async function write(batch: Batch): Promise<void> {
    if (open === batch) open = undefined;
    const encoded = encodeLines(batch.transactions.map((changes, index) => {
      const seq = durableSeq + 1 + index;
      const entries = changes.map(formatChange).join(",");
      return `{"durable":${durableSeq},"seq":${seq},"changes":[${entries}]`;
    }));
    isConfirmed = false;
    await writeFully(file, encoded);
    await file.sync();
    bytes += encoded.length;
    verify(bytes);
    durableSeq += batch.transactions.length;
    for (const [kindName, other] of pending) if (other === batch) pending.delete(kindName);
    if (last === batch) last = undefined;
    onDurable(encoded.length);
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    get durableSeq() {
      return durableSeq;
    },
    get idleBytes() {
      return waiting === 0 ? bytes : undefined;
    },
    append(changes) {
      open ??= openBatch();
      open.transactions.push(changes);
      lastSeq++;
      for (const { kind } of changes) pending.set(kind.name, open);
      return open.durable;
    },
    durable: (kindName) => (kindName === undefined ? last : pending.get(kindName))?.durable,
    rotate(prepare) {
      open = undefined;
      return enqueue(async () => {
        const next = await prepare();
        if (stopped !== undefined) await next.discard();
        await runOrStop(async () => {
          await next.publish();
          await file.close().catch(() => {});
          ({ file, bytes } = next);
          isConfirmed = true;
        });
      });
    },
    stop(error) {
      stopped = error;
    },
    close() {
      return enqueue(async () => {
        if (stopped === undefined && !isConfirmed) {
          // Without this line, the next start would take damage to the last transactions for a torn
          // tail.
          const confirmation = encodeLine({ durable: durableSeq });
          await writeFully(file, confirmation).then(() => file.sync()).catch(() => {});
          bytes = file.statNow().bytes;
        }
        await file.close().catch(() => {});
      });
    },
  };
}

function formatChange({ kind, key, next }: Change): string {
  const start = `{"kind":${JSON.stringify(kind.name)},"by":${JSON.stringify(kind.key)}`;
  if (next !== undefined) return `${start},"put":${JSON.stringify(next)}}`;
  return `${start},"remove":${JSON.stringify(key)}${kind.personal ? ',"personal":true' : ""}}`;
}
