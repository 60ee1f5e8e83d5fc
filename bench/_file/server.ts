/**
 * A server to be measured. Arguments: `memory`, `file` or `sqlite`, a folder, and how many
 * subscribers to have before it listens. Prints one line of JSON then.
 */
import { openFileStorage } from "../../adapters/file.ts";
import type { Storage } from "../../adapters/storage.ts";
import { createHandler, openMemoryStorage } from "../../mod.ts";
import { API_KEY, emailOf } from "./load.ts";
import { createSqliteHandler } from "./sqlite.ts";

const [kind, directory, count] = Deno.args;
const startedMs = performance.now();
const storage = kind === "memory"
  ? openMemoryStorage()
  : kind === "file"
  ? await openFileStorage(directory)
  : undefined;
const openMs = Math.round(performance.now() - startedMs);
const rssMb = Math.round(Deno.memoryUsage().rss / 1e6);
if (storage !== undefined) await seed(storage, Number(count));
const handler = storage === undefined
  ? createSqliteHandler(`${directory}/bench.db`, Number(count))
  : createHandler({ storage, operatorKey: API_KEY, rateLimit: false });

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(JSON.stringify({ port, openMs, rssMb })),
}, handler);
Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await storage?.close();
  Deno.exit();
});

async function seed(storage: Storage, count: number): Promise<void> {
  if (await storage.subscriptions.get(emailOf(count - 1)) !== undefined) return;
  for (let start = 0; start < count; start += 1_000) {
    await Promise.all(
      Array.from({ length: Math.min(1_000, count - start) }, (_, i) =>
        storage.subscriptions.put({
          userEmail: emailOf(start + i),
          userName: i % 2 === 0 ? null : `Subscriber ${start + i}`,
          subscribe: true,
          at: new Date(1_790_000_000_000 + start + i).toISOString(),
        })),
    );
  }
}
