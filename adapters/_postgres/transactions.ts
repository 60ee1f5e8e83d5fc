import type { Change } from "../decisions.ts";
import type { AnyKind } from "../storage.ts";
import {
  createBatchTables,
  createRecords,
  createSlotOf,
  holdAbsent,
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

export interface TransactionOptions {
  /** The time limit for one batch. */
  readonly timeoutMs: number;
  readonly statementsOf: (kind: AnyKind) => Statements;
}

type Batch = readonly Transaction[];

interface AttemptOptions {
  /** Whether nobody else can create the batch's records meanwhile, from before they are read. */
  readonly holdsCreation?: boolean;
}

const MAX_BATCH = 250;
const PARTS = 16;
const MAX_TRIES = 5;
const RETRY_MS = 10;

/**
 * Creates a queue of transactions whose first refs are of one kind, and returns a function that
 * adds one. They run in batches, one batch at a time.
 *
 * In a batch, transactions with one ref are first tried without locks. The rest run together in one
 * transaction of the server. It skips records that others have locked, and transactions on those
 * records are queued again. If it fails, the batch runs again in parts, so that no transaction
 * makes another fail.
 */
export function createTransactions(
  client: Pick<Client, "use">,
  { timeoutMs, statementsOf }: TransactionOptions,
): (transaction: Transaction) => void {
  const add = createBatches(runBatch, MAX_BATCH);

  async function runBatch(batch: Batch): Promise<void> {
    const isSimple = ({ refs, wasLocked }: Transaction) => refs.length <= 1 && !wasLocked;
    // Told apart before any of them asks for more.
    const others = batch.filter((transaction) => !isSimple(transaction));
    await runTogether([...await tryOptimistically(batch.filter(isSimple)), ...others]);
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
   * Runs transactions with at most one ref each: reads the records without locks, and writes those
   * that nobody else has changed or locked since. Returns the transactions that lost this race, and
   * those that need more records.
   */
  async function runOptimistically(send: Send, batch: Batch): Promise<Batch> {
    const tables = createBatchTables(batch, statementsOf);
    await readRecords(send, tables);
    const slotOf = createSlotOf(tables);
    const decided = batch.flatMap((transaction) => {
      const decision = transaction.decide((ref) => slotOf(ref).next);
      if (decision === undefined) return [];
      apply(decision, slotOf);
      return [{ transaction, decision, created: createdBy(decision) }];
    });

    const creating = decided.filter(({ created }) => created.length > 0);
    const creatingKeys = new Set(creating.map(({ transaction: { refs: [ref] } }) => ref?.key));

    /** Writes the records, and returns the decisions that the server carried out. */
    async function write(): Promise<typeof decided> {
      const [written = "none"] = await writeRecords(send, tables, { isPatient: false });
      return decided.filter(({ transaction: { refs: [ref] } }) => {
        if (ref === undefined) return true;
        const { stored, next } = slotOf(ref);
        // An unchanged record is not locked, and may change before the new records are inserted.
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

    // A single statement is a transaction by itself.
    const making = creating.length > 0 ? inTransaction(send, writeAndCreate) : write();
    const made = await making;
    for (const { decision } of made) decision.acknowledge();
    const done = new Set(made.map(({ transaction }) => transaction));
    return batch.filter((transaction) => !done.has(transaction));
  }

  async function runTogether(batch: Batch): Promise<void> {
    if (batch.length === 0) return;
    if (batch.length === 1) return await runAlone(batch[0]);
    try {
      await runTogether(await attempt(batch));
    } catch (error) {
      if (isLost(error)) return rejectAll(batch, error);
      // The batch is split, so that locked records cost only a few lock time-outs.
      const size = Math.ceil(batch.length / PARTS);
      for (let at = 0; at < batch.length; at += size) {
        await runTogether(batch.slice(at, at + size));
      }
    }
  }

  async function runAlone(transaction: Transaction): Promise<void> {
    for (let tries = 1;;) {
      try {
        // From the second try on, no other process can create a record first.
        const left = await attempt([transaction], { holdsCreation: tries > 1 });
        if (left.length === 0) return;
      } catch (error) {
        if (!isTransient(error) || tries === MAX_TRIES) return rejectAll([transaction], error);
        tries++;
      }
    }
  }

  /** Runs a batch, all of it or nothing. Returns the transactions that need more records. */
  async function attempt(
    batch: Batch,
    { holdsCreation = false }: AttemptOptions = {},
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
          if (decision === undefined) left.push(transaction);
          else {
            apply(decision, slotOf);
            created.push(...createdBy(decision));
            decided.push(decision);
          }
        }
        const needsHold = decided.length > 0 && !holdsCreation;
        const [isAbsent, written, isCreated] = await Promise.all([
          needsHold ? holdAbsent(send, tables) : true,
          writeRecords(send, tables, { isPatient: true }),
          createRecords(send, created, statementsOf),
        ]);
        const isWhole = isAbsent && isCreated && written.every((keys) => typeof keys === "string");
        if (!isWhole) throw new PassedOver();
        if (created.length > 0 || written.includes("all")) await send(COMMIT);
        // This rollback ends a transaction that wrote nothing, so nobody waits for it, nor the
        // server for its disk.
        else send(ROLLBACK).catch(() => {});
      }), timeoutMs);
    for (const { acknowledge } of decided) acknowledge();
    for (const transaction of locked) {
      transaction.wasLocked = true;
      setTimeout(() => add(transaction), RETRY_MS);
    }
    return left;
  }

  return add;
}

/** Makes the changes visible to later decisions of the batch. */
function apply({ changes }: Decided, slotOf: SlotOf): void {
  for (const change of changes) if (!change.isNew) slotOf(change).next = change.next;
}

function createdBy({ changes }: Decided): readonly Change[] {
  return changes.filter(({ isNew }) => isNew);
}

function rejectAll(batch: Batch, error: unknown): void {
  for (const { reject } of batch) reject(toStorageError(error));
}
