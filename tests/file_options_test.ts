import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FileStorageOptions, openFileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { unhandledDuring } from "./_waiting.ts";

describe("the options of file storage", () => {
  const failing = [
    () => Promise.reject(new Error("no log")),
    () => {
      throw new Error("no log");
    },
  ];
  const HEARTBEAT = "give a number above 0, at most 2147483647";
  const wrong: readonly (readonly [options: Record<string, unknown>, toDo: string])[] = [
    ...[0, -1, NaN, Infinity, 2 ** 31, "250", null].map((heartbeatMs) =>
      [{ heartbeatMs }, HEARTBEAT] as const
    ),
    ...[-1, NaN].map((journalBytes) => [{ journalBytes }, "give 0 or more"] as const),
  ];
  for (const [options, toDo] of wrong) {
    it(`are refused, and no file is made, when they are ${Deno.inspect(options)}`, async () => {
      await withFolder(async (directory) => {
        const open = () => openFileStorage(directory, options as FileStorageOptions);
        const { message } = await assertRejects(open, RangeError);
        const [[name, value]] = Object.entries(options);
        assertEquals(message, `Cannot use ${name} "${value}": ${toDo}`);
        assertEquals(await namesIn(directory), []);
      });
    });
  }

  it("may have the longest heartbeat that a timer can keep", async () => {
    await withFolder(async (directory) => {
      const storage = await openFileStorage(directory, { heartbeatMs: 2 ** 31 - 1 });
      await storage.ping();
      await storage.close();
    });
  });

  it("may have functions that fail, at once or later", async () => {
    let warnings = 0;
    const unhandled = await unhandledDuring(async () => {
      for (const fail of failing) {
        const onWarning = () => (warnings++, fail());
        const reader = await openFileStorage("/missing", { readOnly: true, onWarning });
        await reader.close();
      }
    });
    assertEquals([warnings, unhandled], [2, []]);
  });

  it("may have a function for the loss of the folder that fails, at once or later", async () => {
    const unhandled = await unhandledDuring(async () => {
      for (const onLost of failing) {
        await withFolder(async (directory) => {
          const storage = await openFileStorage(directory, { heartbeatMs: 60_000, onLost });
          await Deno.remove(`${directory}/lock`);
          const change = () => storage.subscriptions.put(sampleChange("ann@x.io"));
          await assertRejects(change, StorageError, "the lock file is gone");
          await storage.close();
        });
      }
    });
    assertEquals(unhandled, []);
  });

  it("need a folder that has a name", async () => {
    await assertRejects(() => openFileStorage(""), RangeError);
  });
});
