import { Buffer } from "node:buffer";
import type { DiskFile } from "./disk.ts";
import { encodeEntries, encodeSeal, type JournalEntry } from "./format.ts";
import { writeFully } from "./io.ts";
import type { RecordChange } from "../_tables.ts";
import { StorageError } from "../storage.ts";

const BATCH_MAX_ENTRIES = 1_024;

/** A place in a journal, between two batches. */
export interface JournalPosition {
  /** The number of the record before it. */
  readonly seq: number;
  /** The length of the journal up to it, in bytes. */
  readonly offset: number;
}

/** Appends records to a journal; those that come while a sync is under way share the next one. */
export interface Journal {
  /** The number of the last record, durable or not. */
  readonly lastSeq: number;
  /** Where the batch under way ends, or the last one. */
  readonly tail: JournalPosition;
  /** Where what is durable ends. */
  readonly durableTail: JournalPosition;
  /** The error that ended writing, if one did. */
  readonly failure: StorageError | undefined;
  /** How long the disk has been at the write or move that is under way, in milliseconds; 0 for none. */
  readonly busyMs: number;
  /** Adds a record of these changes at once, and returns its number. */
  append(changes: readonly RecordChange[]): number;
  /**
   * Resolves once the record is durable; rejects with `unavailable` if it can't become so. To be called
   * in the turn in which the number was asked for: numbers of what was taken back are given again.
   */
  durable(seq: number): Promise<void>;
  /** Rejects with `unavailable` if nothing can be written; after a write that failed, it tries again. */
  probe(): Promise<void>;
  /** Moves the journal to another file, between two batches. */
  move(to: JournalMove): Promise<void>;
  /** Writes what is waiting, seals the journal and lets go of the file. */
  close(): Promise<void>;
}

/** The file that a journal goes on in. */
export interface JournalFile {
  /** The file, open for writing. */
  readonly file: DiskFile;
  /** The length of the journal in it, in bytes. */
  readonly offset: number;
}

/** How a journal moves to another file. */
export interface JournalMove {
  /** Writes that file, given the end of the present one. Where it rejects, the journal stays. */
  write(tail: JournalPosition): Promise<JournalFile>;
  /**
   * Makes that file the one that counts. Where it rejects, either may be found after a crash, so
   * that a change to one of them could be lost: writing ends.
   */
  publish(): Promise<void>;
}

/** Options of {@linkcode createJournal}. */
export interface JournalOptions extends JournalFile {
  /** The number of the last record in the file. */
  readonly seq: number;
  /** Milliseconds since some moment, never set back. */
  readonly elapsedMs: () => number;
  /** Called after each sync of the file, before anything is acknowledged; throws to forbid it. */
  readonly verify: (file: DiskFile) => void;
  /** Called with the records that became durable. */
  readonly onDurable: (entries: readonly JournalEntry[]) => void;
  /** Called when what is not durable yet won't be; for good if that is the `failure` of the journal. */
  readonly onRefused: (error: StorageError) => void;
}

/** What is written together: without entries, seals, which are cut off again. */
interface Batch extends Deferred {
  readonly entries: JournalEntry[];
}

interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/** Creates a journal on a file that was read, or written, up to `offset`. */
export function createJournal(options: JournalOptions): Journal {
  let file = options.file;
  let lastSeq = options.seq;
  let tail: JournalPosition = { seq: options.seq, offset: options.offset };
  let durableTail = tail;
  let sealed = true;
  let failure: StorageError | undefined;
  // How many bytes the disk did not take, until it takes some again.
  let refusedBytes = 0;
  let batches: Batch[] = [];
  let underWay: Batch | undefined;
  let moving: (Deferred & JournalMove) | undefined;
  let running: Promise<void> | undefined;
  let busySinceMs: number | undefined;

  function append(changes: readonly RecordChange[]): number {
    const last = batches.at(-1);
    const isOpen = last !== undefined && last !== underWay &&
      last.entries.length < BATCH_MAX_ENTRIES;
    const { entries } = isOpen ? last : addBatch();
    entries.push({ seq: ++lastSeq, changes });
    return lastSeq;
  }

  function addBatch(): Batch {
    const batch = { entries: [], ...createDeferred() };
    batches.push(batch);
    start();
    return batch;
  }

  function start(): void {
    // In a turn of its own, so that changes made together are written together.
    running ??= Promise.resolve().then(run);
  }

  async function run(): Promise<void> {
    try {
      while (batches.length > 0 || moving !== undefined) {
        busySinceMs = options.elapsedMs();
        if (moving === undefined) await writeBatch(batches[0]);
        else await move(moving);
      }
    } catch (cause) {
      fail(cause);
    }
    running = busySinceMs = undefined;
  }

  async function move(to: Deferred & JournalMove): Promise<void> {
    const previous = file;
    let moved: JournalFile;
    try {
      moved = await to.write(tail);
    } catch (error) {
      // The present file is as sound as before, even where the other one failed to sync.
      moving = undefined;
      to.reject(error);
      return;
    }
    await to.publish();
    file = moved.file;
    tail = durableTail = { seq: tail.seq, offset: moved.offset };
    moving = undefined;
    to.resolve();
    await previous.close().catch(() => {});
  }

  async function writeBatch(batch: Batch): Promise<void> {
    underWay = batch;
    const { entries } = batch;
    const { seq, offset } = tail;
    const isProbe = entries.length === 0;
    const bytes = isProbe ? encodeProbe(seq) : encodeEntries(entries, durableTail.seq);
    if (!isProbe) tail = { seq: seq + entries.length, offset: offset + bytes.length };
    sealed = false;
    try {
      await writeFully(file, bytes, offset);
    } catch (error) {
      // None of it was synced: cut back, the file is what it was.
      await cutBack(offset);
      refusedBytes = bytes.length;
      return takeBack(explain(error));
    }
    await settle();
    // The room that it has found is not its own.
    if (isProbe) await cutBack(offset);
    durableTail = tail;
    batches.shift();
    refusedBytes = 0;
    options.onDurable(entries);
    batch.resolve();
  }

  async function cutBack(length: number): Promise<void> {
    await file.truncate(length);
    await settle();
  }

  async function settle(): Promise<void> {
    await file.sync();
    options.verify(file);
  }

  /** Encodes as many seals as take the room that was lacking: less of it proves nothing. */
  function encodeProbe(seq: number): Buffer {
    const seal = encodeSeal(seq);
    return Buffer.alloc(Math.ceil(refusedBytes / seal.length) * seal.length, seal);
  }

  function fail(cause: unknown): void {
    failure = explain(cause);
    takeBack(failure);
    moving?.reject(failure);
    moving = undefined;
  }

  function takeBack(error: StorageError): void {
    const refused = batches;
    batches = [];
    underWay = undefined;
    tail = durableTail;
    lastSeq = tail.seq;
    options.onRefused(error);
    for (const { reject } of refused) reject(error);
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    get tail() {
      return tail;
    },
    get durableTail() {
      return durableTail;
    },
    get failure() {
      return failure;
    },
    get busyMs() {
      return busySinceMs === undefined ? 0 : options.elapsedMs() - busySinceMs;
    },
    append,
    durable(seq) {
      if (seq <= durableTail.seq) return Promise.resolve();
      return batches.find(({ entries }) => seq <= (entries.at(-1)?.seq ?? 0))!.promise;
    },
    async probe() {
      if (failure !== undefined) throw failure;
      if (refusedBytes > 0) await (batches.at(-1) ?? addBatch()).promise;
    },
    move(to) {
      if (failure !== undefined) return Promise.reject(failure);
      moving = { ...to, ...createDeferred() };
      start();
      return moving.promise;
    },
    async close() {
      while (running !== undefined) await running;
      if (failure === undefined && !sealed && refusedBytes === 0) {
        // Nothing is lost without it.
        await writeFully(file, encodeSeal(tail.seq), tail.offset).then(settle).catch(() => {});
      }
      await file.close().catch(() => {});
    },
  };
}

function explain(cause: unknown): StorageError {
  const { message } = cause as Error;
  return new StorageError("unavailable", `Cannot write the journal: ${message}`, { cause });
}

function createDeferred(): Deferred {
  let resolve = () => {};
  let reject = (_error: unknown) => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  // Not everybody waits.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
