import { isKey } from "../records.ts";
import type { AnyKind, Item } from "../storage.ts";
import type { Send } from "./client.ts";
import { PassedOver } from "./errors.ts";
import { type Bound, COMMIT, ROLLBACK, toArray } from "./sql.ts";
import type { Statements } from "./statements.ts";
import type { Decided, Transaction } from "./transaction.ts";

/** A record during a batch. */
export interface Slot {
  /** As it is in the table; `undefined` if it is not there. */
  stored: Item | undefined;
  /** As the decisions so far change it. */
  next: Item | undefined;
  /** Whether another transaction has locked it. */
  isLocked: boolean;
}

/** Finds the slot of the record that a ref or change names. */
export type SlotOf = (name: { readonly kind: AnyKind; readonly key: string }) => Slot;

/** The records of one kind that a batch refers to, by key. */
interface BatchTable {
  readonly kind: AnyKind;
  readonly statements: Statements;
  readonly slots: Map<string, Slot>;
}

/** The records that a batch refers to, by the names of their kinds. */
export type BatchTables = ReadonlyMap<string, BatchTable>;

/** Collects the records that a batch refers to, to be read. */
export function createBatchTables(
  batch: readonly Transaction[],
  statementsOf: (kind: AnyKind) => Statements,
): BatchTables {
  const tables = new Map<string, BatchTable>();
  for (const { refs } of batch) {
    for (const { kind, key } of refs) {
      let table = tables.get(kind.name);
      if (table === undefined) {
        tables.set(kind.name, table = { kind, statements: statementsOf(kind), slots: new Map() });
      }
      if (isKey(key)) table.slots.set(key, { stored: undefined, next: undefined, isLocked: false });
    }
  }
  // All processes lock and write in one order, so that none deadlocks.
  return new Map([...tables].sort(([a], [b]) => a < b ? -1 : 1));
}

/** Creates the function that finds the slot of a record in the tables of a batch. */
export function createSlotOf(tables: BatchTables): SlotOf {
  const none: Slot = { stored: undefined, next: undefined, isLocked: false };
  return ({ kind, key }) => tables.get(kind.name)?.slots.get(key) ?? none;
}

/** Reads and locks the records; `holdsCreation` keeps others from creating one of their kinds. */
export async function lockRecords(
  send: Send,
  tables: BatchTables,
  { holdsCreation }: { readonly holdsCreation: boolean },
): Promise<void> {
  const all = [...tables.values()];
  const holds = holdsCreation ? all.map(({ statements }) => send(statements.holdCreation)) : [];
  const locks = all.map(async ({ kind, statements, slots }) => {
    for (const row of await send(statements.lock, toArray(slots.keys()))) {
      const slot = slots.get(String(row["its key"]))!;
      if (row[kind.key] === null) slot.isLocked = true;
      else slot.stored = slot.next = statements.toRecord(row);
    }
  });
  await Promise.all([...holds, ...locks]);
}

/** Writes the decided changes, and ends the transaction. */
export async function writeRecords(send: Send, tables: BatchTables): Promise<void> {
  const writes: Promise<void>[] = [];
  for (const { statements, slots } of tables.values()) {
    const replaced: Item[] = [];
    const created: Item[] = [];
    const removed: string[] = [];
    for (const [key, { stored, next }] of slots) {
      if (next === stored) continue;
      if (next === undefined) removed.push(key);
      else if (stored === undefined) created.push(next);
      else replaced.push(next);
    }
    const count = replaced.length + created.length + removed.length;
    if (count > 0) {
      writes.push(write(send, statements.write({ replaced, created, removed }), count));
    }
  }
  await Promise.all(writes);
  if (writes.length > 0) await send(COMMIT);
  // The end of a transaction that wrote nothing is not awaited, and the server waits for no disk.
  else send(ROLLBACK).catch(() => {});
}

async function write(send: Send, bound: Bound, count: number): Promise<void> {
  const [row] = await send(...bound);
  if (row.count !== count) throw new PassedOver();
}

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
