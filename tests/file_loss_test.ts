import { assertEquals, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Disk } from "../adapters/_file/disk.ts";
import { StorageError } from "../adapters/storage.ts";
import { minute, sampleChange, sampleKey } from "./_contract/samples.ts";
import { changeFiles, HELD, JOURNAL, LOCK } from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

describe("a journal that another program", () => {
  const lose: Record<string, (disk: Disk) => Promise<void>> = {
    removed: (disk) => disk.remove(JOURNAL),
    async replaced(disk) {
      await (await disk.open(`${JOURNAL}.old`, "create")).close();
      await disk.rename(`${JOURNAL}.old`, JOURNAL);
    },
  };
  for (const [what, happen] of Object.entries(lose)) {
    it(`${what} takes no change any more, and can still be read`, async () => {
      const disk = createSimulatedDisk();
      const warnings: string[] = [];
      const storage = await openSimulated(disk, { onWarning: (text) => warnings.push(text) });
      await storage.subscriptions.put(sampleChange("ann@x.io"));
      await happen(disk);
      for (let i = 0; i < 2; i++) {
        const change = storage.subscriptions.put(sampleChange("bob@x.io"));
        assertEquals((await assertRejects(() => change, StorageError)).code, "unavailable");
      }
      await assertRejects(() => storage.ping(), StorageError);
      assertEquals((await storage.subscriptions.list({ limit: 9 })).length, 1);
      await storage.close();
      assertEquals(warnings.length, 1);
      assertStringIncludes(warnings[0], "another program has removed or replaced journal.jsonl");
    });
  }
});

describe("a holder that was paused and has lost its lock", () => {
  it("refuses everything from its next heartbeat on, and tells of it once", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const told: string[] = [];
    const paused = await openSimulated(disk, {
      clock,
      onWarning: (text) => told.push(text),
      onLost: () => told.push("lost"),
    });
    const key = sampleKey("key");
    await paused.apiKeys.create(key);
    await paused.subscriptions.put(sampleChange("ann@x.io"));
    // Has the journal folded at the time of the heartbeat.
    await paused.subscriptions.erase("ann@x.io");
    const successor = await openSimulated(disk);
    await successor.apiKeys.revoke("key", minute(1));
    const lock = disk.readNow(LOCK);
    clock.fire();
    await turns();
    for (
      const call of [
        () => paused.apiKeys.findByHash(key.hash),
        () => paused.apiKeys.touch("key", minute(2)),
        () => paused.boards.get("ideas"),
        () => paused.subscriptions.list({ limit: 9 }),
        () => paused.subscriptions.put(sampleChange("late@x.io")),
        () => paused.ping(),
      ]
    ) {
      const { code, message } = await assertRejects(call, StorageError);
      assertEquals([code, message], ["unavailable", HELD]);
    }
    clock.fire();
    await turns();
    await paused.close();
    assertEquals(told, [`${HELD}; restart to use it again`, "lost"]);
    assertEquals(disk.readNow(LOCK), lock);
    await successor.close();
  });

  it("is told of it by its heartbeat, where nothing else happens", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const paused = await openSimulated(disk, { clock });
    const successor = await openSimulated(disk);
    clock.fire();
    const error = await assertRejects(() => paused.boards.get("ideas"), StorageError);
    assertEquals(error.message, HELD);
    await paused.close();
    await successor.close();
  });

  it("refuses a read that waits for the change by which it finds out", async () => {
    const disk = createSimulatedDisk();
    const paused = await openSimulated(disk);
    await paused.subscriptions.put(sampleChange("ann@x.io"));
    const successor = await openSimulated(disk);
    const change = paused.subscriptions.put(sampleChange("ann@x.io", { subscribe: false }));
    const read = paused.subscriptions.get("ann@x.io");
    const outcomes = await Promise.allSettled([change, read]);
    assertEquals(outcomes.map((o) => o.status === "rejected" && o.reason.code), [
      "unavailable",
      "unavailable",
    ]);
    await paused.close();
    await successor.close();
  });

  it("is not one whose heartbeats can't be written, but it says so until they can", async () => {
    let isReadOnly = false;
    const fails = (call: string) => isReadOnly && call.startsWith("write ");
    const clock = createSimulatedClock();
    const storage = await openSimulated(createSimulatedDisk({ fails }), { clock });
    isReadOnly = true;
    for (let beat = 1; beat <= 5; beat++) {
      await storage.ping();
      clock.fire();
      await turns();
    }
    const error = await assertRejects(() => storage.ping(), StorageError);
    assertEquals([error.code, error.message], ["unavailable", "The disk takes no writes"]);
    isReadOnly = false;
    clock.fire();
    await turns();
    await storage.ping();
    await storage.subscriptions.put(sampleChange("ann@x.io"));
    await storage.close();
  });

  it("is not one whose lock can't be read for a moment", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    let failing = false;
    function refuse(): void {
      if (failing) throw Object.assign(new Error("simulated failure"), { code: "EIO" });
    }
    const storage = await openSimulated({
      ...disk,
      readNow(path) {
        refuse();
        return disk.readNow(path);
      },
      identifyNow(path) {
        refuse();
        return disk.identifyNow(path);
      },
    }, { clock });
    const before = disk.readNow(LOCK);
    failing = true;
    clock.fire();
    await turns();
    assertNotEquals(disk.readNow(LOCK), before);
    assertEquals(await storage.boards.get("ideas"), undefined);
    const error = await assertRejects(() => storage.ping(), StorageError);
    assertEquals(error.message, "Cannot read the lock of the data folder: simulated failure");
    failing = false;
    await storage.ping();
    await storage.subscriptions.put(sampleChange("ann@x.io"));
    await storage.close();
  });

  it("is not one that has too many files open to open the lock", async () => {
    const disk = createSimulatedDisk();
    let opened = 0;
    const storage = await openSimulated({
      ...disk,
      readNow(path) {
        opened++;
        return disk.readNow(path);
      },
    });
    opened = 0;
    await storage.subscriptions.put(sampleChange("ann@x.io"));
    await storage.ping();
    assertEquals(opened, 0);
    await storage.close();
  });

  it("is one in whose place a copy of the folder was put", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk);
    await storage.ping();
    const text = disk.readNow(LOCK);
    await disk.remove(LOCK);
    const copy = await disk.open(LOCK, "create");
    await copy.write(new TextEncoder().encode(text), 0);
    await copy.close();
    const error = await assertRejects(() => storage.ping(), StorageError);
    assertStringIncludes(error.message, '"/data": a copy has taken its place');
    await storage.close();
    assertEquals(disk.readNow(LOCK), text);
  });

  for (const code of ["EACCES", "ENOTDIR"]) {
    it(`is one that can't look at the lock for five heartbeats: ${code}`, async () => {
      const disk = createSimulatedDisk();
      const clock = createSimulatedClock();
      let failing = false;
      const told: string[] = [];
      const storage = await openSimulated({
        ...disk,
        identifyNow(path) {
          if (failing) throw Object.assign(new Error("simulated failure"), { code });
          return disk.identifyNow(path);
        },
        readNow(path) {
          if (failing) throw Object.assign(new Error("simulated failure"), { code });
          return disk.readNow(path);
        },
      }, { clock, onLost: () => told.push("lost") });
      const beat = async (times: number) => {
        for (let i = 0; i < times; i++) {
          clock.fire();
          await turns();
        }
      };
      failing = true;
      await beat(4);
      failing = false;
      await beat(1);
      await storage.ping();
      failing = true;
      await beat(4);
      assertEquals(told, []);
      await beat(1);
      assertEquals(told, ["lost"]);
      const error = await assertRejects(() => storage.boards.get("ideas"), StorageError);
      assertStringIncludes(error.message, '"/data": its lock may not be looked at any more');
      await storage.close();
    });
  }

  it("is not one that has just given it back", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const told: string[] = [];
    const watched = changeFiles(disk, (path, file) => ({
      async close() {
        if (path === LOCK) clock.fire();
        await turns();
        await file.close();
      },
    }));
    const storage = await openSimulated(watched, { clock, onLost: () => told.push("lost") });
    await storage.close();
    assertEquals([told, disk.files.has(LOCK)], [[], false]);
  });

  it("removes its lock in the turn in which it looked at it", async () => {
    const disk = createSimulatedDisk();
    let isSameTurn = false;
    const removals: boolean[] = [];
    const storage = await openSimulated({
      ...disk,
      identifyNow(path) {
        if (path === LOCK) {
          isSameTurn = true;
          queueMicrotask(() => isSameTurn = false);
        }
        return disk.identifyNow(path);
      },
      removeNow(path) {
        if (path === LOCK) removals.push(isSameTurn);
        disk.removeNow(path);
      },
    });
    await storage.close();
    assertEquals([removals, disk.files.has(LOCK)], [[true], false]);
  });

  it("is found where the platform does not tell files apart, too", async () => {
    const disk = { ...createSimulatedDisk(), identifyNow: () => undefined };
    const paused = await openSimulated(disk);
    await paused.subscriptions.put(sampleChange("ann@x.io"));
    const successor = await openSimulated(disk);
    const error = await assertRejects(() => paused.ping(), StorageError);
    assertEquals(error.message, HELD);
    await paused.close();
    await successor.close();
  });
});
