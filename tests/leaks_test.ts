// Of what the other tests open nothing is checked, as node:test has no such sanitizer.

import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { openFileStorage } from "../adapters/file.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { keepAccepting } from "../commands/_accepting.ts";
import { within } from "../commands/_deadline.ts";
import { listen } from "../commands/_listener.ts";
import { listenWithTimeouts } from "../commands/_node_listener.ts";
import { onStopSignal } from "../commands/_signals.ts";
import { refuseAfterStandstill } from "../commands/_standstill.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { withFolder } from "./_folder.ts";
import { testMail } from "./_mails.ts";
import { serveInVain, withAttempts } from "./_outage.ts";
import { startCluster } from "./_postgres.ts";
import { type Action, type Script, withRelay } from "./_scripted_relay.ts";
import { createService } from "./_service.ts";
import { until } from "./_waiting.ts";

/** Declares a test that fails where it leaves a timer, file, connection or listener behind. */
function leavesNothing(name: string, fn: () => Promise<void>): void {
  Deno.test({
    name: `${name} leaves nothing open`,
    sanitizeOps: true,
    sanitizeResources: true,
    fn,
  });
}

async function use(storage: Storage): Promise<void> {
  await storage.boards.create(sampleBoard("ideas"));
  await storage.apiKeys.create(sampleKey("key"));
  await storage.apiKeys.touch("key", "2026-11-21T10:00:00.000Z");
  await storage.subscriptions.put(sampleChange("ann@example.com"));
  await storage.subscriptions.erase("ann@example.com");
  await storage.ping();
  await storage.close();
}

const ADDRESS = { host: "127.0.0.1", port: 0 };

async function call(port: number): Promise<void> {
  const client = Deno.createHttpClient({});
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { client });
  assertEquals((await response.json()).status, "ok");
  client.close();
}

leavesNothing("storage in memory", () => use(openMemoryStorage()));

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

leavesNothing("the storage of a server", () => use(refuseAfterStandstill(openMemoryStorage())));

leavesNothing(
  "storage in a folder",
  () => withFolder(async (folder) => use(await openFileStorage(folder, { journalBytes: 0 }))),
);

leavesNothing("storage in PostgreSQL", async () => {
  const cluster = await startCluster();
  await use(await openPostgresStorage(cluster.url));
  await cluster.dispose();
});

leavesNothing("the listener of Deno", async () => {
  const listener = listen(createService().handler, ADDRESS);
  await call(listener.address.port);
  await listener.shutdown();
});

leavesNothing(
  "the listener of Deno in an outage",
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

leavesNothing("the listener of node:http", async () => {
  const limits = { maxConnections: 5, headMs: 1_000, requestMs: 1_000, idleMs: 1_000 };
  const listener = await listenWithTimeouts(createService().handler, ADDRESS, limits);
  await call(listener.address.port);
  await listener.shutdown();
});

leavesNothing("a server that connects to itself", async () => {
  const { host } = ADDRESS;
  const server = createServer().listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = keepAccepting(server, { host, port }, 50);
  const [accepted]: Socket[] = await once(server, "connection");
  stop();
  await until(() => accepted.destroyed);
  await new Promise((resolve) => server.close(resolve));
});

leavesNothing("a wait for what comes in time", () => within(60_000, Promise.resolve()));

leavesNothing("listening for signals to stop", () => {
  onStopSignal(() => {})();
  return Promise.resolve();
});
