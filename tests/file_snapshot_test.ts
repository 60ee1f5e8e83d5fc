import { assert, assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { FORMAT_VERSION } from "../adapters/_file/format.ts";
import { readSnapshot, type RecordSlices, writeSnapshot } from "../adapters/_file/snapshot.ts";
import { StorageError } from "../adapters/storage.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { createSimulatedClock } from "./_file/simulation.ts";

const PATH = "/data/snapshot.json";
const HEADER = { store: "s", generation: 3, seq: 7 };
const MIB = 1 << 20;

describe("a snapshot", () => {
  /** Writes subscriptions, a slice of them at a time; returns what each write had in it. */
  async function write(
    slices: readonly (readonly object[])[],
    { sliceMs = 0, othersMs = 0 } = {},
  ) {
    const disk = createSimulatedDisk();
    const file = await disk.open(PATH, "create");
    const clock = createSimulatedClock();
    const writes: string[] = [];
    const syncedAt: number[] = [];
    let length = 0;
    const source: RecordSlices = function* (table) {
      for (const slice of table === "subscriptions" ? slices : []) {
        void clock.wait(sliceMs);
        yield slice;
      }
    };
    const bytes = await writeSnapshot(
      {
        ...file,
        async write(bytes, position) {
          writes.push(new TextDecoder().decode(bytes));
          void clock.wait(othersMs);
          length += bytes.length;
          return await file.write(bytes, position);
        },
        async sync() {
          syncedAt.push(length);
          await file.sync();
        },
      },
      HEADER,
      { slices: source, clock },
    );
    return { disk, file, writes, syncedAt, bytes, length };
  }

  function slicesOf(count: number, userName = "x"): readonly (readonly object[])[] {
    return Array.from({ length: count }, (_, i) => [{ userEmail: `user${i}@x.io`, userName }]);
  }

  function recordsIn(writes: readonly string[]): readonly number[] {
    return writes.map((text) => text.split('"userEmail"').length - 1).filter((count) => count > 0);
  }

  it("is written in turns of 2 ms where others take no time", async () => {
    const { writes } = await write(slicesOf(9), { sliceMs: 1 });
    assertEquals(recordsIn(writes), [2, 2, 2, 2, 1]);
  });

  it("is written in turns of a third of the time that others take", async () => {
    const { writes } = await write(slicesOf(35), { sliceMs: 1, othersMs: 30 });
    assertEquals(recordsIn(writes), [2, 10, 10, 10, 3]);
  });

  it("is written a megabyte at a time, and synced every two, and at its end", async () => {
    const { writes, syncedAt, bytes, length } = await write(slicesOf(16, "x".repeat(MIB / 2)));
    assertEquals(recordsIn(writes), Array(8).fill(2));
    assertEquals(syncedAt.at(-1), length);
    for (const [i, at] of syncedAt.entries()) {
      const since = at - (syncedAt[i - 1] ?? 0);
      assert(since < 3.1 * MIB, `synced at ${syncedAt}`);
    }
    assert(syncedAt.length <= 6, `synced at ${syncedAt}`);
    assertEquals(bytes, length);
  });

  it("is read as it was written, however long it is", async () => {
    const { file, bytes } = await write(slicesOf(1_000, "x".repeat(1_000)));
    const found: string[] = [];
    const content = await readSnapshot(file, {
      name: PATH,
      apply: ({ table, key }) => void found.push(`${table} ${key}`),
    });
    const header = { boardcast: "snapshot", version: FORMAT_VERSION, ...HEADER };
    assertEquals(content, { header, bytes });
    assertEquals(found, Array.from({ length: 1_000 }, (_, i) => `subscriptions user${i}@x.io`));
  });

  it("is damaged at the byte where a line that can't be read starts", async () => {
    const { disk } = await write(slicesOf(1_000, "x".repeat(1_000)));
    const text = new TextDecoder().decode(disk.files.get(PATH));
    const at = text.indexOf('{"userEmail":"user900@');
    const cut: readonly [string, number][] = [
      ["", 0],
      [text.slice(0, at) + text.slice(at + 1), at],
      [text.slice(0, at), text.lastIndexOf("\n", at - 2) + 1],
    ];
    for (const [content, offset] of cut) {
      const damaged = createSimulatedDisk({}, new Map([[PATH, new TextEncoder().encode(content)]]));
      const file = await damaged.open(PATH, "read");
      const error = await assertRejects(
        () => readSnapshot(file, { name: PATH, apply: () => {} }),
        StorageError,
      );
      assertEquals(error.code, "damaged");
      assertEquals(error.message, `Cannot read ${PATH}: it is damaged at byte ${offset}`);
    }
  });
});
