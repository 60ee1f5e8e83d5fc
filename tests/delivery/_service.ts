// A process that serves the API and sends messages to webhooks: STORAGE KEY HOST:PORT, the last of
// which webhooks may use. Prints its port once it serves.
import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { createHandler, createWorker } from "../../mod.ts";

const [url, operatorKey, allowed] = Deno.args;
const storage = url.startsWith("postgres:")
  ? await openPostgresStorage(url)
  : await openFileStorage(url);
const webhookAllow = [allowed];
const worker = createWorker({
  storage,
  webhookAllow,
  leaseMs: 500,
  pollMs: 50,
  log: ({ error }) => error !== undefined && console.error(error),
});
const handler = createHandler({ storage, operatorKey, webhookAllow, worker, rateLimit: false });
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`${port}`),
}, handler);
Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await worker.close();
  await storage.close();
  Deno.exit();
});
