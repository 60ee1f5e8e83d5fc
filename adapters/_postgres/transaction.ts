import { type Deadline, tooSlow } from "../_shared/deadlines.ts";
import type { Change } from "../records.ts";
import type { Item, Ref } from "../storage.ts";

/** A transaction that waits for its batch. */
export interface Transaction {
  readonly refs: readonly Ref[];
  readonly deadline: Deadline;
  /** Whether an earlier attempt found one of its records locked. */
  readonly wasLocked?: boolean;
  /** Decides on the records that `read` returns; may be called several times. Never throws. */
  decide(read: (ref: Ref) => Item | undefined): Decided;
  /** Rejects the caller's promise. */
  reject(error: unknown): void;
}

/** The result of a decision. */
export interface Decided {
  /** The changes of records named by refs, and the new records (`isNew`). */
  readonly changes: readonly Change[];
  /** Resolves the caller's promise, once the changes are durable. */
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
