import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { afterEach, beforeEach, describe, it } from "@std/testing/bdd";
import { createDisk } from "../adapters/_file/disk.ts";
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

  it("rejects with the platform's error", async () => {
    await Deno.writeTextFile(`${folder}/file`, "");
    const calls: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
      ENOENT: [
        () => disk.list(`${folder}/none`),
        () => disk.open(`${folder}/none`, "update"),
        () => disk.openDirectory(`${folder}/none`),
        () => disk.rename(`${folder}/none`, `${folder}/some`),
        () => disk.remove(`${folder}/none`),
      ],
      EEXIST: [() => disk.open(`${folder}/file`, "append")],
      ENOTDIR: [() => disk.makeDirectory(`${folder}/file/below`)],
    };
    for (const [code, failing] of Object.entries(calls)) {
      for (const call of failing) await assertRejects(call, Error, code);
    }
  });

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
    // What was cut off before it had its name has no owner yet, and is removed by the next start.
    const names = (await namesIn(folder)).filter((name) => !name.endsWith(".tmp"));
    assertEquals(names.some((name) => name.startsWith("snapshot-")), true, `${names}`);
    for (const name of names) {
      const { uid, gid } = await Deno.stat(`${folder}/${name}`);
      assertEquals([uid, gid], [OWNER, OWNER], name);
    }
  });
});
