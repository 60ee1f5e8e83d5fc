import { assertEquals, assertObjectMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { openMemoryStorage } from "../adapters/memory.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Item, Kind, Storage } from "../adapters/storage.ts";
import { BOARDS, KINDS_VERSION, SETTINGS } from "../model/kinds.ts";
import { versioned } from "../services/versioned.ts";
import { withFolder } from "./_folder.ts";
import { startCluster, withDatabase } from "./_postgres.ts";
import { sampleBoard } from "./_samples.ts";
import { assertProblem, createService } from "./_service.ts";

const VERSION = { version: { kind: SETTINGS, key: "version" } };
const NEWER = { version: { settingId: "version", value: `${KINDS_VERSION + 1}` } };

/** The boards as a program kept them that knew no `url`. */
const OLD_BOARDS: Kind<Item> = {
  name: BOARDS.name,
  key: BOARDS.key,
  fields: Object.fromEntries(Object.entries(BOARDS.fields).filter(([name]) => name !== "url")),
};

function withoutUrl(boardId: string): Item {
  const { url: _, ...board } = sampleBoard(boardId);
  return board;
}

async function readVersion(storage: Storage): Promise<string | undefined> {
  return (await storage.get(SETTINGS, "version"))?.value;
}

describe("storage of an older program", () => {
  it("has its records read with the default of a field that they lack", async () => {
    await withFolder(async (folder) => {
      for (const boardId of ["a", "b"]) {
        const before = await openFileStorage(folder);
        const refs = { board: { kind: OLD_BOARDS, key: boardId } };
        await before.transact(refs, () => ({ answer: 0, put: { board: withoutUrl(boardId) } }));
        await before.close();
      }
      const storage = await openFileStorage(folder);
      const { call } = createService({ storage });
      assertEquals((await call("GET", "boards/a")).url, null);
      const { data } = await call<{ data: readonly Item[] }>("GET", "boards");
      assertEquals(data.map(({ url }) => url), [null, null]);
      assertObjectMatch(await call("PATCH", "boards/a", { name: "New" }), { name: "New" });
      await storage.close();
    });
  });

  it("lists its records in an index that goes by a field that they lack", async () => {
    const storage = openMemoryStorage();
    const refs = { board: { kind: OLD_BOARDS, key: "a" } };
    await storage.transact(refs, () => ({ answer: 0, put: { board: withoutUrl("a") } }));
    const indexed = { ...BOARDS, indexes: { bare: { where: { url: null } } } };
    const found = await versioned(storage).list(indexed, { index: "bare", limit: 1 });
    assertEquals(found.map(({ boardId, url }) => [boardId, url]), [["a", null]]);
  });

  it("is of the version of this program once something has changed, and not before", async () => {
    const storage = openMemoryStorage();
    const { call } = createService({ storage });
    await call("GET", "boards");
    assertEquals(await readVersion(storage), undefined);
    await call("POST", "boards", { name: "Ideas" });
    assertEquals(await readVersion(storage), `${KINDS_VERSION}`);
  });
});

describe("storage of a newer program", () => {
  async function refuses(storage: Storage): Promise<void> {
    await storage.transact(VERSION, () => ({ answer: 0, put: NEWER }));
    const { send, events } = createService({ storage });
    for (const [method, json] of [["GET", undefined], ["POST", { name: "Ideas" }]] as const) {
      const response = await send(method, "boards", { json });
      await assertProblem(response, 503, "storage_unavailable");
    }
    assertEquals((await storage.list(BOARDS, { limit: 1 })).length, 0);
    assertEquals(
      `${(events[0].error as Error).message}`,
      `Cannot use the storage: its records are of version ${KINDS_VERSION + 1}, made by a newer ` +
        `Boardcast; this program knows versions up to ${KINDS_VERSION}`,
    );
  }

  it("is refused in memory", () => refuses(openMemoryStorage()));

  it("is refused in a folder", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await refuses(storage);
      await storage.close();
    }));

  it("is refused in a database", async () => {
    const cluster = await startCluster();
    try {
      await withDatabase(cluster, async (url) => {
        const storage = await openPostgresStorage(url);
        await refuses(storage);
        await storage.close();
      });
    } finally {
      await cluster.dispose();
    }
  });

  it("is refused where it became newer while this program had it open", async () => {
    const storage = openMemoryStorage();
    const { send } = createService({ storage });
    assertEquals((await send("GET", "boards")).status, 200);
    await storage.transact(VERSION, () => ({ answer: 0, put: NEWER }));
    assertEquals((await send("POST", "boards", { json: { name: "Ideas" } })).status, 503);
    assertEquals(await readVersion(storage), NEWER.version.value);
  });
});
