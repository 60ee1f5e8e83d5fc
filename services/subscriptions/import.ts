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

/** How many rows had each outcome. */
export type ImportCounts = Record<keyof ImportSum | Exclude<keyof DryRun, "format">, number>;

/** How rows are imported. */
export interface ImportOptions {
  /** Whether a row may subscribe an address again that is stored as unsubscribed. */
  readonly resubscribe: boolean;
  /** Whether nothing is changed, but only found out what would be. */
  readonly isDryRun: boolean;
  /** The API key that is used. */
  readonly keyId: string;
  /** Tells the time of a change (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Counts rows, each once it is done: what is counted is stored. */
  readonly counts: ImportCounts;
}

// Changes that are under way at once share the cost of being made durable; few enough to be done
// well within their deadline.
const MAX_ROWS_IN_FLIGHT = 2_000;

// Number of parts per turn: on storage in memory, parts that start together also end together.
const PARTS_IN_A_TURN = 8;

// Longer ones count for several.
const ROW_LENGTH = 4_096;

/** Rows that follow each other in a file, and are imported at once. */
interface Batch {
  /**
   * The rows that change subscriptions. All rows of one address are in one part, in their order.
   */
  readonly parts: readonly (readonly ImportRow[])[];
  readonly refused: readonly RefusedRow[];
  readonly size: number;
  /** The number of the last line that its rows take. */
  readonly lastLine: number;
  add(numbered: NumberedRow): void;
}

/** A row, with the number of its last line in the file. */
interface NumberedRow {
  readonly row: ImportRow | RefusedRow;
  readonly lastLine: number;
}

/** Creates counts of nothing. */
export function createCounts(): ImportCounts {
  const outcomes = { added: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, refused: 0 };
  return { ...outcomes, subscribing: 0, unsubscribing: 0 };
}

/**
 * Imports the rows of a file while it arrives, in their order, and passes on those that are
 * refused. If reading or a change fails, what is under way is finished and counted, and the error
 * thrown; for a file that can't be used, {@linkcode UnusableFile}. Where the chunks throw
 * {@linkcode KeyEnded}, the first row that is not imported counts as refused.
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
      // A clock of another product may be ahead.
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
      // The await below meets a change that fails before.
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
    // A failure is met when the next batch is to start; until then nothing waits for it.
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
    counts.refused++;
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
        // Its text is kept until it is told.
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
): keyof ImportSum {
  if (outcome === undefined) return "keptUnsubscribed";
  const { subscription, previous, changed } = outcome;
  if (previous === undefined) return "added";
  if (subscribe && !subscription.subscribed) return "keptUnsubscribed";
  return changed ? "changed" : "unchanged";
}
