// A process with a worker that mails as fast as it can: STORAGE RELAY [LEASE_MS].
import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { openSmtpMailer } from "../../delivery/smtp.ts";
import { createWorker } from "../../mod.ts";

const [url, relay, leaseMs] = Deno.args;
const storage = url.startsWith("postgres:")
  ? await openPostgresStorage(url)
  : await openFileStorage(url);
const mailer = openSmtpMailer(relay);
const worker = createWorker({
  storage,
  mailer,
  publicUrl: "https://updates.example",
  from: "news@acme.example",
  mailRatePerSecond: false,
  leaseMs: Number(leaseMs),
  pollMs: 50,
  log: ({ event, error }) => console.log(event, error ?? ""),
});
Deno.addSignalListener("SIGTERM", async () => {
  await worker.close();
  await mailer.close();
  await storage.close();
  Deno.exit();
});
console.log("ready");
