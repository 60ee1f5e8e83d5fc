import { type Deadline, tooSlow } from "../_shared/deadlines.ts";
import type { Change } from "../decisions.ts";
import type { Item, Ref } from "../storage.ts";

/** A transaction that waits for its batch. */
export interface Transaction {
  /** Its refs so far. */
  readonly refs: readonly Ref[];
  readonly deadline: Deadline;
  /** Whether another transaction had locked one of its records in an earlier batch. */
  wasLocked?: boolean;
  /**
   * Decides with the records that `read` finds. Returns `undefined` if it needs more records, which
   * {@linkcode Transaction.refs} names from then on. May be called several times; never throws.
   */
  decide(read: (ref: Ref) => Item | undefined): Decided | undefined;
  /** Reports a failure to the caller. */
  reject(error: unknown): void;
}

/** The result of a decision. */
export interface Decided {
  /** Changes of records that refs name, and new records (`isNew`). */
  readonly changes: readonly Change[];
  /** Resolves the caller's promise, once the changes are durable. */
  acknowledge(): void;
}

/** Returns the transactions whose callers still wait, and rejects the others. */
export function stillWanted(batch: readonly Transaction[]): readonly Transaction[] {
  return batch.filter(({ deadline, reject }) => {
    const isOver = deadline.isOver();
    if (isOver) reject(tooSlow());
    return !isOver;
  });
}
