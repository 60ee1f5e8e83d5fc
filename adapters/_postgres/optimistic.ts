import { isKey } from "../records.ts";
import type { AnyKind, Item } from "../storage.ts";
import type { Send } from "./client.ts";
import { toArray } from "./sql.ts";
import type { Statements, Version, VersionedPut } from "./statements.ts";
import type { Decided, Transaction } from "./transaction.ts";

/** A record, and the transactions of a batch that refer to it. */
interface Entry {
  readonly transactions: Transaction[];
  /** As it is in the table, and in which version; `undefined` if it is not there. */
  stored: Item | undefined;
  version: Version | undefined;
  /** As the decisions change it. */
  next: Item | undefined;
  decided: readonly Decided[];
}

const ALL = Symbol("all");

/**
 * Runs transactions that refer to one record of a kind each: reads the records without locking them,
 * and stores those that nobody else has changed or locked since. Either is one statement, which is a
 * transaction of its own. Returns the transactions for which somebody else was faster, and those that
 * remove a record.
 */
export async function runOptimistically(
  send: Send,
  { statements, kind }: { readonly statements: Statements; readonly kind: AnyKind },
  batch: readonly Transaction[],
): Promise<readonly Transaction[]> {
  const entries = groupByKey(batch);
  for (
    const row of await send(statements.findVersions, toArray([...entries.keys()].filter(isKey)))
  ) {
    const record = statements.toRecord(row);
    const entry = entries.get(String(record[kind.key]))!;
    entry.stored = entry.next = record;
    entry.version = { ctid: String(row.ctid), xmin: String(row.xmin) };
  }
  const puts: VersionedPut[] = [];
  for (const entry of entries.values()) {
    entry.decided = entry.transactions.map((transaction) => {
      const decision = transaction.decide(() => entry.next);
      for (const { next } of decision.changes) entry.next = next;
      return decision;
    });
    const { stored, next, version } = entry;
    if (next !== undefined && next !== stored) puts.push({ record: next, version });
  }
  const written = puts.length > 0 ? await write(send, statements, puts) : ALL;
  const left: Transaction[] = [];
  for (const [key, { stored, next, decided, transactions }] of entries) {
    const isDone = next === stored || (next !== undefined && (written === ALL || written.has(key)));
    if (!isDone) left.push(...transactions);
    else for (const { acknowledge } of decided) acknowledge();
  }
  return left;
}

/** Returns the keys of the records that were stored. */
async function write(
  send: Send,
  statements: Statements,
  puts: readonly VersionedPut[],
): Promise<ReadonlySet<string> | typeof ALL> {
  const [{ count, keys }] = await send(...statements.writeVersions(puts));
  return count === puts.length ? ALL : new Set(keys as string[] | null ?? []);
}

function groupByKey(batch: readonly Transaction[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const transaction of batch) {
    const [{ key }] = transaction.refs;
    const entry = entries.get(key);
    if (entry !== undefined) entry.transactions.push(transaction);
    else {
      const none = { stored: undefined, version: undefined, next: undefined, decided: [] };
      entries.set(key, { transactions: [transaction], ...none });
    }
  }
  return entries;
}
