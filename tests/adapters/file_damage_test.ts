import { assert, assertEquals, assertRejects } from "@std/assert";
import { before, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { encodeLine } from "../../adapters/_file/lines.ts";
import { StorageError } from "../../adapters/storage.ts";
import { createSimulatedDisk } from "../_support/file/simulated_disk.ts";
import {
  contentsOf,
  count,
  createSimulatedTimers,
  erasePerson,
  expectedContents,
  LOCK,
  openSimulated,
  putPerson,
  type Step,
  withoutLock,
} from "../_support/file/simulation.ts";
import { forEachRow } from "../_support/rows.ts";
import { untilTurned } from "../_support/waiting.ts";

const JOURNAL = "/data/journal-0.jsonl";
const SNAPSHOT = "/data/snapshot-1.json";
const NEXT_JOURNAL = "/data/journal-1.jsonl";
const NEWLINE = 10;

type Files = ReadonlyMap<string, Uint8Array>;

/** Changes of one line each. The last one does not remove a person. */
const STEPS: readonly Step[] = [
  count("a"),
  ...Array.from({ length: 6 }, (_, i) => putPerson(`user${i % 4}@x.io`, `é${i}`)),
  count("a", "user1@x.io"),
];

describe("file storage whose files were changed", () => {
  let expected: readonly string[];
  // The files that remain after a kill, after a close, and after a compaction.
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
    const timers = createSimulatedTimers();
    const again = await openSimulated(next, { timers });
    await putPerson("gone@x.io")(again);
    await erasePerson("gone@x.io")(again);
    timers.advance(500);
    await untilTurned(() => !next.files.has(JOURNAL));
    await putPerson("last@x.io")(again);
    compacted = withoutLock(next.files);
  });

  /** Opens files after replacing one of them. Returns their contents, or the code of the error. */
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
      // Nothing proves the last transaction of a killed process, so that damage to it looks like a
      // torn tail.
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

  it("names the file, and the line where that is known, and says what to do", async () => {
    const journal = closed.get(JOURNAL)!;
    const snapshot = compacted.get(SNAPSHOT)!;
    const line2 = journal.indexOf(NEWLINE) + 1;
    const line3 = snapshot.indexOf(NEWLINE, snapshot.indexOf(NEWLINE) + 1) + 1;
    const other = createSimulatedDisk();
    await (await openSimulated(other)).close();
    const restore = "; restore the folder from a backup (docs/file-storage.md)";
    const later =
      "it has format version 2, and this program knows 1: use the program that wrote it, " +
      "or a later one";
    await forEachRow<readonly [Files, string, Uint8Array | undefined, string]>([
      [closed, JOURNAL, flip(journal, line2 + 30), `line 2 is damaged${restore}`],
      [compacted, SNAPSHOT, snapshot.with(line3, 0x2d), `its checksum does not match${restore}`],
      [compacted, SNAPSHOT, snapshot.with(line3 + 1, 0x2d), `line 3 is damaged${restore}`],
      [compacted, NEXT_JOURNAL, other.files.get(JOURNAL), `it belongs to another folder${restore}`],
      [compacted, NEXT_JOURNAL, journal, `it does not continue what is before it${restore}`],
      [compacted, NEXT_JOURNAL, encodeLine({ boardcast: "journal", version: 2 }), later],
      [
        compacted,
        SNAPSHOT,
        Buffer.from('{"boardcast":"snapshot","version":2,"records":{\n'),
        later,
      ],
    ], async ([files, path, bytes, message]) => {
      const disk = createSimulatedDisk({}, new Map(files).set(path, bytes!));
      const error = await assertRejects(() => openSimulated(disk), StorageError);
      assertEquals(error.message, `Cannot read ${path}: ${message}`);
      assertEquals(error.code, message === later ? "incompatible" : "damaged");
    });
    const lacking = new Map(compacted);
    lacking.delete(SNAPSHOT);
    const open = () => openSimulated(createSimulatedDisk({}, lacking));
    await assertRejects(open, StorageError, `${NEXT_JOURNAL}: what it continues is missing`);
  });

  it("opens older files beside newer ones, as backups have them", async () => {
    const files = new Map([...compacted, [JOURNAL, closed.get(JOURNAL)!]]);
    const disk = createSimulatedDisk({}, files);
    const storage = await openSimulated(disk);
    assert((await contentsOf(storage)).includes("last@x.io"));
    // The next compaction removes the files that the last one replaced.
    assertEquals([...disk.files.keys()].sort(), [...files.keys(), LOCK].sort());
    await storage.close();
  });

  /** Checks that opening the files fails, and changes and removes none of them. */
  async function assertRefused(files: Files, message: string): Promise<void> {
    const disk = createSimulatedDisk({}, files);
    const error = await assertRejects(() => openSimulated(disk), StorageError);
    assertEquals(error.code, "damaged");
    assert(error.message.includes(message), error.message);
    assertEquals(new Map(disk.files), new Map(files));
  }

  it("loses no change to a journal that is missing beside its snapshot after kill -9", async () => {
    for (const name of ["/data/none", "/data/high-water-mark.json"]) {
      const files = new Map(compacted);
      files.delete(NEXT_JOURNAL);
      files.delete(name);
      const message = "Cannot read journal-1.jsonl: it is missing, and has what changed after ";
      await assertRefused(files, `${message}snapshot-1.json`);
    }
  });

  it("does not begin anew when the only journal is missing after kill -9", async () => {
    const files = new Map(killed);
    files.delete(JOURNAL);
    await assertRefused(files, "the snapshots and journals of its folder are missing");
    // The message tells the operator to delete this file.
    files.delete("/data/high-water-mark.json");
    await (await openSimulated(createSimulatedDisk({}, files))).close();
  });

  it("loses no change to a copy of a snapshot under a later number", async () => {
    for (const number of [2, 3, 10]) {
      const path = `/data/snapshot-${number}.json`;
      const files = new Map([...compacted, [path, compacted.get(SNAPSHOT)!]]);
      await assertRefused(files, `${path}: it is a copy of number 1 under another name; remove it`);
    }
  });

  it("does not go on without a file that is there under another name", async () => {
    for (const suffix of [" (1).jsonl", ".jsonl.gz", ".jsonl.bak", "_old.jsonl"]) {
      const name = `journal-0${suffix}`;
      const alone = new Map([[`/data/${name}`, killed.get(JOURNAL)!]]);
      await assertRefused(alone, `Cannot go on without journal-0.jsonl, as ${name} looks like it`);
      const files = new Map(compacted);
      files.delete(NEXT_JOURNAL);
      files.delete("/data/high-water-mark.json");
      const next = `journal-1${suffix}`;
      files.set(`/data/${next}`, compacted.get(NEXT_JOURNAL)!);
      await assertRefused(files, `without journal-1.jsonl, as ${next} looks like it`);
      // A copy of a current or replaced file under another name loses nothing.
      const copies = new Map([...compacted, [`/data/${name}`, closed.get(JOURNAL)!]]);
      copies.set(`/data/${next}`, compacted.get(NEXT_JOURNAL)!);
      await (await openSimulated(createSimulatedDisk({}, copies))).close();
    }
  });

  it("refuses to go on with less than it had when it was closed", async () => {
    const disk = createSimulatedDisk({}, compacted);
    const settings = { journalBytes: 1 << 20 };
    await (await openSimulated(disk, settings)).close();
    const last = withoutLock(disk.files);
    const without = (...paths: string[]) => {
      const files = new Map(last);
      for (const path of paths) files.delete(path);
      return files;
    };
    await assertRefused(without(NEXT_JOURNAL), "journal-1.jsonl: it is missing");
    await assertRefused(without(NEXT_JOURNAL, SNAPSHOT), "of its folder are missing");
    const next = createSimulatedDisk({}, closed);
    const again = await openSimulated(next, settings);
    await putPerson("later@x.io")(again);
    await again.close();
    const older = new Map(withoutLock(next.files)).set(JOURNAL, closed.get(JOURNAL)!);
    await assertRefused(older, "was acknowledged, and the last one in the folder is number");
    // The message tells the operator to delete this file.
    older.delete("/data/high-water-mark.json");
    await (await openSimulated(createSimulatedDisk({}, older))).close();
  });
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, bytes[at] ^ 1 << at % 8);
}
