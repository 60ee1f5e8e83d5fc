import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sampleChange } from "./_contract/samples.ts";
import {
  changeFiles,
  generationOf,
  JOURNAL,
  SNAPSHOT,
  temporariesOn,
  textOf,
  withTornJournal,
} from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";
const BROKEN = /\.broken/;

describe("file storage that folds its journal", () => {
  it("gives a fold up that nobody waits for when it is closed", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1_000 });
    const puts = Array.from(
      { length: 2_000 },
      (_, i) => storage.subscriptions.put(sampleChange(`user${i}@x.io`)),
    );
    await Promise.all(puts);
    const before = generationOf(disk);
    await untilTurned(() => [...disk.files.keys()].some((path) => path.startsWith(`${SNAPSHOT}.`)));
    await storage.close();
    assertEquals(generationOf(disk), before);
    const again = await openSimulated(disk, { journalBytes: 1 << 30 });
    assertEquals((await again.subscriptions.list({ limit: 9_999 })).length, 2_000);
    await again.close();
    assertEquals(temporariesOn(disk), []);
  });

  it("folds a long journal when it is opened", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1 << 20 });
    for (let user = 0; user < 20; user++) {
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
    }
    await storage.close();
    assertEquals(generationOf(disk), 0);
    const again = await openSimulated(disk, { journalBytes: 1_000 });
    await untilTurned(() => generationOf(disk) === 1);
    await again.close();
  });

  it("folds once for an erasure, and not again when it is closed", async () => {
    const { disk, clock, storage, before } = await openAfterErasure();
    clock.fire();
    await untilTurned(() => generationOf(disk) > before && !textOf(disk, JOURNAL).includes(ANN));
    await turns();
    await storage.close();
    assertEquals(generationOf(disk), before + 1);
  });

  it("folds a long journal though an erasure waits for its turn, and folds that with it", async () => {
    const { disk, clock, storage, before } = await openAfterErasure({ journalBytes: 1_000 });
    for (let user = 0; generationOf(disk) === before; user++) {
      assert(user < 100, "the journal grew and grew");
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
      await turns();
    }
    assert(!textOf(disk, JOURNAL).includes(ANN));
    const after = generationOf(disk);
    clock.fire();
    await turns();
    assertEquals(generationOf(disk), after);
    await storage.close();
  });

  it("is not done again at the end for an erasure that is just being folded", async () => {
    const { disk, clock, storage, before } = await openAfterErasure();
    clock.fire();
    await storage.close();
    assertEquals(generationOf(disk), before + 1);
  });

  it("is not done in a new folder, in which nothing was erased", async () => {
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock });
    clock.fire();
    await turns();
    await storage.close();
    assertEquals(generationOf(disk), 0);
  });

  it("waits no longer than a minute with the next erasure, however long the last one took", async () => {
    const simulated = createSimulatedDisk();
    const simulatedClock = createSimulatedClock();
    const delaysMs: number[] = [];
    const clock = {
      ...simulatedClock,
      schedule(delayMs: number, run: () => void) {
        delaysMs.push(delayMs);
        return simulatedClock.schedule(delayMs, run);
      },
    };
    let standstillMs = 0;
    const disk = changeFiles(simulated, (path, file) => ({
      async sync() {
        if (path.startsWith(`${SNAPSHOT}.`)) await clock.wait(standstillMs);
        await file.sync();
      },
    }));
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    for (standstillMs of [0, 1_000, 2_000, 3_600_000]) {
      await storage.subscriptions.put(sampleChange(ANN));
      await storage.subscriptions.erase(ANN);
      const before = generationOf(simulated);
      clock.fire();
      await untilTurned(() => generationOf(simulated) > before);
      await turns();
    }
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.erase(ANN);
    await storage.close();
    const longMs = delaysMs.filter((delayMs) => delayMs >= 500);
    assertEquals(longMs, [500, 500, 10_000, 20_000, 60_000]);
  });

  it("counts each fold, and folds again once the journal is half as long as the snapshot", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1_000 });
    const folds: number[] = [];
    for (let user = 0; user < 400; user++) {
      const before = generationOf(disk);
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
      await turns();
      if (generationOf(disk) > before) folds.push(user);
    }
    assert(folds.length > 5, `folded at ${folds}`);
    assertEquals(generationOf(disk), folds.length);
    // The journal holds about as many bytes a user as the snapshot does.
    for (const [i, user] of folds.slice(3).entries()) {
      const growth = user / folds[i + 2];
      assert(growth > 1.2 && growth < 1.6, `folded at ${folds}`);
    }
    await storage.close();
    const again = await openSimulated(disk, { journalBytes: 1 << 20 });
    assertEquals((await again.subscriptions.list({ limit: 999 })).length, 400);
    await again.close();
  });

  it("leaves files alone that are not its own, whatever their ending", async () => {
    const fresh = createSimulatedDisk();
    await (await openSimulated(fresh)).close();
    const others = ["notes.tmp", "notes.broken", "journal.jsonl2.tmp", "snapshot.json.old"]
      .map((name) => `/data/${name}`);
    const files = new Map(others.map((path) => [path, new Uint8Array()]));
    const disk = createSimulatedDisk({}, new Map([...fresh.files, ...files]));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.erase(ANN);
    clock.fire();
    await untilTurned(() => generationOf(disk) === 1);
    await storage.close();
    assertEquals(others.filter((path) => !disk.files.has(path)), []);
  });

  it("keeps the copy of a torn tail, until somebody is erased", async () => {
    const fresh = createSimulatedDisk();
    await (await openSimulated(fresh)).close();
    const disk = createSimulatedDisk({}, withTornJournal(fresh.files, '{"seq":9,"put":{'));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1_000 });
    const copies = () => [...disk.files.keys()].filter((path) => BROKEN.test(path)).length;
    assertEquals(copies(), 1);
    const before = generationOf(disk);
    for (let user = 0; generationOf(disk) === before; user++) {
      assert(user < 1_000, "the journal was never folded");
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
      await turns();
    }
    await turns();
    assertEquals(copies(), 1);
    await storage.subscriptions.erase("user0@x.io");
    clock.fire();
    await untilTurned(() => copies() === 0);
    await storage.close();
  });
});

/** Opens storage in which somebody was erased, and tells the generation of its snapshot. */
async function openAfterErasure({ journalBytes = 1 << 20 } = {}) {
  const disk = createSimulatedDisk();
  const clock = createSimulatedClock();
  const storage = await openSimulated(disk, { clock, journalBytes });
  await storage.subscriptions.put(sampleChange(ANN));
  await storage.subscriptions.erase(ANN);
  return { disk, clock, storage, before: generationOf(disk) };
}
