// Counts in a setting, in a thread of its own, and tells how far: what sqlite_storage_test.ts adds
// up.

import { SETTINGS } from "@boardcast/boardcast";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStorage } from "./sqlite_storage.ts";

const storage = openSqliteStorage(workerData);
const settingId = "count";
let count = 0;
// On a slow disk, the other writer must not wait for longer than it does, which is 2 s.
for (const end = performance.now() + 1_000; count < 100 && performance.now() < end; count++) {
  await storage.transact({ setting: { kind: SETTINGS, key: settingId } }, ({ setting }) => ({
    answer: undefined,
    put: { setting: { settingId, value: String(Number(setting?.value ?? 0) + 1) } },
  }));
}
await storage.close();
parentPort?.postMessage(count);
