// What the other tests open is not checked: node:test has no such sanitizers.

import { assertEquals } from "@std/assert";
import { openFileStorage } from "../adapters/file.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { within } from "../commands/_deadline.ts";
import { listen } from "../commands/_listener.ts";
import { onStopSignal } from "../commands/_signals.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { IDEAS_PATH, SUBSCRIBE_PATH, SUBSCRIBERS_PATH } from "./_calls.ts";
import { withFolder } from "./_folder.ts";
import { testMail } from "./_mails.ts";
import { serveInVain, withAttempts } from "./_outage.ts";
import { startCluster } from "./_postgres.ts";
import { type Action, type Script, withRelay } from "./_scripted_relay.ts";
import { createService } from "./_service.ts";
import { until } from "./_waiting.ts";

/** Declares a test that fails where it leaves a timer, file, connection or listener behind. */
function leavesNothing(name: string, fn: () => Promise<void>): void {
  const test = { name: `${name} leaves nothing open`, fn };
  Deno.test({ ...test, sanitizeOps: true, sanitizeResources: true });
}

/** Calls a service on a storage, with bodies that stall and break off among them, and closes it. */
async function use(storage: Storage): Promise<void> {
  const { send } = createService({ storage, bodyTimeoutMs: 20 });
  const headers = { "content-type": "application/json" };
  const bodies = [
    '{"userEmail":"ann@example.com","subscribe":true}',
    new ReadableStream(),
    new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }),
  ];
  const calls = [
    ...bodies.map((body) => ["PUT", SUBSCRIBE_PATH, { body, headers }] as const),
    ["GET", IDEAS_PATH, {}],
    ["DELETE", `${SUBSCRIBERS_PATH}/ann@example.com`, {}],
    ["GET", "/readyz", {}],
  ] as const;
  const statuses: number[] = [];
  for (const [method, path, sent] of calls) {
    const response = await send(method, path, sent);
    await response.text();
    statuses.push(response.status);
  }
  await storage.close();
  assertEquals(statuses, [200, 408, 400, 404, 204, 200]);
}

const ADDRESS = { host: "127.0.0.1", port: 0 };

leavesNothing("a service in memory", () => use(openMemoryStorage()));

leavesNothing("a mailer, with mails sent, refused and given up,", () => {
  const replies: Action[] = [{ say: "250 ok" }, { say: "550 no" }, { say: "421 no" }, "hang"];
  const script: Script = (step) => step === "RCPT" ? replies.shift() : undefined;
  return withRelay(script, async (mailer, relay) => {
    const sending = Array.from({ length: 5 }, () => mailer.send(testMail()));
    await Promise.race([Promise.all(sending), relay.closed(1)]);
    await mailer.close();
    await relay.closed(relay.commands.length);
    await Promise.allSettled(sending);
  });
});

leavesNothing(
  "a service on a folder",
  () => withFolder(async (folder) => use(await openFileStorage(folder, { journalBytes: 0 }))),
);

leavesNothing("a service on PostgreSQL", async () => {
  const cluster = await startCluster();
  await use(await openPostgresStorage(cluster.url));
  await cluster.dispose();
});

leavesNothing("a listener", async () => {
  const listener = listen(createService().handler, ADDRESS);
  const client = Deno.createHttpClient({});
  const response = await fetch(`http://127.0.0.1:${listener.address.port}/readyz`, { client });
  assertEquals((await response.json()).status, "ok");
  client.close();
  await listener.shutdown();
});

leavesNothing(
  "a listener in an outage",
  () =>
    withAttempts([serveInVain, serveInVain], async () => {
      const { handler } = createService();
      let warned = 0;
      const options = { ...ADDRESS, onWarning: () => warned++ };
      const earlier = listen(handler, options);
      await until(() => warned > 0);
      await earlier.shutdown();
      // This one ends after it is told to stop.
      await listen(handler, options).shutdown();
      assertEquals(warned, 1);
    }),
);

leavesNothing("a wait for what comes in time", () => within(60_000, Promise.resolve()));

leavesNothing("listening for signals to stop", () => {
  onStopSignal(() => {})();
  return Promise.resolve();
});
