/**
 * A process to be killed: changes records in a data folder without end, and prints the number
 * of each change as soon as it is acknowledged. Arguments: the folder.
 */
import { openFileStorage } from "../../adapters/file.ts";
import { StorageError } from "../../adapters/storage.ts";
import { counterOf, HEARTBEAT_MS, WORKERS } from "./rounds.ts";
import { count, erasePerson, putPerson } from "./simulation.ts";

const encoder = new TextEncoder();

/** In one piece, and before anything else is done. */
function print(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

const storage = await openFileStorage(Deno.args[0], {
  heartbeatMs: HEARTBEAT_MS,
  journalBytes: 20_000,
  onLost: () => print("lost"),
});

async function work(worker: number): Promise<void> {
  const email = `passing${worker}@x.io`;
  while (true) {
    const value = await count(counterOf(worker), email)(storage);
    print(`${worker} ${value}`);
    await putPerson(email, `${value}`)(storage);
    if (Number(value) % 50 === 0) await erasePerson(email)(storage);
  }
}

await Promise.all(Array.from({ length: WORKERS }, async (_, worker) => {
  await work(worker).catch((error) => {
    if (!(error instanceof StorageError)) throw error;
    print(`failed ${error.code}`);
  });
}));
await storage.close();
