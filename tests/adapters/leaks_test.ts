// Only the tests of this file are checked for leaks, because node:test has no sanitizers.

import { assert, assertEquals } from "@std/assert";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { listen } from "../../commands/serve/listener.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { withFolder } from "../_support/folder.ts";
import { openKvFile } from "../_support/kv.ts";
import { testMail } from "../_support/mails.ts";
import { withAnyDatabase } from "../_support/postgres.ts";
import { exchange } from "../_support/raw.ts";
import { type Action, type Script, withRelay } from "../_support/scripted_relay.ts";
import { forEachRow } from "../_support/rows.ts";
import { assertOutcomes, createService, FORM, JSON_TYPE } from "../_support/service.ts";

/** Declares a test that fails if it leaves a timer, file, connection or listener open. */
function leavesNothing(name: string, fn: () => Promise<void>): void {
  const test = { name: `${name} leaves nothing open`, fn };
  Deno.test({ ...test, sanitizeOps: true, sanitizeResources: true });
}

/**
 * Sends requests to a service, some with bodies that stall or break off, and closes its storage.
 */
async function use(storage: Storage): Promise<void> {
  const headers = { "content-type": JSON_TYPE };
  const json = { userEmail: "ann@example.com", subscribe: true };
  const stalled = { body: new ReadableStream(), headers };
  const fail = (controller: ReadableStreamDefaultController) => controller.error(new Error("gone"));
  const broken = { body: new ReadableStream({ pull: fail }), headers };
  await assertOutcomes(createService({ storage, bodyTimeoutMs: 20 }), [
    ["PUT", "changelogs/subscribe", { json }, "200"],
    ["PUT", "changelogs/subscribe", stalled, "408 request_timeout"],
    ["PUT", "changelogs/subscribe", broken, "400 malformed_body"],
    ["DELETE", "changelogs/subscribers/ann@example.com", {}, "204"],
    ["GET", "/readyz", {}, "200"],
  ]);
  await storage.close();
}

leavesNothing("a service in memory", () => use(openMemoryStorage()));

leavesNothing(
  "a service on a folder",
  () => withFolder(async (folder) => use(await openFileStorage(folder, { journalBytes: 0 }))),
);

leavesNothing("a service on Deno KV", async () => use(await openKvFile(":memory:")));

leavesNothing(
  "a service on PostgreSQL",
  () => withAnyDatabase(async (url) => use(await openPostgresStorage(url))),
);

leavesNothing("a mailer, with mails sent, refused and left unanswered,", () => {
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

leavesNothing("a listener", async () => {
  const options = { host: "127.0.0.1", port: 0 };
  const { address: { port }, shutdown } = listen(createService().handler, options);
  const request = "GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  assertEquals((await exchange(port, request))?.status, 200);
  await shutdown();
});

/** Returns the size of the heap after a full garbage collection, in MB. */
function heapUsedMb(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return Deno.memoryUsage().heapUsed / 1e6;
}

// Engines keep the whole of a text in memory while a slice of it is referenced.
Deno.test("what is stored keeps no more in memory than itself", async () => {
  await forEachRow([
    [
      "PUT",
      "changelogs/subscribe",
      "subscribe=true&userEmail=ID@example.com&userName=A long name ID",
    ],
    ["POST", "boards", "boardId=a-board-with-number-ID&name=With a long name ID"],
    ["POST", "keys", "name=With a long name ID"],
  ], async ([method, path, form]) => {
    const { send, storage } = createService();
    const before = heapUsedMb();
    // The bodies total 7.5 MB.
    for (let index = 0; index < 500; index++) {
      const body = form.replaceAll("ID", `${index}`) + "+".repeat(15_000);
      const response = await send(method, path, { body, headers: { "content-type": FORM } });
      assert(response.ok, await response.text());
    }
    const grownMb = heapUsedMb() - before;
    assert(grownMb < 3, `${grownMb} MB more`);
    await storage.close();
  });
});
