import { type Deadline, tooSlow } from "../_shared/deadlines.ts";
import type { Change } from "../records.ts";
import type { Item, Ref } from "../storage.ts";

/** A transaction that waits for its batch. */
export interface Transaction {
  readonly refs: readonly Ref[];
  readonly deadline: Deadline;
  /** Whether others have locked one of its records before. */
  readonly wasLocked?: boolean;
  /** Decides on what `read` finds; may be called several times. Never throws. */
  decide(read: (ref: Ref) => Item | undefined): Decided;
  /** Tells the caller that the transaction failed. */
  reject(error: unknown): void;
}

/** The result of a decision. */
export interface Decided {
  /** The changes of records that refs name, and the records to create (`isNew`). */
  readonly changes: readonly Change[];
  /** Tells the caller, once the changes are durable. */
  acknowledge(): void;
}

/** Returns the transactions whose callers still wait; the others are rejected. */
export function stillWanted(batch: readonly Transaction[]): readonly Transaction[] {
  return batch.filter(({ deadline, reject }) => {
    const isOver = deadline.isOver();
    if (isOver) reject(tooSlow());
    return !isOver;
  });
}
