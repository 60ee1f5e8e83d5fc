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
import { describe, it } from "@std/testing/bdd";
import {
  type ContractTest,
  type ContractTests,
  runTest,
  type StorageUnderTest,
  within,
} from "./_contract/context.ts";
import { testCreations } from "./_contract/creations.ts";
import { testFurtherReads } from "./_contract/further_reads.ts";
import { testInstances } from "./_contract/instances.ts";
import { testLifecycle } from "./_contract/lifecycle.ts";
import { testListings } from "./_contract/listings.ts";
import { testRaces } from "./_contract/races.ts";
import { testRecords } from "./_contract/records.ts";
import { testTransactions } from "./_contract/transactions.ts";

export { CONTRACT_KINDS } from "./_contract/kinds.ts";
export type { StorageUnderTest };

/** Options of {@linkcode testStorage}. */
export interface StorageTestOptions {
  /** The reasons why parts of the contract do not apply, which the report shows. */
  readonly skip?: {
    /** The reason why the store can't be opened again after it was closed. */
    readonly reopen?: string | undefined;
    /** The reason why a second instance can't be open at the same time. */
    readonly another?: string | undefined;
  } | undefined;
  /**
   * The limit for one call, and for opening or removing a store, in milliseconds. Default: 10,000.
   */
  readonly timeoutMs?: number | undefined;
}

/** The groups of tests, by name. */
const GROUPS: Readonly<Record<string, (tests: ContractTests) => void>> = {
  records: testRecords,
  transactions: testTransactions,
  "further reads": testFurtherReads,
  creations: testCreations,
  listings: testListings,
  races: testRaces,
  instances: testInstances,
  lifecycle: testLifecycle,
};

/**
 * Registers the contract as a group of tests. Each test calls `open`, which returns an empty store.
 * Once `open` has failed, the remaining tests are skipped.
 */
export function testStorage(
  name: string,
  open: () => StorageUnderTest | Promise<StorageUnderTest>,
  { skip = {}, timeoutMs = 10_000 }: StorageTestOptions = {},
): void {
  let canOpen = true;

  function register(reason: string | undefined): ContractTest {
    return (title, run) => {
      if (reason !== undefined) {
        it.skip(`${title} (skipped: ${name} ${reason})`, () => {});
        return;
      }
      it(title, async (test: { skip(reason: string): void }) => {
        if (!canOpen) return test.skip("The store could not be opened");
        canOpen = false;
        const store = await within(timeoutMs, "open", open());
        canOpen = true;
        await runTest(store, run, timeoutMs);
      });
    };
  }
  const tests = {
    test: register(undefined),
    testReopened: register(skip.reopen),
    testShared: register(skip.another),
  };
  describe(`storage contract: ${name}`, () => {
    for (const group in GROUPS) describe(group, () => GROUPS[group](tests));
  });
}
