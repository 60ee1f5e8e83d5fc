// A process that serves the API, sends mail without a rate limit, and sends to webhooks. Arguments:
// STORAGE RELAY HOST:PORT; webhooks may use HOST:PORT. Prints its port once it serves.
import { openFileStorage } from "../../../adapters/file.ts";
import { openPostgresStorage } from "../../../adapters/postgres.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { createHandler, createWorker } from "../../../mod.ts";
import { openKvFile } from "../../_support/kv.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";

const [url, relay, allowed] = Deno.args;
const open = url.startsWith("postgres:")
  ? openPostgresStorage
  : url.endsWith(".db")
  ? openKvFile
  : openFileStorage;
const storage = await open(url);
const mailer = openSmtpMailer(relay);
const webhookAllow = [allowed];
const worker = createWorker({
  storage,
  mailer,
  publicUrl: "https://updates.example",
  from: "news@acme.example",
  mailRatePerSecond: false,
  webhookAllow,
  leaseMs: 500,
  pollMs: 50,
  log: ({ error }) => error !== undefined && console.error(error),
});
const operatorKey = OPERATOR_KEY;
const handler = createHandler({ storage, operatorKey, webhookAllow, worker, rateLimit: false });
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`${port}`),
}, handler);
Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await worker.close();
  await mailer.close();
  await storage.close();
  Deno.exit();
});
