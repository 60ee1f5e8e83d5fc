import type { Storage } from "../../adapters/storage.ts";
import { createRecordSplitter, type TextRecord } from "../../model/values/record_splitter.ts";
import { expectText } from "../../model/values/file_kind.ts";
import { Refusal, UnusableFile } from "../../model/values/refusal.ts";
import {
  type DryRun,
  type ImportSum,
  KEY_ENDED,
  type RefusedRow,
} from "../../model/import_reports.ts";
import { nextTurn } from "../../model/turns.ts";
import type { ImportRow, RowReader } from "../../model/subscriptions/rows.ts";
import { KeyEnded } from "../keys/api_keys.ts";
import { CHANGED_AT_ONCE } from "../records.ts";
import { importChanges, type SubscriptionOutcome } from "./subscriptions.ts";

/** The number of rows with each outcome. */
export type ImportCounts = Record<
  Exclude<keyof ImportSum, "unusedColumns"> | Exclude<keyof DryRun, "format">,
  number
>;

/** The options of an import of subscriptions. */
export interface ImportOptions {
  /** Whether a row may subscribe an address again that is stored as unsubscribed. */
  readonly resubscribe: boolean;
  /** Whether the import only determines the outcomes and changes nothing. */
  readonly isDryRun: boolean;
  /** The API key that is used. */
  readonly keyId: string;
  /** Tells the time of a change (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Counts each row after it has been stored. */
  readonly counts: ImportCounts;
}

// Concurrent changes share one sync to disk; few enough to finish well within their deadline.
const MAX_ROWS_IN_FLIGHT = 2_000;

// Number of parts per turn: in memory storage, parts that start together also end together.
const PARTS_IN_A_TURN = 8;

// A longer row counts as several.
const ROW_LENGTH = 4_096;

/** Consecutive rows of a file that are imported together. */
interface Batch {
  /**
   * The rows that change subscriptions. Rows of the same address are in the same part, in order.
   */
  readonly parts: readonly (readonly ImportRow[])[];
  readonly refused: readonly RefusedRow[];
  readonly size: number;
  /** The number of the last line of its rows. */
  readonly lastLine: number;
  add(numbered: NumberedRow): void;
}

/** A row, with the number of its last line in the file. */
interface NumberedRow {
  readonly row: ImportRow | RefusedRow;
  readonly lastLine: number;
}

/** Creates counts that are all zero. */
export function createCounts(): ImportCounts {
  const outcomes = { added: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, refused: 0 };
  return { ...outcomes, subscribing: 0, unsubscribing: 0 };
}

/**
 * Imports the rows of a file in order while it arrives, and yields the refused ones. If reading or
 * a change fails, finishes and counts the changes in flight and throws the error; for an unusable
 * file, {@linkcode UnusableFile}. If the chunks throw {@linkcode KeyEnded}, names the first row
 * that was not imported.
 */
export async function* importSubscriptions(
  storage: Storage,
  file: { readonly chunks: AsyncIterable<Uint8Array>; readonly reader: RowReader },
  { resubscribe, isDryRun, now, counts, keyId }: ImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
  let next = createBatch();
  let isIdle = true;
  let batch: Promise<readonly RefusedRow[]> = Promise.resolve([]);
  let doneLine = 0;

  async function changeAll(rows: readonly ImportRow[]): Promise<void> {
    const at = now();
    const changes = rows.map((
      { history, createdAt = history?.[0]?.at ?? at, since = at, ...row },
    ) => ({
      ...row,
      source: "import" as const,
      at,
      keyId,
      restored: history,
      since: since < at ? since : at,
      // The clock of the other product may be ahead.
      createdAt: createdAt < at ? createdAt : at,
      keepUnsubscribed: !resubscribe,
    }));
    const outcomes = await importChanges(storage, changes, { isDryRun });
    outcomes.forEach((outcome, index) => {
      counts[outcomeOf(rows[index], outcome)]++;
      counts[rows[index].subscribe ? "subscribing" : "unsubscribing"]++;
    });
  }

  async function carryOut({ parts, refused }: Batch): Promise<readonly RefusedRow[]> {
    const changes: Promise<void>[] = [];
    for (const part of parts) {
      changes.push(changeAll(part));
      // This catch prevents an unhandled rejection; the await below handles the failure.
      changes.at(-1)!.catch(() => {});
      if (changes.length % PARTS_IN_A_TURN === 0) await nextTurn();
    }
    const results = await Promise.allSettled(changes);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    counts.refused += refused.length;
    return refused;
  }

  function start(): void {
    isIdle = false;
    doneLine = Math.max(doneLine, next.lastLine);
    batch = carryOut(next).finally(() => isIdle = true);
    // This catch prevents an unhandled rejection; starting the next batch handles the failure.
    batch.catch(() => {});
    next = createBatch();
  }

  try {
    for await (const rows of readRows(file.chunks, file.reader)) {
      for (const row of rows) {
        next.add(row);
        if (next.size < MAX_ROWS_IN_FLIGHT) continue;
        yield await batch;
        start();
      }
      // Rows that arrive during one batch form the next.
      if (!isIdle) continue;
      yield await batch;
      start();
    }
    yield await batch;
    start();
    yield await batch;
  } catch (error) {
    if (!(error instanceof KeyEnded)) throw error;
    yield await batch;
    const detail = `${error.message}: neither this row nor those after it were imported`;
    yield [{ line: doneLine + 1, field: null, code: KEY_ENDED, detail, row: null }];
  } finally {
    await batch.catch(() => {});
  }
}

function createBatch(): Batch {
  const parts: ImportRow[][] = [];
  const refused: RefusedRow[] = [];
  const partOf = new Map<string, ImportRow[]>();
  let size = 0;
  let lastLine = 0;
  return {
    parts,
    refused,
    get size() {
      return size;
    },
    get lastLine() {
      return lastLine;
    },
    add({ row, lastLine: rowEnd }) {
      size++;
      lastLine = rowEnd;
      if ("line" in row) {
        // A refused row keeps its text until it is reported.
        size += Math.floor((row.row?.length ?? 0) / ROW_LENGTH);
        return void refused.push(row);
      }
      let part = partOf.get(row.userEmail);
      if (part === undefined) {
        if (partOf.size % CHANGED_AT_ONCE === 0) parts.push([]);
        partOf.set(row.userEmail, part = parts.at(-1)!);
      }
      part.push(row);
    },
  };
}

async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  reader: RowReader,
): AsyncGenerator<readonly NumberedRow[]> {
  const splitter = createRecordSplitter(reader);
  for await (const chunk of expectText(chunks)) yield readAll(splitter.push(chunk), reader);
  yield readAll(splitter.end(), reader);
  const fault = reader.end();
  if (fault !== undefined) throw new UnusableFile(fault.detail);
}

function readAll(records: readonly TextRecord[], reader: RowReader): NumberedRow[] {
  const rows: NumberedRow[] = [];
  for (const record of records) {
    const row = reader.read(record);
    if (row instanceof Refusal) throw new UnusableFile(row.detail);
    if (row !== undefined) rows.push({ row, lastLine: record.lastLine });
  }
  return rows;
}

function outcomeOf(
  { subscribe }: ImportRow,
  outcome: SubscriptionOutcome | undefined,
): keyof ImportCounts {
  if (outcome === undefined) return "keptUnsubscribed";
  const { subscription, previous, changed } = outcome;
  if (previous === undefined) return "added";
  if (subscribe && !subscription.subscribed) return "keptUnsubscribed";
  return changed ? "changed" : "unchanged";
}
