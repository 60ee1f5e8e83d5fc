import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { HEARTBEAT_MS, runWriter } from "./_file/rounds.ts";

const OWNER = 65_534;
const IS_ROOT = Deno.build.os !== "windows" && Deno.uid() === 0;

async function tearJournal(folder: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/journal.jsonl`, "torn", { append: true });
}

/** Opens a folder, which makes every kind of file but a snapshot, and looks at it. */
async function whileOpen(folder: string, look: () => Promise<void>): Promise<void> {
  const storage = await openFileStorage(folder, { heartbeatMs: HEARTBEAT_MS });
  try {
    await look();
  } finally {
    await storage.close();
  }
}

describe("a new file of file storage", () => {
  it("belongs to the owner of the folder when root makes it", {
    skip: IS_ROOT ? false : "this user can't make a folder of another user",
  }, async () => {
    await withFolder(async (folder) => {
      await Deno.chown(folder, OWNER, OWNER);
      async function assertOwned(names: readonly string[]): Promise<void> {
        for (const name of names) {
          const { uid, gid, mode } = await Deno.stat(`${folder}/${name}`);
          assertEquals([uid, gid, mode! & 0o777], [OWNER, OWNER, 0o600], name);
        }
      }
      // With no permission but those for the folder, and long enough to fold the journal.
      await runWriter(folder, { killAfter: 1_000 });
      await assertOwned(["lock", "journal.jsonl", "snapshot.json"]);
      await tearJournal(folder);
      await whileOpen(folder, async () => {
        const names = await namesIn(folder);
        assertEquals(names.filter((name) => name.endsWith(".broken")).length, 1);
        await assertOwned(names);
      });
    });
  });

  it("takes the place of a link, and leaves alone what that leads to", async () => {
    await withFolder(async (root) => {
      const [folder, other] = [`${root}/data`, `${root}/other`];
      await whileOpen(folder, () => Promise.resolve());
      await tearJournal(folder);
      await Deno.writeTextFile(other, "other");
      await Deno.symlink(other, `${folder}/journal.jsonl.1.broken`);
      await whileOpen(folder, async () => {
        assertEquals(await Deno.readTextFile(`${folder}/journal.jsonl.1.broken`), "torn");
        assertEquals(await Deno.readTextFile(other), "other");
      });
    });
  });
});
