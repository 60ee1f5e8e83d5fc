// Counts in the name of a board, in a thread of its own, and tells how far: what
// sqlite_storage_test.ts adds up.

import { BOARDS } from "@boardcast/boardcast";
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteStorage } from "./sqlite_storage.ts";

const storage = openSqliteStorage(workerData);
const at = "2026-11-21T10:00:00.000Z";
const empty = {
  boardId: "ideas",
  description: null,
  url: null,
  visibility: "private",
  moderation: "first",
  instanceId: "",
  createdAt: at,
  updatedAt: at,
} as const;
let count = 0;
// On a slow disk, the other writer must not wait for longer than it does, which is 2 s.
for (const end = performance.now() + 1_000; count < 100 && performance.now() < end; count++) {
  await storage.transact({ board: { kind: BOARDS, key: "ideas" } }, ({ board }) => ({
    answer: undefined,
    put: { board: { ...empty, ...board, name: String(Number(board?.name ?? 0) + 1) } },
  }));
}
await storage.close();
parentPort?.postMessage(count);
