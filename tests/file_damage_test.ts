import { assert, assertEquals, assertRejects } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import type { Disk } from "../adapters/_file/disk.ts";
import { encodeLine, FORMAT_VERSION } from "../adapters/_file/format.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { JOURNAL, LOCK, SNAPSHOT } from "./_file/contents.ts";
import { createSimulatedDisk, type SimulatedDisk } from "./_file/simulated_disk.ts";
import { contentsOf, expectedContents, openSimulated, type Step } from "./_file/simulation.ts";

const KEY = sampleKey("key");
const NEWLINE = 10;

/** Changes that are one record each, and that leave nothing to fold when storage is closed. */
const STEPS: readonly Step[] = [
  ({ boards }) => boards.create(sampleBoard("ideas")),
  ({ apiKeys }) => apiKeys.create(KEY),
  ...Array.from(
    { length: 8 },
    (_, i): Step => ({ subscriptions }) =>
      subscriptions.put(sampleChange(`user${i % 5}@x.io`, { userName: `é${i}`, at: minute(i) })),
  ),
  ({ boards }) => boards.delete(sampleBoard("ideas")),
];

describe("file storage whose files were changed", () => {
  let expected: readonly string[];
  let killed: ReadonlyMap<string, Uint8Array>;
  let closed: ReadonlyMap<string, Uint8Array>;
  beforeEach(async () => {
    expected = await expectedContents(STEPS);
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: 1 << 20 });
    for (const step of STEPS) await step(storage);
    killed = withoutLock(disk.files);
    await storage.close();
    closed = withoutLock(disk.files);
  });

  function journalOf(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
    return files.get(JOURNAL)!;
  }

  function withJournal(bytes: Uint8Array): SimulatedDisk {
    return createSimulatedDisk({}, new Map(closed).set(JOURNAL, bytes));
  }

  it("opens with the changes before it when the journal is cut off behind its header", async () => {
    const journal = journalOf(killed);
    for (let length = journal.indexOf(NEWLINE) + 1; length < journal.length; length++) {
      const disk = withJournal(journal.slice(0, length));
      const storage = await openSimulated(disk);
      const whole = countLines(journal.subarray(0, length)) - 1;
      assertEquals(await contentsOf(storage), expected[whole], `cut off at byte ${length}`);
      await storage.close();
      const again = await openSimulated(disk);
      assertEquals(await contentsOf(again), expected[whole], `again, cut off at byte ${length}`);
      await again.close();
    }
  });

  it("opens with all changes when a record of old shows in the place of a torn tail", async () => {
    const journal = journalOf(killed);
    const second = journal.indexOf(NEWLINE, journal.indexOf(NEWLINE) + 1) + 1;
    const old = journal.slice(second, journal.indexOf(NEWLINE, second) + 1);
    const disk = withJournal(Buffer.concat([journal, new Uint8Array(99), old.slice(40), old]));
    const storage = await openSimulated(disk);
    assertEquals(await contentsOf(storage), expected.at(-1));
    await storage.close();
    // Behind a sound line, it is no tail.
    await assertRejects(
      () => openSimulated(withJournal(Buffer.concat([journal, old]))),
      StorageError,
    );
  });

  it("keeps a copy of exactly what it cut off, named by the number that comes next", async () => {
    const journal = journalOf(killed);
    const end = journal.lastIndexOf(NEWLINE, journal.length - 2) + 1;
    const disk = withJournal(journal.slice(0, end + 20));
    const warnings: string[] = [];
    await (await openSimulated(disk, { onWarning: (text) => warnings.push(text) })).close();
    const copies = [...disk.files].filter(([path]) => path.endsWith(".broken"));
    const copy = `${JOURNAL}.${STEPS.length}.broken`;
    assertEquals(copies, [[copy, journal.slice(end, end + 20)]]);
    assertEquals(warnings, [
      `${JOURNAL} had a torn tail of 20 bytes from byte ${end} on, which was cut; ` +
      `a copy is kept in ${copy}`,
    ]);
  });

  it("refuses a journal that ends within its header, with a snapshot and without", async () => {
    const journal = journalOf(killed);
    for (const files of [new Map(), await withSnapshot(closed)]) {
      for (const length of [0, 1, journal.indexOf(NEWLINE)]) {
        const cut = journal.slice(0, length);
        const disk = createSimulatedDisk({}, new Map(files).set(JOURNAL, cut));
        const error = await assertRejects(() => openSimulated(disk), StorageError);
        assertEquals([error.code, disk.files.get(JOURNAL)], ["damaged", cut]);
      }
    }
  });

  it("has the copy on disk before it cuts anything off, when power is lost then", async () => {
    const journal = journalOf(killed);
    const end = journal.lastIndexOf(NEWLINE, journal.length - 2) + 1;
    const torn = journal.slice(end, end + 20);
    const disk = withJournal(journal.slice(0, end + 20));
    let cut = 0;
    const watched = {
      ...disk,
      async rename(from: string, to: string) {
        await disk.rename(from, to);
        for (const { files } of disk.images()) {
          if (files.get(JOURNAL)?.length === end + 20) continue;
          cut++;
          const copies = [...files].filter(([path]) => path.endsWith(".broken"));
          assertEquals(copies.map(([, bytes]) => bytes), [torn]);
        }
      },
    };
    await (await openSimulated(watched)).close();
    assert(cut > 0, "it was never cut");
  });

  it("leaves nothing open or half made behind when the tail can't be copied", async () => {
    const disk = withJournal(journalOf(killed).slice(0, -5));
    const full: Disk = {
      ...disk,
      async open(path, mode) {
        const file = await disk.open(path, mode);
        if (!path.includes(".broken")) return file;
        return { ...file, sync: () => Promise.reject(new Error("no space left")) };
      },
    };
    await assertRejects(() => openSimulated(full), StorageError, "no space left");
    assertEquals([[...disk.files.keys()], disk.openFiles], [[JOURNAL], 0]);
  });

  it("is damaged when its journal continues a snapshot that is gone, if it changed nothing", async () => {
    const header = {
      boardcast: "journal",
      version: FORMAT_VERSION,
      store: "s",
      generation: 1,
      after: 0,
    };
    const disk = withJournal(encodeLine(header as never));
    assertEquals((await assertRejects(() => openSimulated(disk), StorageError)).code, "damaged");
  });

  it("refuses to open or loses nothing when any bit of a closed journal is flipped", async () => {
    const journal = journalOf(closed);
    for (let at = 0; at < journal.length; at++) {
      const flipped = flip(journal, at);
      const disk = withJournal(flipped);
      const outcome: Storage | StorageError = await openSimulated(disk).catch((error) => error);
      if (!(outcome instanceof StorageError)) {
        assertEquals(await contentsOf(outcome), expected.at(-1), `bit flipped in byte ${at}`);
        await outcome.close();
        continue;
      }
      assert(["damaged", "incompatible"].includes(outcome.code), `${outcome}`);
      assertEquals(disk.files.get(JOURNAL), flipped);
      assertEquals(disk.files.get(LOCK), undefined);
    }
  });

  it("never shows what was not written when any bit of a killed journal is flipped", async () => {
    const journal = journalOf(killed);
    for (let at = 0; at < journal.length; at++) {
      const disk = withJournal(flip(journal, at));
      const outcome: Storage | StorageError = await openSimulated(disk).catch((error) => error);
      if (outcome instanceof StorageError) continue;
      // The last record has no later line to prove it: it is cut like a torn tail.
      const contents = await contentsOf(outcome);
      assert(expected.slice(-2).includes(contents), `bit flipped in byte ${at}`);
      await outcome.close();
    }
  });

  it("loses no record when any bit of a seal before it is flipped", async () => {
    const disk = createSimulatedDisk({}, closed);
    const storage = await openSimulated(disk, { journalBytes: 1 << 20 });
    await storage.subscriptions.put(sampleChange("last@x.io"));
    const contents = await contentsOf(storage);
    const journal = journalOf(disk.files);
    const end = journal.lastIndexOf(NEWLINE, journal.length - 2);
    const start = journal.lastIndexOf(NEWLINE, end - 1) + 1;
    assert(JSON.parse(new TextDecoder().decode(journal.slice(start, end))).sealed);
    for (let at = start; at <= end; at++) {
      const disk = withJournal(flip(journal, at));
      for (const time of ["first", "second"]) {
        const storage = await openSimulated(disk);
        assertEquals(await contentsOf(storage), contents, `byte ${at}, the ${time} time`);
        await storage.close();
      }
    }
  });

  it("names the file and the byte when damage is not at the end", async () => {
    const journal = journalOf(closed);
    const second = journal.indexOf(NEWLINE, journal.indexOf(NEWLINE) + 1) + 1;
    const error = await assertRejects(
      () => openSimulated(withJournal(flip(journal, second + 30))),
      StorageError,
    );
    assertEquals(error.code, "damaged");
    assertEquals(error.message, `Cannot read ${JOURNAL}: it is damaged at byte ${second}`);
  });

  it("refuses a snapshot when any bit of it is flipped", async () => {
    const files = await withSnapshot(closed);
    const snapshot = files.get(SNAPSHOT)!;
    for (let at = 0; at < snapshot.length; at++) {
      const disk = createSimulatedDisk({}, new Map(files).set(SNAPSHOT, flip(snapshot, at)));
      const error = await assertRejects(() => openSimulated(disk), StorageError, SNAPSHOT);
      assert(["damaged", "incompatible"].includes(error.code), `${error}`);
    }
  });

  it("refuses a snapshot when it is cut off at any byte", async () => {
    const files = await withSnapshot(closed);
    const snapshot = files.get(SNAPSHOT)!;
    for (let length = 0; length < snapshot.length; length++) {
      const cut = new Map(files).set(SNAPSHOT, snapshot.slice(0, length));
      const open = () => openSimulated(createSimulatedDisk({}, cut));
      assertEquals((await assertRejects(open, StorageError)).code, "damaged", `at ${length}`);
    }
  });

  it("opens with the snapshot alone when the journal is gone", async () => {
    const files = new Map(await withSnapshot(closed));
    files.delete(JOURNAL);
    const storage = await openSimulated(createSimulatedDisk({}, files));
    assertEquals(await contentsOf(storage), expected.at(-1));
    await storage.close();
  });

  it("opens an older journal with a newer snapshot, as a copy of both may have them", async () => {
    const files = new Map(await withSnapshot(closed)).set(JOURNAL, journalOf(killed));
    const storage = await openSimulated(createSimulatedDisk({}, files));
    assertEquals(await contentsOf(storage), expected.at(-1));
    await storage.close();
  });

  it("refuses a journal when the snapshot that it continues is gone", async () => {
    const files = new Map(await withSnapshot(closed));
    files.delete(SNAPSHOT);
    const open = () => openSimulated(createSimulatedDisk({}, files));
    assertEquals((await assertRejects(open, StorageError)).code, "damaged");
  });

  it("refuses a journal that belongs to another folder", async () => {
    const other = createSimulatedDisk();
    await (await openSimulated(other)).close();
    const files = new Map(await withSnapshot(closed)).set(JOURNAL, other.files.get(JOURNAL)!);
    const open = () => openSimulated(createSimulatedDisk({}, files));
    assertEquals((await assertRejects(open, StorageError)).code, "damaged");
  });
});

/** Folds the journal of closed files. */
async function withSnapshot(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const disk = createSimulatedDisk({}, files);
  const storage = await openSimulated(disk);
  // An erasure is folded before the storage is closed.
  await storage.subscriptions.put(sampleChange("gone@x.io"));
  await storage.subscriptions.erase("gone@x.io");
  await storage.close();
  assert(disk.files.has(SNAPSHOT));
  return disk.files;
}

function countLines(bytes: Uint8Array): number {
  return bytes.reduce((count, byte) => byte === NEWLINE ? count + 1 : count, 0);
}

function flip(bytes: Uint8Array, at: number): Uint8Array {
  const flipped = bytes.slice();
  flipped[at] ^= 1 << at % 8;
  return flipped;
}

function withoutLock(files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  return new Map([...files].filter(([path]) => path !== LOCK));
}
