import { type Capture, captureTables } from "./capture.ts";
import type { Clock } from "./clock.ts";
import {
  createTemporary,
  dropTemporary,
  type Folder,
  type FolderContent,
  JOURNAL_NAME,
  pathIn,
  publish,
  removeBroken,
  SNAPSHOT_NAME,
  startJournal,
} from "./folder.ts";
import { copyRange, withFile } from "./io.ts";
import type { Journal, JournalPosition } from "./journal.ts";
import { writeSnapshot } from "./snapshot.ts";
import type { RecordChange, Tables } from "../_tables.ts";
import type { DiskFile } from "./disk.ts";

// Erasures within this time share a compaction.
const ERASE_DELAY_MS = 500;
// Compactions for the sake of erasures take this part of the time, unless that would put one off too long.
const ERASE_TIME_SHARE = 1 / 10;
// A compaction in which the process or the disk stood still does not put off the next for hours.
const ERASE_MAX_DELAY_MS = 60_000;
// What can be folded while a service stops, in well under a second; more is left to the next start.
const CLOSE_MAX_BYTES = 32 << 20;
const RETRY_MS = 30_000;
// What is left to copy while the journal stands still.
const LAST_COPY_BYTES = 256 << 10;
const COPY_MAX_PASSES = 8;

/** Folds the journal into a new snapshot, from time to time. */
export interface Compaction {
  /** Must be called with each change just before it is made. */
  note(change: RecordChange): void;
  /** Folds if the journal has grown long enough. */
  consider(): void;
  /** Folds soon, because the record of this number erased a subscription. */
  erased(seq: number): void;
  /** Stops. Unless that would take long, first folds what was erased out of the files. */
  close(): Promise<void>;
}

/** Options of {@linkcode createCompaction}. */
export interface CompactionOptions {
  readonly folder: Folder;
  readonly content: FolderContent;
  readonly tables: Tables;
  readonly journal: Journal;
  readonly clock: Clock;
  /** The journal is folded when it is longer than this and than half the snapshot, in bytes. */
  readonly journalBytes: number;
  readonly onWarning: (message: string) => void;
}

/** Creates the compaction of a folder. */
export function createCompaction(options: CompactionOptions): Compaction {
  const { folder, content, tables, journal, clock, onWarning } = options;
  let { generation, snapshotBytes } = content;
  let erasedSeq = content.erases ? content.lastSeq : 0;
  let capture: Capture | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  let closing = false;
  let lastDurationMs = 0;
  let unschedule: (() => void) | undefined;
  // Until the next try, growth starts none.
  let hasFailed = false;

  function schedule(delayMs: number): void {
    if (unschedule !== undefined || closing) return;
    unschedule = clock.schedule(delayMs, () => {
      unschedule = undefined;
      start();
    });
  }

  function scheduleErasure(): void {
    const shareMs = Math.min(lastDurationMs / ERASE_TIME_SHARE, ERASE_MAX_DELAY_MS);
    schedule(Math.max(ERASE_DELAY_MS, shareMs));
  }

  function start(): void {
    if (running !== undefined || isOver()) return;
    unschedule?.();
    unschedule = undefined;
    hasFailed = false;
    running = run();
  }

  function isOver(): boolean {
    return stopped || journal.failure !== undefined || folder.lock.loss !== undefined;
  }

  async function run(): Promise<void> {
    const startedMs = clock.elapsedMs();
    // One that was under way when the storage is closed is tried once more then.
    const isLast = closing;
    try {
      const foldedSeq = await fold();
      lastDurationMs = clock.elapsedMs() - startedMs;
      // The erasure itself may have been taken back.
      if (Math.min(erasedSeq, journal.lastSeq) > foldedSeq) scheduleErasure();
      else erasedSeq = 0;
    } catch (error) {
      // Nothing is lost: the journal goes on, or what ended it was told of.
      if (!isOver()) {
        const { message } = error as Error;
        const next = isLast ? "leaving it to the next start" : "trying again later";
        onWarning(`Cannot fold the journal into a new snapshot, ${next}: ${message}`);
        hasFailed = true;
        schedule(RETRY_MS);
      }
    }
    running = undefined;
  }

  /** Returns the number of the record after which the new journal starts. */
  async function fold(): Promise<number> {
    const file = await createTemporary(folder, SNAPSHOT_NAME);
    // All of one moment.
    const base = journal.tail;
    const seq = journal.lastSeq;
    const durable = journal.durable(seq);
    const erasing = erasedSeq > 0;
    const header = { store: content.store, generation: generation + 1, seq };
    capture = captureTables(tables);
    let bytes: number;
    try {
      bytes = await writeSnapshot(file, header, { slices: slicesUntilStopped(capture), clock });
      await durable;
      // Before the new snapshot hides the erasure: else, after a crash, nothing tells of the copies.
      if (erasing) await removeBroken(folder);
      await publish(folder, SNAPSHOT_NAME);
    } catch (error) {
      await dropTemporary(folder, SNAPSHOT_NAME, file);
      throw error;
    } finally {
      capture = undefined;
    }
    await file.close().catch(() => {});
    generation = header.generation;
    snapshotBytes = bytes;

    // Not the handle that it is written by: up to early Deno 2.7 a read moves the place of a write.
    const path = pathIn(folder, JOURNAL_NAME);
    await withFile(folder.disk, path, (source) => moveJournal(source, base));
    return base.seq;
  }

  async function moveJournal(source: DiskFile, base: JournalPosition): Promise<void> {
    const header = { store: content.store, generation, seq: base.seq };
    const next = await startJournal(folder, header);
    const shift = next.offset - base.offset;
    let copied = base.offset;

    async function copyUntil(end: number): Promise<void> {
      await copyRange(source, next.file, { start: copied, end, to: copied + shift });
      copied = end;
    }
    try {
      // Most is copied while the journal grows on, so that it stands still for the rest only.
      for (let pass = 0; pass < COPY_MAX_PASSES; pass++) {
        if (journal.durableTail.offset - copied <= LAST_COPY_BYTES) break;
        await copyUntil(journal.durableTail.offset);
      }
      await next.file.sync();
      await journal.move({
        async write(tail) {
          await copyUntil(tail.offset);
          await next.file.sync();
          return { file: next.file, offset: tail.offset + shift };
        },
        publish: () => publish(folder, JOURNAL_NAME),
      });
    } catch (error) {
      await dropTemporary(folder, JOURNAL_NAME, next.file);
      throw error;
    }
  }

  function slicesUntilStopped(captured: Capture): Capture["slices"] {
    return function* (table) {
      for (const slice of captured.slices(table)) {
        if (stopped) throw new Error("the storage is closed");
        yield slice;
      }
    };
  }

  function consider(): void {
    if (hasFailed) return;
    if (journal.tail.offset > Math.max(options.journalBytes, snapshotBytes / 2)) start();
  }

  consider();
  if (content.erases) scheduleErasure();
  return {
    note: (change) => capture?.note(change),
    consider,
    erased(seq) {
      erasedSeq = seq;
      scheduleErasure();
    },
    async close() {
      closing = true;
      unschedule?.();
      stopped = erasedSeq === 0 || snapshotBytes + journal.tail.offset > CLOSE_MAX_BYTES;
      await running;
      if (erasedSeq > 0) start();
      await running;
    },
  };
}
