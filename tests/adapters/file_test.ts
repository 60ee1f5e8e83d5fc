import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FileStorage, type FileStorageOptions, openFileStorage } from "../../adapters/file.ts";
import { findLockOwner } from "../../adapters/file.ts";
import { StorageError } from "../../adapters/storage.ts";
import { PEOPLE } from "../_contract/kinds.ts";
import { count, erasePerson, putPerson } from "../_support/file/simulation.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { forEachRow } from "../_support/rows.ts";
import { testStorage } from "../storage_contract.ts";
import { until } from "../_support/waiting.ts";

testStorage("file", async () => {
  const directory = await Deno.makeTempDir({ prefix: "boardcast-" });
  return {
    storage: await openFileStorage(directory),
    reopen: () => openFileStorage(directory),
    dispose: () => Deno.remove(directory, { recursive: true }),
  };
}, {
  skip: { another: "is held by one process at a time" },
});

describe("opening file storage", () => {
  it("refuses options that make no sense, and makes no file", () =>
    withFolder(async (directory) => {
      await forEachRow<unknown>([-1, NaN, "4"], async (journalBytes) => {
        const options = { journalBytes } as FileStorageOptions;
        const open = () => openFileStorage(directory, options);
        const { message } = await assertRejects(open, RangeError);
        assertEquals(message, `Cannot use journalBytes "${journalBytes}": give 0 or more`);
      });
      assertEquals(await namesIn(directory), []);
      const misspelt = { journalbytes: 250, hosts: "box" } as FileStorageOptions;
      const open = () => openFileStorage(directory, misspelt);
      await assertRejects(open, TypeError, "did you mean journalBytes?");
      const find = () => findLockOwner(directory, { hosts: "box" } as FileStorageOptions);
      await assertRejects(find, TypeError, "did you mean host?");
    }));

  it("needs a folder that has a name, and can be made", () =>
    withFolder(async (directory) => {
      await Deno.writeTextFile(`${directory}/file`, "");
      for (const call of [openFileStorage, findLockOwner]) {
        await assertRejects(() => call(""), RangeError);
        const error = await assertRejects(() => call(`${directory}/file/data`), StorageError);
        assertEquals(error.code, "unavailable");
      }
    }));

  it("makes a folder and files for their owner alone", {
    skip: Deno.build.os === "windows" ? "Windows has other permissions" : false,
  }, () =>
    withFolder(async (root) => {
      const folder = `${root}/data`;
      const storage = await openFileStorage(folder);
      const modeOf = async (path: string) => (await Deno.stat(path)).mode! & 0o777;
      assertEquals(await modeOf(folder), 0o700);
      for await (const { name } of Deno.readDir(folder)) {
        assertEquals(await modeOf(`${folder}/${name}`), 0o600, name);
      }
      await storage.close();
    }));
});

/** An open storage whose journal continues a snapshot. */
interface Served {
  readonly storage: FileStorage;
  readonly folder: string;
  /** The messages to the host. */
  readonly told: readonly string[];
}

function withServed(use: (served: Served) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const before = await openFileStorage(folder);
    await putPerson("ann@x.io")(before);
    await erasePerson("ann@x.io")(before);
    await before.close();
    const told: string[] = [];
    const storage = await openFileStorage(folder, {
      onWarning: (message) => told.push(message),
      onLost: (message) => told.push(message, "lost"),
    });
    await count("a")(storage);
    assertEquals(await namesIn(folder), ["high-water-mark.json", JOURNAL, "lock", SNAPSHOT]);
    await use({ storage, folder, told });
    await storage.close();
  });
}

const [JOURNAL, SNAPSHOT] = ["journal-1.jsonl", "snapshot-1.json"];

/** Ways in which another program may damage a file. */
const DAMAGE: Readonly<Record<string, (path: string) => Promise<void>>> = {
  "is truncated": (path) => Deno.truncate(path, 0),
  async "has a copy moved over it"(path) {
    await Deno.copyFile(path, `${path}.1`);
    await Deno.rename(`${path}.1`, path);
  },
  "has a line appended": (path) => Deno.writeTextFile(path, "{}\n", { append: true }),
  "is removed": (path) => Deno.remove(path),
};

describe("file storage whose files are changed while it serves", () => {
  async function assertEnded({ storage, told }: Served, name: string): Promise<void> {
    const { code, message } = await assertRejects(() => storage.get(PEOPLE, "a"), StorageError);
    assertEquals(code, "unavailable");
    assertMatch(message, /another program has changed, replaced or removed .*boardcast-tests-/);
    assertEquals(message.endsWith(`/${name}`), true, message);
    assertEquals(told, [`${message}; mend the cause and restart`, "lost"]);
  }

  it("is not opened again with the half that is left once its journal was removed", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      const early = await Deno.readFile(`${folder}/journal-0.jsonl`);
      for (let number = 0; number < 3; number++) await count("a")(storage);
      await Deno.remove(`${folder}/journal-0.jsonl`);
      await assertRejects(() => count("a")(storage), StorageError);
      await storage.close();
      const open = () => openFileStorage(folder);
      await assertRejects(
        open,
        StorageError,
        "the snapshots and journals of its folder are missing",
      );
      await Deno.writeFile(`${folder}/journal-0.jsonl`, early);
      const message =
        "change number 3 was acknowledged, and the last one in the folder is number 0";
      await assertRejects(open, StorageError, message);
    }));

  const calls = [count("a"), erasePerson("nobody@x.io"), (storage: FileStorage) => storage.ping()];
  for (const [what, happen] of Object.entries(DAMAGE)) {
    it(`acknowledges nothing once its journal ${what}`, async () => {
      for (const call of calls) {
        await withServed(async (served) => {
          await happen(`${served.folder}/${JOURNAL}`);
          const error = await assertRejects(() => call(served.storage), StorageError);
          assertEquals(error.code, "unavailable");
          await assertEnded(served, JOURNAL);
        });
      }
    });

    it(`finds out by its next heartbeat when one of its files ${what}`, async () => {
      for (const name of [JOURNAL, SNAPSHOT]) {
        await withServed(async (served) => {
          await happen(`${served.folder}/${name}`);
          await until(() => served.told.length === 2);
          await assertEnded(served, name);
        });
      }
    });
  }
});
