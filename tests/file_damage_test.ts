import { assert, assertEquals, assertRejects } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
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
  withoutLock,
} from "./_file/simulation.ts";
import { untilTurned } from "./_waiting.ts";

const JOURNAL = "/data/journal-0.jsonl";
const SNAPSHOT = "/data/snapshot-1.json";
const NEXT_JOURNAL = "/data/journal-1.jsonl";
const NEWLINE = 10;

type Files = ReadonlyMap<string, Uint8Array>;

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
  before(async () => {
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
    compacted = withoutLock(next.files);
  });

  /** Opens files of which one is changed, and returns what they hold, or the code of the refusal. */
  async function open(files: Files, path: string, bytes: Uint8Array): Promise<string> {
    const disk = createSimulatedDisk({}, new Map(files).set(path, bytes));
    try {
      return await contentsOf(await openSimulated(disk, { journalBytes: 1 << 20 }));
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      assertEquals(disk.files.get(path), bytes);
      assertEquals([disk.files.has(LOCK), disk.openFiles], [false, 0]);
      return error.code;
    }
  }

  async function assertRefused(files: Files, code: string, message: string): Promise<void> {
    const disk = createSimulatedDisk({}, files);
    const error = await assertRejects(() => openSimulated(disk), StorageError);
    assertEquals([error.code, error.message], [code, `Cannot read ${message}`]);
  }

  function assertDamaged(files: Files, message: string): Promise<void> {
    const toDo = "restore the folder from a backup (docs/file-storage.md)";
    return assertRefused(files, "damaged", `${message}; ${toDo}`);
  }

  it("cuts off a torn tail with a warning, and has all transactions before it", async () => {
    const journal = killed.get(JOURNAL)!;
    for (let length = journal.indexOf(NEWLINE) + 1; length < journal.length; length++) {
      const cut = journal.slice(0, length);
      const whole = cut.filter((byte) => byte === NEWLINE).length - 1;
      assertEquals(await open(killed, JOURNAL, cut), expected[whole], `cut off at byte ${length}`);
    }
    const torn = Buffer.concat([journal, Buffer.from('{"durable":8,"seq":9,"chan')]);
    const disk = createSimulatedDisk({}, new Map(killed).set(JOURNAL, torn));
    const warnings: string[] = [];
    const storage = await openSimulated(disk, { onWarning: (text) => warnings.push(text) });
    assertEquals(warnings, [
      `${JOURNAL} had a torn tail of 26 bytes, of changes that were never acknowledged, ` +
      "which was cut off",
    ]);
    assertEquals(await contentsOf(storage), expected.at(-1));
  });

  it("refuses a journal, or loses nothing, when any bit of it is flipped", async () => {
    for (const files of [closed, killed]) {
      const journal = files.get(JOURNAL)!;
      // No line proves the last transaction of a killed process: it is cut off like a torn tail.
      const possible = files === closed ? expected.slice(-1) : expected.slice(-2);
      let refusals = 0;
      for (let at = 0; at < journal.length; at++) {
        const outcome = await open(files, JOURNAL, flip(journal, at));
        if (["damaged", "incompatible"].includes(outcome)) refusals++;
        else assert(possible.includes(outcome), `bit flipped in byte ${at}: ${outcome}`);
      }
      assert(refusals > 0.7 * journal.length, `there were only ${refusals} refusals`);
    }
  });

  it("refuses a snapshot when any bit is flipped, and when it is cut off at any byte", async () => {
    const snapshot = compacted.get(SNAPSHOT)!;
    for (let at = 0; at < snapshot.length; at++) {
      const flipped = await open(compacted, SNAPSHOT, flip(snapshot, at));
      assert(["damaged", "incompatible"].includes(flipped), `bit flipped in byte ${at}`);
      const cut = await open(compacted, SNAPSHOT, snapshot.slice(0, at));
      assertEquals(cut, "damaged", `cut off at byte ${at}`);
    }
  });

  it("names the line that is damaged, where that is known", async () => {
    const journal = closed.get(JOURNAL)!;
    const second = journal.indexOf(NEWLINE) + 1;
    const flipped = new Map(closed).set(JOURNAL, flip(journal, second + 30));
    await assertDamaged(flipped, `${JOURNAL}: line 2 is damaged`);
    const snapshot = compacted.get(SNAPSHOT)!;
    const third = snapshot.indexOf(NEWLINE, snapshot.indexOf(NEWLINE) + 1) + 1;
    const rows: readonly (readonly [Uint8Array, string])[] = [
      [snapshot.with(third, 0x2d), "its checksum does not match"],
      [snapshot.with(third + 1, 0x2d), "line 3 is damaged"],
      [Buffer.concat([snapshot, Buffer.from("{}\n")]), "line 12 follows its last line"],
    ];
    for (const [bytes, message] of rows) {
      await assertDamaged(new Map(compacted).set(SNAPSHOT, bytes), `${SNAPSHOT}: ${message}`);
    }
  });

  it("refuses files that do not belong together, and files of which one is missing", async () => {
    const missing = new Map(compacted);
    missing.delete(SNAPSHOT);
    await assertDamaged(missing, `${NEXT_JOURNAL}: what it continues is missing`);
    const other = createSimulatedDisk();
    await (await openSimulated(other)).close();
    const rows: readonly (readonly [string, Uint8Array, string])[] = [
      ["/data/journal-3.jsonl", compacted.get(NEXT_JOURNAL)!, "what it continues is missing"],
      [NEXT_JOURNAL, other.files.get(JOURNAL)!, "it belongs to another folder"],
      [NEXT_JOURNAL, closed.get(JOURNAL)!, "it does not continue what is before it"],
    ];
    for (const [path, bytes, message] of rows) {
      await assertDamaged(new Map(compacted).set(path, bytes), `${path}: ${message}`);
    }
  });

  it("opens a snapshot alone, and older files beside newer ones, as backups have them", async () => {
    const snapshotOnly = new Map([[SNAPSHOT, compacted.get(SNAPSHOT)!]]);
    const withOlder = new Map([...compacted, [JOURNAL, closed.get(JOURNAL)!]]);
    for (const files of [snapshotOnly, withOlder]) {
      const disk = createSimulatedDisk({}, files);
      const storage = await openSimulated(disk);
      const hasLast = (await contentsOf(storage)).includes("last@x.io");
      assertEquals(hasLast, files === withOlder);
      assertEquals([...disk.files.keys()].sort(), [NEXT_JOURNAL, LOCK, SNAPSHOT]);
    }
  });

  it("refuses files of a later version", async () => {
    const journal = encodeLine({ boardcast: "journal", version: 2, and: "more" });
    const snapshot = Buffer.from('{"boardcast":"snapshot","version":2,"records":{\n');
    for (const [path, bytes] of [[NEXT_JOURNAL, journal], [SNAPSHOT, snapshot]] as const) {
      await assertRefused(
        new Map(compacted).set(path, bytes),
        "incompatible",
        `${path}: it has format version 2, and this program knows 1: use the program ` +
          "that wrote it, or a later one",
      );
    }
  });
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, bytes[at] ^ 1 << at % 8);
}
