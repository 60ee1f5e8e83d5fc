import { SETTINGS, SUBSCRIPTIONS } from "@boardcast/boardcast";
import { testStorage } from "@boardcast/boardcast/testing";
import { deepEqual, equal, throws } from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { openSqliteStorage } from "./sqlite_storage.ts";

testStorage("sqlite", async () => {
  const directory = await mkdtemp(join(tmpdir(), "boardcast-sqlite-"));
  const open = () => openSqliteStorage(join(directory, "boardcast.db"));
  return {
    storage: open(),
    reopen: open,
    another: open,
    dispose: () => rm(directory, { recursive: true }),
  };
});

describe("sqlite", () => {
  // Two instances in one thread never race: each call is over before the next one begins.
  it("storage loses no change when two threads write", () =>
    inDirectory(async (directory) => {
      const path = join(directory, "boardcast.db");
      const storage = openSqliteStorage(path);
      const counts = await Promise.all([write(path), write(path)]);
      const setting = await storage.get(SETTINGS, "count");
      equal(Number(setting?.value), counts[0] + counts[1]);
      await storage.close();
    }));

  it("storage leaves no byte of a person on the disk when it is closed", () =>
    inDirectory(async (directory) => {
      const storage = openSqliteStorage(join(directory, "boardcast.db"));
      const at = "2026-11-21T10:00:00.000Z";
      const userEmail = "ann@example.com";
      const refs = { record: { kind: SUBSCRIPTIONS, key: userEmail } };
      const source = "api" as const;
      const person = { userEmail, userName: "Ann", subscriberId: "1", subscribed: true, source };
      await storage.transact(refs, () => ({
        answer: undefined,
        put: {
          record: {
            ...person,
            labels: null,
            pace: "each" as const,
            paceChanges: [],
            history: "",
            createdAt: at,
            updatedAt: at,
          },
        },
      }));
      equal((await readAll(directory)).includes(userEmail), true);
      await storage.transact(refs, () => ({ answer: undefined, remove: ["record"] }));
      await storage.close();
      equal((await readAll(directory)).includes(userEmail), false);
    }));

  it("storage refuses to open when the file is no database", () =>
    inDirectory(async (directory) => {
      const path = join(directory, "boardcast.db");
      await writeFile(path, "Something else, but long enough to be looked at".repeat(100));
      throws(() => openSqliteStorage(path), { name: "StorageError", code: "damaged" });
      deepEqual(await readdir(directory), ["boardcast.db"]);
    }));
});

/** Has another thread make changes; resolves to how many it made. */
function write(path: string): Promise<number> {
  const writer = new Worker(new URL("./sqlite_writer.ts", import.meta.url), { workerData: path });
  return new Promise((resolve, reject) => writer.on("message", resolve).on("error", reject));
}

async function inDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "boardcast-sqlite-"));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Returns the bytes of all files of a directory, as text. */
async function readAll(directory: string): Promise<string> {
  const names = await readdir(directory);
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), "latin1")));
  return files.join("\n");
}
