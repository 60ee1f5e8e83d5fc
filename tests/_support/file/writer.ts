/**
 * A process that a test kills. It changes records in a data folder without end, eight at a time,
 * and prints the number of each change once it is acknowledged. Arguments: the folder.
 */
import { openFileStorage } from "../../../adapters/file.ts";
import { StorageError } from "../../../adapters/storage.ts";
import { count, erasePerson, putPerson } from "./simulation.ts";

const encoder = new TextEncoder();

/** Writes a line as one piece, before anything else happens in this process. */
function print(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

const storage = await openFileStorage(Deno.args[0], {
  // With this name, the next process takes over at once after a kill.
  host: "test",
  journalBytes: 20_000,
  onLost: () => print("lost"),
});

async function work(worker: number): Promise<void> {
  const email = `passing${worker}@x.io`;
  try {
    while (true) {
      const value = await count(`worker${worker}`, email)(storage);
      print(`${worker} ${value}`);
      await putPerson(email, `${value}`)(storage);
      if (Number(value) % 50 === 0) await erasePerson(email)(storage);
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    print(`failed ${error.code}`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, worker) => work(worker)));
await storage.close();
