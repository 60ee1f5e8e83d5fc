import type { Change } from "../records.ts";
import type { StorageError } from "../storage.ts";
import { type Clock, rejectLate } from "./clock.ts";
import { type DiskFile, writeFully } from "./disk.ts";
import { encodeLine, encodeLines, formatChange } from "./lines.ts";

/** The file that a journal is written to, open for appending. */
export interface JournalFile {
  readonly file: DiskFile;
  /** Its length in bytes. */
  readonly bytes: number;
}

/** A file that a journal is to go on in. */
export interface NextJournalFile extends JournalFile {
  /** Puts the file in place. If this rejects, it may or may not be found after a crash. */
  publish(): Promise<void>;
}

/** Options of {@linkcode createJournal}. */
export interface JournalOptions extends JournalFile {
  /** The number of the last transaction in the file. */
  readonly seq: number;
  readonly clock: Clock;
  /** Called with the length of the file after each sync; throws to forbid the acknowledgement. */
  readonly verify: (bytes: number) => void;
  /** Called when transactions have become durable. */
  readonly onDurable: () => void;
  /** Called when a write or sync has failed, or `verify` threw; the journal is to be stopped. */
  readonly onFailure: (cause: unknown) => void;
}

/** Appends transactions; those that come while a sync is under way share the next one. */
export interface Journal {
  /** The number of the last transaction, durable or not. */
  readonly lastSeq: number;
  /** How many bytes were written since the journal was created. */
  readonly writtenBytes: number;
  /** The length of the file in bytes; `undefined` while it is being written. */
  readonly idleBytes: number | undefined;
  /** Adds a transaction; resolves once it is durable. */
  append(changes: readonly Change[]): Promise<void>;
  /** Resolves once the changes of a kind so far are durable; `undefined` if they are. */
  durable(kindName: string): Promise<void> | undefined;
  /** Resolves once all transactions so far are durable; `undefined` if they are. */
  allDurable(): Promise<void> | undefined;
  /** Goes on in another file, after the transactions so far. If `prepare` rejects, so does this. */
  rotate(prepare: () => Promise<NextJournalFile>): Promise<void>;
  /** Rejects what is waiting. */
  stop(error: StorageError): void;
  /** Writes what is waiting, proves that it is durable, and closes the file. */
  close(): Promise<void>;
}

/** What is done after what is before it in the queue. */
interface Task {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
  run(): Promise<void>;
}

/** Transactions that are written and synced together. */
interface Batch extends Task {
  readonly transactions: (readonly Change[])[];
}

/** Creates a journal that goes on in a file. */
export function createJournal(options: JournalOptions): Journal {
  const { clock, verify, onDurable, onFailure } = options;
  let { file, bytes, seq: durableSeq } = options;
  let lastSeq = durableSeq;
  let writtenBytes = 0;
  let isProven = true;
  let stopped: StorageError | undefined;
  let running: Promise<void> | undefined;
  const queue: Task[] = [];
  // The batch that takes transactions, and the last one that is not durable yet.
  let open: Batch | undefined;
  let last: Batch | undefined;
  // For each kind, the last batch that changes it and is not durable yet.
  const pending = new Map<string, Batch>();

  function enqueue(run: () => Promise<void>): Task {
    const task = createTask(run);
    if (stopped === undefined) queue.push(task);
    else task.reject(stopped);
    // In a turn of its own, so that transactions made together are written together.
    running ??= Promise.resolve().then(work);
    return task;
  }

  async function work(): Promise<void> {
    try {
      while (queue.length > 0) {
        if (queue[0] === open) open = undefined;
        await queue[0].run();
        queue.shift()?.resolve();
      }
    } catch (cause) {
      if (stopped === undefined) onFailure(cause);
    }
    running = undefined;
  }

  function openBatch(): Batch {
    const batch: Batch = Object.assign(enqueue(() => write(batch)), { transactions: [] });
    const cancel = rejectLate(clock, batch.reject);
    batch.promise.finally(cancel).catch(() => {});
    return last = batch;
  }

  async function write(batch: Batch): Promise<void> {
    const { transactions } = batch;
    const encoded = encodeLines(transactions.map((changes, index) => {
      const seq = durableSeq + 1 + index;
      const entries = changes.map(formatChange).join(",");
      return `{"durable":${durableSeq},"seq":${seq},"changes":[${entries}]`;
    }));
    isProven = false;
    await writeFully(file, encoded);
    await file.sync();
    bytes += encoded.length;
    writtenBytes += encoded.length;
    verify(bytes);
    durableSeq += transactions.length;
    for (const [kindName, last] of pending) if (last === batch) pending.delete(kindName);
    if (last === batch) last = undefined;
    onDurable();
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    get writtenBytes() {
      return writtenBytes;
    },
    get idleBytes() {
      return running === undefined ? bytes : undefined;
    },
    append(changes) {
      open ??= openBatch();
      open.transactions.push(changes);
      lastSeq++;
      for (const { kind } of changes) pending.set(kind.name, open);
      return open.promise;
    },
    durable: (kindName) => pending.get(kindName)?.promise,
    allDurable: () => last?.promise,
    rotate(prepare) {
      open = undefined;
      const rotation = enqueue(async () => {
        const next = await prepare().catch(rotation.reject);
        if (next === undefined) return;
        await next.publish();
        await file.close().catch(() => {});
        ({ file, bytes } = next);
        isProven = true;
      });
      return rotation.promise;
    },
    stop(error) {
      stopped = error;
      for (const { reject } of queue.splice(0)) reject(error);
    },
    async close() {
      await running;
      if (stopped === undefined && !isProven) {
        const proof = encodeLine({ durable: durableSeq });
        // Without it, damage to the last transactions would be taken for a torn tail.
        await writeFully(file, proof).then(() => file.sync()).catch(() => {});
      }
      await file.close().catch(() => {});
    },
  };
}

function createTask(run: () => Promise<void>): Task {
  let resolve = () => {};
  let reject = (_error: unknown) => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Callers that never await it must not cause an unhandled rejection.
  promise.catch(() => {});
  return { promise, resolve, reject, run };
}
