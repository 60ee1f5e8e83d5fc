import type { AnyKind, Item, Kind } from "../../model/kind.ts";
import type { ListQuery, Refs, Storage } from "../../adapters/storage.ts";

/** Stores a record, and replaces an existing one. */
export function put<T>(storage: Storage, kind: Kind<T>, record: T): Promise<void> {
  return putAny(storage, kind as AnyKind, record as Item);
}

/** Stores a record that need not fit its kind, under its own key. */
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
    const put = Object.fromEntries((records.slice(at, at + 100) as Item[]).entries());
    const refs: Record<string, Refs[string]> = {};
    for (const i in put) refs[i] = { kind: kind as AnyKind, key: String(put[i][kind.key]) };
    await storage.transact(refs, () => ({ answer: undefined, put }));
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

/** Gives timers and messages a turn, because an adapter may wait for them. */
export function macrotask(delayMs = 0): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
