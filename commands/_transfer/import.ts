import type { SubscriptionOutcome } from "../../adapters/storage.ts";
import type { SubscriptionChange } from "../../model/subscription.ts";
import type { RefusedRow, RowBatch } from "./row_batches.ts";
import type { Row } from "./rows.ts";

/** The outcome of a row. */
export type RowFate = "added" | "changed" | "unchanged" | "kept unsubscribed";

/** How many rows had each outcome. */
export type ImportCounts = Readonly<Record<RowFate | "refused", number>>;

/** How far an import is, after each batch. */
export interface ImportStep {
  /** The imported rows of the batch, in order, with their outcomes. */
  readonly done: readonly { readonly row: Row; readonly fate: RowFate }[];
  /** The rows of the batch that were refused. */
  readonly refused: readonly RefusedRow[];
  /** All rows so far. */
  readonly counts: ImportCounts;
  /** How many bytes of the file have been read. */
  readonly bytesRead: number;
}

/** How rows are imported. */
export interface ImportOptions {
  /** Makes a change, or, in a dry run, finds out what it would do. */
  readonly put: (change: SubscriptionChange) => Promise<SubscriptionOutcome>;
  /** Whether a row may subscribe an address again that is stored as unsubscribed. */
  readonly resubscribe: boolean;
  /** The time of the changes (RFC 3339, UTC, milliseconds). */
  readonly now: () => string;
  /** Called after each batch, once all of it is done. */
  readonly onStep: (step: ImportStep) => void;
  /**
   * Whether `onStep` writes what somebody reads, who may pause for as long as they like: then it is
   * called while no change is under way, whose time would be over meanwhile.
   */
  readonly isRead?: (batch: RowBatch) => boolean;
}

/**
 * Imports rows; those of one address in their order. The changes of a batch are under way
 * together, so that storage can share the cost of making them durable, and the next batch is
 * read meanwhile; at most two batches are in memory. If reading fails, the batch under way is
 * finished first.
 */
export async function importRows(
  batches: AsyncIterable<RowBatch>,
  { put, resubscribe, now, onStep, isRead }: ImportOptions,
): Promise<void> {
  const counts = { added: 0, changed: 0, unchanged: 0, "kept unsubscribed": 0, refused: 0 };
  let underWay: StartedBatch | undefined;

  function start(batch: RowBatch): StartedBatch {
    const at = now();
    const outcomes = Promise.all(
      batch.rows.map(({ userEmail, userName, subscribe }) =>
        put({ userEmail, userName, subscribe, at, keepUnsubscribed: !resubscribe })
      ),
    );
    // A failure is handled when the batch is finished; until then nothing waits for it.
    outcomes.catch(() => {});
    return { ...batch, outcomes };
  }

  async function finish(next?: StartedBatch): Promise<void> {
    const batch = underWay;
    underWay = next;
    if (batch === undefined) return;
    const outcomes = await batch.outcomes;
    if (isRead?.(batch)) await next?.outcomes.catch(() => {});
    const done = batch.rows.map((row, index) => ({ row, fate: fateOf(row, outcomes[index]) }));
    for (const { fate } of done) counts[fate]++;
    counts.refused += batch.refused.length;
    onStep({ done, refused: batch.refused, counts: { ...counts }, bytesRead: batch.bytesRead });
  }

  try {
    for await (const batch of batches) await finish(start(batch));
  } finally {
    await finish();
  }
}

interface StartedBatch extends RowBatch {
  readonly outcomes: Promise<readonly SubscriptionOutcome[]>;
}

function fateOf(
  { subscribe }: Row,
  { subscription, previous, changed }: SubscriptionOutcome,
): RowFate {
  if (previous === undefined) return "added";
  if (subscribe && !subscription.subscribed) return "kept unsubscribed";
  return changed ? "changed" : "unchanged";
}
