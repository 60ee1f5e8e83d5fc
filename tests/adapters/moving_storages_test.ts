import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { ENTRIES, exported, importFile, readFile } from "../_support/entry_import.ts";
import { withFolder } from "../_support/folder.ts";
import { withKvStorage } from "../_support/kv.ts";
import { findServer, type PostgresServer, withDatabase } from "../_support/postgres.ts";
import { createService } from "../_support/service.ts";

const FILE = await readFile("keep_a_changelog.md");

/** Imports a file, again, after an edit, and after a change of the file. */
async function importAgain(storage: Storage): Promise<void> {
  const service = createService({ storage });
  assertEquals((await importFile(service, FILE)).counts, { added: 4 });
  const before = await exported(service);
  assertEquals(before.map(({ entryId }) => entryId), ["v1.4.0", "v1.3.1", "v1.3.0-rc.1", "v1.2.0"]);
  assertEquals((await importFile(service, FILE)).counts, { unchanged: 4 });
  assertEquals(await exported(service), before);
  await service.call("PATCH", `${ENTRIES}/v1.2.0`, { title: "Mine" });
  const changed = FILE.replace("A hole", "The hole");
  assertEquals((await importFile(service, changed)).counts, { changed: 1, unchanged: 2, kept: 1 });
}

let cluster: PostgresServer;
before(async () => {
  cluster = await findServer();
});
after(() => cluster.dispose());

describe("entries that are imported again", () => {
  it("stay, are kept or changed in memory", () => importAgain(openMemoryStorage()));

  it("stay, are kept or changed in Deno KV", () => withKvStorage(importAgain));

  it("stay, are kept or changed in a folder", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await importAgain(storage);
      await storage.close();
      const reopened = await openFileStorage(folder);
      const { counts } = await importFile(createService({ storage: reopened }), FILE);
      assertEquals(counts, { changed: 1, unchanged: 2, kept: 1 });
      await reopened.close();
    }));

  it("stay, are kept or changed in a database", () =>
    withDatabase(cluster, async (url) => {
      const storage = await openPostgresStorage(url);
      await importAgain(storage);
      await storage.close();
    }));
});
