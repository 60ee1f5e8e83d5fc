import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { captureTables } from "../adapters/_file/capture.ts";
import { crc32c } from "../adapters/_file/crc32c.ts";
import { FORMAT_VERSION } from "../adapters/_file/format.ts";
import { TABLE_NAMES } from "../adapters/_file/records.ts";
import { createTables, type RecordChange } from "../adapters/_tables.ts";
import { openFileStorage } from "../adapters/file.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { applySubscriptionChange } from "../model/subscription.ts";
import {
  DIFFICULT_TEXT,
  minute,
  sampleBoard,
  sampleChange,
  sampleKey,
} from "./_contract/samples.ts";
import { namesIn, withFolder } from "./_folder.ts";

const FIXTURE = new URL("./fixtures/data_v1/", import.meta.url);

describe("the files of file storage", () => {
  it("hold each change on a line of its own with its checksum", async () => {
    await withFolder(async (directory) => {
      const storage = await openFileStorage(directory);
      const change = sampleChange("ann@x.io", { userName: DIFFICULT_TEXT });
      const { subscription } = await storage.subscriptions.put(change);
      await storage.boards.create(sampleBoard("ideas"));
      await storage.boards.delete(sampleBoard("ideas"));
      const text = await Deno.readTextFile(`${directory}/journal.jsonl`);
      const lines = text.trimEnd().split("\n");
      const [header, ...records] = lines.map((line) => JSON.parse(line));
      assertEquals([header.boardcast, header.version, header.after], [
        "journal",
        FORMAT_VERSION,
        0,
      ]);
      assertEquals(records.map(({ seq, after }) => [seq, after]), [[1, 0], [2, 1], [3, 2]]);
      assertEquals(records[0].put, { subscriptions: [subscription] });
      assertEquals(records[1].put, { boards: [sampleBoard("ideas")] });
      assertEquals(records[2].delete, { boards: ["ideas"] });
      for (const line of lines) assertEquals(checksumOf(line), JSON.parse(line).crc32c);
      await storage.close();
    });
  });

  it("hold nothing of a change that memory did not take", async () => {
    await withFolder(async (directory) => {
      const storage = await openFileStorage(directory);
      await storage.subscriptions.put(sampleChange("ann@x.io"));
      // A map holds 16,777,216 entries.
      const { set } = Map.prototype;
      Map.prototype.set = function (key, value) {
        if (key === "bob@x.io" && value.userEmail === key) throw new RangeError("It is full");
        return set.call(this, key, value);
      };
      try {
        const refused = storage.subscriptions.put(sampleChange("bob@x.io"));
        await Promise.all([
          assertRejects(() => refused, RangeError),
          storage.subscriptions.put(sampleChange("ann@x.io", { subscribe: false })),
        ]);
      } finally {
        Map.prototype.set = set;
      }
      await storage.close();
      const again = await openFileStorage(directory);
      const found = await again.subscriptions.list({ limit: 9 });
      assertEquals(found.map(({ userEmail }) => userEmail), ["ann@x.io"]);
      await again.close();
    });
  });

  it("are sealed behind what is there, and go on behind the seal", async () => {
    await withFolder(async (directory) => {
      for (const email of ["amy@x.io", "bob@x.io"]) {
        const storage = await openFileStorage(directory);
        await storage.subscriptions.put(sampleChange(email));
        await storage.close();
      }
      const text = await Deno.readTextFile(`${directory}/journal.jsonl`);
      const [, ...records] = text.trimEnd().split("\n").map((line) => JSON.parse(line));
      assertEquals(records.map(({ seq, sealed }) => [seq, sealed]), [
        [1, undefined],
        [1, true],
        [2, undefined],
        [2, true],
      ]);
    });
  });

  it("are a snapshot that is one JSON document with a record a line, after a fold", async () => {
    await withFolder(async (directory) => {
      const storage = await openFileStorage(directory);
      await fill(storage);
      await storage.close();
      const text = await Deno.readTextFile(`${directory}/snapshot.json`);
      const snapshot = JSON.parse(text);
      assertEquals(snapshot.counts, { boards: 1, apiKeys: 1, subscriptions: 2 });
      assertEquals(snapshot.boards, [sampleBoard("ideas", { description: DIFFICULT_TEXT })]);
      assertEquals(snapshot.subscriptions.map((s: { userEmail: string }) => s.userEmail), [
        "amy@x.io",
        "bob@x.io",
      ]);
      assert(text.includes(`\n${JSON.stringify(snapshot.subscriptions[0])},\n`));
      assertEquals(checksumOf(text.slice(0, text.indexOf('"crc32c"')), ""), snapshot.crc32c);
    });
  });

  it("are for their owner alone", async () => {
    if (Deno.build.os === "windows") return;
    await withFolder(async (parent) => {
      const directory = `${parent}/new/data`;
      const storage = await openFileStorage(directory);
      await fill(storage);
      const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;
      assertEquals(modeOf(directory), 0o700);
      assertEquals(await namesIn(directory), ["journal.jsonl", "lock"]);
      await storage.close();
      for (const name of ["journal.jsonl", "snapshot.json"]) {
        assertEquals(modeOf(`${directory}/${name}`), 0o600);
      }
    });
  });

  it("of the first version open for ever", async () => {
    await withFolder(async (directory) => {
      for (const name of ["journal.jsonl", "snapshot.json"]) {
        await Deno.copyFile(new URL(name, FIXTURE), `${directory}/${name}`);
      }
      // A field that came later is null there, and toStoreChange fills it in for lines without it.
      const expected = JSON.parse(await Deno.readTextFile(new URL("expected.json", FIXTURE)));
      // The first opening puts a header of today's version before lines that stay as they were.
      for (const opening of ["first", "second"]) {
        const storage = await openFileStorage(directory);
        const found = {
          boards: await storage.boards.list({ limit: 99 }),
          apiKeys: await storage.apiKeys.list({ limit: 99 }),
          subscriptions: await storage.subscriptions.list({ limit: 99 }),
        };
        await storage.close();
        assertEquals(found, expected, `${opening} opening`);
        assertAlike(found.boards, sampleBoard("today"));
        assertAlike(found.apiKeys, sampleKey("today"));
        const change = sampleChange("today@x.io");
        assertAlike(found.subscriptions, applySubscriptionChange(undefined, change));
      }
    });
  });

  it("can't be in a place that is no folder: opening rejects with unavailable", async () => {
    await withFolder(async (directory) => {
      await Deno.writeTextFile(`${directory}/file`, "");
      const error = await assertRejects(() => openFileStorage(`${directory}/file`), StorageError);
      assertEquals(error.code, "unavailable");
      assertMatch(error.message, /^Cannot open the data folder "[^"]+\/file": E[A-Z]+: /);
    });
  });
});

describe("crc32c", () => {
  it("gives the results of RFC 3720, appendix B.4", () => {
    assertEquals(crc32c(new Uint8Array(32), 0), 0x8a9136aa);
    assertEquals(crc32c(new Uint8Array(32).fill(255), 0), 0x62a8ab43);
    assertEquals(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i), 0), 0x46dd794e);
  });

  it("goes on from what came before", () => {
    const bytes = new TextEncoder().encode(DIFFICULT_TEXT);
    const previous = crc32c(bytes, 0, { end: 11 });
    assertEquals(crc32c(bytes, 11, { previous }), crc32c(bytes, 0));
  });
});

describe("a capture", () => {
  it("reads out the tables of its moment, in order, whatever changes meanwhile", () => {
    let note = (_change: RecordChange) => {};
    const tables = createTables((change) => note(change));
    function change(i: number, step: number): void {
      const board = sampleBoard(idOf(i));
      const isGone = i % 3 === 0;
      if (isGone) tables.boards.delete(board);
      else if (!tables.boards.replace(board, { ...board, name: "Other" })) {
        tables.boards.create(board);
      }
      if (!tables.apiKeys.revoke(idOf(i), minute(step))) tables.apiKeys.create(sampleKey(idOf(i)));
      if (isGone) tables.subscriptions.erase(emailOf(i));
      else {
        const given = { subscribe: step % 2 === 0, at: minute(step) };
        tables.subscriptions.put(sampleChange(emailOf(i), given));
      }
    }
    const emailOf = (i: number) => `user${String(i).padStart(5, "0")}@x.io`;
    const idOf = (i: number) => `id${String(i).padStart(5, "0")}`;
    for (let i = 0; i < 4_000; i += 2) {
      tables.boards.create(sampleBoard(idOf(i)));
      tables.apiKeys.create(sampleKey(idOf(i)));
      tables.subscriptions.put(sampleChange(emailOf(i)));
    }
    const before = TABLE_NAMES.flatMap((table): readonly object[] =>
      tables[table].list({ limit: 9_999 })
    );
    const capture = captureTables(tables);
    note = capture.note;
    const found: object[] = [];
    let step = 0;
    for (const table of TABLE_NAMES) {
      for (const slice of capture.slices(table)) {
        found.push(...slice);
        for (let i = step; i < 4_000; i += 7) change(i, step);
        step++;
      }
    }
    assert(step > 9);
    assertEquals(found, [...before]);
  });
});

async function fill(storage: Storage): Promise<void> {
  await storage.boards.create(sampleBoard("ideas", { description: DIFFICULT_TEXT }));
  await storage.apiKeys.create(sampleKey("key"));
  for (const email of ["bob@x.io", "amy@x.io", "gone@x.io"]) {
    await storage.subscriptions.put(sampleChange(email));
  }
  await storage.subscriptions.erase("gone@x.io");
}

/** Checks that records have the fields of one of today, and no others. */
function assertAlike(records: readonly object[], today: object): void {
  const fields = Object.keys(today).sort();
  for (const record of records) assertEquals(Object.keys(record).sort(), fields);
}

/** Bit by bit, unlike the adapter, over all that stands before the checksum. */
function checksumOf(line: string, separator = ","): string {
  const start = line.lastIndexOf(`${separator}"crc32c":`);
  let crc = -1;
  for (const byte of new TextEncoder().encode(separator === "" ? line : line.slice(0, start))) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}
