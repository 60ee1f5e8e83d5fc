import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { filesWith, JOURNAL, temporariesOn, withTornJournal } from "./_file/contents.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock, openSimulated } from "./_file/simulation.ts";
import { turns } from "./_waiting.ts";

const ANN = "ann@x.io";
// Long enough to be folded when the test says so, and not before.
const SETTINGS = { journalBytes: 1 << 30 };
// The files in use, beside those that are being written.
const OWN = /^\w+ \/data\/(?:lock|journal\.jsonl)$/;
// Calls without which it is open what will be found after a crash.
const ENDS_WRITING = new RegExp(
  "^sync /data/journal.jsonl$|^rename .* to /data/journal.jsonl$|" +
    "^sync /data after /data/journal.jsonl$",
);
const WARNING = "Cannot fold the journal into a new snapshot, trying again later: ";
const REFUSED = "Cannot write the journal: EIO: simulated failure";
const REFUSAL = [
  `${REFUSED}; changes are refused until the disk takes them again`,
  "The journal can be written again",
];

/** What is done to a disk while a journal is folded, and what came of it. */
interface Folding {
  readonly disk: SimulatedDisk;
  readonly storage: Storage;
  readonly warnings: readonly string[];
  /** How long was waited for what is scheduled. */
  readonly delaysMs: readonly number[];
  /** All calls of the fold, and those that were refused. */
  readonly calls: readonly string[];
  readonly refused: readonly string[];
  /** The addresses that changes were asked for, and those that were acknowledged. */
  readonly asked: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  put(userEmail: string): Promise<unknown>;
  /** Ends the fault. */
  mend(): void;
  /** Runs what is scheduled, to its end. */
  fire(): Promise<void>;
}

interface FoldingOptions {
  /** Tells whether a call, counted from 1, is refused. */
  readonly refuses: (call: string, number: number) => boolean;
  /** The name in a change that is made while the snapshot is written. */
  readonly userName?: string;
}

/** The files of a process that was killed within a record, so that a copy of it will be kept. */
async function tornFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const disk = createSimulatedDisk();
  const storage = await openSimulated(disk, SETTINGS);
  await storage.subscriptions.put(sampleChange("amy@x.io"));
  await storage.close();
  return withTornJournal(disk.files, `{"seq":9,"put":{"subscriptions":["${ANN}`);
}

/** Folds the journal for the sake of an erasure, once, while changes come in at every step. */
async function fold({ refuses, userName = "Late" }: FoldingOptions): Promise<Folding> {
  const calls: string[] = [];
  const refused: string[] = [];
  let renamed = "";
  let isWatched = false;
  let isBroken = true;
  const disk = createSimulatedDisk({
    fails(call) {
      if (!isWatched) return false;
      calls.push(call);
      const isRefused = isBroken && refuses(call, calls.length);
      if (call.startsWith("rename ")) renamed = call.split(" to ")[1];
      if (isRefused) refused.push(call === "sync /data" ? `${call} after ${renamed}` : call);
      if (/^(?:open|sync) .*\.tmp$/.test(call) && asked.size < 12) {
        void put(`late${calls.length}@x.io`, userName).catch(() => {});
      }
      return isRefused;
    },
  }, await tornFiles());
  const clock = createSimulatedClock();
  const delaysMs: number[] = [];
  const warnings: string[] = [];
  const storage = await openSimulated(disk, {
    ...SETTINGS,
    clock: {
      ...clock,
      schedule: (delayMs, run) => (delaysMs.push(delayMs), clock.schedule(delayMs, run)),
    },
    onWarning: (message) => void warnings.push(message),
  });
  const asked = new Set<string>(["amy@x.io"]);
  const acknowledged = new Set(asked);

  async function put(userEmail: string, userName = "Name"): Promise<void> {
    asked.add(userEmail);
    await storage.subscriptions.put(sampleChange(userEmail, { userName }));
    acknowledged.add(userEmail);
  }
  async function fire(): Promise<void> {
    clock.fire();
    for (let i = 0; i < 8; i++) await turns();
  }

  await put("zoe@x.io");
  await storage.subscriptions.put(sampleChange(ANN));
  await storage.subscriptions.erase(ANN);
  assertEquals(filesWith(disk, ANN).length, 2);
  warnings.length = delaysMs.length = 0;
  isWatched = true;
  await fire();
  const mend = () => isBroken = false;
  return {
    ...{ disk, storage, warnings, delaysMs, calls, refused, asked, acknowledged },
    ...{ put, mend, fire },
  };
}

/** Checks that a disk opens, with each change that was acknowledged and none never asked for. */
async function checkKept(image: SimulatedDisk, folding: Folding, where: string): Promise<void> {
  const storage = await openSimulated(image, SETTINGS);
  const found = (await storage.subscriptions.list({ limit: 99 })).map((one) => one.userEmail);
  const lost = [...folding.acknowledged].filter((userEmail) => !found.includes(userEmail));
  const invented = found.filter((userEmail) => !folding.asked.has(userEmail));
  assertEquals([lost, invented], [[], []], where);
  await storage.close();
  assertEquals([filesWith(image, ANN), temporariesOn(image)], [[], []], where);
}

type Check = (folding: Folding, where: string) => Promise<void>;

async function checkFiles(folding: Folding, where: string): Promise<void> {
  await checkKept(createSimulatedDisk({}, folding.disk.files), folding, where);
}

async function checkImages(folding: Folding, where: string): Promise<void> {
  for (const image of folding.disk.images()) await checkKept(image, folding, where);
}

/** Checks storage that met a fault while it folded, from the fault on to the next start. */
async function checkFolding(
  folding: Folding,
  { where, checkDisk }: { readonly where: string; readonly checkDisk: Check },
): Promise<void> {
  const { disk, storage, warnings, refused, put, mend, fire } = folding;
  const isStopped = await storage.ping().then(() => false, () => true);
  assertEquals(isStopped, refused.some((call) => ENDS_WRITING.test(call)), where);
  await checkDisk(folding, where);
  if (isStopped) {
    mend();
    const error = await assertRejects(() => put("after@x.io"), StorageError, undefined, where);
    assertEquals(error.code, "unavailable", where);
    await fire();
    assertEquals(warnings, [`${REFUSED}; mend the cause and restart`], where);
  } else {
    await put("after@x.io");
    await checkDisk(folding, where);
    mend();
    const folds = warnings.filter((warning) => warning.startsWith(WARNING));
    const isRefused = refused.includes(`write ${JOURNAL}`);
    const others = warnings.filter((warning) => !folds.includes(warning));
    assertEquals(others, isRefused ? REFUSAL : [], where);
    if (folds.length === 0) {
      assertEquals(filesWith(disk, ANN), [], where);
    } else {
      const cause = isRefused ? REFUSED : "EIO: simulated failure";
      assertEquals(folds, [WARNING + cause], where);
      assert(folding.delaysMs.includes(30_000), where);
      const isLeft = refused.some((call) => call.startsWith("remove "));
      assertEquals(isLeft ? [] : temporariesOn(disk), [], where);
    }
    await fire();
    assertEquals([filesWith(disk, ANN), temporariesOn(disk)], [[], []], where);
    assertEquals(warnings.length, folds.length + others.length, where);
  }
  const shown = (await storage.subscriptions.list({ limit: 99 })).map((one) => one.userEmail);
  assertEquals(shown.sort(), [...folding.acknowledged].sort(), where);
  await checkDisk(folding, where);
  await storage.close();
  assertEquals(disk.openFiles, 0, where);
  await checkDisk(folding, where);
}

/** Which calls fail, given the number of one of them, and what is checked then. */
interface Mode {
  readonly refuses: (faultAt: number) => FoldingOptions["refuses"];
  readonly checkDisk: Check;
  readonly userName?: string;
}

const MODES: readonly (readonly [string, Mode])[] = [
  ["any one call fails", {
    refuses: (faultAt) => (_, number) => number === faultAt,
    checkDisk: checkImages,
  }],
  ["any call and all later ones fail, for some time, but those on the files in use", {
    refuses: (faultAt) => (call, number) => number >= faultAt && !OWN.test(call),
    checkDisk: checkImages,
  }],
  // Some of it is copied before the journal stands still.
  ["any one call fails, and much has come in meanwhile", {
    refuses: (faultAt) => (_, number) => number === faultAt,
    checkDisk: checkFiles,
    userName: "x".repeat(300_000),
  }],
];

describe("file storage that meets a fault while it folds its journal", () => {
  for (const [when, { refuses, checkDisk, userName }] of MODES) {
    it(`goes on, unless either journal could be found after a crash, when ${when}`, async () => {
      const sound = await fold({ refuses: () => false, userName });
      const calls = sound.calls.length;
      assertEquals(filesWith(sound.disk, ANN), []);
      await sound.storage.close();
      let failures = 0;
      for (let faultAt = 1; faultAt <= calls; faultAt++) {
        const folding = await fold({ refuses: refuses(faultAt), userName });
        failures += folding.warnings.length;
        await checkFolding(folding, { where: `call ${faultAt}: ${folding.refused}`, checkDisk });
      }
      assert(failures > 20, `there were only ${failures} failures`);
    });
  }

  it("takes changes as long as there is no room for a new journal, and folds once there is", async () => {
    const folding = await fold({ refuses: (call) => /^write .*journal.*\.tmp$/.test(call) });
    const { disk, storage, warnings, put, mend, fire } = folding;
    await put("one@x.io");
    await fire();
    await put("two@x.io");
    assertEquals(warnings.length, 2);
    assertEquals([filesWith(disk, ANN), temporariesOn(disk)], [[JOURNAL], []]);
    mend();
    await fire();
    assertEquals(filesWith(disk, ANN), []);
    await put("three@x.io");
    await storage.close();
    await checkFiles(folding, "after all");
  });
});
