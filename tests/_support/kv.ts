import { openKvStorage } from "../../adapters/deno_kv.ts";
import type { Storage } from "../../adapters/storage.ts";
import { cleaningUp, withFolder } from "./folder.ts";

/** Calls a function with storage in a database in memory, which is then closed. */
export async function withKvStorage<T>(
  use: (storage: Storage, database: Deno.Kv) => Promise<T>,
): Promise<T> {
  const database = await Deno.openKv(":memory:");
  const storage = openKvStorage(database);
  return await cleaningUp(() => use(storage, database), storage.close);
}

/**
 * Opens storage on a path or URL. The long deadline keeps a busy machine from failing tests that
 * don't measure time.
 */
export async function openKvFile(path: string): Promise<Storage> {
  return openKvStorage(await Deno.openKv(path), { timeoutMs: 20_000 });
}

/** Calls a function with the path of a file for a database, in a folder of its own. */
export function withKvFile<T>(use: (path: string) => Promise<T>): Promise<T> {
  return withFolder((folder) => use(`${folder}/boardcast.db`));
}
