import { createTables, openTables } from "./_tables.ts";
import type { Storage } from "./storage.ts";

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
