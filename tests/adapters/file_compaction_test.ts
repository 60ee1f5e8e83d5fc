import { assert, assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { FileStorage } from "../../adapters/file.ts";
import { PEOPLE } from "../_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "../_support/file/simulated_disk.ts";
import {
  contentsOf,
  count,
  createSimulatedTimers,
  erasePerson,
  filesWith,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedTimers,
} from "../_support/file/simulation.ts";
import { turns, untilTurned } from "../_support/waiting.ts";

// A journal of this size is never compacted because of its length.
const LONG = { journalBytes: 1 << 30 };
const JOURNAL = "/data/journal-0.jsonl";
const MARK = "high-water-mark.json";
const RETRY_MS = 300_000;
const [AMY, ANN, ZOE] = ["amy@x.io", "ann@x.io", "zoe@x.io"];
const WARNING = "Cannot compact the journal, trying again later: EIO: simulated failure";

describe("file storage that compacts its journal", () => {
  let timers: SimulatedTimers;
  let disk: SimulatedDisk;
  let storage: FileStorage;
  let warnings: string[];
  let refuses: (call: string) => boolean;

  beforeEach(async () => {
    refuses = () => false;
    warnings = [];
    timers = createSimulatedTimers();
    disk = createSimulatedDisk({ fails: (call) => refuses(call) });
    const onWarning = (message: string) => void warnings.push(message);
    storage = await openSimulated(disk, { ...LONG, timers, onWarning });
    for (const email of [AMY, ANN, ZOE]) await putPerson(email)(storage);
  });

  const isGone = (email: string) => untilTurned(() => filesWith(disk, email).length === 0);
  const isCompacting = () =>
    untilTurned(() => namesOn(disk).some((name) => /^snapshot.*tmp$/.test(name)));

  it("has its records in a new snapshot, and later changes in the journal beside it", async () => {
    await storage.close();
    const again = await openSimulated(disk, { journalBytes: 300_000 });
    await putPerson(ANN, "x".repeat(300_000))(again);
    await untilTurned(() => namesOn(disk).includes("snapshot-1.json"));
    await turns();
    assertEquals(namesOn(disk), [MARK, "journal-1.jsonl", "lock", "snapshot-1.json"]);
    const snapshot = JSON.parse(disk.readNow("/data/snapshot-1.json")!);
    assertEquals(snapshot.records.contractPeople.length, 3);
    assertEquals(snapshot.keys, { contractPeople: "email" });
    await count("b")(again);
    const contents = await contentsOf(again);
    await again.close();
    assertEquals(await contentsOf(await openSimulated(disk, LONG)), contents);
  });

  it("compacts again once the journal is half as long as the snapshot, and not before", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1_000 });
    const compactions: number[] = [];
    for (let user = 0, names = namesOn(disk); user < 400; user++) {
      await putPerson(`user${user}@x.io`)(storage);
      await turns();
      if (`${namesOn(disk)}` !== `${names}`) compactions.push(user);
      names = namesOn(disk);
    }
    // A compaction is due when there are about 1.3 times as many users as at the previous one.
    assert(compactions.length > 5 && compactions.length < 30, `compacted at ${compactions}`);
  });

  const failures: Readonly<Record<string, readonly [RegExp, number]>> = {
    "make a new journal": [/^open .*journal-\d+\.jsonl\..*tmp$/, 1],
    "sync a snapshot": [/^sync .*snapshot.*tmp$/, 3],
    "put a snapshot in place": [/^rename .*snapshot/, 3],
    "remove the old journal": [/^remove .*journal-0\.jsonl$/, 3],
  };
  for (const [what, [calls, journals]] of Object.entries(failures)) {
    it(`goes on and tries again when it can't ${what}`, async () => {
      await erasePerson(ANN)(storage);
      refuses = (call) => calls.test(call);
      for (const delayMs of [500, RETRY_MS]) {
        timers.advance(delayMs);
        await turns();
        await count("a")(storage);
      }
      assertEquals(warnings, [WARNING, WARNING]);
      assertEquals(namesOn(disk).filter((name) => /^journal.*l$/.test(name)).length, journals);
      const contents = await contentsOf(storage);
      for (const image of disk.images()) {
        assertEquals(await contentsOf(await openSimulated(image, LONG)), contents);
      }
      refuses = () => false;
      timers.advance(RETRY_MS);
      await isGone(ANN);
      await turns();
      assertEquals(namesOn(disk).length, 4, `${namesOn(disk)}`);
    });
  }

  it("has an erased person in no file after close, also when the erasure is under way", async () => {
    const erasing = erasePerson(ANN)(storage);
    await storage.close();
    assertEquals([await erasing, filesWith(disk, ANN)], [true, []]);
    const again = await openSimulated(disk, LONG);
    assertEquals((await again.list(PEOPLE, { limit: 9 })).length, 2);
  });

  it("leaves no trace of a person who was erased while a compaction was under way", async () => {
    await erasePerson(ZOE)(storage);
    timers.advance(500);
    await isCompacting();
    await erasePerson(ANN)(storage);
    await isGone(ZOE);
    await turns();
    assertEquals(filesWith(disk, ANN).length, 2);
    timers.advance(5_000);
    await isGone(ANN);
  });

  it("has an erased person in no file after the next start, wherever power is cut", async () => {
    await erasePerson(ANN)(storage);
    // A torn line and an unfinished file contain the person, too.
    const torn = new TextEncoder().encode(
      `{"durable":9,"seq":10,"changes":[{"put":{"email":"${ANN}`,
    );
    const files = new Map(disk.files)
      .set(JOURNAL, new Uint8Array([...disk.files.get(JOURNAL)!, ...torn]))
      .set("/data/snapshot-1.json.x.tmp", torn);
    for (let cutAt = 1, isCompacted = false; !isCompacted; cutAt++) {
      const left = createSimulatedDisk({}, files);
      const timers = createSimulatedTimers();
      await Promise.race([left.stopAt(cutAt), openSimulated(left, { ...LONG, timers })]);
      timers.advance(500);
      await turns();
      isCompacted = left.calls < cutAt;
      for (const image of left.images()) {
        const timers = createSimulatedTimers();
        await openSimulated(image, { ...LONG, timers });
        timers.advance(500);
        await untilTurned(() => filesWith(image, ANN).length === 0);
      }
    }
  });

  it("erases half a second later, or ten times what the last took, but in a minute", async () => {
    let tookMs = 0;
    const disk = createSimulatedDisk({
      async fails(call) {
        if (/^sync .*snapshot/.test(call)) await timers.wait(tookMs);
      },
    });
    const opened = await openSimulated(disk, { ...LONG, timers });
    await putPerson(AMY)(opened);
    for (const [delayMs, nextMs] of [[500, 0], [500, 2_000], [20_000, 3_600_000], [60_000, 0]]) {
      tookMs = nextMs;
      await putPerson(ANN)(opened);
      await erasePerson(ANN)(opened);
      timers.advance(delayMs - 1);
      await turns();
      assert(filesWith(disk, ANN).length > 0, `it is gone before ${delayMs} ms`);
      timers.advance(1);
      await untilTurned(() => filesWith(disk, ANN).length === 0);
      await turns();
    }
    assertEquals(filesWith(disk, AMY).length, 1);
  });
});
