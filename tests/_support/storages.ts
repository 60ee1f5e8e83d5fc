import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { Storage } from "../../adapters/storage.ts";
import { KINDS } from "../../model/kinds.ts";
import { cleaningUp, withFolder } from "./folder.ts";
import { openKvFile } from "./kv.ts";
import { withAnyDatabase } from "./postgres.ts";

// This long deadline keeps a busy machine from failing tests that don't measure time.
const PATIENCE_MS = 8_000;

/**
 * Calls a function with a new storage and, if several processes may share the data, with a second
 * instance. Closes and removes them afterwards.
 */
export type WithStorage = (
  use: (storage: Storage, another: Storage) => Promise<void>,
) => Promise<void>;

async function closing(
  storages: readonly [Storage, Storage],
  use: (storage: Storage, another: Storage) => Promise<void>,
): Promise<void> {
  await cleaningUp(() => use(...storages), async () => {
    for (const storage of new Set(storages)) await storage.close();
  });
}

function alone(storage: Storage): readonly [Storage, Storage] {
  return [storage, storage];
}

/** The storages, by name, on which general behaviour is tested. */
export const STORAGES: readonly (readonly [name: string, WithStorage])[] = [
  ["memory", (use) => closing(alone(openMemoryStorage()), use)],
  [
    "a folder",
    (use) => withFolder(async (folder) => closing(alone(await openFileStorage(folder)), use)),
  ],
  [
    "Deno KV",
    (use) =>
      withFolder(async (folder) => {
        const path = `${folder}/kv.db`;
        await closing([await openKvFile(path), await openKvFile(path)], use);
      }),
  ],
  [
    "a database",
    (use) =>
      withAnyDatabase(async (url) => {
        const open = () => openPostgresStorage(url, { timeoutMs: PATIENCE_MS });
        await closing([await open(), await open()], use);
      }),
  ],
];

/** Returns all that a small storage holds, as JSON. */
export async function readAll(storage: Storage): Promise<string> {
  const pages = await Promise.all(KINDS.map((kind) => storage.list(kind, { limit: 1_000 })));
  return JSON.stringify(pages);
}
