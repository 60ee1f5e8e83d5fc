import { type Item, StorageError } from "../storage.ts";
import type { Timers } from "./timers.ts";
import { fileName, type Folder } from "./folder.ts";
import type { Journal } from "./journal.ts";
import { createJournalFile } from "./journal_file.ts";
import { writeMark } from "./mark.ts";
import type { Recovered } from "./recovery.ts";
import { writeSnapshot } from "./snapshot.ts";

// Removals of personal records within this time share a compaction.
const ERASE_DELAY_MS = 500;
// Such compactions take at most a tenth of the time, but none waits longer than this maximum.
const ERASE_PAUSE_FACTOR = 10;
const ERASE_MAX_DELAY_MS = 60_000;
const RETRY_MS = 300_000;
// At most this much is compacted when a service stops, which takes about a second. The next start
// compacts more.
const CLOSE_MAX_BYTES = 64 << 20;

/** Replaces the journals by a new snapshot, from time to time. */
export interface Compaction {
  /** Adds to the length of the journals; starts a compaction if they are long enough. */
  grow(bytes: number): void;
  /** Schedules a compaction, as a record was removed that must leave no trace. */
  erase(): void;
  /** Stops. Removes the traces of removed personal records first, unless that would take long. */
  close(): Promise<void>;
}

/** Options of {@linkcode createCompaction}. */
export interface CompactionOptions {
  readonly folder: Folder;
  readonly recovered: Recovered;
  readonly journal: Journal;
  /** The field that is the key of a record, by the name of its kind. */
  readonly keyFields: ReadonlyMap<string, string>;
  /** Returns all records as they are now, by the name of their kind. */
  readonly all: () => ReadonlyMap<string, readonly Item[]>;
  readonly timers: Timers;
  readonly journalBytes: number;
  readonly onWarning: (message: string) => void;
}

/** Creates the compaction of a folder. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { folder, recovered, journal, keyFields, all, timers, onWarning } = options;
  const { store } = recovered;
  let { number, snapshotBytes, journalBytes, erases: mustErase } = recovered;
  let durationMs = 0;
  let running: Promise<void> | undefined;
  // Cancels the compaction that is scheduled.
  let cancel: (() => void) | undefined;
  let isClosing = false;
  // A storage that was only read leaves its files unchanged.
  let hasChanges = false;

  function schedule(delayMs: number): void {
    if (!isClosing) cancel ??= timers.schedule(delayMs, start);
  }

  function scheduleErasure(): void {
    const pauseMs = Math.min(ERASE_PAUSE_FACTOR * durationMs, ERASE_MAX_DELAY_MS);
    schedule(Math.max(ERASE_DELAY_MS, pauseMs));
  }

  function start(): void {
    cancel?.();
    cancel = undefined;
    running ??= run().finally(() => running = undefined);
  }

  async function run(): Promise<void> {
    const startMs = timers.now();
    const erases = mustErase;
    mustErase = false;
    try {
      await compact();
      durationMs = timers.now() - startMs;
      if (mustErase) scheduleErasure();
    } catch (error) {
      mustErase ||= erases;
      // The storage itself has failed, and has reported why.
      if (error instanceof StorageError) return;
      const next = isClosing ? "the next start will try again" : "trying again later";
      onWarning(`Cannot compact the journal, ${next}: ${(error as Error).message}`);
      schedule(RETRY_MS);
    }
  }

  async function compact(): Promise<void> {
    // Read in one turn, so that records and number belong together.
    const records = all();
    const seq = journal.lastSeq;
    const keys = Object.fromEntries(keyFields);
    const compactedBytes = journalBytes;
    const header = { store, after: seq, durable: seq };
    await journal.rotate(() => createJournalFile(folder, number + 1, header));
    number++;
    let bytes = 0;
    await folder.replace(fileName("snapshot", number), async (file) => {
      bytes = await writeSnapshot(file, { store, number, seq, keys }, records);
    });
    await writeMark(folder, { store, seq });
    await folder.removeBelow(number);
    snapshotBytes = bytes;
    journalBytes -= compactedBytes;
  }

  if (mustErase) scheduleErasure();
  return {
    grow(bytes) {
      journalBytes += bytes;
      hasChanges = true;
      const isLong = journalBytes > Math.max(options.journalBytes, snapshotBytes / 2);
      // A scheduled compaction is due soon, or waits after a failure.
      if (isLong && cancel === undefined) start();
    },
    erase() {
      mustErase = true;
      scheduleErasure();
    },
    async close() {
      isClosing = true;
      cancel?.();
      await running;
      if (mustErase && hasChanges && snapshotBytes + journalBytes <= CLOSE_MAX_BYTES) start();
      await running;
    },
  };
}
