import { assert, assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import type { FileStorage } from "../adapters/file.ts";
import { COUNTERS, PEOPLE } from "./_contract/kinds.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import {
  changeFiles,
  contentsOf,
  count,
  createSimulatedClock,
  erasePerson,
  filesWith,
  LOCK,
  namesOn,
  openSimulated,
  putPerson,
  type SimulatedClock,
} from "./_file/simulation.ts";
import { turns, untilTurned } from "./_waiting.ts";

// Never compacted for its length.
const LONG = { journalBytes: 1 << 30 };
const RETRY_MS = 300_000;
const ANN = "ann@x.io";
const NAME = "x".repeat(2_000);

describe("file storage that compacts its journal", () => {
  let clock: SimulatedClock;
  beforeEach(() => {
    clock = createSimulatedClock();
  });

  it("has its records in a new snapshot, and later changes in the journal beside it", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, LONG);
    for (const step of [count("a"), putPerson(ANN, "x".repeat(300_000))]) await step(storage);
    await storage.close();
    const again = await openSimulated(disk, { journalBytes: 300_000 });
    await count("b")(again);
    await untilTurned(() => namesOn(disk).includes("snapshot-1.json"));
    await turns();
    assertEquals(namesOn(disk), ["journal-1.jsonl", "lock", "snapshot-1.json"]);
    const snapshot = JSON.parse(disk.readNow("/data/snapshot-1.json")!);
    assertEquals(snapshot.records.contractPeople.length, 1);
    assertEquals(snapshot.keys, { contractCounters: "counterId", contractPeople: "email" });
    await putPerson("zoe@x.io")(again);
    const contents = await contentsOf(again);
    await again.close();
    const last = await openSimulated(disk, LONG);
    assertEquals(await contentsOf(last), contents);
    await last.close();
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
    assert(compactions.length > 5, `compacted at ${compactions}`);
    // The journal takes two to three times the bytes of the snapshot for a user.
    for (const [i, user] of compactions.slice(3).entries()) {
      const growth = user / compactions[i + 2];
      assert(growth > 1.1 && growth < 1.5, `compacted at ${compactions}`);
    }
    await storage.close();
  });

  it("takes a picture of one moment while transactions go on, at every step", async () => {
    // Both are counted in one transaction, so that a picture of two moments would show.
    const counts = ["left", "right"];
    const refs = Object.fromEntries(counts.map((key) => [key, { kind: COUNTERS, key }]));
    async function countBoth(storage: FileStorage): Promise<void> {
      await storage.transact(refs, (found) => ({
        answer: undefined,
        put: Object.fromEntries(counts.map((key) => {
          return [key, { counterId: key, value: Number(found[key]?.value ?? 0) + 1 }];
        })),
      }));
    }
    let storage: FileStorage | undefined = undefined;
    let transactions = 0;
    const during: Promise<void>[] = [];
    const simulated = createSimulatedDisk();
    const disk = changeFiles(simulated, (path, file) => {
      function countMeanwhile(): void {
        if (storage === undefined || !path.endsWith(".tmp") || during.length > 300) return;
        transactions++;
        during.push(countBoth(storage));
      }
      return {
        write(bytes) {
          countMeanwhile();
          return file.write(bytes);
        },
        sync() {
          countMeanwhile();
          return file.sync();
        },
      };
    });
    storage = await openSimulated(disk, { ...LONG, clock });
    for (let i = 0; i < 300; i++) await putPerson(`user${i}@x.io`, NAME)(storage);
    await erasePerson("user0@x.io")(storage);
    // Just before the picture is taken, and just after.
    for (const delayMs of [500, 0]) {
      transactions++;
      during.push(countBoth(storage));
      clock.advance(delayMs);
    }
    await untilTurned(() => namesOn(simulated).includes("snapshot-1.json"), 100_000);
    await Promise.all(during);
    const opened = storage;
    storage = undefined;
    assert(transactions > 8, `there were only ${transactions} transactions`);
    for (const image of simulated.images()) {
      const again = await openSimulated(image, LONG);
      const found = await Promise.all(counts.map((key) => again.get(COUNTERS, key)));
      assertEquals(found.map((counter) => counter?.value), [transactions, transactions]);
      assertEquals((await again.list(PEOPLE, { limit: 1_000 })).length, 299);
    }
    await opened.close();
  });

  describe("and fails", () => {
    let disk: SimulatedDisk;
    let storage: FileStorage;
    let warnings: string[];
    let refuses: (call: string) => boolean;

    beforeEach(async () => {
      refuses = () => false;
      warnings = [];
      disk = createSimulatedDisk({ fails: (call) => refuses(call) });
      const onWarning = (message: string) => void warnings.push(message);
      storage = await openSimulated(disk, { ...LONG, clock, onWarning });
      await putPerson(ANN)(storage);
      await erasePerson(ANN)(storage);
    });

    const WARNING = "Cannot compact the journal, trying again later: EIO: simulated failure";
    const failures: Readonly<Record<string, readonly [RegExp, number]>> = {
      "open a new journal": [/^open .*journal-\d+\.jsonl\..*tmp$/, 1],
      "write a new journal": [/^write .*journal-\d+\.jsonl\..*tmp$/, 1],
      "write a snapshot": [/^write .*snapshot.*tmp$/, 3],
      "sync a snapshot": [/^sync .*snapshot.*tmp$/, 3],
      "put a snapshot in place": [/^rename .*snapshot/, 3],
      "remove the old journal": [/^remove .*journal-0\.jsonl$/, 3],
    };
    for (const [what, [calls, journals]] of Object.entries(failures)) {
      it(`goes on and tries again when it can't ${what}`, async () => {
        refuses = (call) => calls.test(call);
        for (const delayMs of [500, RETRY_MS]) {
          clock.advance(delayMs);
          await turns();
          await count("a", "user1@x.io")(storage);
        }
        assertEquals(warnings, [WARNING, WARNING]);
        const names = namesOn(disk);
        assertEquals(
          names.filter((name) => /^journal.*l$/.test(name)).length,
          journals,
          `${names}`,
        );
        const contents = await contentsOf(storage);
        for (const image of disk.images()) {
          assertEquals(await contentsOf(await openSimulated(image, LONG)), contents);
        }
        refuses = () => false;
        clock.advance(RETRY_MS);
        await untilTurned(() => filesWith(disk, ANN).length === 0);
        await turns();
        assertEquals(namesOn(disk).length, 3, `${namesOn(disk)}`);
        await storage.close();
        assertEquals([warnings.length, disk.openFiles], [2, 0]);
      });
    }

    it("ends everything when it can't put a new journal in place", async () => {
      refuses = (call) => call === "sync /data";
      clock.advance(500);
      await turns();
      const late = await count("a")(storage).then(() => "stored", (error) => error.code);
      assertEquals(late, "unavailable");
      assertEquals(warnings, [
        "The data folder can't be written any more: EIO: simulated failure; " +
        "mend the cause and restart",
      ]);
      await storage.close();
      assertEquals([disk.openFiles, disk.files.has(LOCK)], [0, false]);
    });

    it("tries again when it is closed", async () => {
      refuses = (call) => /^write .*snapshot/.test(call);
      clock.advance(500);
      await turns();
      refuses = () => false;
      await storage.close();
      assertEquals([warnings, filesWith(disk, ANN)], [[WARNING], []]);
    });

    it("notices what is done to the journals before the present one", async () => {
      refuses = (call) => /^write .*snapshot/.test(call);
      clock.advance(500);
      await turns();
      await disk.remove("/data/journal-0.jsonl");
      clock.advance(500);
      assertEquals(await count("a")(storage).catch((error) => error.code), "unavailable");
      await storage.close();
    });

    it("leaves it to the next start when it is closed", async () => {
      refuses = (call) => /^write .*snapshot/.test(call);
      await storage.close();
      assertEquals(warnings, [
        "Cannot compact the journal, the next start will try again: EIO: simulated failure",
      ]);
      refuses = () => false;
      const again = await openSimulated(disk, { ...LONG, clock });
      clock.advance(500);
      await untilTurned(() => filesWith(disk, ANN).length === 0);
      await again.close();
    });
  });
});
