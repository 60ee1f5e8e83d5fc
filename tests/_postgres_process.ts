// A process of its own over a shared database. Arguments: the URL, the schema, and how many
// changes to make; prints the outcomes as JSON.
import { setImmediate } from "node:timers";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { minute, sampleChange } from "./_contract/samples.ts";

const [url, schema, count, worker] = Deno.args;
// However long the processes hold each other up.
const storage = await openPostgresStorage(url, { schema, timeoutMs: 60_000 });
// The addresses of a batch stand in a different order in each process.
const emails = Array.from(
  { length: 10 },
  (_, i) => `user${(i * (1 + Number(worker) * 2)) % 10}@x.io`,
);
const outcomes = await Promise.all(
  Array.from({ length: Number(count) }, async (_, i) => {
    await waitTurns(i % 50);
    return storage.subscriptions.put(
      sampleChange(emails[i % 10], { subscribe: (i + Number(worker)) % 2 === 0, at: minute(i) }),
    );
  }),
);
await storage.close();
console.log(JSON.stringify(outcomes));

/** Spreads the calls over turns of the event loop, so that they make up many batches. */
async function waitTurns(turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
}
