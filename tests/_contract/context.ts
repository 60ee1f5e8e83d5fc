import type { Storage } from "../../adapters/storage.ts";
import { createWatch } from "./watched.ts";

/** An empty store of its own, made for one test. */
export interface StorageUnderTest {
  /** An open instance over the store, which can keep the `CONTRACT_KINDS`. */
  readonly storage: Storage;
  /** Opens the store again after `storage` was closed: what a restart does. */
  readonly reopen?: (() => Storage | Promise<Storage>) | undefined;
  /** Opens a second instance while `storage` stays open: what another process does. */
  readonly another?: (() => Storage | Promise<Storage>) | undefined;
  /** Removes the store; all instances were closed before. */
  readonly dispose?: (() => void | Promise<void>) | undefined;
}

/** What a test is given. */
export interface ContractContext {
  /** The instance of the running test. */
  readonly storage: Storage;
  /** Closes the instance that was opened last and opens the store again. */
  reopen(): Promise<Storage>;
  /** Opens one more instance; it is closed after the test. */
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

/** Runs one test on a store that was just opened, and then closes all instances and the store. */
export async function runTest(
  { storage, reopen, another, dispose }: StorageUnderTest,
  run: (context: ContractContext) => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const watch = createWatch(timeoutMs);
  const opened = [watch.storage(storage)];

  async function open(name: string, again: StorageUnderTest["reopen"]): Promise<Storage> {
    if (again === undefined) {
      throw new TypeError(`Cannot test this: give ${name}(), or a reason to skip`);
    }
    const next = watch.storage(await watch.limit(name, again));
    opened.push(next);
    return next;
  }

  let failure: Error | undefined;

  /** Goes on after an error, so that all is closed; the first error is the one to be seen. */
  async function attempt(step: () => Promise<void>): Promise<void> {
    await step().catch((error) => failure ??= watch.explain(error));
  }

  await attempt(() =>
    run({
      storage: opened[0],
      async reopen() {
        await opened[opened.length - 1].close();
        return open("reopen", reopen);
      },
      another: () => open("another", another),
    })
  );
  for (const instance of opened) await attempt(() => instance.close());
  await attempt(() => watch.limit("dispose", () => dispose?.()));
  if (failure !== undefined) throw failure;
}
