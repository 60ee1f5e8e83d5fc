import { assert, assertRejects } from "@std/assert";
import { it } from "@std/testing/bdd";
import { openMemoryStorage } from "../adapters/memory.ts";
import { type Item, type Kind, type Ref, StorageError } from "../adapters/storage.ts";
import { type ConditionalStore, transact } from "../docs/examples/compare_and_set.ts";
import { openInstance, write } from "./_storage_faults/store.ts";
import { testStorage } from "./storage_contract.ts";

/** Adds versions to storage in memory. Its answers take their time, so that others come between. */
function createStore(storage = openMemoryStorage()): ConditionalStore {
  const versions = new Map<string, number>();
  const nameOf = ({ kind, key }: Ref) => `${kind.name} ${key}`;
  const versionOf = (ref: Ref) => versions.get(nameOf(ref)) ?? 0;
  return {
    async read(ref) {
      await Promise.resolve();
      const version = versionOf(ref);
      return { version, record: await storage.get(ref.kind as Kind<Item>, ref.key) };
    },
    async write(changes, expected) {
      await Promise.resolve();
      for (const [ref, version] of expected) if (versionOf(ref) !== version) return false;
      for (const change of changes) versions.set(nameOf(change), versionOf(change) + 1);
      return await write(storage, changes);
    },
  };
}

testStorage("compare and set", () => {
  const storage = openMemoryStorage();
  const store = createStore(storage);
  const open = () =>
    openInstance({ ...storage, transact: (refs, decide) => transact(store, refs, decide) });
  return { storage: open(), reopen: open, another: open };
});

it("compare and set gives up when others are always faster", async () => {
  let tries = 0;
  const store = { ...createStore(), write: () => Promise.resolve(false) };
  const made = () => transact(store, {}, () => ({ answer: tries++ }), { timeoutMs: 20 });
  await assertRejects(made, StorageError, "Others kept changing");
  assert(tries > 1);
});
