import { type Change, isKey } from "../records.ts";
import type { AnyKind, Item, Ref } from "../storage.ts";
import { createBatches } from "./batches.ts";
import type { Call } from "./calls.ts";
import { type Client, inTransaction, type Send } from "./client.ts";
import { isLost, isTransient, tooSlow, toStorageError } from "./errors.ts";
import { type Bound, COMMIT, ROLLBACK, type Statements, toArray } from "./statements.ts";

/** A transaction that waits for its batch. */
export interface Transaction {
  readonly refs: readonly Ref[];
  readonly call: Call;
  /** Decides on what `read` finds; may be called several times. Throws nothing. */
  decide(read: (ref: Ref) => Item | undefined): Outcome;
  /** Tells the caller that the transaction failed. */
  reject(error: unknown): void;
}

/** What a decision came to. */
export interface Outcome {
  /** What is to be stored. */
  readonly changes: readonly Change[];
  /** Tells the caller, once it is stored. */
  tell(): void;
}

/** How transactions are carried out. */
export interface TransactionOptions {
  /** How long one batch may take. */
  readonly timeoutMs: number;
  /** Returns the statements for the table of a kind. */
  readonly statementsOf: (kind: AnyKind) => Statements;
}

/** A record during a batch. */
interface Slot {
  /** As it is in the table; `undefined` if there is none. */
  stored: Item | undefined;
  /** As the decisions so far leave it. */
  next: Item | undefined;
  /** Whether another transaction has locked it. */
  isTaken: boolean;
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
 * Creates a queue of transactions, which are carried out in batches, one after the other. Returns what
 * adds a transaction.
 *
 * A batch waits for no record that another transaction has locked: what refers to one is tried again
 * later. What the server refuses is carried out by itself, so that it never fails its neighbours.
 */
export function createTransactions(
  client: Client,
  { timeoutMs, statementsOf }: TransactionOptions,
): (transaction: Transaction) => void {
  const add = createBatches(runBatch, MAX_BATCH);

  async function runBatch(batch: readonly Transaction[]): Promise<void> {
    if (batch.length === 1) return await runAlone(batch[0]);
    try {
      for (const transaction of await carryOut(batch)) await runAlone(transaction);
    } catch (error) {
      if (isLost(error)) return rejectAll(batch, error);
      // Smaller parts find what was refused, and wait a few times only for what is locked.
      const size = Math.ceil(batch.length / PARTS);
      for (let at = 0; at < batch.length; at += size) await runBatch(batch.slice(at, at + size));
    }
  }

  async function runAlone(transaction: Transaction): Promise<void> {
    let isExclusive = false;
    for (let tries = 1;; tries++) {
      try {
        const left = await carryOut([transaction], isExclusive);
        if (left.length === 0) return;
        isExclusive = true;
      } catch (error) {
        if (!isTransient(error) || tries === MAX_TRIES) return rejectAll([transaction], error);
      }
    }
  }

  /**
   * Carries out a batch: all of it or nothing. Returns what has to be carried out by itself, while
   * others create no records (`isExclusive`).
   */
  async function carryOut(
    batch: readonly Transaction[],
    isExclusive = false,
  ): Promise<readonly Transaction[]> {
    const wanted = batch.filter(isWanted);
    if (wanted.length === 0) return [];
    const outcomes: Outcome[] = [];
    const later: Transaction[] = [];
    const left: Transaction[] = [];
    await client.use((send) =>
      inTransaction(send, async () => {
        const tables = createTables(wanted, statementsOf);
        await read(send, tables, isExclusive);
        const slotOf = createSlotOf(tables);
        for (const transaction of wanted) {
          if (transaction.refs.some((ref) => slotOf(ref).isTaken)) {
            later.push(transaction);
            continue;
          }
          const outcome = transaction.decide((ref) => slotOf(ref).next);
          if (!isExclusive && isUnsure(transaction, outcome, slotOf)) left.push(transaction);
          else {
            for (const change of outcome.changes) slotOf(change).next = change.next;
            outcomes.push(outcome);
          }
        }
        await write(send, tables);
      }), timeoutMs);
    for (const { tell } of outcomes) tell();
    for (const transaction of later) setTimeout(() => add(transaction), RETRY_MS);
    return left;
  }

  return add;
}

function rejectAll(batch: readonly Transaction[], error: unknown): void {
  for (const { reject } of batch) reject(toStorageError(error));
}

function isWanted({ call, reject }: Transaction): boolean {
  if (call.isOver()) reject(tooSlow());
  return !call.isOver();
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
      if (isKey(key)) table.slots.set(key, { stored: undefined, next: undefined, isTaken: false });
    }
  }
  // All processes lock and write in one order, so that none waits in a circle.
  return new Map([...tables].sort(([a], [b]) => a < b ? -1 : 1));
}

function createSlotOf(tables: ReadonlyMap<string, BatchTable>): SlotOf {
  const none: Slot = { stored: undefined, next: undefined, isTaken: false };
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
      slots.get(String(key))!.isTaken = true;
    }
  });
  await Promise.all([...guards, ...locks]);
}

/**
 * Tells whether a transaction depends on a record's absence that may end before it is stored: what is
 * not there can't be locked. Where it is the only record, it was absent at one moment, which is enough;
 * where it is created, that fails if another process was first.
 */
function isUnsure({ refs }: Transaction, { changes }: Outcome, slotOf: SlotOf): boolean {
  const changed = new Map(changes.map((change) => [slotOf(change), change.next]));
  return refs.some((ref) => {
    const slot = slotOf(ref);
    if (slot.stored !== undefined || !isKey(ref.key)) return false;
    const isLeftAbsent = (changed.has(slot) ? changed.get(slot) : slot.next) === undefined;
    return isLeftAbsent && (refs.length > 1 || slot.next !== undefined);
  });
}

/** Writes what the decisions left, and ends the transaction. */
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
  // Nobody waits for the end of a transaction that wrote nothing, and the server not for its disk.
  if (writes.length === 0) send(ROLLBACK).catch(() => {});
  else await Promise.all([...writes, [COMMIT] satisfies Bound].map((bound) => send(...bound)));
}
