import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Disk } from "../adapters/_file/disk.ts";
import { openFileStorageToRead } from "../adapters/_file/read_only.ts";
import { openFileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import type { ChangeName } from "./_changes.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import { changeFiles, generationOf, JOURNAL } from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import {
  contentsOf,
  createSimulatedClock,
  expectedContents,
  openSimulated,
  WORKLOAD,
} from "./_file/simulation.ts";
import { withFolder } from "./_folder.ts";
import { turns } from "./_waiting.ts";

const ANN = "ann@x.io";
const READ_ONLY = { readOnly: true };

/** A disk that can only be read, and that calls a function before each of its calls. */
function createReadingDisk(disk: Disk, before: () => Promise<void>): Disk {
  const refuse = () => Promise.reject(new Error("a reader wrote"));
  return {
    ...disk,
    makeDirectory: refuse,
    rename: refuse,
    remove: refuse,
    removeNow() {
      throw new Error("a reader wrote");
    },
    openDirectory: refuse,
    async open(path, mode) {
      assertEquals(mode, "read");
      await before();
      const file = await disk.open(path, mode);
      return {
        ...file,
        write: refuse,
        sync: refuse,
        async read(into, position) {
          await before();
          // A few bytes at a time, so that much can happen between two of them.
          return await file.read(into.subarray(0, 300), position);
        },
      };
    },
  };
}

/** The names and contents of the files in a folder. */
async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    files.set(name, await Deno.readTextFile(`${folder}/${name}`));
  }
  return files;
}

describe("file storage that is only read", () => {
  it("shows one moment, whatever its holder does between two calls of the disk", async () => {
    const expected = await expectedContents();
    const steps = WORKLOAD.flat();
    let folds = 0;
    for (const done of [0, 4, 9, 15]) {
      for (let interruptedAt = 1, isOver = false; !isOver; interruptedAt++) {
        const disk = createSimulatedDisk();
        const clock = createSimulatedClock();
        const holder = await openSimulated(disk, { clock, journalBytes: 400 });
        const proceed = async (from: number, to?: number) => {
          for (const step of steps.slice(from, to)) {
            await step(holder);
            clock.fire();
            await turns();
          }
        };
        await proceed(0, done);
        const before = generationOf(disk);
        let calls = 0;
        const reading = createReadingDisk(disk, async () => {
          if (++calls === interruptedAt) await proceed(done);
        });
        const warnings: string[] = [];
        const storage = await openFileStorageToRead("/data", {
          disk: reading,
          onWarning: (message) => void warnings.push(message),
        });
        assertEquals(warnings, []);
        isOver = calls < interruptedAt;
        const shown = expected.indexOf(await contentsOf(storage));
        assert(shown >= done, `at call ${interruptedAt}: shows ${shown}, acknowledged ${done}`);
        folds = Math.max(folds, generationOf(disk) - before);
        await holder.close();
        assertEquals(disk.openFiles, 0);
      }
    }
    assert(folds > 2, `${folds} folds beside one reading`);
  });

  it("reads again when the folder changes hands meanwhile, but not for ever", async () => {
    for (const changes of [1, 2, 3]) {
      const disk = createSimulatedDisk();
      let holder = await openSimulated(disk);
      await holder.subscriptions.put(sampleChange(ANN));
      let readings = 0;
      const reading: Disk = {
        ...disk,
        async open(path, mode) {
          const file = await disk.open(path, mode);
          if (path !== JOURNAL || ++readings > changes) return file;
          await holder.close();
          holder = await openSimulated(disk);
          await holder.subscriptions.put(sampleChange(`user${readings}@x.io`));
          return file;
        },
      };
      const opening = openFileStorageToRead("/data", { disk: reading, onWarning: () => {} });
      if (changes === 3) {
        assertEquals((await assertRejects(() => opening, StorageError)).code, "unavailable");
      } else {
        const listed = await (await opening).subscriptions.list({ limit: 9 });
        assertEquals([listed.length, readings], [1 + changes, 1 + changes]);
      }
      await holder.close();
    }
  });

  it("reads again when what was refused made way for other records, but not for ever", async () => {
    const disk = createSimulatedDisk();
    const holder = await openSimulated(disk, { journalBytes: Infinity });
    await holder.subscriptions.put(sampleChange(ANN));
    const { length } = disk.files.get(JOURNAL)!;
    const refused = new TextEncoder().encode("of the record of somebody who was refused");
    for (let i = 0; i < 3; i++) await holder.subscriptions.put(sampleChange(`user${i}@x.io`));
    for (const times of [1, 2, 3]) {
      let readings = 0;
      const reading = changeFiles(disk, (path, file) => ({
        read(into, position) {
          if (path !== JOURNAL || position > 0 || ++readings > times) {
            return file.read(into, position);
          }
          into.set(disk.files.get(JOURNAL)!.subarray(0, length));
          into.set(refused, length);
          return Promise.resolve(length + refused.length);
        },
      }));
      const opening = openFileStorageToRead("/data", { disk: reading, onWarning: () => {} });
      if (times === 3) {
        assertEquals((await assertRejects(() => opening, StorageError)).code, "damaged");
      } else {
        const listed = await (await opening).subscriptions.list({ limit: 9 });
        assertEquals([listed.length, readings], [4, times + 1]);
      }
    }
    await holder.close();
  });

  it("does not wait for the holder, and leaves its files alone", () =>
    withFolder(async (folder) => {
      const directory = `${folder}/data`;
      const holder = await openFileStorage(directory, { heartbeatMs: 60_000 });
      await holder.subscriptions.put(sampleChange(ANN));
      const before = await filesIn(directory);
      const reader = await openFileStorage(directory, READ_ONLY);
      assertEquals((await reader.subscriptions.get(ANN))?.subscribed, true);
      await reader.close();
      assertEquals(await filesIn(directory), before);
      await holder.subscriptions.put(sampleChange(ANN, { subscribe: false }));
      await holder.close();
    }));

  it("refuses every change, and ping", () =>
    withFolder(async (folder) => {
      const key = sampleKey("key");
      const board = sampleBoard("ideas");
      const holder = await openFileStorage(folder);
      await holder.subscriptions.put(sampleChange(ANN));
      await holder.apiKeys.create(key);
      await holder.boards.create(board);
      await holder.close();
      const { boards, subscriptions, apiKeys, ping } = await openFileStorage(folder, READ_ONLY);
      const rotation = { keyId: "key", at: minute(1), until: minute(1), successor: sampleKey("b") };
      const changes: Readonly<Record<ChangeName | "ping", () => Promise<unknown>>> = {
        "boards.create": () => boards.create(sampleBoard("other")),
        "boards.replace": () => boards.replace(board, { ...board, name: "Other" }),
        "boards.delete": () => boards.delete(board),
        "subscriptions.put": () => subscriptions.put(sampleChange(ANN, { subscribe: false })),
        "subscriptions.erase": () => subscriptions.erase(ANN),
        "apiKeys.create": () => apiKeys.create(sampleKey("other")),
        "apiKeys.rotate": () => apiKeys.rotate(rotation),
        "apiKeys.revoke": () => apiKeys.revoke("key", minute(1)),
        "apiKeys.touch": () => apiKeys.touch("key", minute(1)),
        ping,
      };
      for (const change of Object.values(changes)) {
        const error = await assertRejects<StorageError>(change, StorageError, "read only");
        assertEquals(error.code, "unavailable");
      }
      assertEquals(await boards.list({ limit: 9 }), [board]);
      assertEquals(await apiKeys.list({ limit: 9 }), [key]);
      assertEquals((await subscriptions.get(ANN))?.subscribed, true);
    }));

  it("takes a missing folder for empty, and makes none", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(`${folder}/missing`, READ_ONLY);
      assertEquals(await storage.boards.list({ limit: 9 }), []);
      assertEquals(await filesIn(folder), new Map());
    }));

  it("passes over a torn tail, which may be a write under way", async () => {
    const disk = createSimulatedDisk();
    const storage = await openSimulated(disk, { journalBytes: Infinity });
    await storage.subscriptions.put(sampleChange(ANN));
    const sound = disk.files.get(JOURNAL)!;
    await storage.subscriptions.put(sampleChange("bob@x.io"));
    const journal = disk.files.get(JOURNAL)!;
    for (let length = sound.length; length < journal.length; length++) {
      const cut = createSimulatedDisk({}, new Map([[JOURNAL, journal.slice(0, length)]]));
      const warnings: string[] = [];
      const onWarning = (message: string) => void warnings.push(message);
      const reader = await openFileStorageToRead("/data", { disk: cut, onWarning });
      const torn = length - sound.length;
      assertEquals(warnings.length, torn > 0 ? 1 : 0);
      if (torn > 0) assertStringIncludes(warnings[0], `ends in ${torn} bytes`);
      const listed = await reader.subscriptions.list({ limit: 9 });
      assertEquals(listed.map(({ userEmail }) => userEmail), [ANN]);
      assertEquals([...cut.files.keys()], [JOURNAL]);
    }
  });

  it("rejects what is damaged", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/journal.jsonl`, "nothing of ours\n");
      const opened = () => openFileStorage(folder, READ_ONLY);
      assertEquals((await assertRejects(opened, StorageError)).code, "damaged");
    }));
});
