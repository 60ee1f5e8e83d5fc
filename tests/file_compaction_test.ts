import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Disk, DiskFile } from "../adapters/_file/disk.ts";
import { sampleChange } from "./_contract/samples.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import { contentsOf, createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";
const SNAPSHOT = "/data/snapshot.json";
const JOURNAL = "/data/journal.jsonl";
const BROKEN = /\.broken/;

/** A disk on which the files of some paths are other than usual. */
function changeFiles(
  disk: SimulatedDisk,
  change: (path: string, file: DiskFile) => Partial<DiskFile>,
): Disk {
  return {
    ...disk,
    async open(path, mode) {
      const file = await disk.open(path, mode);
      return { ...file, ...change(path, file) };
    },
  };
}

function textOf(disk: SimulatedDisk, path: string): string {
  return new TextDecoder().decode(disk.files.get(path));
}

/** The generation of the snapshot; 0 where there is none yet. */
function generationOf(disk: SimulatedDisk): number {
  const text = textOf(disk, SNAPSHOT);
  return text === "" ? 0 : JSON.parse(text).generation;
}

describe("file storage that folds its journal", () => {
  it("warns, tries again later and loses nothing when a snapshot can't be written", async () => {
    const simulated = createSimulatedDisk();
    let isFull = false;
    const disk = changeFiles(simulated, (path, file) => ({
      write: (bytes, position) =>
        isFull && path.startsWith(`${SNAPSHOT}.`)
          ? Promise.reject(new Error("no space left"))
          : file.write(bytes, position),
    }));
    const clock = createSimulatedClock();
    const warnings: string[] = [];
    const settings = {
      clock,
      journalBytes: 1_000,
      onWarning: (message: string) => void warnings.push(message),
    };
    const storage = await openSimulated(disk, settings);
    const first = generationOf(simulated);
    isFull = true;
    for (let user = 0; warnings.length === 0; user++) {
      assert(user < 1_000, "the journal was never folded");
      await storage.subscriptions.put(sampleChange(`user${user}@x.io`));
      await turns();
    }
    assertEquals(
      warnings[0],
      "Cannot fold the journal into a new snapshot, trying again later: no space left",
    );
    assertEquals(generationOf(simulated), first);
    assertEquals([...simulated.files.keys()].filter((path) => path.endsWith(".tmp")), []);
    isFull = false;
    clock.fire();
    await untilTurned(() => generationOf(simulated) > first);
    const contents = await contentsOf(storage);
    await storage.close();
    const again = await openSimulated(disk, settings);
    assertEquals(await contentsOf(again), contents);
    assertEquals(warnings.length, 1);
    await again.close();
  });

  for (const when of ["later", "once it is opened again", "once it is opened, closed meanwhile"]) {
    const isClosed = when !== "later";
    it(`folds an erasure ${when} when the journal can't be moved, and leaves nothing behind`, async () => {
      const simulated = createSimulatedDisk();
      let isFailing = false;
      const disk = changeFiles(simulated, (path, file) => ({
        sync: () =>
          isFailing && path.startsWith(`${JOURNAL}.`)
            ? Promise.reject(new Error("no space left"))
            : file.sync(),
      }));
      const clock = createSimulatedClock();
      const warnings: string[] = [];
      const settings = { clock, onWarning: (text: string) => void warnings.push(text) };
      const storage = await openSimulated(disk, settings);
      await storage.subscriptions.put(sampleChange(ANN));
      await storage.subscriptions.erase(ANN);
      isFailing = true;
      if (when !== "once it is opened again") clock.fire();
      if (isClosed) await storage.close();
      await untilTurned(() => warnings.length > 0);
      await turns();
      const names = [...simulated.files.keys()];
      assertEquals(names.filter((path) => path.endsWith(".tmp")), []);
      assertEquals(textOf(simulated, JOURNAL).includes(ANN), true);
      isFailing = false;
      if (isClosed) {
        assertEquals(simulated.openFiles, 0);
        const { calls } = simulated;
        clock.fire();
        await turns();
        assertEquals(simulated.calls, calls);
      }
      const next = isClosed ? await openSimulated(disk, settings) : storage;
      clock.fire();
      await untilTurned(() => !textOf(simulated, JOURNAL).includes(ANN));
      await next.close();
      assertEquals(simulated.openFiles, 0);
    });
  }

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
    assertEquals([...disk.files.keys()].filter((path) => path.endsWith(".tmp")), []);
  });

  it("publishes no snapshot with a change in it that is not durable yet", async () => {
    const simulated = createSimulatedDisk();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const disk = changeFiles(simulated, (path, file) => ({
      async sync() {
        if (isHeld && path.startsWith(JOURNAL)) await gate.promise;
        await file.sync();
      },
    }));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    await storage.subscriptions.put(sampleChange("zoe@x.io"));
    await storage.subscriptions.erase("zoe@x.io");
    isHeld = true;
    const put = storage.subscriptions.put(sampleChange(ANN));
    await turns();
    clock.fire();
    await turns();
    assertEquals(textOf(simulated, SNAPSHOT).includes(ANN), false);
    gate.resolve();
    await put;
    await untilTurned(() => textOf(simulated, SNAPSHOT).includes(ANN));
    await storage.close();
  });

  it("takes the records of one moment, whatever changes while they are written", async () => {
    const simulated = createSimulatedDisk();
    const held = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;
    const disk = changeFiles(simulated, (path, file) => ({
      write(bytes, position) {
        if (path.startsWith(`${SNAPSHOT}.`)) {
          late ??= storage.subscriptions.put(sampleChange("user1999@x.io", { subscribe: false }));
        }
        return file.write(bytes, position);
      },
      async sync() {
        if (late !== undefined && path.startsWith(JOURNAL)) await held.promise;
        await file.sync();
      },
    }));
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 24 });
    const users = Array.from({ length: 2_000 }, (_, i) => `user${`${i}`.padStart(4, "0")}@x.io`);
    await Promise.all(users.map((user) => storage.subscriptions.put(sampleChange(user))));
    await storage.subscriptions.erase("user0000@x.io");
    clock.fire();
    await untilTurned(() => generationOf(simulated) > 0, 1_000_000);
    assertMatch(
      textOf(simulated, SNAPSHOT),
      /"userEmail":"user1999@x\.io",[^}]*"subscribed":true/,
    );
    held.resolve();
    await late;
    await storage.close();
  });

  it("carries over all that came in meanwhile, however much, and leaves no file open", async () => {
    const simulated = createSimulatedDisk();
    let handles = 0;
    let late: Promise<unknown> | undefined;
    const name = "x".repeat(200);
    const disk = changeFiles(simulated, (path, file) => {
      handles++;
      return {
        async write(bytes, position) {
          // A megabyte of changes, while the snapshot waits.
          if (path.startsWith(`${SNAPSHOT}.`)) {
            late ??= Promise.all(
              Array.from(
                { length: 3_000 },
                (_, i) =>
                  storage.subscriptions.put(sampleChange(`late${i}@x.io`, { userName: name })),
              ),
            );
            await late;
          }
          return await file.write(bytes, position);
        },
        async close() {
          handles--;
          await file.close();
        },
      };
    });
    const clock = createSimulatedClock();
    const warnings: string[] = [];
    const storage = await openSimulated(disk, {
      clock,
      journalBytes: 1 << 30,
      onWarning: (message) => void warnings.push(message),
    });
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.erase(ANN);
    clock.fire();
    await untilTurned(() => generationOf(simulated) > 0, 1_000_000);
    await storage.subscriptions.put(sampleChange("last@x.io"));
    await storage.close();
    assertEquals([handles, warnings], [0, []]);
    const lines = textOf(simulated, JOURNAL).trimEnd().split("\n");
    const [header, ...records] = lines.map((line) => JSON.parse(line));
    assertEquals(records.map(({ seq }) => seq - header.after), [
      ...records.slice(0, -1).map((_, i) => i + 1),
      records.length - 1,
    ]);
    const again = await openSimulated(simulated, { journalBytes: 1 << 30 });
    const kept = await again.subscriptions.list({ limit: 9_999 });
    assertEquals([kept.length, kept[0].userEmail], [3_001, "last@x.io"]);
    await again.close();
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
    const disk = createSimulatedDisk();
    const clock = createSimulatedClock();
    const storage = await openSimulated(disk, { clock, journalBytes: 1 << 20 });
    await storage.subscriptions.put(sampleChange(ANN));
    await storage.subscriptions.erase(ANN);
    const before = generationOf(disk);
    clock.fire();
    await untilTurned(() => generationOf(disk) > before && !textOf(disk, JOURNAL).includes(ANN));
    await turns();
    await storage.close();
    assertEquals(generationOf(disk), before + 1);
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

  it("keeps the copy of a torn tail, until somebody is erased", async () => {
    const fresh = createSimulatedDisk();
    await (await openSimulated(fresh)).close();
    const torn = new TextEncoder().encode('{"seq":9,"put":{');
    const files = new Map(fresh.files);
    files.set(JOURNAL, new Uint8Array([...files.get(JOURNAL)!, ...torn]));
    const disk = createSimulatedDisk({}, files);
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
