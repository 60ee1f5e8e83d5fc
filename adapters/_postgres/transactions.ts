import { type Deadline, tooSlow } from "../_deadlines.ts";
import { type Change, isKey } from "../records.ts";
import type { AnyKind, Item, Ref } from "../storage.ts";
import { createBatches } from "./batches.ts";
import { type Client, inTransaction, type Send } from "./client.ts";
import { isLost, isTransient, toStorageError } from "./errors.ts";
import { type Bound, COMMIT, ROLLBACK, type Statements, toArray } from "./statements.ts";

/** A transaction that waits for its batch. */
export interface Transaction {
  readonly refs: readonly Ref[];
  readonly deadline: Deadline;
  /** Decides on what `read` finds; may be called several times. Never throws. */
  decide(read: (ref: Ref) => Item | undefined): Decided;
  /** Tells the caller that the transaction failed. */
  reject(error: unknown): void;
}

/** The result of a decision. */
export interface Decided {
  readonly changes: readonly Change[];
  /** Tells the caller, once the changes are durable. */
  acknowledge(): void;
}

/** Options of {@linkcode createTransactions}. */
export interface TransactionOptions {
  /** How long one batch may take. */
  readonly timeoutMs: number;
  readonly statementsOf: (kind: AnyKind) => Statements;
}

/** A record during a batch. */
interface Slot {
  /** As it is in the table; `undefined` if it is not there. */
  stored: Item | undefined;
  /** As the decisions so far change it. */
  next: Item | undefined;
  /** Whether another transaction has locked it. */
  isLocked: boolean;
}

/** The records of one kind that a batch refers to, by key. */
interface BatchTable {
  readonly kind: AnyKind;
  readonly statements: Statements;
  readonly slots: Map<string, Slot>;
}

type SlotOf = (ref: Ref) => Slot;

const MAX_BATCH = 250;
const PARTS = 16;
const MAX_TRIES = 5;
const RETRY_MS = 10;

/**
 * Creates a queue of transactions, which run in batches, one after the other. Returns a function that
 * adds a transaction.
 *
 * A batch doesn't wait for records that other transactions have locked: what refers to one is queued
 * again. A batch that the server refuses runs again in parts, so that no transaction fails another.
 */
export function createTransactions(
  client: Client,
  { timeoutMs, statementsOf }: TransactionOptions,
): (transaction: Transaction) => void {
  const add = createBatches(runBatch, MAX_BATCH);

  async function runBatch(batch: readonly Transaction[]): Promise<void> {
    if (batch.length === 1) return await runAlone(batch[0]);
    try {
      for (const transaction of await attempt(batch)) await runAlone(transaction);
    } catch (error) {
      if (isLost(error)) return rejectAll(batch, error);
      // In parts, not one by one: what is locked then costs only a few lock timeouts.
      const size = Math.ceil(batch.length / PARTS);
      for (let at = 0; at < batch.length; at += size) await runBatch(batch.slice(at, at + size));
    }
  }

  async function runAlone(transaction: Transaction): Promise<void> {
    let isExclusive = false;
    for (let tries = 1;; tries++) {
      try {
        const unsure = await attempt([transaction], isExclusive);
        if (unsure.length === 0) return;
        isExclusive = true;
      } catch (error) {
        if (!isTransient(error) || tries === MAX_TRIES) return rejectAll([transaction], error);
      }
    }
  }

  /**
   * Runs a batch, all of it or nothing. Returns the transactions that have to run alone, while nobody
   * else creates records (`isExclusive`).
   */
  async function attempt(
    batch: readonly Transaction[],
    isExclusive = false,
  ): Promise<readonly Transaction[]> {
    const wanted = batch.filter(isWanted);
    if (wanted.length === 0) return [];
    const decided: Decided[] = [];
    const locked: Transaction[] = [];
    const unsure: Transaction[] = [];
    await client.use((send) =>
      inTransaction(send, async () => {
        const tables = createTables(wanted, statementsOf);
        await read(send, tables, isExclusive);
        const slotOf = createSlotOf(tables);
        for (const transaction of wanted) {
          if (transaction.refs.some((ref) => slotOf(ref).isLocked)) {
            locked.push(transaction);
            continue;
          }
          const decision = transaction.decide((ref) => slotOf(ref).next);
          if (!isExclusive && isUnsure(transaction, decision, slotOf)) unsure.push(transaction);
          else {
            for (const change of decision.changes) slotOf(change).next = change.next;
            decided.push(decision);
          }
        }
        await write(send, tables);
      }), timeoutMs);
    for (const { acknowledge } of decided) acknowledge();
    for (const transaction of locked) setTimeout(() => add(transaction), RETRY_MS);
    return unsure;
  }

  return add;
}

function rejectAll(batch: readonly Transaction[], error: unknown): void {
  for (const { reject } of batch) reject(toStorageError(error));
}

function isWanted({ deadline, reject }: Transaction): boolean {
  if (deadline.isOver()) reject(tooSlow());
  return !deadline.isOver();
}

function createTables(
  batch: readonly Transaction[],
  statementsOf: (kind: AnyKind) => Statements,
): ReadonlyMap<string, BatchTable> {
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

function createSlotOf(tables: ReadonlyMap<string, BatchTable>): SlotOf {
  const none: Slot = { stored: undefined, next: undefined, isLocked: false };
  return ({ kind, key }) => tables.get(kind.name)?.slots.get(key) ?? none;
}

/** Reads and locks the records. */
async function read(
  send: Send,
  tables: ReadonlyMap<string, BatchTable>,
  isExclusive: boolean,
): Promise<void> {
  const all = [...tables.values()];
  const guards = isExclusive ? all.map(({ statements }) => send(statements.lockCreation)) : [];
  const locks = all.map(async ({ kind, statements, slots }) => {
    for (const row of await send(statements.lock, toArray(slots.keys()))) {
      const record = statements.toRecord(row);
      const slot = slots.get(String(record[kind.key]))!;
      slot.stored = slot.next = record;
    }
    const missing = [...slots.keys()].filter((key) => slots.get(key)!.stored === undefined);
    if (missing.length === 0) return;
    for (const { key } of await send(statements.exist, toArray(missing))) {
      slots.get(String(key))!.isLocked = true;
    }
  });
  await Promise.all([...guards, ...locks]);
}

/**
 * Tells whether a transaction depends on the absence of a record that another process may create before
 * the commit, since what is not there can't be locked. It does not if that is its only record, which was
 * absent at one moment, nor if it creates the record, which fails where another process was first.
 */
function isUnsure({ refs }: Transaction, { changes }: Decided, slotOf: SlotOf): boolean {
  const changed = new Map(changes.map((change) => [slotOf(change), change.next]));
  return refs.some((ref) => {
    const slot = slotOf(ref);
    if (slot.stored !== undefined || !isKey(ref.key)) return false;
    const isLeftAbsent = (changed.has(slot) ? changed.get(slot) : slot.next) === undefined;
    return isLeftAbsent && (refs.length > 1 || slot.next !== undefined);
  });
}

/** Writes the decided changes, and ends the transaction. */
async function write(send: Send, tables: ReadonlyMap<string, BatchTable>): Promise<void> {
  const writes: Bound[] = [];
  for (const { statements, slots } of tables.values()) {
    const replaced: Item[] = [];
    const created: Item[] = [];
    const removed: string[] = [];
    // All processes create in one order, as two that create the same records wait for each other.
    for (const [key, { stored, next }] of [...slots].sort(([a], [b]) => a < b ? -1 : 1)) {
      if (next === stored) continue;
      if (next === undefined) removed.push(key);
      else if (stored === undefined) created.push(next);
      else replaced.push(next);
    }
    if (created.length > 0) writes.push([statements.shareCreation]);
    if (replaced.length + created.length + removed.length > 0) {
      writes.push(statements.write({ replaced, created, removed }));
    }
  }
  // The end of a transaction that wrote nothing is not awaited, and the server waits for no disk.
  if (writes.length === 0) send(ROLLBACK).catch(() => {});
  else await Promise.all([...writes, [COMMIT] satisfies Bound].map((bound) => send(...bound)));
}
