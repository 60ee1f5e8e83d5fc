import { openKvStorage } from "../../adapters/deno_kv.ts";
import type { Storage } from "../../adapters/storage.ts";
import { withFolder } from "./folder.ts";

/** Calls a function with storage in a database in memory, which is then closed. */
export async function withKvStorage<T>(
  use: (storage: Storage, database: Deno.Kv) => Promise<T>,
): Promise<T> {
  const database = await Deno.openKv(":memory:");
  const storage = openKvStorage(database);
  try {
    return await use(storage, database);
  } finally {
    await storage.close();
  }
}

/**
 * Opens storage in a file, or elsewhere. What calls do is tested, not how long a busy machine
 * takes.
 */
export async function openKvFile(path: string): Promise<Storage> {
  return openKvStorage(await Deno.openKv(path), { timeoutMs: 20_000 });
}

/** Calls a function with the path of a file for a database, in a folder of its own. */
export function withKvFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  return withFolder((folder) => use(`${folder}/boardcast.db`));
}
