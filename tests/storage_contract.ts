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
import { afterEach, beforeEach, describe, it } from "@std/testing/bdd";
import { testApiKeys } from "./_contract/api_keys.ts";
import { testBoards } from "./_contract/boards.ts";
import { testCallOrder } from "./_contract/call_order.ts";
import { testIdentities } from "./_contract/identities.ts";
import { testInstances } from "./_contract/instances.ts";
import { testKeyLookUps } from "./_contract/key_look_ups.ts";
import { testKeyRaces } from "./_contract/key_races.ts";
import { testLifecycle } from "./_contract/lifecycle.ts";
import { testListings } from "./_contract/listings.ts";
import { testRaces } from "./_contract/races.ts";
import { testRecords } from "./_contract/records.ts";
import { testReference } from "./_contract/reference.ts";
import { testSubscriptions } from "./_contract/subscriptions.ts";

/** An empty store of its own, made for one test. */
export interface StorageUnderTest {
  /** An open instance over the store. */
  readonly storage: Storage;
  /** Opens the store again after `storage` was closed: what a restart does. */
  readonly reopen?: (() => Promise<Storage>) | undefined;
  /** Opens a second instance while `storage` stays open: what another process does. */
  readonly another?: (() => Promise<Storage>) | undefined;
  /** Removes the store; all instances were closed before. */
  readonly dispose?: (() => Promise<void>) | undefined;
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
}

/** What the groups of tests are given. */
export interface ContractContext {
  /** The instance of the running test. */
  readonly storage: Storage;
  /** Closes the instance and opens the store again. */
  reopen(): Promise<Storage>;
  /** Opens a second instance; it is closed after the test. */
  another(): Promise<Storage>;
}

/** Registers a test, or one that is reported as skipped with the reason. */
export type ContractTest = (
  name: string,
  run: (context: ContractContext) => Promise<void>,
) => void;

/** The ways to register a test, by what it needs. */
export interface ContractTests {
  /** Needs one instance. */
  readonly test: ContractTest;
  /** Needs a store that outlives its instance. */
  readonly testReopened: ContractTest;
  /** Needs a store that instances share. */
  readonly testShared: ContractTest;
}

/**
 * Registers the contract as a group of tests. `open` is called before each test and gives an
 * empty store.
 */
export function testStorage(
  name: string,
  open: () => StorageUnderTest | Promise<StorageUnderTest>,
  options: StorageTestOptions = {},
): void {
  describe(`storage contract: ${name}`, () => {
    let store: StorageUnderTest;
    let opened: Storage[];

    beforeEach(async () => {
      store = await open();
      opened = [store.storage];
    });
    afterEach(async () => {
      for (const storage of opened) await storage.close();
      await store.dispose?.();
    });

    async function keep(storage: Promise<Storage> | undefined, method: string): Promise<Storage> {
      if (storage === undefined) {
        throw new TypeError(`Cannot test "${name}": give ${method}(), or a reason to skip`);
      }
      opened.push(await storage);
      return storage;
    }
    const context: ContractContext = {
      get storage() {
        return store.storage;
      },
      async reopen() {
        await opened[opened.length - 1].close();
        return keep(store.reopen?.(), "reopen");
      },
      another: () => keep(store.another?.(), "another"),
    };

    function register(reason: string | undefined): ContractTest {
      return (title, run) => {
        if (reason === undefined) it(title, () => run(context));
        else it.skip(`${title} (skipped: ${name} ${reason})`, () => {});
      };
    }
    const tests: ContractTests = {
      test: register(undefined),
      testReopened: register(options.skip?.reopen),
      testShared: register(options.skip?.another),
    };
    describe("boards", () => testBoards(tests));
    describe("subscriptions", () => testSubscriptions(tests));
    describe("API keys", () => testApiKeys(tests));
    describe("key look-ups", () => testKeyLookUps(tests));
    describe("identities", () => testIdentities(tests));
    describe("listings", () => testListings(tests));
    describe("instances", () => testInstances(tests));
    describe("records", () => testRecords(tests));
    describe("order of calls", () => testCallOrder(tests));
    describe("races", () => testRaces(tests));
    describe("races for keys", () => testKeyRaces(tests));
    describe("lifecycle", () => testLifecycle(tests));
    describe("reference", () => testReference(tests));
  });
}
