import type { Change } from "../records.ts";
import type { AnyKind } from "../storage.ts";
import {
  createBatchTables,
  createRecords,
  createSlotOf,
  leavesAbsent,
  lockRecords,
  readRecords,
  type SlotOf,
  writeRecords,
} from "./batch_tables.ts";
import { createBatches } from "./batches.ts";
import { type Client, inTransaction, type Send } from "./client.ts";
import { isLost, isTransient, PassedOver, toStorageError } from "./errors.ts";
import { COMMIT, ROLLBACK } from "./sql.ts";
import type { Statements } from "./statements.ts";
import { type Decided, stillWanted, type Transaction } from "./transaction.ts";

/** Options of {@linkcode createTransactions}. */
export interface TransactionOptions {
  /** Time limit of one batch, in milliseconds. */
  readonly timeoutMs: number;
  readonly statementsOf: (kind: AnyKind) => Statements;
}

type Batch = readonly Transaction[];

const MAX_BATCH = 250;
const PARTS = 16;
const MAX_TRIES = 5;
const RETRY_MS = 10;

/**
 * Creates a queue of transactions whose first refs are of one kind. Runs them in batches, one after
 * the other. Returns a function that adds a transaction.
 *
 * A batch first tries its transactions with at most one ref each without locks. The rest runs in
 * one transaction of the server. That does not wait for records that others have locked:
 * transactions that refer to one are queued again. If the server refuses the batch, it runs again
 * in parts, so that no transaction fails another.
 */
export function createTransactions(
  client: Pick<Client, "use">,
  { timeoutMs, statementsOf }: TransactionOptions,
): (transaction: Transaction) => void {
  const add = createBatches(runBatch, MAX_BATCH);

  async function runBatch(batch: Batch): Promise<void> {
    const isSimple = ({ refs, wasLocked }: Transaction) => refs.length <= 1 && !wasLocked;
    const left = await tryOptimistically(batch.filter(isSimple));
    await runTogether([...left, ...batch.filter((transaction) => !isSimple(transaction))]);
  }

  /** Returns the transactions that were not carried out. */
  async function tryOptimistically(batch: Batch): Promise<Batch> {
    const wanted = stillWanted(batch);
    if (wanted.length === 0) return [];
    try {
      return await client.use((send) => runOptimistically(send, wanted), timeoutMs);
    } catch (error) {
      if (!isLost(error)) return wanted;
      rejectAll(wanted, error);
      return [];
    }
  }

  /**
   * Runs transactions that refer to at most one record each. Reads the records without locks, and
   * writes those that nobody else has changed or locked since. Returns the transactions that lost
   * this race.
   */
  async function runOptimistically(send: Send, batch: Batch): Promise<Batch> {
    const tables = createBatchTables(batch, statementsOf);
    await readRecords(send, tables);
    const slotOf = createSlotOf(tables);
    const decided = batch.map((transaction) => {
      const decision = transaction.decide((ref) => slotOf(ref).next);
      apply(decision, slotOf);
      return { transaction, decision, created: createdBy(decision) };
    });

    const creating = decided.filter(({ created }) => created.length > 0);
    const creatingKeys = new Set(creating.map(({ transaction: { refs: [ref] } }) => ref?.key));

    /** Writes the records; returns the decisions that took effect. */
    async function write(): Promise<typeof decided> {
      const [written = "none"] = await writeRecords(send, tables, { isPatient: false });
      return decided.filter(({ transaction: { refs: [ref] } }) => {
        if (ref === undefined) return true;
        const { stored, next } = slotOf(ref);
        // An unchanged record is not locked, and may change before the new records are created.
        if (stored === next) return !creatingKeys.has(ref.key);
        return typeof written === "string" || written.has(ref.key);
      });
    }

    async function writeAndCreate(): Promise<typeof decided> {
      const made = await write();
      const created = made.flatMap(({ created }) => created);
      if (!await createRecords(send, created, statementsOf)) throw new PassedOver();
      await send(COMMIT);
      return made;
    }

    // A single statement is a transaction of its own.
    const making = creating.length > 0 ? inTransaction(send, writeAndCreate) : write();
    const made = new Set(await making);
    for (const { decision } of made) decision.acknowledge();
    return decided.filter((one) => !made.has(one)).map(({ transaction }) => transaction);
  }

  async function runTogether(batch: Batch): Promise<void> {
    if (batch.length === 0) return;
    if (batch.length === 1) return await runAlone(batch[0]);
    try {
      for (const transaction of await attempt(batch)) await runAlone(transaction);
    } catch (error) {
      if (isLost(error)) return rejectAll(batch, error);
      // Splits into parts, not into single transactions, so that locked records cost only a few
      // lock timeouts.
      const size = Math.ceil(batch.length / PARTS);
      for (let at = 0; at < batch.length; at += size) await runTogether(batch.slice(at, at + size));
    }
  }

  async function runAlone(transaction: Transaction): Promise<void> {
    for (let tries = 1;; tries++) {
      try {
        // From the second attempt on, no other process can create a record first.
        const left = await attempt([transaction], { holdsCreation: tries > 1 });
        if (left.length === 0) return;
      } catch (error) {
        if (!isTransient(error) || tries === MAX_TRIES) return rejectAll([transaction], error);
      }
    }
  }

  /**
   * Runs a whole batch or nothing of it. Returns the transactions that must run alone, while nobody
   * else creates records (`holdsCreation`).
   */
  async function attempt(
    batch: Batch,
    { holdsCreation } = { holdsCreation: false },
  ): Promise<Batch> {
    const wanted = stillWanted(batch);
    if (wanted.length === 0) return [];
    const decided: Decided[] = [];
    const created: Change[] = [];
    const locked: Transaction[] = [];
    const left: Transaction[] = [];
    await client.use((send) =>
      inTransaction(send, async () => {
        const tables = createBatchTables(wanted, statementsOf);
        await lockRecords(send, tables, { holdsCreation });
        const slotOf = createSlotOf(tables);
        for (const transaction of wanted) {
          if (transaction.refs.some((ref) => slotOf(ref).isLocked)) {
            locked.push(transaction);
            continue;
          }
          const decision = transaction.decide((ref) => slotOf(ref).next);
          if (!holdsCreation && leavesAbsent(transaction, decision, slotOf)) left.push(transaction);
          else {
            apply(decision, slotOf);
            created.push(...createdBy(decision));
            decided.push(decision);
          }
        }
        const [written, isCreated] = await Promise.all([
          writeRecords(send, tables, { isPatient: true }),
          createRecords(send, created, statementsOf),
        ]);
        if (!isCreated || written.some((keys) => typeof keys !== "string")) throw new PassedOver();
        if (created.length > 0 || written.includes("all")) await send(COMMIT);
        // The rollback of a transaction without changes is not awaited, and needs no disk access.
        else send(ROLLBACK).catch(() => {});
      }), timeoutMs);
    for (const { acknowledge } of decided) acknowledge();
    for (const transaction of locked) {
      setTimeout(() => add({ ...transaction, wasLocked: true }), RETRY_MS);
    }
    return left;
  }

  return add;
}

/** Shows the changes of a decision to later decisions of the batch. */
function apply({ changes }: Decided, slotOf: SlotOf): void {
  for (const change of changes) if (!change.isNew) slotOf(change).next = change.next;
}

function createdBy({ changes }: Decided): readonly Change[] {
  return changes.filter(({ isNew }) => isNew);
}

function rejectAll(batch: Batch, error: unknown): void {
  for (const { reject } of batch) reject(toStorageError(error));
}
