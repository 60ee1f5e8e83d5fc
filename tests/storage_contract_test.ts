import { assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../adapters/memory.ts";
import type { Item, Kind, Ref, Storage } from "../adapters/storage.ts";
import { StorageError } from "../adapters/storage.ts";
import { type ConditionalStore, transact } from "../docs/examples/compare_and_set.ts";
import { type ContractContext, type ContractTests, runTest } from "./_contract/context.ts";
import { testInstances } from "./_contract/instances.ts";
import { testLifecycle } from "./_contract/lifecycle.ts";
import { testListings } from "./_contract/listings.ts";
import { testRaces } from "./_contract/races.ts";
import { testRecords } from "./_contract/records.ts";
import { testTransactions } from "./_contract/transactions.ts";
import { testStorage } from "./storage_contract.ts";

/** Opens an instance of a store in memory that several share. */
function openInstance(store: Storage): Storage {
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  function run<T>(call: () => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(new StorageError("closed", "Cannot use closed storage"));
    const made = call().finally(() => pending.delete(made));
    pending.add(made);
    return made;
  }

  return {
    get: (kind, key) => run(() => store.get(kind, key)),
    list: (kind, query) => run(() => store.list(kind, query)),
    transact: (refs, decide) => run(() => store.transact(refs, decide)),
    ping: () => run(() => store.ping()),
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
    },
  };
}

function nameOf({ kind, key }: Ref): string {
  return `${kind.name} ${key}`;
}

type IsCompared = (ref: Ref, changed: readonly string[]) => boolean;

/** Returns a store with conditional writes, over storage in memory, that compares some versions. */
function withVersions(storage: Storage, isCompared: IsCompared = () => true): ConditionalStore {
  const versions = new Map<string, number>();
  return {
    async read(ref) {
      await Promise.resolve();
      const version = versions.get(nameOf(ref)) ?? 0;
      return { version, record: await storage.get(ref.kind as Kind<Item>, ref.key) };
    },
    async write(changes, expected) {
      await Promise.resolve();
      const changed = changes.map(nameOf);
      for (const [ref, version] of expected) {
        const isSame = (versions.get(nameOf(ref)) ?? 0) === version;
        if (!isSame && isCompared(ref, changed)) return false;
      }
      for (const name of changed) versions.set(name, (versions.get(name) ?? 0) + 1);
      const refs = Object.fromEntries(changes.map((change) => [nameOf(change), change]));
      const put = Object.fromEntries(changes.map((change) => [nameOf(change), change.next]));
      const remove = changed.filter((name) => put[name] === undefined);
      return await storage.transact(refs, () => ({ answer: true, put, remove }));
    },
  };
}

function compareAndSet(storage: Storage, isCompared?: IsCompared): Pick<Storage, "transact"> {
  const store = withVersions(storage, isCompared);
  return { transact: (refs, decide) => transact(store, refs, decide) };
}

testStorage("compare and set", () => {
  const memory = openMemoryStorage();
  const store = { ...memory, ...compareAndSet(memory) };
  const open = () => openInstance(store);
  return { storage: open(), reopen: open, another: open };
});

it("compare and set ends with an error when others are always faster", async () => {
  const store = { ...withVersions(openMemoryStorage()), write: () => Promise.resolve(false) };
  const made = () => transact(store, {}, () => ({ answer: 1 }), { timeoutMs: 20 });
  await assertRejects(made, StorageError, "Others kept changing");
});

const UNEQUAL = "Values are not equal";
let timer: ReturnType<typeof setInterval> | undefined;

/** What a storage does wrong, the test that fails for it, and what that says. */
const FAULTS: Readonly<
  Record<string, readonly [string, string, (store: Storage) => Partial<Storage>]>
> = {
  "loses changes made at the same time": [
    "no change is lost through one instance",
    UNEQUAL,
    (store) => compareAndSet(store, () => false),
  ],
  "compares only what it writes": [
    "what a decision read has not changed when it is stored through one instance",
    UNEQUAL,
    (store) => compareAndSet(store, (ref, changed) => changed.includes(nameOf(ref))),
  ],
  "stores what it may before it refuses the rest": [
    "nothing changes when decide returns what it may not",
    UNEQUAL,
    (store) => ({
      async transact(refs, decide) {
        const { answer, put } = await store.transact(refs, (found) => ({ answer: decide(found) }));
        for (const name in put) {
          const record = put[name];
          await store.transact({ record: refs[name] }, () => ({ answer, put: { record } }));
        }
        return answer;
      },
    }),
  ],
  "hands out records that can be changed": [
    "a record is frozen plain data wherever it comes from",
    "A record is frozen",
    (store) => ({ get: async (kind, key) => structuredClone(await store.get(kind, key)) }),
  ],
  "sorts as people do": [
    "records are listed by the bytes of their keys, either way",
    UNEQUAL,
    (store) => ({
      async list(kind, query) {
        const compare = new Intl.Collator("en").compare;
        const records = await store.list(kind, query);
        return records.toSorted((a, b) => compare(String(a[kind.key]), String(b[kind.key])));
      },
    }),
  ],
  "keeps what it read for too long": [
    "a late read is not later than its kind allows",
    UNEQUAL,
    (store) => {
      const found = new Map<string, unknown>();
      return {
        async get<T>(kind: Kind<T>, key: string) {
          if (!found.has(key)) found.set(key, await store.get(kind, key));
          return found.get(key) as T;
        },
      };
    },
  ],
  "never answers a ping": [
    "ping resolves while the storage is open",
    "Call 1: ping() did not settle within 200 ms",
    () => ({ ping: () => new Promise(() => {}) }),
  ],
  "leaves a timer": [
    "close leaves no connection and no timer",
    UNEQUAL,
    () => {
      timer = setInterval(() => {}, 1_000);
      return {};
    },
  ],
};

describe("the storage contract", () => {
  const tests = new Map<string, (context: ContractContext) => Promise<void>>();
  const collect = tests.set.bind(tests) as ContractTests["test"];
  const groups = [testRecords, testTransactions, testListings, testRaces, testInstances];
  for (const group of [...groups, testLifecycle]) {
    group({ test: collect, testReopened: collect, testShared: collect });
  }
  for (const [fault, [test, message, open]] of Object.entries(FAULTS)) {
    it(`fails storage that ${fault}`, async () => {
      const store = openMemoryStorage();
      const another = () => openInstance({ ...store, ...open(store) });
      const dispose = () => clearInterval(timer);
      const opened = { storage: another(), reopen: another, another, dispose };
      await assertRejects(() => runTest(opened, tests.get(test)!, 200), Error, message);
    });
  }
});
