// Changes one subscription many times, in a thread of its own, and tells the name before and after
// each change: what sqlite_storage_test.ts counts.

import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStorage } from "./sqlite_storage.ts";

const { path, name, changes, missing }: {
  readonly path: string;
  readonly name: string;
  readonly changes: number;
  /** How many writers have yet to start, shared by both. */
  readonly missing: Int32Array<SharedArrayBuffer>;
} = workerData;

const storage = openSqliteStorage(path);
const names: (string | null | undefined)[][] = [];
// Of two, the second one lets both go.
if (Atomics.sub(missing, 0, 1) === 1) Atomics.notify(missing, 0);
else Atomics.wait(missing, 0, 1, 5_000);
// On a slow disk, the other writer must not wait for longer than it does, which is 2 s.
const end = performance.now() + 1_000;
for (let i = 0; i < changes && performance.now() < end; i++) {
  const { previous, subscription } = await storage.subscriptions.put({
    userEmail: "ann@example.com",
    userName: `${name} ${i}`,
    subscribe: true,
    at: "2026-11-21T10:00:00.000Z",
  });
  names.push([previous?.userName, subscription.userName]);
}
await storage.close();
parentPort?.postMessage(names);
