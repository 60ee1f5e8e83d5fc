import { assert, assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { FileStorage } from "../adapters/file.ts";
import { PEOPLE } from "./_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  changeFiles,
  createSimulatedClock,
  erasePerson,
  filesWith,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedClock,
} from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

const ANN = "ann@x.io";
const SETTINGS = { journalBytes: 1 << 30 };
const DEADLINE_MS = 10_000;
// A line cut short, about the very person.
const TORN = new TextEncoder().encode(`{"durable":9,"seq":10,"changes":[{"put":{"email":"${ANN}"`);

describe("file storage after an erasure", () => {
  let disk: SimulatedDisk;
  let clock: SimulatedClock;
  let storage: FileStorage;
  beforeEach(async () => {
    disk = createSimulatedDisk();
    clock = createSimulatedClock();
    storage = await openSimulated(disk, { ...SETTINGS, clock });
    for (const email of ["amy@x.io", ANN, "zoe@x.io"]) {
      await putPerson(email, `Name of ${email}`)(storage);
    }
  });

  it("has the person in no file once it is compacted, half a second later", async () => {
    await erasePerson(ANN)(storage);
    clock.advance(499);
    await turns();
    assertEquals(filesWith(disk, ANN), ["journal-0.jsonl"]);
    clock.advance(1);
    await untilTurned(() => filesWith(disk, ANN).length === 0);
    assertEquals(filesWith(disk, "amy@x.io"), ["snapshot-1.json"]);
    await storage.close();
    assertEquals(namesOn(disk), ["journal-1.jsonl", "snapshot-1.json"]);
  });

  it("compacts nothing where nobody was found, or what was removed is nobody's", async () => {
    await erasePerson("bob@x.io")(storage);
    clock.advance(60_000);
    await storage.close();
    assertEquals(namesOn(disk), ["journal-0.jsonl"]);
  });

  it("has the person in no file after close, also when the erasure is still under way", async () => {
    const erasing = erasePerson(ANN)(storage);
    await storage.close();
    assertEquals([await erasing, filesWith(disk, ANN)], [true, []]);
    const again = await openSimulated(disk, SETTINGS);
    assertEquals((await again.list(PEOPLE, { limit: 9 })).length, 2);
    await again.close();
  });

  it("has the person in no file when erased while a compaction was under way", async () => {
    await erasePerson("zoe@x.io")(storage);
    clock.advance(500);
    await untilTurned(() => namesOn(disk).some((name) => /^snapshot.*tmp$/.test(name)));
    await erasePerson(ANN)(storage);
    // That compaction is still under way when the next one is due.
    clock.advance(500);
    await untilTurned(() => filesWith(disk, "zoe@x.io").length === 0);
    await turns();
    assertEquals(filesWith(disk, ANN).length, 2);
    clock.advance(5_000);
    await untilTurned(() => filesWith(disk, ANN).length === 0);
    await turns();
    await erasePerson("amy@x.io")(storage);
    clock.advance(500);
    await untilTurned(() => namesOn(disk).some((name) => /^snapshot.*tmp$/.test(name)));
    await storage.close();
    assertEquals(filesWith(disk, "amy@x.io"), []);
  });

  it("has the person in no file after the next start, wherever power is cut meanwhile", async () => {
    await erasePerson(ANN)(storage);
    const journal = disk.files.get("/data/journal-0.jsonl")!;
    const files = new Map(disk.files).set(
      "/data/journal-0.jsonl",
      new Uint8Array([...journal, ...TORN]),
    ).set("/data/snapshot-1.json.x.tmp", TORN);
    let images = 0;
    let isCompacted = false;
    for (let faultAt = 1; !isCompacted; faultAt++) {
      const left = createSimulatedDisk({ faultAt, fault: "stop" }, files);
      const clock = createSimulatedClock();
      await Promise.race([openSimulated(left, { ...SETTINGS, clock }), left.stopped]);
      clock.advance(500);
      await turns();
      isCompacted = left.calls < faultAt;
      for (const image of left.images()) {
        images++;
        const clock = createSimulatedClock();
        const again = await openSimulated(image, { ...SETTINGS, clock });
        clock.advance(500);
        await untilTurned(() => filesWith(image, ANN).length === 0);
        await again.close();
      }
    }
    assert(images > 200, `there were only ${images} images`);
  });

  it("waits ten times as long as the last compaction took, but a minute at most", async () => {
    let tookMs = 0;
    const slow = changeFiles(createSimulatedDisk(), (path, file) => ({
      async sync() {
        if (path.includes("snapshot")) await clock.wait(tookMs);
        await file.sync();
      },
    }));
    const storage = await openSimulated(slow, { ...SETTINGS, clock });
    const delaysMs: number[] = [];
    for (tookMs of [0, 2_000, 3_000, 3_600_000, 0]) {
      await putPerson(ANN)(storage);
      const from = clock.delaysMs.length;
      await erasePerson(ANN)(storage);
      delaysMs.push(Math.max(...clock.delaysMs.slice(from).filter((ms) => ms !== DEADLINE_MS)));
      clock.advance(60_000);
      await turns();
    }
    assertEquals(delaysMs, [500, 500, 20_000, 30_000, 60_000]);
    await storage.close();
  });
});
