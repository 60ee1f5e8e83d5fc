import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FileStorageOptions, findLockOwner, openFileStorage } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { namesIn, withFolder } from "./_folder.ts";

describe("the options of file storage", () => {
  const HEARTBEAT = "give a number above 0, at most 2147483647";
  const wrong: readonly (readonly [options: Record<string, unknown>, toDo: string])[] = [
    ...[0, -1, NaN, Infinity, 2 ** 31, "250", null].map((heartbeatMs) =>
      [{ heartbeatMs }, HEARTBEAT] as const
    ),
    ...[-1, NaN, "4"].map((journalBytes) => [{ journalBytes }, "give 0 or more"] as const),
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

  it("are refused with the name that was meant when there is none like it", async () => {
    const misspelt = { heartBeat: 250 } as FileStorageOptions;
    const { message } = await assertRejects(() => openFileStorage("/none", misspelt), TypeError);
    assertEquals(
      message,
      'Cannot use the option "heartBeat": there is none; did you mean heartbeatMs?',
    );
    const hosts = { hosts: "box" } as FileStorageOptions;
    await assertRejects(() => findLockOwner("/none", hosts), TypeError, "did you mean host?");
  });

  it("need a folder that has a name, and can be made", async () => {
    await assertRejects(() => openFileStorage(""), RangeError);
    await assertRejects(() => findLockOwner(""), RangeError);
    await withFolder(async (directory) => {
      await Deno.writeTextFile(`${directory}/file`, "");
      for (const call of [openFileStorage, findLockOwner]) {
        const error = await assertRejects(() => call(`${directory}/file/data`), StorageError);
        assertEquals(error.code, "unavailable");
      }
    });
  });
});
