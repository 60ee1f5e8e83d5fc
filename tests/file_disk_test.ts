import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { afterEach, beforeEach, describe, it } from "@std/testing/bdd";
import { createDisk, type Disk } from "../adapters/_file/disk.ts";
import { openFileStorage } from "../adapters/file.ts";
import { runWriter } from "./_file/rounds.ts";
import { namesIn } from "./_folder.ts";

const TEXT = new TextEncoder().encode("boardcast");
const OWNER = 65_534;
const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

describe("the disk of this machine", () => {
  const disk = createDisk();
  let folder: string;
  beforeEach(async () => {
    folder = await Deno.makeTempDir({ prefix: "boardcast-tests-" });
  });
  afterEach(() => Deno.remove(folder, { recursive: true }));

  const calls: Readonly<Record<string, (disk: Disk) => Promise<unknown>>> = {
    "makeDirectory, under a file": async (disk) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await disk.makeDirectory(`${folder}/file/below`);
    },
    "list, of nothing": (disk) => disk.list(`${folder}/none`),
    "open, of nothing": (disk) => disk.open(`${folder}/none`, "update"),
    "open, to create what is there": async (disk) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await disk.open(`${folder}/file`, "append");
    },
    "rename, of nothing": (disk) => disk.rename(`${folder}/none`, `${folder}/some`),
    "remove, of nothing": (disk) => disk.remove(`${folder}/none`),
    "openDirectory, of nothing": (disk) => disk.openDirectory(`${folder}/none`),
    "sync, of what can't be synced": async (disk) => {
      const file = await disk.open("/dev/null", "update");
      await file.sync().finally(file.close);
    },
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`rejects with the platform's error for ${name}`, async () => {
      await assertRejects(() => call(disk), Error);
    });
  }

  it("has done what it was asked for when the call resolves", async () => {
    await disk.makeDirectory(`${folder}/a/b`);
    await disk.makeDirectory(`${folder}/a/b`);
    const path = `${folder}/a/b/one`;
    assertEquals([disk.readNow(path), disk.statNow(path)], [undefined, undefined]);
    const file = await disk.open(path, "append");
    assertEquals(await file.write(TEXT), TEXT.length);
    // Wherever the end is by then.
    await Deno.truncate(path, 4);
    assertEquals(await file.write(TEXT), TEXT.length);
    await file.sync();
    assertEquals(disk.readNow(path), "boarboardcast");
    const stamp = file.statNow();
    assertEquals([disk.statNow(path), stamp.bytes], [stamp, 13]);
    assertMatch(stamp.id, /^\d+:\d+$/);
    await file.close();
    await disk.rename(path, `${folder}/a/b/two`);
    const opened = await disk.open(`${folder}/a/b/two`, "update");
    const into = new Uint8Array(TEXT.length);
    assertEquals([await opened.read(into, 4), into], [TEXT.length, TEXT]);
    assertEquals(await opened.read(into, 100), 0);
    await opened.close();
    const lock = await disk.open(`${folder}/a/b/lock`, "create");
    await lock.write(TEXT);
    await lock.write(TEXT.subarray(0, 3));
    assertEquals(disk.readNow(`${folder}/a/b/lock`), "boardcast");
    await lock.close();
    const directory = await disk.openDirectory(`${folder}/a/b`);
    await directory.sync();
    await directory.close();
    disk.removeNow(`${folder}/a/b/lock`);
    assertEquals(await disk.list(`${folder}/a/b`), ["two"]);
    await disk.remove(`${folder}/a/b/two`);
    assertEquals(await disk.list(`${folder}/a/b`), []);
  });

  it("has a new folder and its files for their owner alone", {
    skip: Deno.build.os === "windows" ? "Windows has other permissions" : false,
  }, async () => {
    const storage = await openFileStorage(`${folder}/data`);
    const modes = async (path: string) => (await Deno.stat(path)).mode! & 0o777;
    assertEquals(await modes(`${folder}/data`), 0o700);
    for (const name of await namesIn(`${folder}/data`)) {
      assertEquals(await modes(`${folder}/data/${name}`), 0o600, name);
    }
    await storage.close();
  });

  it("gives what root creates to the owner of the folder", {
    skip: IS_ROOT ? false : "this user can't make a folder of another user",
  }, async () => {
    await Deno.chown(folder, OWNER, OWNER);
    // With no permission but those for the folder, and long enough to compact the journal.
    await runWriter(folder, { killAfter: 1_000 });
    const names = await namesIn(folder);
    assertEquals(names.some((name) => name.startsWith("snapshot-")), true, `${names}`);
    for (const name of names) {
      const { uid, gid } = await Deno.stat(`${folder}/${name}`);
      assertEquals([uid, gid], [OWNER, OWNER], name);
    }
  });
});
