import { assertRejects } from "@std/assert";
import { it } from "@std/testing/bdd";
import { openMemoryStorage } from "../adapters/memory.ts";
import type { Item, Kind, Ref, Storage } from "../adapters/storage.ts";
import { StorageError } from "../adapters/storage.ts";
import { type ConditionalStore, transact } from "../docs/examples/compare_and_set.ts";
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

/** Returns a store with conditional writes, over storage in memory. */
function withVersions(storage: Storage): ConditionalStore {
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
        if ((versions.get(nameOf(ref)) ?? 0) !== version) return false;
      }
      for (const name of changed) versions.set(name, (versions.get(name) ?? 0) + 1);
      const refs = Object.fromEntries(changes.map((change) => [nameOf(change), change]));
      const put = Object.fromEntries(changes.map((change) => [nameOf(change), change.next]));
      const remove = changed.filter((name) => put[name] === undefined);
      return await storage.transact(refs, () => ({ answer: true, put, remove }));
    },
  };
}

testStorage("compare and set", () => {
  const memory = openMemoryStorage();
  const versions = withVersions(memory);
  const store: Storage = {
    ...memory,
    transact: (refs, decide) => transact(versions, refs, decide),
  };
  const open = () => openInstance(store);
  return { storage: open(), reopen: open, another: open };
});

it("compare and set ends with an error when others are always faster", async () => {
  const store = { ...withVersions(openMemoryStorage()), write: () => Promise.resolve(false) };
  const made = () => transact(store, {}, () => ({ answer: 1 }), { timeoutMs: 20 });
  await assertRejects(made, StorageError, "Others kept changing");
});
