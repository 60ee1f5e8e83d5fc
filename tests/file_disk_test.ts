import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { afterEach, beforeEach, describe, it } from "@std/testing/bdd";
import { runInNewContext } from "node:vm";
import { createDisk, type Disk, hasCode } from "../adapters/_file/disk.ts";

const TEXT = new TextEncoder().encode("boardcast");

describe("the disk of this machine", () => {
  const disk = createDisk();
  let folder: string;
  beforeEach(async () => {
    folder = await Deno.makeTempDir();
  });
  afterEach(() => Deno.remove(folder, { recursive: true }));

  it("knows its errors in a context of its own, as tests of an app may have it", () => {
    const missing = runInNewContext(`Object.assign(new Error("missing"), { code: "ENOENT" })`);
    assertEquals([hasCode(missing, "ENOENT"), hasCode(missing, "EIO")], [true, false]);
  });

  it("leaves it to the next call to tell what is wrong with a folder that is there", async () => {
    await Deno.symlink(`${folder}/none`, `${folder}/link`);
    await disk.makeDirectory(`${folder}/link`);
    await assertRejects(() => disk.list(`${folder}/link`), Error, "ENOENT");
  });

  const calls: Readonly<Record<string, (disk: Disk) => Promise<unknown>>> = {
    "makeDirectory, under a file": async (disk) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await disk.makeDirectory(`${folder}/file/below`);
    },
    "list, of nothing": (disk) => disk.list(`${folder}/none`),
    "open, of nothing": (disk) => disk.open(`${folder}/none`, "read"),
    "rename, of nothing": (disk) => disk.rename(`${folder}/none`, `${folder}/some`),
    "remove, of nothing": (disk) => disk.remove(`${folder}/none`),
    "openDirectory, of nothing": (disk) => disk.openDirectory(`${folder}/none`),
    "write, to a file opened to be read": async (disk) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      const file = await disk.open(`${folder}/file`, "read");
      try {
        await file.write(TEXT, 0);
      } finally {
        await file.close();
      }
    },
    "open, to create what is there": async (disk) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      await disk.open(`${folder}/file`, "create");
    },
    "sync, of what can't be synced": async (disk) => {
      const file = await disk.open("/dev/null", "update");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    },
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`rejects with the platform's error for ${name}`, async () => {
      await assertRejects(() => call(disk), Error);
    });
  }

  it("has done what it was asked for when the call resolves", async () => {
    await disk.makeDirectory(`${folder}/a/b`);
    const file = await disk.open(`${folder}/a/b/one`, "create");
    assertEquals(await file.write(TEXT, 3), TEXT.length);
    await file.sync();
    const into = new Uint8Array(TEXT.length);
    assertEquals(await file.read(into, 3), TEXT.length);
    assertEquals(into, TEXT);
    assertEquals(await file.read(into, 100), 0);
    await file.close();
    const identity = disk.identifyNow(`${folder}/a/b/one`);
    if (Deno.build.os !== "windows") assertMatch(identity ?? "", /^\d+:\d+$/);
    await disk.rename(`${folder}/a/b/one`, `${folder}/a/b/two`);
    assertEquals(disk.identifyNow(`${folder}/a/b/two`), identity);
    const directory = await disk.openDirectory(`${folder}/a/b`);
    await directory.sync();
    await directory.close();
    assertEquals(await disk.list(`${folder}/a/b`), ["two"]);
    assertEquals(disk.readNow(`${folder}/a/b/two`).length, 3 + TEXT.length);
    await (await disk.open(`${folder}/a/b/three`, "create")).close();
    disk.removeNow(`${folder}/a/b/three`);
    await disk.remove(`${folder}/a/b/two`);
    assertEquals(await disk.list(`${folder}/a/b`), []);
  });
});
