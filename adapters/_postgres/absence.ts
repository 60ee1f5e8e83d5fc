import { isKey } from "../records.ts";
import type { SlotOf } from "./slots.ts";
import type { Decided, Transaction } from "./transaction.ts";

/**
 * Tells whether a transaction leaves a record absent that is not in the table.
 *
 * A record that is there is locked by its row; of one that is not, there is no row to lock, and another
 * process may create it at any moment. So:
 *
 * 1. Whoever creates records of a kind shares the creation lock of the kind until its commit, and
 *    creates nothing if another process was first: then the batch is rolled back and run again.
 * 2. Whoever leaves a record absent, and so may have decided by its absence, runs alone and holds the
 *    creation lock of each of its kinds meanwhile, so that nobody creates the record.
 *
 * A transaction that refers to this one record needs neither: it was absent at one moment.
 */
export function leavesAbsent({ refs }: Transaction, { changes }: Decided, slotOf: SlotOf): boolean {
  const changed = new Map(changes.map((change) => [slotOf(change), change.next]));
  return refs.some((ref) => {
    const slot = slotOf(ref);
    const next = changed.has(slot) ? changed.get(slot) : slot.next;
    return isKey(ref.key) && slot.stored === undefined && next === undefined;
  });
}
