import { testStorage } from "@boardcast/boardcast/testing";
import { deepEqual, equal, throws } from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { openSqliteStorage } from "./sqlite_storage.ts";

testStorage("sqlite", async () => {
  const directory = await mkdtemp(join(tmpdir(), "boardcast-sqlite-"));
  const path = join(directory, "boardcast.db");
  return {
    storage: openSqliteStorage(path),
    reopen: () => Promise.resolve(openSqliteStorage(path)),
    another: () => Promise.resolve(openSqliteStorage(path)),
    dispose: () => rm(directory, { recursive: true }),
  };
});

describe("sqlite", () => {
  // Two instances in one thread never race: each call is over before the next one begins.
  it("storage makes every change of what the last one left when two threads write", () =>
    inDirectory(async (directory) => {
      const path = join(directory, "boardcast.db");
      const storage = openSqliteStorage(path);
      const missing = new Int32Array(new SharedArrayBuffer(4)).fill(2);
      const names = await Promise.all(["Ann", "Bob"].map((name) => {
        return write({ path, name, changes: 100, missing });
      }));
      const [before, after] = [0, 1].map((part) => names.flat().map((change) => change[part]));
      // Each name but the last was there before exactly one change.
      const last = await storage.subscriptions.get("ann@example.com");
      deepEqual([...before, last?.userName].sort(), [undefined, ...after].sort());
      await storage.close();
    }));

  it("storage leaves no byte of a person on the disk when they are erased", () =>
    inDirectory(async (directory) => {
      const storage = openSqliteStorage(join(directory, "boardcast.db"));
      const change = { userName: "Ann", subscribe: true, at: "2026-11-21T10:00:00.000Z" };
      await storage.subscriptions.put({ ...change, userEmail: "ann@example.com" });
      equal((await readAll(directory)).includes("ann@example.com"), true);
      await storage.subscriptions.erase("ann@example.com");
      equal((await readAll(directory)).includes("ann@example.com"), false);
      await storage.close();
    }));

  it("storage leaves no byte of a person once nobody reads any more", () =>
    inDirectory(async (directory) => {
      const path = join(directory, "boardcast.db");
      const storage = openSqliteStorage(path);
      const change = { userName: "Ann", subscribe: true, at: "2026-11-21T10:00:00.000Z" };
      await storage.subscriptions.put({ ...change, userEmail: "ann@example.com" });
      const reader = new DatabaseSync(path);
      reader.exec("BEGIN; SELECT * FROM subscriptions");
      await storage.subscriptions.erase("ann@example.com");
      equal((await readAll(directory)).includes("ann@example.com"), true);
      reader.exec("COMMIT");
      await storage.ping();
      equal((await readAll(directory)).includes("ann@example.com"), false);
      reader.close();
      await storage.close();
    }));

  it("storage refuses to open when the file is no database", () =>
    inDirectory(async (directory) => {
      const path = join(directory, "boardcast.db");
      await writeFile(path, "Something else, but long enough to be looked at".repeat(100));
      throws(() => openSqliteStorage(path), { name: "StorageError", code: "damaged" });
    }));

  // No version came before the first one: a negative number stands for it.
  for (const [what, version] of Object.entries({ "a newer": 2, "an older": -1 })) {
    it(`storage refuses to open when ${what} version wrote the file`, () =>
      inDirectory((directory) => {
        const path = join(directory, "boardcast.db");
        const db = new DatabaseSync(path);
        db.exec(`PRAGMA user_version = ${version}`);
        db.close();
        throws(() => openSqliteStorage(path), { name: "StorageError", code: "incompatible" });
      }));
  }
});

/** Has another thread make changes; resolves to the names before and after each. */
function write(workerData: object): Promise<(string | null | undefined)[][]> {
  const writer = new Worker(new URL("sqlite_writer.ts", import.meta.url), { workerData });
  return new Promise((resolve, reject) => writer.on("message", resolve).on("error", reject));
}

async function inDirectory(run: (directory: string) => Promise<void> | void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "boardcast-sqlite-"));
  try {
    await run(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** What stands in all files of a directory, byte by byte. */
async function readAll(directory: string): Promise<string> {
  const names = await readdir(directory);
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), "latin1")));
  return files.join("\n");
}
