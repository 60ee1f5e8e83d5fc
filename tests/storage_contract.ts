/**
 * The contract of storage, as tests: what the `Storage` interface promises, checked against
 * an implementation by the means of that interface. Runs under `deno test`, `node --test`
 * and `bun test`.
 *
 * @example In a test file (not run here, as it registers tests)
 * ```ts ignore
 * import { testStorage } from "@boardcast/boardcast/testing";
 * import { openMemoryStorage } from "@boardcast/boardcast";
 *
 * testStorage("memory", () => ({ storage: openMemoryStorage() }), {
 *   skip: { reopen: "ends with the process", another: "is not shared" },
 * });
 * ```
 *
 * @module
 */
import type { Storage } from "../adapters/storage.ts";
import { describe, it } from "@std/testing/bdd";
import type { ContractContext, ContractTest, ContractTests } from "./_contract/context.ts";
import { testInstances } from "./_contract/instances.ts";
import { testLifecycle } from "./_contract/lifecycle.ts";
import { testListings } from "./_contract/listings.ts";
import { testRaces } from "./_contract/races.ts";
import { testRecords } from "./_contract/records.ts";
import { testSequences } from "./_contract/sequences.ts";
import { testTransactions } from "./_contract/transactions.ts";
import { createWatch } from "./_contract/watched.ts";

export { CONTRACT_KINDS } from "./_contract/kinds.ts";

/** An empty store of its own, made for one test. */
export interface StorageUnderTest {
  /** An open instance over the store, which can keep the {@linkcode CONTRACT_KINDS}. */
  readonly storage: Storage;
  /** Opens the store again after `storage` was closed: what a restart does. */
  readonly reopen?: (() => Storage | Promise<Storage>) | undefined;
  /** Opens a second instance while `storage` stays open: what another process does. */
  readonly another?: (() => Storage | Promise<Storage>) | undefined;
  /** Removes the store; all instances were closed before. */
  readonly dispose?: (() => void | Promise<void>) | undefined;
}

/** Options of {@linkcode testStorage}. */
export interface StorageTestOptions {
  /** Why parts of the contract do not apply, in words that the report shows. */
  readonly skip?: {
    /** Why the store can't be opened again after it was closed. */
    readonly reopen?: string | undefined;
    /** Why a second instance can't be open at the same time. */
    readonly another?: string | undefined;
  } | undefined;
  /** How long one call may take, and opening or removing a store, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Registers the contract as a group of tests. `open` is called for each test and gives an empty
 * store. Once it has failed, the tests that are left are skipped.
 */
export function testStorage(
  name: string,
  open: () => StorageUnderTest | Promise<StorageUnderTest>,
  { skip = {}, timeoutMs = 10_000 }: StorageTestOptions = {},
): void {
  let canOpen = true;

  async function runTest(run: (context: ContractContext) => Promise<void>): Promise<void> {
    const watch = createWatch(timeoutMs);
    canOpen = false;
    const store = await watch.limit("open", open);
    canOpen = true;
    const opened = [watch.storage(store.storage)];

    async function openAgain(method: "reopen" | "another"): Promise<Storage> {
      const again = store[method];
      if (again === undefined) {
        throw new TypeError(`Cannot test "${name}": give ${method}(), or a reason to skip`);
      }
      const storage = watch.storage(await watch.limit(method, again));
      opened.push(storage);
      return storage;
    }

    let failure: Error | undefined;

    /** Goes on after an error, so that all is closed; the first error is the one to be seen. */
    async function attempt(step: () => Promise<void>): Promise<void> {
      try {
        await step();
      } catch (error) {
        failure ??= watch.explain(error);
      }
    }

    await attempt(() =>
      run({
        storage: opened[0],
        async reopen() {
          await opened[opened.length - 1].close();
          return openAgain("reopen");
        },
        another: () => openAgain("another"),
      })
    );
    for (const storage of opened) await attempt(() => storage.close());
    await attempt(() => watch.limit("dispose", () => store.dispose?.()));
    if (failure !== undefined) throw failure;
  }

  function register(reason: string | undefined): ContractTest {
    return (title, run) => {
      if (reason !== undefined) {
        it.skip(`${title} (skipped: ${name} ${reason})`, () => {});
        return;
      }
      it(title, (test: { skip(reason: string): void }) => {
        if (!canOpen) return test.skip("The store could not be opened");
        return runTest(run);
      });
    };
  }
  const tests: ContractTests = {
    test: register(undefined),
    testReopened: register(skip.reopen),
    testShared: register(skip.another),
  };

  describe(`storage contract: ${name}`, () => {
    describe("records", () => testRecords(tests));
    describe("transactions", () => testTransactions(tests));
    describe("listings", () => testListings(tests));
    describe("races", () => testRaces(tests));
    describe("instances", () => testInstances(tests));
    describe("lifecycle", () => testLifecycle(tests));
    describe("sequences", () => testSequences(tests));
  });
}
