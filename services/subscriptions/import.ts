import type { Storage } from "../../adapters/storage.ts";
import {
  type DryRun,
  type ImportSum,
  type RefusedRow,
  stoppedRow,
} from "../../model/imports/reports.ts";
import { nextTurn } from "../../model/turns.ts";
import type { ImportRow, RowReader } from "../../model/subscriptions/rows.ts";
import { CHANGED_AT_ONCE } from "../records.ts";
import { importRows, readRows } from "../row_import.ts";
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

/** Creates counts that are all zero. */
export function createCounts(): ImportCounts {
  const outcomes = { added: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, refused: 0 };
  return { ...outcomes, subscribing: 0, unsubscribing: 0 };
}

/**
 * Imports the rows of a file in order while it arrives, and yields the refused ones; see
 * {@linkcode importRows}.
 */
export function importSubscriptions(
  storage: Storage,
  file: { readonly chunks: AsyncIterable<Uint8Array>; readonly reader: RowReader },
  { resubscribe, isDryRun, now, counts, keyId }: ImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
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

  async function importBatch(rows: readonly FileRow[]): Promise<readonly RefusedRow[]> {
    const changes: Promise<void>[] = [];
    for (const part of partsOf(rows)) {
      changes.push(changeAll(part));
      // This catch prevents an unhandled rejection; the await below handles the failure.
      changes.at(-1)!.catch(() => {});
      if (changes.length % PARTS_IN_A_TURN === 0) await nextTurn();
    }
    const results = await Promise.allSettled(changes);
    for (const result of results) if (result.status === "rejected") throw result.reason;
    const refused = rows.filter((row) => "line" in row);
    counts.refused += refused.length;
    return refused;
  }

  return importRows<FileRow, RefusedRow>(readRows(file.chunks, file.reader), {
    maxSize: MAX_ROWS_IN_FLIGHT,
    // A refused row keeps its text until it is reported.
    sizeOf: (row) => "line" in row ? 1 + Math.floor((row.row?.length ?? 0) / ROW_LENGTH) : 1,
    importBatch,
    stopped: stoppedRow,
  });
}

type FileRow = ImportRow | RefusedRow;

/** Groups the accepted rows for one transaction each: rows of one address together, in order. */
function partsOf(rows: readonly FileRow[]): readonly (readonly ImportRow[])[] {
  const parts: ImportRow[][] = [];
  const partOf = new Map<string, ImportRow[]>();
  for (const row of rows) {
    if ("line" in row) continue;
    let part = partOf.get(row.userEmail);
    if (part === undefined) {
      if (partOf.size % CHANGED_AT_ONCE === 0) parts.push([]);
      partOf.set(row.userEmail, part = parts.at(-1)!);
    }
    part.push(row);
  }
  return parts;
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
