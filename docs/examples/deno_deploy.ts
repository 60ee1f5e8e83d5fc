// Boardcast on Deno Deploy: the entrypoint of an app with a Deno KV database.

import { createHandler, createWorker } from "@boardcast/boardcast";
import { openKvStorage } from "@boardcast/boardcast/kv";
import { createResendMailer } from "./http_mailers.ts";

// An instance lives on for seconds to minutes after a request. This starts one each minute.
const SCHEDULE = "* * * * *";
// The time that the worker stays awake. The scheduler starts it each minute, so due work waits at
// most for the rest of a minute.
const AWAKE_MS = 50_000;

const storage = openKvStorage(await Deno.openKv());
const publicUrl = required("BOARDCAST_PUBLIC_URL");
const worker = createWorker({
  storage,
  mailer: createResendMailer({ secret: required("RESEND_API_KEY") }),
  publicUrl,
  from: required("BOARDCAST_MAIL_FROM"),
  // Resend takes 2 to 5 requests a second, unless it agreed to more.
  mailRatePerSecond: 2,
  log: (event) => console.log(JSON.stringify({ ...event, error: String(event.error ?? "") })),
});
const handler = createHandler({
  storage,
  publicUrl,
  worker,
  operatorKey: required("BOARDCAST_API_KEY"),
});

Deno.cron("deliver mail and webhooks", SCHEDULE, async () => {
  worker.wake();
  await new Promise((resolve) => setTimeout(resolve, AWAKE_MS));
});

const server = Deno.serve(handler);

// Five seconds later, the instance is killed. What it was sending is then sent by another one.
Deno.addSignalListener("SIGINT", async () => {
  await Promise.all([server.shutdown(), worker.close()]);
  await storage.close();
  Deno.exit();
});

function required(name: string): string {
  const value = Deno.env.get(name);
  if (value) return value;
  throw new Error(`Set the variable ${name} of the app`);
}
