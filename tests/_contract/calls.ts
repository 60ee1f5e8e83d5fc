import { assertEquals, assertRejects } from "@std/assert";
import type { AnyKind, Item, Kind } from "../../model/kind.ts";
import type {
  ListQuery,
  Refs,
  Storage,
  StorageError,
  StorageErrorCode,
} from "../../adapters/storage.ts";

/** Stores a record, whatever there was. */
export function put<T>(storage: Storage, kind: Kind<T>, record: T): Promise<void> {
  return putAny(storage, kind as AnyKind, record as Item);
}

/** Stores a record that need not be one of its kind, under the key that it has. */
export function putAny(storage: Storage, kind: AnyKind, record: Item): Promise<void> {
  const refs = { record: { kind, key: String(record[kind.key]) } };
  return storage.transact(refs, () => ({ answer: undefined, put: { record } }));
}

/** Stores many records, up to 100 in one transaction. */
export async function putAll<T>(
  storage: Storage,
  kind: Kind<T>,
  records: readonly T[],
): Promise<void> {
  for (let at = 0; at < records.length; at += 100) {
    const some = Object.fromEntries(records.slice(at, at + 100).map((record, i) => [i, record]));
    const refs: Refs = Object.fromEntries(
      Object.entries(some).map(([i, record]) => [i, { kind, key: String(record[kind.key]) }]),
    );
    await storage.transact(refs, () => ({ answer: undefined, put: some as Record<string, Item> }));
  }
}

/** Removes a record; resolves to whether there was one. */
export function remove<T>(storage: Storage, kind: Kind<T>, key: string): Promise<boolean> {
  const refs = { record: { kind: kind as AnyKind, key } };
  return storage.transact(refs, ({ record }) => {
    return { answer: record !== undefined, remove: ["record"] };
  });
}

/** Lists the keys of records. */
export async function listKeys<T>(
  storage: Storage,
  kind: Kind<T>,
  query: Partial<ListQuery> = {},
): Promise<string[]> {
  const records = await storage.list(kind, { limit: 1_000, ...query });
  return records.map((record) => String(record[kind.key]));
}

/**
 * Checks that a call rejects with a `StorageError` of a code. It is told by its name, as the
 * handler tells it: an adapter may have the class from another copy of the package.
 */
export async function assertStorageError(
  call: () => Promise<unknown>,
  code: StorageErrorCode,
): Promise<void> {
  const error = await assertRejects(call, Error);
  assertEquals([error.name, (error as StorageError).code], ["StorageError", code]);
}

/** Lets timers and messages through, which an adapter may wait for. */
export function macrotask(delayMs = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** A linear congruential generator (Numerical Recipes), so that each sequence can be repeated. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
