import { positionIn } from "../../adapters/records.ts";
import type { AnyKind, Item, Kind, Storage } from "../../adapters/storage.ts";
import { StorageError } from "../../adapters/storage.ts";
import { decideLate, mapRecords, openInstance, turn, write } from "./store.ts";

/** Storage that breaks a promise. */
export interface Fault {
  /** The name of a test that must fail, among others. */
  readonly caughtBy: string;
  /** Opens an instance; instances of one store share what is in memory. */
  open(store: Storage): Storage;
}

/** Faults, by what such a storage does. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  "loses changes made at the same time": {
    caughtBy: "no change of contractCounters is lost through one instance",
    open: (store) =>
      openInstance({
        ...store,
        async transact(refs, decide) {
          const { answer, changes } = await decideLate(store, refs, decide);
          await write(store, changes);
          return answer;
        },
      }),
  },
  "compares only what it writes": {
    caughtBy: "what a decision read has not changed when it is stored through one instance",
    open: (store) =>
      openInstance({
        ...store,
        async transact(refs, decide) {
          while (true) {
            const { answer, changes, found } = await decideLate(store, refs, decide);
            const written = new Map([...found].filter(([ref]) => {
              return changes.some(({ kind, key }) => kind === ref.kind && key === ref.key);
            }));
            if (await write(store, changes, written)) return answer;
          }
        },
      }),
  },
  "answers what it decided at the first try": {
    caughtBy: "no change of contractTokens is lost through one instance",
    open: (store) =>
      openInstance({
        ...store,
        async transact(refs, decide) {
          const { answer, changes, found } = await decideLate(store, refs, decide);
          if (!await write(store, changes, found)) await store.transact(refs, decide);
          return answer;
        },
      }),
  },
  "stores the records of a transaction one by one": {
    caughtBy: "nothing changes when decide stores a record under the key of another",
    open: (store) =>
      openInstance({
        ...store,
        async transact(refs, decide) {
          const { answer, put } = await store.transact(
            refs,
            (found) => ({ answer: decide(found) }),
          );
          for (const name in put) {
            const record = put[name];
            await store.transact({ record: refs[name] }, () => ({ answer, put: { record } }));
          }
          return answer;
        },
      }),
  },
  "fails a batch with one of its transactions": {
    caughtBy: "a transaction that fails leaves its neighbours alone",
    open(store) {
      let batch: Promise<unknown>[] = [];
      return openInstance({
        ...store,
        async transact(refs, decide) {
          const neighbours = batch;
          const made = store.transact(refs, decide);
          batch.push(made);
          await turn();
          batch = [];
          await Promise.all(neighbours);
          return made;
        },
      });
    },
  },
  "wraps what decide throws": {
    caughtBy: "nothing changes when decide throws, and what it threw is thrown",
    open: (store) =>
      openInstance({
        ...store,
        transact: (refs, decide) =>
          store.transact(refs, decide).catch((cause) => {
            throw cause instanceof TypeError
              ? cause
              : new StorageError("unavailable", "Failed", { cause });
          }),
      }),
  },
  "ignores what refs do not name": {
    caughtBy: "nothing changes when decide stores a record that refs do not name",
    open: (store) =>
      openInstance({
        ...store,
        transact: (refs, decide) =>
          store.transact(refs, (found) => {
            const { put, ...rest } = decide(found);
            const named = Object.entries(put ?? {}).filter(([name]) => Object.hasOwn(refs, name));
            return { ...rest, put: Object.fromEntries(named) as typeof put };
          }),
      }),
  },
  "keeps the object that it was given": {
    caughtBy: "what becomes of an object that was stored changes nothing",
    open(store) {
      const given = new WeakMap<object, Item>();
      const objectOf = <T>(record: T) => given.get(record as object) as T ?? record;
      return openInstance({
        ...mapRecords(store, objectOf),
        transact: (refs, decide) => {
          const objects: (readonly [AnyKind, string, Item])[] = [];
          return store.transact(refs, (found) => {
            const decision = decide(found);
            for (const name in decision.put) {
              objects.push([refs[name].kind, refs[name].key, decision.put[name] as Item]);
            }
            return decision;
          }).then(async (answer) => {
            for (const [kind, key, object] of objects) {
              const record = await store.get(kind as Kind<Item>, key);
              if (record !== undefined) given.set(record, object);
            }
            return answer;
          });
        },
      });
    },
  },
  "hands out records that can be changed": {
    caughtBy: "a record is frozen plain data wherever it comes from",
    open: (store) => openInstance(mapRecords(store, structuredClone)),
  },
  "normalises texts": {
    caughtBy: "a record comes back with every text in every place",
    open: (store) =>
      openInstance(mapRecords(store, (record) => {
        return JSON.parse(JSON.stringify(record).normalize());
      })),
  },
  "sorts as people do": {
    caughtBy: "records are listed by the bytes of their keys, either way",
    open: (store) =>
      openInstance({
        ...store,
        async list<T>(kind: Kind<T>, query: Parameters<Storage["list"]>[1]) {
          const keyOf = (record: T) => String(record[kind.key]);
          return (await store.list(kind, query))
            .toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
        },
      }),
  },
  "lists the record at the position again": {
    caughtBy: "a listing starts after a position, be there a record or not",
    open: (store) =>
      openInstance({
        ...store,
        async list(kind, query) {
          const { after, limit } = query;
          const at = after && await store.get(kind, after.key);
          const rest = await store.list(kind, query);
          return at === undefined ? rest : [at, ...rest].slice(0, limit);
        },
      }),
  },
  "leaves a record in the index that it was put in first": {
    caughtBy: "an index has a record while it matches",
    open(store) {
      const first = new Map<string, Item>();
      return openInstance({
        ...store,
        async list<T>(kind: Kind<T>, query: Parameters<Storage["list"]>[1]) {
          const { index } = query;
          if (index === undefined) return store.list(kind, query);
          await store.list(kind, query);
          const all = await store.list(kind, { limit: 1_000 });
          return all.filter((record) => {
            const item = { ...record } as Item;
            const name = `${kind.name} ${item[kind.key]}`;
            if (!first.has(name)) first.set(name, item);
            return positionIn(kind as AnyKind, index, first.get(name)!) !== undefined;
          });
        },
      });
    },
  },
  "sees changes through other instances late": {
    caughtBy: "a change is seen through another instance",
    open: (store) => openInstance(withCache(store, () => 30)),
  },
  "keeps what it read for too long": {
    caughtBy: "a late read is not later than its kind allows",
    open: (store) => openInstance(withCache(store, ({ staleMs = 0 }) => 3 * staleMs)),
  },
  "sees its own changes late": {
    caughtBy: "no read is late after a change through the same instance",
    open: (store) => {
      const { get } = withCache(store, ({ staleMs = 0 }) => staleMs);
      return openInstance({ ...store, get });
    },
  },
  "closes before its calls are done": {
    caughtBy: "close resolves once the calls under way have succeeded",
    open(store) {
      const instance = openInstance({
        ...store,
        transact: (refs, decide) => delay(5).then(() => store.transact(refs, decide)),
      });
      return { ...instance, close: () => (instance.close(), Promise.resolve()) };
    },
  },
  "never answers a ping": {
    caughtBy: "ping resolves while the storage is open",
    open: (store) => openInstance({ ...store, ping: () => new Promise(() => {}) }),
  },
  "leaves a timer": {
    caughtBy: "close leaves no connection and no timer",
    open(store) {
      timers.push(setInterval(() => {}, 1_000));
      return openInstance(store);
    },
  },
};

function delay(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

const timers: ReturnType<typeof setInterval>[] = [];

/** Ends what a fault left. */
export function clearTimers(): void {
  for (const timer of timers.splice(0)) clearInterval(timer);
}

/** Has `get` answer what it found before, until the instance changes something. */
function withCache(store: Storage, durationMs: (kind: AnyKind) => number): Storage {
  let found = new Map<string, { readonly until: number; readonly record: unknown }>();
  return {
    ...store,
    async get<T>(kind: Kind<T>, key: string) {
      const name = `${kind.name} ${key}`;
      const kept = found.get(name);
      if (kept !== undefined && performance.now() < kept.until) return kept.record as T;
      const record = await store.get(kind, key);
      const until = performance.now() + durationMs(kind as AnyKind);
      found.set(name, { until, record });
      return record;
    },
    transact: (refs, decide) => store.transact(refs, decide).finally(() => found = new Map()),
  };
}
