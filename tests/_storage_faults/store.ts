import { type Change, checkRefs, type Outcome, runDecide } from "../../adapters/records.ts";
import type { Decide, Item, Kind, Ref, Refs, Storage } from "../../adapters/storage.ts";
import { StorageError } from "../../adapters/storage.ts";

/** What is decided on, and what was read for it, by the refs. */
export type Found = ReadonlyMap<Ref, Item | undefined>;

/** Opens an instance of a store in memory that several share. */
export function openInstance(store: Storage): Storage {
  const pending = new Set<Promise<unknown>>();
  let closed = false;

  function run<T>(call: () => Promise<T>): Promise<T> {
    if (closed) return Promise.reject(new StorageError("closed", "Cannot use closed storage"));
    const made = call();
    const settle = () => pending.delete(made);
    pending.add(made);
    made.then(settle, settle);
    return made;
  }

  return {
    get: (kind, key) => run(() => store.get(kind, key)),
    list: (kind, query) => run(() => store.list(kind, query)),
    transact: (refs, decide) => run(() => store.transact(refs, decide)),
    ping: () => run(() => store.ping()),
    async close() {
      closed = true;
      await Promise.allSettled(pending);
    },
  };
}

/** Changes each record that is read, wherever it comes from but for transactions. */
export function mapRecords(store: Storage, change: <T>(record: T) => T): Storage {
  return {
    ...store,
    get: async (kind, key) => {
      const record = await store.get(kind, key);
      return record && change(record);
    },
    list: async (kind, query) => (await store.list(kind, query)).map(change),
  };
}

/** Reads the records of a transaction one after the other, lets others come between, and decides. */
export async function decideLate<R extends Refs, A>(
  store: Storage,
  refs: R,
  decide: Decide<R, A>,
): Promise<Outcome<A> & { readonly found: Found }> {
  checkRefs(refs);
  const found = new Map<Ref, Item | undefined>();
  for (const ref of Object.values(refs)) {
    found.set(ref, await store.get(ref.kind as Kind<Item>, ref.key));
  }
  await turn();
  return { ...runDecide(refs, decide, (ref) => found.get(ref)), found };
}

/** Stores changes, if all records of `expected` still are what they were; resolves to whether it did. */
export function write(
  store: Storage,
  changes: readonly Change[],
  expected: Found = new Map(),
): Promise<boolean> {
  const all = [...changes, ...expected.keys()];
  const refs: Record<string, Ref> = {};
  for (const { kind, key } of all) refs[`${kind.name} ${key}`] = { kind, key };
  return store.transact(refs, (now) => {
    const isAsExpected = [...expected].every(([ref, item]) => {
      return now[`${ref.kind.name} ${ref.key}`] === item;
    });
    if (!isAsExpected) return { answer: false };
    const put: Record<string, Item> = {};
    const remove: string[] = [];
    for (const { kind, key, next } of changes) {
      if (next === undefined) remove.push(`${kind.name} ${key}`);
      else put[`${kind.name} ${key}`] = next;
    }
    return { answer: true, put, remove };
  });
}

/** Lets calls go on that were made before. */
export async function turn(): Promise<void> {
  for (let i = 0; i < 10; i++) await undefined;
}
