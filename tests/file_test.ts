import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type FileStorage, type FileStorageOptions, openFileStorage } from "../adapters/file.ts";
import { findLockOwner } from "../adapters/file.ts";
import { StorageError } from "../adapters/storage.ts";
import { PEOPLE } from "./_contract/kinds.ts";
import { count, erasePerson, putPerson } from "./_file/simulation.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { forEachRow } from "./_rows.ts";
import { testStorage } from "./storage_contract.ts";
import { until } from "./_waiting.ts";

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
      await forEachRow([
        ...[0, NaN, 2 ** 31, "250", null].map((value) =>
          ["heartbeatMs", value, "give a number above 0, at most 2147483647"] as const
        ),
        ...[-1, NaN, "4"].map((value) => ["journalBytes", value, "give 0 or more"] as const),
      ], async ([name, value, toDo]) => {
        const options = { [name]: value } as FileStorageOptions;
        const { message } = await assertRejects(
          () => openFileStorage(directory, options),
          RangeError,
        );
        assertEquals(message, `Cannot use ${name} "${value}": ${toDo}`);
      });
      assertEquals(await namesIn(directory), []);
      const misspelt = { heartBeat: 250, hosts: "box" } as FileStorageOptions;
      const open = () => openFileStorage(directory, misspelt);
      await assertRejects(open, TypeError, "did you mean heartbeatMs?");
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
      for (const name of await namesIn(folder)) {
        assertEquals(await modeOf(`${folder}/${name}`), 0o600, name);
      }
      await storage.close();
    }));
});

/** A storage that serves, whose journal continues a snapshot, and a backup of an earlier day. */
interface Served {
  readonly storage: FileStorage;
  readonly journal: string;
  readonly snapshot: string;
  readonly backup: string;
  /** What the host was told. */
  readonly told: readonly string[];
}

function withServed(heartbeatMs: number, use: (served: Served) => Promise<void>): Promise<void> {
  return withFolder(async (root) => {
    const folder = `${root}/data`;
    const backup = `${root}/backup`;
    const before = await openFileStorage(folder);
    await putPerson("bob@x.io")(before);
    await Deno.copyFile(`${folder}/journal-0.jsonl`, backup);
    await putPerson("ann@x.io")(before);
    await erasePerson("ann@x.io")(before);
    await before.close();
    const told: string[] = [];
    const storage = await openFileStorage(folder, {
      heartbeatMs,
      onWarning: (message) => told.push(message),
      onLost: () => told.push("lost"),
    });
    await count("a", "bob@x.io")(storage);
    assertEquals(await namesIn(folder), ["journal-1.jsonl", "lock", "snapshot-1.json"]);
    const [journal, snapshot] = [`${folder}/journal-1.jsonl`, `${folder}/snapshot-1.json`];
    await use({ storage, journal, snapshot, backup, told });
    await storage.close();
  });
}

type Damage = Readonly<Record<string, (served: Served) => Promise<void>>>;

const JOURNAL_DAMAGE: Damage = {
  "is truncated": ({ journal }) => Deno.truncate(journal, 0),
  async "has a copy moved over it"({ journal }) {
    await Deno.copyFile(journal, `${journal}.1`);
    await Deno.rename(`${journal}.1`, journal);
  },
  "has a line appended": ({ journal }) => Deno.writeTextFile(journal, "{}\n", { append: true }),
  "is removed": ({ journal }) => Deno.remove(journal),
};

const SNAPSHOT_DAMAGE: Damage = {
  "has a backup copied over it": ({ snapshot, backup }) => Deno.copyFile(backup, snapshot),
  "is removed": ({ snapshot }) => Deno.remove(snapshot),
};

describe("file storage whose files are changed while it serves", () => {
  async function assertEnded({ storage, told }: Served, path: string): Promise<void> {
    const { code, message } = await assertRejects(() => storage.get(PEOPLE, "a"), StorageError);
    assertEquals(code, "unavailable");
    assertMatch(message, /another program has changed, replaced or removed .*\/data\//);
    assertEquals(message.endsWith(path), true, message);
    assertEquals(told, [`${message}; mend the cause and restart`, "lost"]);
  }

  const calls = [count("a"), erasePerson("nobody@x.io"), (storage: FileStorage) => storage.ping()];
  it("acknowledges nothing once its journal was changed", () =>
    forEachRow(Object.values(JOURNAL_DAMAGE), async (happen) => {
      for (const call of calls) {
        await withServed(60_000, async (served) => {
          await happen(served);
          const error = await assertRejects(() => call(served.storage), StorageError);
          assertEquals(error.code, "unavailable");
          await assertEnded(served, "journal-1.jsonl");
        });
      }
    }));

  const found = { "journal-1.jsonl": JOURNAL_DAMAGE, "snapshot-1.json": SNAPSHOT_DAMAGE };
  it("finds out by its next heartbeat what was done to its files", () =>
    forEachRow(
      Object.entries(found),
      ([path, damages]) =>
        forEachRow(Object.values(damages), (happen) =>
          withServed(5, async (served) => {
            await happen(served);
            await until(() => served.told.length === 2);
            await assertEnded(served, path);
          })),
    ));
});
