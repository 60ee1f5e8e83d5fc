import type { Storage } from "../../adapters/storage.ts";

/** An empty store for one test. */
export interface StorageUnderTest {
  /** An open instance over the store, which can keep the `CONTRACT_KINDS`. */
  readonly storage: Storage;
  /** Opens the store again after `storage` was closed, as a restart does. */
  readonly reopen?: (() => Storage | Promise<Storage>) | undefined;
  /** Opens a second instance while `storage` stays open, as another process does. */
  readonly another?: (() => Storage | Promise<Storage>) | undefined;
  /** Removes the store, after all instances were closed. */
  readonly dispose?: (() => void | Promise<void>) | undefined;
}

/** The storage of a running test, and functions that open it again. */
export interface ContractContext {
  /** The instance of the running test. */
  readonly storage: Storage;
  /** Closes the instance that was opened last and opens the store again. */
  reopen(): Promise<Storage>;
  /** Opens one more instance; it is closed after the test. */
  another(): Promise<Storage>;
}

/** Registers a test, or reports it as skipped with the reason. */
export type ContractTest = (
  name: string,
  run: (context: ContractContext) => Promise<void>,
) => void;

/** The functions that register a test, by its needs. */
export interface ContractTests {
  /** Needs one instance. */
  readonly test: ContractTest;
  /** Needs a store that outlives its instance. */
  readonly testReopened: ContractTest;
  /** Needs a store that instances share. */
  readonly testShared: ContractTest;
}

/** Resolves or rejects as a promise does, but rejects after `timeoutMs`. */
export async function within<T>(
  timeoutMs: number,
  name: string,
  promise: T | Promise<T>,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const message = `${name} neither resolved nor rejected within ${timeoutMs} ms`;
    timer = setTimeout(() => reject(new Error(message)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs one test on a store that was just opened, and then closes all instances and the store. */
export async function runTest(
  { storage, reopen, another, dispose }: StorageUnderTest,
  run: (context: ContractContext) => Promise<void>,
  timeoutMs: number,
): Promise<void> {
  const limit = <T>(name: string, promise: T | Promise<T>) => within(timeoutMs, name, promise);

  function limitCalls(storage: Storage): Storage {
    const count: Storage["count"] = (kind, index) =>
      limit(`count of ${kind.name}`, storage.count!(kind, index));
    return {
      ...storage.count === undefined ? {} : { count },
      get: (kind, key) => limit(`get of ${kind.name}`, storage.get(kind, key)),
      list: (kind, query) => limit(`list of ${kind.name}`, storage.list(kind, query)),
      transact: (refs, decide) => limit("transact", storage.transact(refs, decide)),
      ping: () => limit("ping", storage.ping()),
      close: () => limit("close", storage.close()),
    };
  }
  const opened = [limitCalls(storage)];

  async function open(name: string, again: StorageUnderTest["reopen"]): Promise<Storage> {
    if (again === undefined) {
      throw new TypeError(`Cannot test this: give ${name}(), or a reason to skip`);
    }
    const next = limitCalls(await limit(name, again()));
    opened.push(next);
    return next;
  }

  try {
    await run({
      storage: opened[0],
      async reopen() {
        await opened[opened.length - 1].close();
        return open("reopen", reopen);
      },
      another: () => open("another", another),
    });
  } finally {
    // All instances are closed, even if closing one fails; the failure of the test is what counts.
    await Promise.allSettled(opened.map((instance) => instance.close()));
    await limit("dispose", dispose?.());
  }
}
