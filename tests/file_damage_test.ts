import { assert, assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { encodeLine } from "../adapters/_file/lines.ts";
import { StorageError } from "../adapters/storage.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import {
  contentsOf,
  count,
  createSimulatedClock,
  erasePerson,
  expectedContents,
  LOCK,
  openSimulated,
  putPerson,
  type Step,
} from "./_file/simulation.ts";
import { untilTurned } from "./_waiting.ts";

const JOURNAL = "/data/journal-0.jsonl";
const SNAPSHOT = "/data/snapshot-1.json";
const NEXT_JOURNAL = "/data/journal-1.jsonl";
const NEWLINE = 10;

type Files = ReadonlyMap<string, Uint8Array>;

interface Opened {
  readonly contents?: string;
  readonly error?: StorageError;
}

/** Changes that are one line each, of which the last is not the removal of a person. */
const STEPS: readonly Step[] = [
  count("a"),
  ...Array.from({ length: 6 }, (_, i) => putPerson(`user${i % 4}@x.io`, `é${i}`)),
  count("a", "user1@x.io"),
];

describe("file storage whose files were changed", () => {
  let expected: readonly string[];
  // The files of a process that was killed, of one that was closed, and of one that has compacted.
  let killed: Files;
  let closed: Files;
  let compacted: Files;
  beforeEach(async () => {
    expected = await expectedContents(STEPS);
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1 << 20 });
    for (const step of STEPS) await step(storage);
    killed = withoutLock(disk.files);
    await storage.close();
    closed = withoutLock(disk.files);
    const next = createSimulatedDisk({}, closed);
    const clock = createSimulatedClock();
    const again = await openSimulated(next, { clock });
    await putPerson("gone@x.io")(again);
    await erasePerson("gone@x.io")(again);
    clock.advance(500);
    await untilTurned(() => !next.files.has(JOURNAL));
    await putPerson("last@x.io")(again);
    await erasePerson("last@x.io")(again);
    compacted = withoutLock(next.files);
  });

  /** Opens files of which one is changed, and returns what they hold, or why they are refused. */
  async function open(files: Files, path: string, bytes: Uint8Array): Promise<Opened> {
    const disk = createSimulatedDisk({}, new Map(files).set(path, bytes));
    try {
      const storage = await openSimulated(disk, { journalBytes: 1 << 20 });
      const contents = await contentsOf(storage);
      await storage.close();
      const again = await openSimulated(createSimulatedDisk({}, disk.files));
      assertEquals(await contentsOf(again), contents, "opened again");
      await again.close();
      return { contents };
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      assertEquals(disk.files.get(path), bytes);
      assertEquals([disk.files.has(LOCK), disk.openFiles], [false, 0]);
      return { error };
    }
  }

  async function assertDamaged(files: Files, message: string): Promise<void> {
    const disk = createSimulatedDisk({}, files);
    const error = await assertRejects(() => openSimulated(disk), StorageError);
    const toDo = "restore the folder from a backup (docs/file-storage.md)";
    assertEquals([error.code, error.message], ["damaged", `Cannot read ${message}; ${toDo}`]);
  }

  it("opens with the transactions before it when a journal is cut off behind its header", async () => {
    const journal = killed.get(JOURNAL)!;
    for (let length = journal.indexOf(NEWLINE) + 1; length < journal.length; length++) {
      const cut = journal.slice(0, length);
      const whole = cut.filter((byte) => byte === NEWLINE).length - 1;
      const { contents } = await open(killed, JOURNAL, cut);
      assertEquals(contents, expected[whole], `cut off at byte ${length}`);
    }
  });

  it("warns of a torn tail, and cuts it off", async () => {
    const torn = Buffer.concat([killed.get(JOURNAL)!, Buffer.from('{"durable":8,"seq":9,"chan')]);
    const disk = createSimulatedDisk({}, new Map(killed).set(JOURNAL, torn));
    const warnings: string[] = [];
    const storage = await openSimulated(disk, { onWarning: (text) => warnings.push(text) });
    assertEquals(warnings, [
      `${JOURNAL} had a torn tail of 26 bytes, of changes that were never acknowledged, ` +
      "which was cut off",
    ]);
    assertEquals(await contentsOf(storage), expected.at(-1));
    await storage.close();
  });

  it("opens with all transactions when lines of old show in the place of a torn tail", async () => {
    const journal = killed.get(JOURNAL)!;
    const second = journal.indexOf(NEWLINE, journal.indexOf(NEWLINE) + 1) + 1;
    const old = journal.slice(second, journal.indexOf(NEWLINE, second) + 1);
    const torn = Buffer.concat([journal, new Uint8Array(99), old.slice(40), old]);
    assertEquals((await open(killed, JOURNAL, torn)).contents, expected.at(-1));
    // After a whole line it is no torn tail.
    await assertDamaged(
      new Map(killed).set(JOURNAL, Buffer.concat([journal, old])),
      `${JOURNAL}: lines are missing before line ${STEPS.length + 2}`,
    );
  });

  it("refuses or loses nothing when any bit of a closed journal is flipped", async () => {
    const journal = closed.get(JOURNAL)!;
    let refusals = 0;
    for (let at = 0; at < journal.length; at++) {
      const { contents, error } = await open(closed, JOURNAL, flip(journal, at));
      if (error !== undefined) refusals++;
      else assertEquals(contents, expected.at(-1), `bit flipped in byte ${at}`);
      assert([undefined, "damaged", "incompatible"].includes(error?.code), `${error}`);
    }
    assert(refusals > 0.9 * journal.length, `there were only ${refusals} refusals`);
  });

  it("never shows what was not written when any bit of a killed journal is flipped", async () => {
    const journal = killed.get(JOURNAL)!;
    for (let at = 0; at < journal.length; at++) {
      const { contents, error } = await open(killed, JOURNAL, flip(journal, at));
      // No line proves the last transaction: it is cut off like a torn tail.
      const isKnown = error !== undefined || expected.slice(-2).includes(contents!);
      assert(isKnown, `bit flipped in byte ${at}`);
    }
  });

  it("refuses a journal that was opened before when it is cut off at any byte", async () => {
    const disk = createSimulatedDisk({}, killed);
    await openSimulated(disk);
    const journal = disk.files.get(JOURNAL)!;
    for (let length = 0; length < journal.length; length++) {
      const { error } = await open(withoutLock(disk.files), JOURNAL, journal.slice(0, length));
      assertEquals(error?.code, "damaged", `cut off at byte ${length}`);
    }
  });

  it("refuses a snapshot when any bit is flipped, and when it is cut off at any byte", async () => {
    const snapshot = compacted.get(SNAPSHOT)!;
    for (let at = 0; at < snapshot.length; at++) {
      const flipped = await open(compacted, SNAPSHOT, flip(snapshot, at));
      const isRefused = ["damaged", "incompatible"].includes(String(flipped.error?.code));
      assert(isRefused, `bit flipped in byte ${at}`);
      const cut = await open(compacted, SNAPSHOT, snapshot.slice(0, at));
      assertEquals(cut.error?.code, "damaged", `cut off at byte ${at}`);
    }
  });

  it("names the line that is damaged, where that is known", async () => {
    const journal = closed.get(JOURNAL)!;
    const second = journal.indexOf(NEWLINE) + 1;
    const files = (path: string, bytes: Uint8Array) => new Map(compacted).set(path, bytes);
    await assertDamaged(
      new Map(closed).set(JOURNAL, flip(journal, second + 30)),
      `${JOURNAL}: line 2 is damaged`,
    );
    const snapshot = compacted.get(SNAPSHOT)!;
    const third = snapshot.indexOf(NEWLINE, snapshot.indexOf(NEWLINE) + 1) + 1;
    const changed = snapshot.slice();
    changed[third] = 0x2d;
    await assertDamaged(files(SNAPSHOT, changed), `${SNAPSHOT}: its checksum does not match`);
    changed[third + 1] = 0x2d;
    changed[third] = 0x7b;
    await assertDamaged(files(SNAPSHOT, changed), `${SNAPSHOT}: line 3 is damaged`);
    const more = Buffer.concat([snapshot, Buffer.from("{}\n")]);
    await assertDamaged(files(SNAPSHOT, more), `${SNAPSHOT}: line 12 follows its last line`);
  });

  it("refuses files that do not belong together, and files of which one is missing", async () => {
    const without = (path: string) => new Map([...compacted].filter(([other]) => other !== path));
    await assertDamaged(
      without(SNAPSHOT),
      `${NEXT_JOURNAL}: what it continues is missing`,
    );
    const later = "/data/journal-3.jsonl";
    await assertDamaged(
      new Map(compacted).set(later, compacted.get(NEXT_JOURNAL)!),
      `${later}: what it continues is missing`,
    );
    const other = createSimulatedDisk();
    await (await openSimulated(other)).close();
    await assertDamaged(
      new Map(compacted).set(NEXT_JOURNAL, other.files.get(JOURNAL)!),
      `${NEXT_JOURNAL}: it belongs to another folder`,
    );
    await assertDamaged(
      new Map(compacted).set(NEXT_JOURNAL, closed.get(JOURNAL)!),
      `${NEXT_JOURNAL}: it does not continue what is before it`,
    );
  });

  it("opens a snapshot alone, and older files beside newer ones, as backups have them", async () => {
    const expected = await contentsOf(await openSimulated(createSimulatedDisk({}, compacted)));
    const snapshotOnly = new Map([[SNAPSHOT, compacted.get(SNAPSHOT)!]]);
    const withOlder = new Map([...compacted, [JOURNAL, closed.get(JOURNAL)!]]);
    for (const files of [snapshotOnly, withOlder]) {
      const disk = createSimulatedDisk({}, files);
      const storage = await openSimulated(disk);
      assertEquals(await contentsOf(storage), expected);
      assertEquals([...disk.files.keys()].sort(), [NEXT_JOURNAL, LOCK, SNAPSHOT]);
      await storage.close();
    }
  });

  it("refuses files of a later version, and changes none of them", async () => {
    const journal = encodeLine({ boardcast: "journal", version: 2, and: "more" });
    const snapshot = Buffer.from('{"boardcast":"snapshot","version":2,"records":{\n');
    for (const [path, bytes] of [[NEXT_JOURNAL, journal], [SNAPSHOT, snapshot]] as const) {
      const { error } = await open(compacted, path, bytes);
      assertEquals([error?.code, error?.message], [
        "incompatible",
        `Cannot read ${path}: it has format version 2, and this program knows 1: use the program ` +
        "that wrote it, or a later one",
      ]);
    }
  });
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const flipped = bytes.slice();
  flipped[at] ^= 1 << at % 8;
  return flipped;
}

function withoutLock(files: Files): Files {
  return new Map([...files].filter(([path]) => path !== LOCK));
}
