import { assignAll, createTables } from "./_shared/tables.ts";
import { type Storage, StorageError } from "./storage.ts";

/**
 * Opens storage in memory, which ends with the process: the reference implementation, for
 * tests, demonstrations and short-lived hosts.
 *
 * @example Usage
 * ```ts
 * import { BOARDS, openMemoryStorage } from "@boardcast/boardcast";
 * import { assertEquals } from "@std/assert";
 *
 * const storage = openMemoryStorage();
 * assertEquals(await storage.get(BOARDS, "ideas"), undefined);
 * await storage.close();
 * ```
 */
export function openMemoryStorage(): Storage {
  const tables = createTables();
  let closed = false;

  function run<T>(operation: () => T | Promise<T>): Promise<T> {
    if (closed) {
      return Promise.reject(new StorageError("closed", "Cannot use storage that was closed"));
    }
    try {
      return Promise.resolve(operation());
    } catch (error) {
      return Promise.reject(error);
    }
  }

  return {
    isExclusive: true,
    get: (kind, key) => run(() => tables.get(kind, key)),
    list: (kind, query) => run(() => tables.list(kind, query)),
    count: (kind, index) => run(() => tables.count(kind, index)),
    transact: (refs, decide) =>
      run(() => {
        const { answer, changes } = tables.decide(refs, decide);
        assignAll(tables, changes);
        return answer;
      }),
    ping: () => run(() => {}),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}
