import type { Storage } from "../adapters/storage.ts";
import { createRecordSplitter, type TextRecord } from "../model/record_splitter.ts";
import { Refusal } from "../model/refusal.ts";
import type { ImportRow, RefusedRow, RowReader } from "../model/subscriber_rows.ts";
import { changeSubscription, type SubscriptionOutcome } from "./subscriptions.ts";

/** How many rows had each outcome. */
export type ImportCounts = Record<RowOutcome | "refused", number>;

type RowOutcome = "added" | "changed" | "unchanged" | "keptUnsubscribed";

export interface ImportOptions {
  /** Whether a row may subscribe an address again that is stored as unsubscribed. */
  readonly resubscribe: boolean;
  /** Whether nothing is changed, and only counted what would be. */
  readonly isDryRun: boolean;
  /** Tells the time of a change (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Counts rows, each once it is done: what is counted is stored. */
  readonly counts: ImportCounts;
}

/** Why a file can't be imported at all. */
export class UnusableFile extends Error {
  override readonly name = "UnusableFile";
}

// Many, so that changes share the cost of becoming durable, and few enough to be done well within the
// deadline of one.
const MAX_IN_FLIGHT = 2_000;
const BATCH_SIZE = 500;

interface Batch {
  readonly rows: readonly ImportRow[];
  readonly refused: readonly RefusedRow[];
}

export function createCounts(): ImportCounts {
  return { added: 0, changed: 0, unchanged: 0, keptUnsubscribed: 0, refused: 0 };
}

/**
 * Imports the rows of a file while it arrives, and passes on those that are refused. The changes of one
 * address are made in the order of the rows. If reading or a change fails, what is under way is
 * finished and counted, and the error thrown; for a file that can't be used, {@linkcode UnusableFile}.
 */
export async function* importSubscriptions(
  storage: Storage,
  file: { readonly chunks: AsyncIterable<Uint8Array>; readonly reader: RowReader },
  { resubscribe, isDryRun, now, counts }: ImportOptions,
): AsyncGenerator<readonly RefusedRow[]> {
  const inFlight: StartedBatch[] = [];
  let rowsInFlight = 0;
  // The last change of each address, among them all that are in flight.
  let [recent, older] = [new Map<string, Promise<unknown>>(), new Map<string, Promise<unknown>>()];

  function change(row: ImportRow, at: string): Promise<SubscriptionOutcome> {
    const { userEmail } = row;
    const requested = { ...row, source: "import", at, keepUnsubscribed: !resubscribe } as const;
    const before = recent.get(userEmail) ?? older.get(userEmail);
    const outcome = before === undefined
      ? changeSubscription(storage, requested, { isDryRun })
      : before.then(() => changeSubscription(storage, requested, { isDryRun }));
    recent.set(userEmail, outcome);
    return outcome;
  }

  function start(batch: Batch): void {
    if (recent.size > MAX_IN_FLIGHT) [recent, older] = [new Map(), recent];
    const at = now();
    const outcomes = batch.rows.map((row) => change(row, at));
    const all = Promise.all(outcomes);
    // A failure is handled when the batch is finished, and until then it is no unhandled rejection.
    all.catch(() => {});
    inFlight.push({ ...batch, outcomes, all });
    rowsInFlight += batch.rows.length + batch.refused.length;
  }

  async function finishFirst(): Promise<readonly RefusedRow[]> {
    const { rows, refused, outcomes, all } = inFlight.shift()!;
    rowsInFlight -= rows.length + refused.length;
    for (const [at, result] of (await Promise.allSettled(outcomes)).entries()) {
      if (result.status === "fulfilled") counts[outcomeOf(rows[at], result.value)]++;
    }
    // Rejects if a change failed.
    await all;
    counts.refused += refused.length;
    return refused;
  }

  try {
    for await (const batch of readBatches(file.chunks, file.reader)) {
      start(batch);
      while (rowsInFlight > MAX_IN_FLIGHT) yield await finishFirst();
    }
    while (inFlight.length > 0) yield await finishFirst();
  } finally {
    while (inFlight.length > 0) await finishFirst().catch(() => {});
  }
}

interface StartedBatch extends Batch {
  readonly outcomes: readonly Promise<SubscriptionOutcome>[];
  readonly all: Promise<readonly SubscriptionOutcome[]>;
}

async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  reader: RowReader,
): AsyncGenerator<Batch> {
  const splitter = createRecordSplitter(reader);
  for await (const chunk of chunks) yield* readRecords(splitter.push(chunk), reader);
  yield* readRecords(splitter.end(), reader);
  const fault = reader.end();
  if (fault !== undefined) throw new UnusableFile(fault.detail);
}

function* readRecords(records: readonly TextRecord[], reader: RowReader): Generator<Batch> {
  for (let start = 0; start < records.length; start += BATCH_SIZE) {
    const rows: ImportRow[] = [];
    const refused: RefusedRow[] = [];
    for (const record of records.slice(start, start + BATCH_SIZE)) {
      const row = reader.read(record);
      if (row === undefined) continue;
      if (row instanceof Refusal) throw new UnusableFile(row.detail);
      if ("line" in row) refused.push(row);
      else rows.push(row);
    }
    yield { rows, refused };
  }
}

function outcomeOf(
  { subscribe }: ImportRow,
  { subscription, previous, changed }: SubscriptionOutcome,
): RowOutcome {
  if (previous === undefined) return "added";
  if (subscribe && !subscription.subscribed) return "keptUnsubscribed";
  return changed ? "changed" : "unchanged";
}
