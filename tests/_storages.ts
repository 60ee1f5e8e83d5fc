import { openFileStorage } from "../adapters/file.ts";
import { openMemoryStorage } from "../adapters/memory.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { withFolder } from "./_folder.ts";
import { openKvFile } from "./_kv.ts";
import { startCluster } from "./_postgres.ts";

/** Runs a function with a storage of its own of some kind, which is closed and removed afterwards. */
export type WithStorage = (use: (storage: Storage) => Promise<void>) => Promise<void>;

async function closing(storage: Storage, use: (storage: Storage) => Promise<void>): Promise<void> {
  try {
    await use(storage);
  } finally {
    await storage.close();
  }
}

/** What belongs on every storage is tested on each of these, by its name. */
export const STORAGES: readonly (readonly [name: string, WithStorage])[] = [
  ["memory", (use) => closing(openMemoryStorage(), use)],
  ["a folder", (use) => withFolder(async (folder) => closing(await openFileStorage(folder), use))],
  [
    "Deno KV",
    (use) => withFolder(async (folder) => closing(await openKvFile(`${folder}/kv.db`), use)),
  ],
  ["a database", async (use) => {
    const cluster = await startCluster();
    try {
      await closing(await openPostgresStorage(cluster.url), use);
    } finally {
      await cluster.dispose();
    }
  }],
];
