import { assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { type Storage, StorageError } from "../adapters/storage.ts";
import type { ApiKey } from "../model/api_key.ts";
import type { Subscription } from "../model/subscription.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { createGatedDisk, type GatedDisk } from "./_file/gated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns, unhandledDuring } from "./_waiting.ts";

const ANN = "ann@x.io";
const KEY = sampleKey("key");

describe("file storage before a sync is done", () => {
  let disk: GatedDisk;
  let storage: Storage;
  let warnings: string[];
  beforeEach(async () => {
    disk = createGatedDisk();
    warnings = [];
    storage = await openSimulated(disk, { onWarning: (message) => void warnings.push(message) });
    await storage.apiKeys.create(KEY);
    disk.hold();
  });

  const waiting: readonly [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ["put", () => Promise.resolve(), () => storage.subscriptions.put(sampleChange(ANN))],
    [
      "a put that changes nothing",
      () => storage.subscriptions.put(sampleChange(ANN)),
      () => storage.subscriptions.put(sampleChange(ANN)),
    ],
    [
      "get of a changed record",
      () => storage.subscriptions.put(sampleChange(ANN)),
      () => storage.subscriptions.get(ANN),
    ],
    [
      "list",
      () => storage.subscriptions.put(sampleChange(ANN)),
      () => storage.subscriptions.list({ limit: 9 }),
    ],
    [
      "a create that finds the board taken",
      () => storage.boards.create(sampleBoard("ideas")),
      () => storage.boards.create(sampleBoard("ideas")),
    ],
    [
      "a create that finds the key taken",
      () => storage.apiKeys.create(sampleKey("other")),
      () => storage.apiKeys.create(sampleKey("other")).catch(() => {}),
    ],
    [
      "findByHash of a key just revoked",
      () => storage.apiKeys.revoke("key", minute(1)),
      () => storage.apiKeys.findByHash(KEY.hash),
    ],
  ];
  for (const [name, before, call] of waiting) {
    it(`${name} waits for what it tells`, async () => {
      const first = before();
      let answered = false;
      const answer = call().then(() => answered = true);
      await turns();
      assertEquals(answered, false);
      disk.release();
      await Promise.all([first, answer]);
      await storage.close();
    });
  }

  it("ping rejects when the disk has been at it for longer than 5 s", async () => {
    const clock = createSimulatedClock();
    const slow = createGatedDisk();
    const other = await openSimulated(slow, { clock });
    slow.hold();
    const change = other.subscriptions.put(sampleChange(ANN));
    await turns();
    await clock.wait(5_000);
    await other.ping();
    await clock.wait(1);
    const error = await assertRejects(() => other.ping(), StorageError);
    assertEquals(error.code, "unavailable");
    slow.release();
    await change;
    await clock.wait(10_000);
    await other.ping();
    await other.close();
  });

  it("reads of other records and notes of use do not wait", async () => {
    const put = storage.subscriptions.put(sampleChange(ANN));
    assertEquals(await storage.subscriptions.get("bob@x.io"), undefined);
    assertEquals(await storage.apiKeys.findByHash(KEY.hash), KEY);
    await storage.apiKeys.touch("key", minute(3));
    assertEquals((await storage.apiKeys.get("key"))?.lastUsedAt, minute(3));
    disk.release();
    await put;
    await storage.close();
  });

  it("changes made meanwhile share the next sync", async () => {
    const before = disk.syncs;
    const first = storage.subscriptions.put(sampleChange(ANN));
    await turns();
    const more = Array.from(
      { length: 100 },
      (_, i) => storage.subscriptions.put(sampleChange(`user${i}@x.io`)),
    );
    await turns();
    assertEquals(disk.syncs - before, 1);
    disk.release();
    await Promise.all([first, ...more]);
    assertEquals(disk.syncs - before, 2);
    await storage.close();
  });

  it("shows the last durable state after the sync failed, and refuses changes", async () => {
    const put = storage.subscriptions.put(sampleChange(ANN));
    const later = storage.subscriptions.put(sampleChange("bob@x.io"));
    const read = storage.subscriptions.get(ANN);
    const list = storage.subscriptions.list({ limit: 9 });
    await turns();
    disk.release({ failing: true });
    for (const change of [put, later, storage.subscriptions.put(sampleChange("c@x.io"))]) {
      assertEquals((await assertRejects(() => change, StorageError)).code, "unavailable");
    }
    assertEquals([await read, await list], [undefined, []]);
    assertEquals(await storage.apiKeys.findByHash(KEY.hash), KEY);
    // A request that only reads is not to fail over a note.
    await storage.apiKeys.touch("key", minute(3));
    await storage.close();
  });

  it("shows the last durable state of a record of which a later change failed", async () => {
    const first = storage.subscriptions.put(sampleChange(ANN, { userName: "First" }));
    await turns();
    const second = storage.subscriptions.put(sampleChange(ANN, { userName: "Second" }));
    disk.release();
    disk.hold();
    const { subscription } = await first;
    let shown: Subscription | undefined;
    const read = storage.subscriptions.get(ANN).then((found) => shown = found);
    await turns();
    assertEquals(shown, undefined);
    disk.release({ failing: true });
    await assertRejects(() => second, StorageError);
    await read;
    assertEquals(shown, subscription);
    assertEquals(await storage.subscriptions.list({ limit: 9 }), [subscription]);
    await storage.close();
  });

  it("fails nobody when a sync fails that was for a note of use alone", async () => {
    const unhandled = await unhandledDuring(async () => {
      await storage.apiKeys.touch("key", minute(3));
      await turns();
      disk.release({ failing: true });
    });
    assertEquals(unhandled, []);
    assertEquals(await storage.apiKeys.get("key"), KEY);
    const error = await assertRejects(() => storage.ping(), StorageError);
    assertEquals(error.message, "Cannot write the journal: simulated failure");
    assertEquals(warnings, [`${error.message}; mend the cause and restart`]);
    await storage.close();
  });
});

describe("file storage after a sync failed", () => {
  async function readAll(storage: Storage, { hash, keyId }: ApiKey) {
    return {
      boards: await storage.boards.list({ limit: 9 }),
      keys: await storage.apiKeys.list({ limit: 9 }),
      key: await storage.apiKeys.get(keyId),
      keyByHash: await storage.apiKeys.findByHash(hash),
      subscribed: await storage.subscriptions.list({ limit: 9, subscribed: true }),
      unsubscribed: await storage.subscriptions.list({ limit: 9, subscribed: false }),
    };
  }

  it("shows records of every kind as they were, those made since not at all", async () => {
    const disk = createGatedDisk();
    const storage = await openSimulated(disk);
    const made = sampleKey("made");
    await storage.apiKeys.create(KEY);
    await storage.boards.create(sampleBoard("ideas"));
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.put(sampleChange("bob@x.io", { subscribe: false }));
    const before = await readAll(storage, made);
    disk.hold();
    const changes = [
      storage.apiKeys.create(made),
      storage.apiKeys.revoke("key", minute(1)),
      storage.boards.create(sampleBoard("more")),
      storage.boards.delete(sampleBoard("ideas")),
      storage.subscriptions.put(sampleChange(ANN, { subscribe: false })),
      storage.subscriptions.erase("bob@x.io"),
      storage.subscriptions.put(sampleChange("new@x.io")),
    ];
    await turns();
    disk.release({ failing: true });
    for (const change of changes) await assertRejects(() => change, StorageError);
    assertEquals(await readAll(storage, made), before);
    await storage.close();
  });
});
