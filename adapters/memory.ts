import { createTables, type Tables } from "./_tables.ts";
import { type Storage, StorageError } from "./storage.ts";

/**
 * Opens storage in memory, which ends with the process: the reference implementation, for
 * tests, demonstrations and short-lived hosts.
 *
 * @example Usage
 * ```ts
 * import { openMemoryStorage } from "@boardcast/boardcast";
 * import { assertEquals } from "@std/assert";
 *
 * const storage = openMemoryStorage();
 * const outcome = await storage.subscriptions.put({
 *   userEmail: "ann@example.com",
 *   userName: "Ann",
 *   subscribe: true,
 *   at: "2026-11-21T10:00:00.000Z",
 * });
 * assertEquals(outcome.changed, true);
 * await storage.close();
 * ```
 */
export function openMemoryStorage(): Storage {
  return openTables(createTables());
}

/** Opens tables as storage that ends with the process. */
export function openTables(tables: Tables): Storage {
  let closed = false;

  // Each call runs to its end at once, so that calls take effect in the order they are made.
  function run<T>(operation: () => T): Promise<T> {
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
    boards: {
      get: (boardId) => run(() => tables.boards.get(boardId)),
      list: (query) => run(() => tables.listBoards(query)),
      create: (board) => run(() => tables.createBoard(board)),
      replace: (current, next) => run(() => tables.replaceBoard(current, next)),
      delete: (current) => run(() => tables.deleteBoard(current)),
    },
    subscriptions: {
      put: (change) => run(() => tables.putSubscription(change)),
      get: (userEmail) => run(() => tables.subscriptions.get(userEmail)),
      list: (query) => run(() => tables.listSubscriptions(query)),
      erase: (userEmail) => run(() => tables.eraseSubscription(userEmail)),
    },
    apiKeys: {
      create: (key) => run(() => tables.createKey(key)),
      get: (keyId) => run(() => tables.apiKeys.get(keyId)),
      findByHash: (hash) => run(() => tables.findKeyByHash(hash)),
      list: (query) => run(() => tables.listKeys(query)),
      rotate: (rotation) => run(() => tables.rotateKey(rotation)),
      revoke: (keyId, at) => run(() => tables.revokeKey(keyId, at)),
      touch: (keyId, minute) => run(() => tables.touchKey(keyId, minute)),
    },
    ping: () => run(() => {}),
    close() {
      closed = true;
      return Promise.resolve();
    },
  };
}
