import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { filesWith, LOCK, SNAPSHOT, withTornJournal } from "./_file/contents.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated, type SimulatedClock } from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";
// A record cut short, of the very person.
const TORN = `{"seq":99,"put":{"subscriptions":[{"userEmail":"${ANN}"`;

describe("file storage after an erasure", () => {
  let disk: SimulatedDisk;
  let clock: SimulatedClock;
  let storage: Storage;
  beforeEach(async () => {
    disk = createSimulatedDisk();
    clock = createSimulatedClock();
    storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    for (const email of ["amy@x.io", ANN, "zoe@x.io"]) {
      await storage.subscriptions.put(sampleChange(email, { userName: `Name of ${email}` }));
    }
  });

  it("has the person in no file once the scheduled compaction is done", async () => {
    await storage.subscriptions.erase(ANN);
    assert(filesWith(disk, ANN).length > 0);
    clock.fire();
    await untilTurned(() => filesWith(disk, ANN).length === 0);
    assertEquals(filesWith(disk, "amy@x.io"), [SNAPSHOT]);
    await storage.close();
  });

  it("folds nothing where nobody was found", async () => {
    assertEquals(await storage.subscriptions.erase("bob@x.io"), false);
    clock.fire();
    await turns();
    assertEquals(disk.files.has(SNAPSHOT), false);
    await storage.close();
  });

  it("has a person who was only in a torn tail in no file, and says that nobody was found", async () => {
    const left = createSimulatedDisk(
      {},
      withTornJournal(disk.files, TORN.replace(ANN, "bob@x.io")),
    );
    const again = await openSimulated(left, { clock });
    assertEquals(filesWith(left, "bob@x.io").length, 1);
    assertEquals(await again.subscriptions.erase("bob@x.io"), false);
    assertEquals(filesWith(left, "bob@x.io"), []);
    await again.close();
    await storage.close();
  });

  it("names the cause where it finds nobody and can't remove a torn tail", async () => {
    let isRefused = false;
    const left = createSimulatedDisk(
      { fails: (call) => isRefused && call.startsWith("remove ") },
      withTornJournal(disk.files, TORN),
    );
    const again = await openSimulated(left, { clock });
    isRefused = true;
    const error = await assertRejects(() => again.subscriptions.erase("bob@x.io"), StorageError);
    assertEquals(error.code, "unavailable");
    assertEquals(error.message, "Cannot remove the copies of torn tails: EIO: simulated failure");
    isRefused = false;
    assertEquals(await again.subscriptions.erase("bob@x.io"), false);
    await again.close();
    await storage.close();
  });

  it("says that the folder is lost where that is why a torn tail can't be removed", async () => {
    let isLost = false;
    const left = createSimulatedDisk({
      fails(call) {
        if (isLost && call.startsWith("list ")) left.removeNow(LOCK);
        return false;
      },
    }, withTornJournal(disk.files, TORN));
    const again = await openSimulated(left, { clock });
    isLost = true;
    const error = await assertRejects(() => again.subscriptions.erase("bob@x.io"), StorageError);
    assertMatch(error.message, /^Cannot use the data folder/);
    await again.close();
    await storage.close();
  });

  it("has the person in no file after close", async () => {
    await storage.subscriptions.erase(ANN);
    await storage.close();
    assertEquals(filesWith(disk, ANN), []);
    const again = await openSimulated(disk);
    assertEquals((await again.subscriptions.list({ limit: 9 })).length, 2);
    await again.close();
  });

  it("has the person in no file after close, when the erasure is still under way", async () => {
    const erasing = storage.subscriptions.erase(ANN);
    await storage.close();
    assertEquals(await erasing, true);
    assertEquals(filesWith(disk, ANN), []);
  });

  it("has the person in no file when killed and opened again", async () => {
    await storage.subscriptions.erase(ANN);
    const files = withTornJournal(disk.files, TORN);
    files.set(`${SNAPSHOT}.x.tmp`, new TextEncoder().encode(ANN));
    const left = createSimulatedDisk({}, files);
    const again = await openSimulated(left, { clock });
    assertEquals(filesWith(left, ANN).length, 2);
    clock.fire();
    await untilTurned(() => filesWith(left, ANN).length === 0);
    await again.close();
  });

  it("has the person in no file after the next start, wherever power is cut meanwhile", async () => {
    await storage.subscriptions.erase(ANN);
    const files = withTornJournal(disk.files, TORN);
    let images = 0;
    let isFolded = false;
    for (let faultAt = 1; !isFolded; faultAt++) {
      const left = createSimulatedDisk({ faultAt, fault: "stop" }, files);
      const clock = createSimulatedClock();
      await Promise.race([openSimulated(left, { clock }), left.stopped]);
      clock.fire();
      await turns();
      isFolded = left.calls < faultAt;
      for (const image of left.images()) {
        images++;
        await (await openSimulated(image)).close();
        assertEquals(filesWith(image, ANN), [], `power was cut at call ${faultAt}`);
      }
    }
    assert(images > 100, `there were only ${images} images`);
  });

  it("has the person in no file when erased while a compaction was under way", async () => {
    await storage.subscriptions.erase("zoe@x.io");
    clock.fire();
    await untilTurned(() => [...disk.files.keys()].some((path) => path.includes("snapshot.json.")));
    await storage.subscriptions.erase(ANN);
    await untilTurned(() => filesWith(disk, "zoe@x.io").length === 0);
    await untilTurned(() => {
      clock.fire();
      return filesWith(disk, ANN).length === 0;
    });
    assertEquals((await storage.subscriptions.list({ limit: 9 })).length, 1);
    await storage.close();
  });

  it("has the person in no file after close, when erased while a compaction was under way", async () => {
    await storage.subscriptions.erase("zoe@x.io");
    clock.fire();
    await untilTurned(() => [...disk.files.keys()].some((path) => path.includes("snapshot.json.")));
    const erasing = storage.subscriptions.erase(ANN);
    await storage.close();
    await erasing;
    assertEquals(filesWith(disk, ANN), []);
  });

  it("closes once all that found nobody are done, whichever came first", async () => {
    const held = Promise.withResolvers<void>();
    const left = createSimulatedDisk({}, withTornJournal(disk.files, TORN));
    let mayRemove: Promise<void> | undefined;
    let isHeld = false;
    const again = await openSimulated({
      ...left,
      async remove(path) {
        const before = mayRemove;
        isHeld = before !== undefined;
        mayRemove = undefined;
        await before;
        await left.remove(path);
      },
    });
    mayRemove = held.promise;
    const first = again.subscriptions.erase("bob@x.io");
    await untilTurned(() => isHeld);
    assert(await again.subscriptions.erase(ANN));
    let isClosed = false;
    const closing = again.close().then(() => isClosed = true);
    await turns();
    assertEquals(isClosed, false);
    held.resolve();
    assertEquals(await first, false);
    await closing;
    await storage.close();
  });

  it("writes nothing more once it was closed", async () => {
    await storage.subscriptions.erase(ANN);
    await storage.close();
    const { calls } = disk;
    clock.fire();
    await turns();
    assertEquals(disk.calls, calls);
  });
});
