import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../mod.ts";
import { ENTRIES, exported, importFile, readFile } from "../_support/entry_import.ts";
import { createService } from "../_support/service.ts";
import { STORAGES } from "../_support/storages.ts";

const FILE = await readFile("keep_a_changelog.md");

/**
 * Imports a file, then imports it again: unchanged, after an edit, after a change of the file, and
 * through another process.
 */
async function importAgain(storage: Storage, another: Storage): Promise<void> {
  const service = createService({ storage });
  assertEquals((await importFile(service, FILE)).counts, { added: 4 });
  const before = await exported(service);
  assertEquals(before.map(({ entryId }) => entryId), ["v1.4.0", "v1.3.1", "v1.3.0-rc.1", "v1.2.0"]);
  assertEquals((await importFile(service, FILE)).counts, { unchanged: 4 });
  assertEquals(await exported(service), before);
  await service.call("PATCH", `${ENTRIES}/v1.2.0`, { title: "Mine" });
  const changed = FILE.replace("A hole", "The hole");
  const counts = { changed: 1, unchanged: 2, kept: 1 };
  assertEquals((await importFile(service, changed)).counts, counts);
  assertEquals((await importFile(createService({ storage: another }), FILE)).counts, counts);
}

describe("entries that are imported again", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`stay, are kept or changed in ${name}`, () => withStorage(importAgain));
  }
});
