import { assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import process from "node:process";
import type { FileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { PEOPLE } from "./_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  changeFiles,
  contentsOf,
  count,
  createSimulatedClock,
  erasePerson,
  LOCK,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedClock,
} from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const JOURNAL = "/data/journal-0.jsonl";
const CANNOT = 'The data folder can\'t be written any more: Cannot use the data folder "/data": ';
const HELD = `${CANNOT}process ${process.pid} on test holds it since 2026-11-21T10:00:00.000Z`;

describe("a holder whose lock was taken over while it was paused", () => {
  let disk: SimulatedDisk;
  let clock: SimulatedClock;
  let paused: FileStorage;
  let successor: FileStorage;
  let told: string[];

  beforeEach(async () => {
    disk = createSimulatedDisk();
    clock = createSimulatedClock();
    told = [];
    paused = await openSimulated(disk, {
      clock,
      onWarning: (message) => told.push(message),
      onLost: () => told.push("lost"),
    });
    await putPerson("ann@x.io", "Ann")(paused);
    successor = await openSimulated(disk);
  });

  async function assertLost(call: () => Promise<unknown>): Promise<void> {
    const { code, message } = await assertRejects(call, StorageError);
    assertEquals([code, message], ["unavailable", HELD]);
  }

  const calls: Readonly<Record<string, (storage: FileStorage) => Promise<unknown>>> = {
    "a change": putPerson("late@x.io"),
    "that there was nothing to change": putPerson("ann@x.io", "Ann"),
    "that there was nothing to remove": erasePerson("nobody@x.io"),
    ping: (storage) => storage.ping(),
  };
  for (const [what, call] of Object.entries(calls)) {
    it(`does not acknowledge ${what}, and then nothing at all`, async () => {
      await putPerson("ann@x.io", "Anna")(successor);
      await assertLost(() => call(paused));
      await assertLost(() => paused.get(PEOPLE, "ann@x.io"));
      await assertLost(() => paused.list(PEOPLE, { limit: 9 }));
      assertEquals(told, [`${HELD}; mend the cause and restart`, "lost"]);
      const lock = disk.readNow(LOCK);
      await paused.close();
      assertEquals(disk.readNow(LOCK), lock);
      const contents = await contentsOf(successor);
      await successor.close();
      assertEquals(await contentsOf(await openSimulated(disk)), contents);
    });
  }

  it("finds out by its next heartbeat, where nothing else happens", async () => {
    clock.advance(100);
    await assertLost(() => paused.get(PEOPLE, "ann@x.io"));
    await paused.close();
    await successor.close();
  });

  it("puts no file in place and removes none", async () => {
    await putPerson("zoe@x.io")(successor);
    const names = namesOn(disk);
    const journal = disk.files.get(JOURNAL);
    // It would compact now, and when it is closed.
    await assertLost(() => erasePerson("ann@x.io")(paused));
    clock.advance(500);
    await turns();
    await paused.close();
    assertEquals([namesOn(disk), disk.files.get(JOURNAL)], [names, journal]);
    await successor.close();
  });
});

describe("a holder that is paused", () => {
  const steps: Readonly<Record<string, RegExp>> = {
    "before it puts a new journal in place": /^journal-1\.jsonl\..*tmp$/,
    "before it puts a snapshot in place": /^snapshot-1\.json\..*tmp$/,
  };
  for (const [when, name] of Object.entries(steps)) {
    it(`${when} does not put it in place after its successor has begun`, async () => {
      const disk = createSimulatedDisk();
      const clock = createSimulatedClock();
      const gate = Promise.withResolvers<void>();
      let isPaused = false;
      const pausing = {
        ...disk,
        async rename(from: string, to: string) {
          if (name.test(from.slice("/data/".length))) {
            isPaused = true;
            await gate.promise;
          }
          await disk.rename(from, to);
        },
      };
      const paused = await openSimulated(pausing, { clock, journalBytes: 1 << 20 });
      await putPerson("ann@x.io")(paused);
      await erasePerson("ann@x.io")(paused);
      clock.advance(500);
      await untilTurned(() => isPaused);
      const successor = await openSimulated(disk, { journalBytes: 1 << 20 });
      await count("a")(successor);
      const names = namesOn(disk);
      gate.resolve();
      await turns();
      await paused.close();
      assertEquals(namesOn(disk), names);
      const contents = await contentsOf(successor);
      await successor.close();
      assertEquals(await contentsOf(await openSimulated(disk)), contents);
    });
  }

  it("while it opens the folder leaves it to its successor", async () => {
    const killed = createSimulatedDisk();
    await putPerson("ann@x.io")(await openSimulated(killed));
    const disk = createSimulatedDisk({}, killed.files);
    let successor: FileStorage | undefined;
    const paused = openSimulated(changeFiles(disk, (path, file) => ({
      async close() {
        await file.close();
        // It has just read the journal.
        if (path === JOURNAL) successor ??= await openSimulated(disk);
      },
    })));
    assertEquals((await assertRejects(() => paused, StorageError)).code, "locked");
    await putPerson("bob@x.io")(successor!);
    await successor!.close();
    assertEquals([namesOn(disk), disk.openFiles], [["journal-0.jsonl"], 0]);
  });

  for (const [what, put] of [["removed", false], ["replaced by a copy", true]] as const) {
    it(`has lost a lock that was ${what}`, async () => {
      const disk = createSimulatedDisk();
      const storage = await openSimulated(disk);
      const bytes = disk.files.get(LOCK)!;
      await disk.remove(LOCK);
      if (put) await (await disk.open(LOCK, "create")).write(bytes);
      const error = await assertRejects(() => putPerson("ann@x.io")(storage), StorageError);
      const reason = put ? "a copy has taken its place" : "its lock file is gone";
      assertEquals([error.code, error.message], ["unavailable", CANNOT + reason]);
      await storage.close();
      assertEquals(disk.files.has(LOCK), put);
    });
  }
});
