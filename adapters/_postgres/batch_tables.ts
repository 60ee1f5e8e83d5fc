import { isKey } from "../records.ts";
import type { Change } from "../decisions.ts";
import type { AnyKind, Item } from "../storage.ts";
import type { Send } from "./client.ts";
import { type Row, toArray } from "./sql.ts";
import { type RowVersion, type Statements, toLocks, type VersionedItem } from "./statements.ts";
import type { Transaction } from "./transaction.ts";

/** The state of a record during a batch. */
export interface Slot {
  /** The record in the table; `undefined` if there is none. */
  stored: Item | undefined;
  version: RowVersion | undefined;
  /** The record after the decisions so far. */
  next: Item | undefined;
  /** Whether another transaction holds its lock. */
  isLocked: boolean;
}

/** Finds the slot of the record that a ref names. */
export type SlotOf = (name: { readonly kind: AnyKind; readonly key: string }) => Slot;

/** The slots for one kind, by key. */
interface BatchTable {
  readonly kind: AnyKind;
  readonly statements: Statements;
  readonly slots: Map<string, Slot>;
}

/** The tables of a batch, by the names of their kinds. */
export type BatchTables = ReadonlyMap<string, BatchTable>;

/**
 * The changes that were made: the keys of the changed records, or all or none of the requested
 * changes.
 */
export type Written = ReadonlySet<string> | "all" | "none";

/** Creates an empty slot for each record that a batch refers to. */
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
      if (isKey(key) && !table.slots.has(key)) table.slots.set(key, createSlot());
    }
  }
  // All processes lock and write tables in the same order, so that none deadlocks.
  return new Map([...tables].sort(([a], [b]) => a < b ? -1 : 1));
}

function createSlot(): Slot {
  return { stored: undefined, version: undefined, next: undefined, isLocked: false };
}

/** Creates a function that finds slots in the tables of a batch. */
export function createSlotOf(tables: BatchTables): SlotOf {
  const none = createSlot();
  return ({ kind, key }) => tables.get(kind.name)?.slots.get(key) ?? none;
}

/** Fills the slots with the records in the tables. */
export async function readRecords(send: Send, tables: BatchTables): Promise<void> {
  await Promise.all([...tables.values()].map(async (table) => {
    fill(table, await send(table.statements.findVersions, toArray(table.slots.keys())));
  }));
}

/**
 * Locks the records and fills the slots. With `holdsCreation`, nobody else can create those that
 * are absent until the transaction ends.
 */
export async function lockRecords(
  send: Send,
  tables: BatchTables,
  { holdsCreation }: { readonly holdsCreation: boolean },
): Promise<void> {
  const all = [...tables.values()];
  const holds = holdsCreation
    ? all.map(({ statements, slots }) => send(statements.holdKeys, toLocks(slots.keys())))
    : [];
  const locks = all.map(async (table) => {
    fill(table, await send(table.statements.lock, toArray(table.slots.keys())));
  });
  await Promise.all([...holds, ...locks]);
}

function fill({ kind, statements, slots }: BatchTable, rows: readonly Row[]): void {
  for (const row of rows) {
    const slot = slots.get(String(row["its key"] ?? row[kind.key]))!;
    if (row[kind.key] === null) slot.isLocked = true;
    else {
      slot.stored = slot.next = statements.toRecord(row);
      slot.version = { ctid: String(row.ctid), xmin: String(row.xmin) };
    }
  }
}

/**
 * Keeps others from creating the records that the decisions leave absent, until the transaction
 * ends. Resolves to whether these are absent still.
 *
 * A lock on its row protects an existing record; an absent one has no row to lock. Therefore who
 * creates records shares the locks of their keys until the commit, and inserts nothing if somebody
 * else was first. A decision that leaves a record absent may rely on that, so its batch takes the
 * lock of the key, and then looks for the record again.
 */
export async function holdAbsent(send: Send, tables: BatchTables): Promise<boolean> {
  const absent = [...tables.values()].map(({ statements, slots }) => ({
    statements,
    keys: [...slots.keys()].filter((key) => slots.get(key)!.stored === undefined),
    left: [...slots].filter(([, { stored, next }]) => (stored ?? next) === undefined)
      .map(([key]) => key),
  }));
  if (absent.every(({ left }) => left.length === 0)) return true;
  // The locks of created records are taken now, too, since another order could deadlock.
  const holds = absent.filter(({ keys }) => keys.length > 0)
    .map(({ statements, keys }) => send(statements.holdKeys, toLocks(keys)));
  const finds = absent.filter(({ left }) => left.length > 0)
    .map(({ statements, left }) => send(statements.find, toArray(left)));
  const [found] = await Promise.all([Promise.all(finds), ...holds]);
  return found.every((rows) => rows.length === 0);
}

/** Writes the decided changes. Changes a record only if it is locked, or still as it was read. */
export function writeRecords(
  send: Send,
  tables: BatchTables,
  options: { readonly isPatient: boolean },
): Promise<readonly Written[]> {
  return Promise.all([...tables.values()].map(async ({ kind, statements, slots }) => {
    const replaced: VersionedItem[] = [];
    const created: Item[] = [];
    const removed: VersionedItem[] = [];
    const changed = new Set<string>();
    for (const [key, { stored, version, next }] of slots) {
      if (next === stored) continue;
      if (next === undefined) removed.push({ [kind.key]: key, ...version! });
      else if (version === undefined) created.push(next);
      else {
        replaced.push({ ...next, ...version });
        for (const name in next) if (next[name] !== stored![name]) changed.add(name);
      }
    }
    const total = replaced.length + created.length + removed.length;
    if (total === 0) return "none";
    const [row] = await send(...statements.write({ replaced, changed, created, removed }, options));
    return row.count === total ? "all" : new Set(row.keys as string[] | null);
  }));
}

/**
 * Inserts records that decisions created with new random keys, which therefore need no lock.
 * Resolves to whether the server inserted all of them.
 */
export async function createRecords(
  send: Send,
  created: readonly Change[],
  statementsOf: (kind: AnyKind) => Statements,
): Promise<boolean> {
  const byKind = new Map<AnyKind, Item[]>();
  for (const { kind, next } of created) {
    const records = byKind.get(kind);
    if (records === undefined) byKind.set(kind, [next!]);
    else records.push(next!);
  }
  const inserts = [...byKind].map(async ([kind, records]) => {
    const [row] = await send(...statementsOf(kind).create(records));
    return row.count === records.length;
  });
  return (await Promise.all(inserts)).every((isWhole) => isWhole);
}
