import type { Change } from "../records.ts";
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

/** A file that a journal is to go on in. */
export interface NextJournalFile extends JournalFile, PreparedFile {}

/** Options of {@linkcode createJournal}. */
export interface JournalOptions extends JournalFile {
  /** The number of the last transaction in the file. */
  readonly seq: number;
  readonly timers: Timers;
  /** Called with the length of the file after each sync; throws to forbid the acknowledgement. */
  readonly verify: (bytes: number) => void;
  /** Called with the length of transactions that have become durable. */
  readonly onDurable: (bytes: number) => void;
  /** Called when a write or sync has failed, or `verify` threw; the journal is to be stopped. */
  readonly onFailure: (cause: unknown) => void;
}

/** Appends transactions; those that come while a sync is under way share the next one. */
export interface Journal {
  /** The number of the last transaction, durable or not. */
  readonly lastSeq: number;
  /** The number of the last transaction that is durable, and so may have been acknowledged. */
  readonly durableSeq: number;
  /** The length of the file in bytes; `undefined` while it is being written. */
  readonly idleBytes: number | undefined;
  /** Adds a transaction; resolves once it is durable. */
  append(changes: readonly Change[]): Promise<void>;
  /** Resolves once the changes so far, of one kind or all, are durable; `undefined` if they are. */
  durable(kindName?: string): Promise<void> | undefined;
  /** Goes on in another file, after the transactions so far. If `prepare` rejects, so does this. */
  rotate(prepare: () => Promise<NextJournalFile>): Promise<void>;
  /** Has what is waiting reject, and what is under way once it is done. */
  stop(error: StorageError): void;
  /** Writes what is waiting and that it is durable, and closes the file. */
  close(): Promise<void>;
}

/** Transactions that are written and synced together. */
interface Batch {
  readonly transactions: (readonly Change[])[];
  /** Resolves once they are durable. */
  readonly durable: Promise<void>;
}

/** Creates a journal that goes on in a file. */
export function createJournal(options: JournalOptions): Journal {
  const { timers, verify, onDurable, onFailure } = options;
  let { file, bytes, seq: durableSeq } = options;
  let lastSeq = durableSeq;
  // Whether the file says that its last transaction is durable.
  let isConfirmed = true;
  let stopped: StorageError | undefined;
  // What is under way and waiting, one after another.
  let tail = Promise.resolve();
  let waiting = 0;
  // The batch that takes transactions, and the last one that is not durable yet.
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

  /** Runs what leaves the disk in an unknown state if it fails. */
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
          // Without it, damage to the last transactions would be taken for a torn tail.
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
