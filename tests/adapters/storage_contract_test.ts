import { assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../adapters/memory.ts";
import type { Item, Kind, Ref, Storage } from "../../adapters/storage.ts";
import { StorageError } from "../../adapters/storage.ts";
import { type ConditionalStore, transact } from "../../docs/examples/compare_and_set.ts";
import { type ContractTest, runTest } from "../_contract/context.ts";
import { testFurtherReads } from "../_contract/further_reads.ts";
import { testRaces } from "../_contract/races.ts";
import { testTransactions } from "../_contract/transactions.ts";

function nameOf({ kind, key }: Ref): string {
  return `${kind.name} ${key}`;
}

/** Returns a store with conditional writes on top of storage in memory. */
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

describe("compare and set", () => {
  const test: ContractTest = (name, run) => {
    it(name, async () => {
      const memory = openMemoryStorage();
      const store = withVersions(memory);
      const storage: Storage = {
        ...memory,
        transact: (refs, decide) => transact(store, refs, decide),
      };
      await runTest({ storage }, run, 10_000);
    });
  };
  const skip = () => {};
  for (const group of [testTransactions, testFurtherReads, testRaces]) {
    group({ test, testReopened: skip, testShared: skip });
  }
});

it("compare and set ends with an error when others are always faster", async () => {
  const store = { ...withVersions(openMemoryStorage()), write: () => Promise.resolve(false) };
  const made = () => transact(store, {}, () => ({ answer: 1 }), { timeoutMs: 20 });
  await assertRejects(made, StorageError, "Others kept changing");
});
