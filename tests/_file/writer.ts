/**
 * A process to be killed: changes records in a data folder without end, and prints the number
 * of each change as soon as it is acknowledged. Arguments: the folder.
 */
import { openFileStorage } from "../../adapters/file.ts";
import { type Storage, StorageError } from "../../adapters/storage.ts";
import { minute } from "../_contract/samples.ts";
import { HEARTBEAT_MS, nameOf, WORKERS } from "./rounds.ts";

const encoder = new TextEncoder();

/** In one piece, and before anything else is done. */
function print(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

async function work(storage: Storage, worker: number): Promise<void> {
  const userEmail = nameOf(worker);
  const found = await storage.subscriptions.get(userEmail);
  for (let count = Number(found?.userName ?? 0) + 1; !failure; count++) {
    const change = {
      userEmail,
      userName: `${count}`,
      subscribe: count % 2 === 0,
      at: minute(count),
    };
    await storage.subscriptions.put(change);
    print(`${worker} ${count}`);
    const passing = `passing${worker}@example.com`;
    await storage.subscriptions.put({ ...change, userEmail: passing });
    if (count % 50 === 0) await storage.subscriptions.erase(passing);
  }
}

const storage = await openFileStorage(Deno.args[0], {
  heartbeatMs: HEARTBEAT_MS,
  journalBytes: 20_000,
});
let failure: StorageError | undefined;
// Each has come to its end before anything is read, as what was refused may be taken again by now.
await Promise.all(Array.from({ length: WORKERS }, async (_, worker) => {
  await work(storage, worker).catch((error) => {
    if (!(error instanceof StorageError)) throw error;
    failure = error;
  });
}));
print(`failed ${failure?.code}`);
for (let worker = 0; worker < WORKERS; worker++) {
  const read = await storage.subscriptions.get(nameOf(worker));
  print(`read ${worker} ${read?.userName ?? 0}`);
}
await storage.close();
