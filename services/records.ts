import type { Item, Kind, Refs, Storage } from "../adapters/storage.ts";

/** Stores a new record; returns `false`, and changes nothing, if its key is taken. */
export function insertRecord<T>(storage: Storage, kind: Kind<T>, record: T): Promise<boolean> {
  const item = record as Item;
  const refs: Refs = { record: { kind, key: String(item[kind.key]) } };
  return storage.transact(
    refs,
    ({ record: current }) =>
      current === undefined ? { answer: true, put: { record: item } } : { answer: false },
  );
}

/**
 * Replaces a record by what `replace` makes of it; returns it as it is then, or `undefined` if there is
 * none, or `replace` refuses it.
 */
export function replaceRecord<T>(
  storage: Storage,
  { kind, key }: { readonly kind: Kind<T>; readonly key: string },
  replace: (current: T) => T | undefined,
): Promise<T | undefined> {
  const refs: Refs = { record: { kind, key } };
  return storage.transact(refs, ({ record: current }) => {
    const record = current === undefined ? undefined : replace(current as T);
    return { answer: record, put: { record: record as Item | undefined } };
  });
}

/** Removes up to 100 records in one step. */
export async function removeRecords<T>(
  storage: Pick<Storage, "transact">,
  kind: Kind<T>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const refs: Refs = Object.fromEntries(keys.map((key) => [key, { kind, key }]));
  await storage.transact(refs, () => ({ answer: undefined, remove: keys }));
}
