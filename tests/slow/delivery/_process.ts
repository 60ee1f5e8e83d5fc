// A process that serves the API and the pages of links, sends mail without a rate limit, and sends
// to webhooks. Arguments: STORAGE RELAY HOST:PORT SENDER; webhooks may use HOST:PORT. Prints its
// port once it serves. SIGHUP moves its wall clock an hour ahead, SIGUSR2 an hour back.
import { openFileStorage } from "../../../adapters/file.ts";
import { openPostgresStorage } from "../../../adapters/postgres.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { createHandler, createWorker } from "../../../mod.ts";
import { openKvFile } from "../../_support/kv.ts";
import { OPERATOR_KEY } from "../../_support/service.ts";

const [url, relay, allowed, from] = Deno.args;
const publicUrl = "https://updates.example";
const HOUR_MS = 3_600_000;
let jumpedMs = 0;
const clock = () => Date.now() + jumpedMs;
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
  publicUrl,
  from,
  clock,
  mailRatePerSecond: false,
  webhookAllow,
  leaseMs: 500,
  pollMs: 50,
  log: ({ error }) => error !== undefined && console.error(error),
});
const operatorKey = OPERATOR_KEY;
const handler = createHandler({
  storage,
  operatorKey,
  webhookAllow,
  worker,
  publicUrl,
  clock,
  rateLimit: false,
});
const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`${port}`),
}, handler);
Deno.addSignalListener("SIGHUP", () => jumpedMs += HOUR_MS);
Deno.addSignalListener("SIGUSR2", () => jumpedMs -= HOUR_MS);
Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  await worker.close();
  await mailer.close();
  await storage.close();
  Deno.exit();
});
