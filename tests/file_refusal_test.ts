import { assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { Disk } from "../adapters/_file/disk.ts";
import { openFileStorage } from "../adapters/file.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { changeFiles, filesWith, JOURNAL, SNAPSHOT, textOf } from "./_file/contents.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import { contentsOf, createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { SMALL_DISK_SKIP, withSmallDisk } from "./_small_disk.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";
const BOB = "bob@x.io";
const OTHERS = ["carl@x.io", "dora@x.io"];
const REFUSED = "Cannot write the journal: EIO: simulated failure";
const WARNING = `${REFUSED}; changes are refused until the disk takes them again`;
const RESUMED = "The journal can be written again";

async function assertRefused(change: Promise<unknown>): Promise<void> {
  const error = await assertRejects(() => change, StorageError);
  assertEquals([error.code, error.message], ["unavailable", REFUSED]);
}

describe("file storage on a disk that takes no writes for some time", () => {
  let isFull: boolean;
  let calls: string[];
  let warnings: string[];
  let disk: SimulatedDisk;
  // The same, which takes its time to say that it is full, and to sync a snapshot; it also is full when
  // the journal has no room.
  let slow: Disk;
  let room: number;
  let lastWrite: number;
  let folding: Promise<void>;
  let storage: Storage;

  beforeEach(async () => {
    isFull = false;
    room = Infinity;
    [calls, warnings] = [[], []];
    disk = createSimulatedDisk({
      fails: (call) => (calls.push(call), isFull && call === `write ${JOURNAL}`),
    });
    folding = Promise.resolve();
    slow = changeFiles(disk, (path, file) => ({
      async write(bytes, position) {
        if (isFull && path.startsWith(`${JOURNAL}.`)) await turns();
        lastWrite = bytes.length;
        if (path.startsWith(JOURNAL) && position + bytes.length > room) {
          throw new Error("EIO: simulated failure");
        }
        return await file.write(bytes, position);
      },
      async sync() {
        if (path.startsWith(SNAPSHOT)) await folding;
        await file.sync();
      },
    }));
    const onWarning = (message: string) => void warnings.push(message);
    storage = await openSimulated(slow, { journalBytes: 1 << 20, onWarning });
  });

  it("refuses changes of every kind, shows none of them, and takes them after that", async () => {
    const key = sampleKey("key");
    const changes = [
      () => storage.apiKeys.create(sampleKey("other")),
      () => storage.apiKeys.revoke("key", minute(1)),
      () => storage.boards.create(sampleBoard("more")),
      () => storage.boards.delete(sampleBoard("ideas")),
      () => storage.subscriptions.put(sampleChange(ANN, { subscribe: false })),
      () => storage.subscriptions.put(sampleChange(ANN, { subscribe: false })),
      () => storage.subscriptions.erase(BOB),
    ];
    await storage.apiKeys.create(key);
    await storage.boards.create(sampleBoard("ideas"));
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.put(sampleChange(BOB));
    const before = await contentsOf(storage);
    isFull = true;
    const refused = changes.map((change) => change());
    const reading = contentsOf(storage);
    for (const change of refused) await assertRefused(change);
    assertEquals([await reading, await contentsOf(storage)], [before, before]);
    assertEquals(await storage.apiKeys.findByHash(key.hash), key);
    isFull = false;
    for (const change of changes) await change();
    const after = await contentsOf(storage);
    await storage.close();
    const again = await openSimulated(disk, { onWarning: (text) => void warnings.push(text) });
    assertEquals(await contentsOf(again), after);
    assertEquals(warnings, [WARNING, RESUMED]);
    await again.close();
  });

  it("says once that it refuses changes, and once that it doesn't any more", async () => {
    isFull = true;
    for (const user of [ANN, BOB, ANN]) {
      await assertRefused(storage.subscriptions.put(sampleChange(user)));
      await assertRefused(storage.ping());
    }
    assertEquals(warnings, [WARNING]);
    isFull = false;
    await storage.ping();
    await storage.subscriptions.put(sampleChange(ANN));
    assertEquals(warnings, [WARNING, RESUMED]);
    await storage.close();
  });

  it("ping writes only after a refusal, and then as much as was refused, and keeps none", async () => {
    const changes = Array.from({ length: 20 }, (_, i) => sampleChange(`user${i}@x.io`));
    const putAll = () => changes.map((change) => storage.subscriptions.put(change));
    calls.length = 0;
    await storage.ping();
    assertEquals(calls, []);
    const { length } = textOf(disk, JOURNAL);
    room = length;
    await Promise.all(putAll().map(assertRefused));
    const refused = lastWrite;
    room = length + refused - 1;
    await assertRefused(storage.ping());
    room = length + refused + 100;
    calls.length = 0;
    await storage.ping();
    const tried = ["write", "sync", "truncate", "sync"].map((call) => `${call} ${JOURNAL}`);
    assertEquals(calls, tried);
    assertEquals(textOf(disk, JOURNAL).length, length);
    await Promise.all(putAll());
    assertEquals(textOf(disk, JOURNAL).length, length + refused);
    calls.length = 0;
    await storage.ping();
    assertEquals(calls, []);
    await storage.close();
  });

  it("shows no change that is made as soon as another was refused, before it is durable", async () => {
    isFull = true;
    const refused = storage.subscriptions.put(sampleChange(ANN));
    const again = refused.catch(() => storage.subscriptions.put(sampleChange(ANN)));
    const shown = await storage.subscriptions.get(ANN);
    assertEquals(shown, undefined);
    await assertRefused(again);
    await storage.close();
  });

  it("shows no change that is made before another one is refused, while it is not durable", async () => {
    let made: Promise<unknown> | undefined;
    await storage.close();
    storage = await openSimulated(slow, {
      onWarning: () => made ??= storage.subscriptions.put(sampleChange(ANN)),
    });
    isFull = true;
    const refused = storage.subscriptions.put(sampleChange(ANN));
    const reading = storage.subscriptions.get(ANN);
    await assertRefused(refused);
    assertEquals(await reading, undefined);
    await assertRefused(made!);
    await storage.close();
  });

  it("lists what was asked for when it has to look once more", async () => {
    await storage.boards.create(sampleBoard("ideas"));
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.apiKeys.create(sampleKey("key"));
    isFull = true;
    const refused = storage.subscriptions.put(sampleChange(BOB));
    const query = { after: "a", limit: 9 };
    const { boards, subscriptions, apiKeys } = storage;
    const listings = [boards.list(query), subscriptions.list(query), apiKeys.list(query)];
    query.after = "z";
    await assertRefused(refused);
    for (const listing of listings) assertEquals((await listing).length, 1);
    await storage.close();
  });

  it("folds nothing into a snapshot that was refused meanwhile", async () => {
    const { promise, resolve: fold } = Promise.withResolvers<void>();
    await storage.close();
    storage = await openSimulated(slow, { journalBytes: 200 });
    folding = promise;
    calls.length = 0;
    const first = storage.subscriptions.put(sampleChange(ANN));
    await untilTurned(() => calls.includes(`write ${JOURNAL}`));
    isFull = true;
    // The first one is folded, and the second one with it.
    const second = storage.subscriptions.put(sampleChange(BOB));
    await first;
    await assertRejects(() => second, StorageError);
    isFull = false;
    // It gets the number that the second one had.
    await storage.subscriptions.put(sampleChange("carl@x.io"));
    fold();
    await turns();
    await storage.close();
    assertEquals(filesWith(disk, BOB), []);
    const reopened = await openSimulated(disk);
    const found = await reopened.subscriptions.list({ limit: 9 });
    assertEquals(found.map(({ userEmail }) => userEmail), [ANN, "carl@x.io"]);
    await reopened.close();
  });

  it("folds once, and not for ever, after an erasure was refused", async () => {
    const clock = createSimulatedClock();
    await storage.close();
    storage = await openSimulated(disk, { clock });
    await storage.subscriptions.put(sampleChange(ANN));
    isFull = true;
    await assertRefused(storage.subscriptions.erase(ANN));
    isFull = false;
    for (let i = 0; i < 3; i++) {
      calls.length = 0;
      clock.fire();
      await turns();
    }
    assertEquals(calls.filter((call) => call.startsWith("rename ")), []);
    assertEquals((await storage.subscriptions.get(ANN))?.subscribed, true);
    await storage.close();
  });

  it("loses nothing when it folds while it tries whether there is room again", async () => {
    const { promise, resolve: fold } = Promise.withResolvers<void>();
    const clock = createSimulatedClock();
    await storage.close();
    storage = await openSimulated(slow, { clock });
    folding = promise;
    await storage.subscriptions.put(sampleChange(BOB));
    await storage.subscriptions.erase(BOB);
    isFull = true;
    await assertRefused(storage.subscriptions.put(sampleChange(ANN)));
    const probe = storage.ping();
    clock.fire();
    await assertRefused(probe);
    isFull = false;
    for (const userEmail of [ANN, ...OTHERS]) {
      await storage.subscriptions.put(sampleChange(userEmail, { subscribe: false }));
    }
    fold();
    await turns();
    await storage.close();
    const again = await openSimulated(disk);
    const found = await again.subscriptions.list({ limit: 9, subscribed: false });
    assertEquals(found.map(({ userEmail }) => userEmail), [ANN, ...OTHERS]);
    assertEquals(filesWith(disk, BOB), []);
    await again.close();
  });

  it("refuses changes for good when it can't take back what was written", async () => {
    for (const call of [`truncate ${JOURNAL}`, `sync ${JOURNAL}`]) {
      let isBroken = false;
      const failing = createSimulatedDisk({
        fails: (name) => isBroken && [call, `write ${JOURNAL}`].includes(name),
      });
      const said: string[] = [];
      const other = await openSimulated(failing, { onWarning: (text) => void said.push(text) });
      await other.subscriptions.put(sampleChange(ANN));
      isBroken = true;
      await assertRefused(other.subscriptions.put(sampleChange(BOB)));
      isBroken = false;
      await assertRefused(other.subscriptions.put(sampleChange(BOB)));
      await assertRefused(other.ping());
      assertEquals(said, [`${REFUSED}; mend the cause and restart`]);
      assertEquals((await other.subscriptions.list({ limit: 9 })).length, 1);
      await other.close();
    }
  });
});

describe("file storage on a small disk", () => {
  it("goes on by itself once there is room again", {
    skip: SMALL_DISK_SKIP,
  }, async () => {
    await withSmallDisk(async (directory, enlarge) => {
      const acknowledged: string[] = [];
      const storage = await openFileStorage(directory);
      async function put(user: number): Promise<void> {
        await storage.subscriptions.put(sampleChange(`user${user}@x.io`, { subscribe: false }));
        acknowledged.push(`user${user}@x.io`);
      }
      const emailsIn = async (from: Storage) =>
        (await from.subscriptions.list({ limit: 9_999 })).map(({ userEmail }) => userEmail);
      let user = 1_000;
      await assertRejects(async () => {
        while (true) await put(user++);
      }, StorageError);
      await assertRejects(() => storage.ping(), StorageError);
      await enlarge();
      await storage.ping();
      for (let more = 0; more < 100; more++) await put(user++);
      assertEquals(await emailsIn(storage), acknowledged);
      await storage.close();
      const again = await openFileStorage(directory);
      assertEquals(await emailsIn(again), acknowledged);
      await again.close();
    });
  });
});
