import { assertEquals, assertObjectMatch, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { type Item, type Kind, type Storage, StorageError } from "../../adapters/storage.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import { BOARDS, KINDS_VERSION, SETTINGS } from "../../model/kinds.ts";
import { storeOf } from "../../services/store.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { openKvFile, withKvFile, withKvStorage } from "../_support/kv.ts";
import { findServer, type PostgresServer, withDatabase } from "../_support/postgres.ts";
import { sampleBoard } from "../_support/samples.ts";
import { assertProblem, createService } from "../_support/service.ts";

const VERSION = { version: { kind: SETTINGS, key: "version" } };
const NEWER = { version: { settingId: "version", value: `${KINDS_VERSION + 1}` } };
const REFUSAL =
  `Cannot use the storage: its records are of version ${KINDS_VERSION + 1}, made by a newer ` +
  `Boardcast; this program knows versions up to ${KINDS_VERSION}`;

/** Boards as stored by an older program without `url`, and by a newer one with further fields. */
const OLD_BOARDS: Kind<Item> = {
  name: BOARDS.name,
  key: BOARDS.key,
  fields: Object.fromEntries(Object.entries(BOARDS.fields).filter(([name]) => name !== "url")),
};
const NEW_BOARDS: Kind<Item> = { ...OLD_BOARDS, fields: { ...BOARDS.fields, motto: "text?" } };

async function store(storage: Storage, kind: Kind<Item>, board: Item): Promise<void> {
  const refs = { board: { kind, key: `${board.boardId}` } };
  await storage.transact(refs, () => ({ answer: 0, put: { board } }));
}

/** Writes the version that a newer program stores with its first change. */
async function makeNewer(storage: Storage): Promise<void> {
  await storage.transact(VERSION, () => ({ answer: 0, put: NEWER }));
}

function withoutUrl(boardId: string): Item {
  const { url: _, ...board } = sampleBoard(boardId);
  return board;
}

async function readVersion(storage: Storage): Promise<string | undefined> {
  return (await storage.get(SETTINGS, "version"))?.value;
}

let cluster: PostgresServer;
before(async () => {
  cluster = await findServer();
});
after(() => cluster.dispose());

describe("storage of an older program", () => {
  it("has its records read with the default of a field that they lack", async () => {
    const storage = openMemoryStorage();
    for (const boardId of ["a", "b"]) await store(storage, OLD_BOARDS, withoutUrl(boardId));
    const { call } = createService({ storage });
    assertEquals((await call("GET", "boards/a")).url, null);
    const { data } = await call<{ data: readonly Item[] }>("GET", "boards");
    assertEquals(data.map(({ url }) => url), [null, null]);
    assertObjectMatch(await call("PATCH", "boards/a", { name: "New" }), { name: "New" });
    assertEquals(Object.keys((await storage.get(BOARDS, "a"))!), Object.keys(BOARDS.fields));
  });

  it("has a null that is stored read as that, whatever the default", async () => {
    const storage = openMemoryStorage();
    await store(storage, OLD_BOARDS, { ...withoutUrl("a"), description: null });
    const kind = { ...BOARDS, defaults: { description: "None", url: "https://example.com/" } };
    const found = await storeOf(storage).get(kind, "a");
    assertEquals([found?.description, found?.url], [null, "https://example.com/"]);
  });

  it("lists its records in an index that goes by a field that they lack", async () => {
    const storage = openMemoryStorage();
    await store(storage, OLD_BOARDS, withoutUrl("a"));
    const indexed = { ...BOARDS, indexes: { bare: { where: { url: null } } } };
    const found = await storeOf(storage).list(indexed, { index: "bare", limit: 1 });
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
    await makeNewer(storage);
    const { send, events } = createService({ storage });
    for (const [method, json] of [["GET", undefined], ["POST", { name: "Ideas" }]] as const) {
      const response = await send(method, "boards", { json });
      await assertProblem(response, 503, "storage_unavailable");
    }
    assertEquals((await send("GET", "/readyz")).status, 503);
    assertEquals((await storage.list(BOARDS, { limit: 1 })).length, 0);
    assertEquals(`${(events[0].error as Error).message}`, REFUSAL);
  }

  /** Checks that a server never listens on this storage. */
  async function refusesToServe(url: string): Promise<void> {
    const { run } = createCommandLine({ openStorage });
    for (const command of ["serve --port 0", "call listBoards", "keys create --name x"]) {
      assertFailed(await run(`${command} --storage ${url}`), 1, REFUSAL);
    }
  }

  it("is refused in memory", () => refuses(openMemoryStorage()));

  it("is refused in a folder, and a server ends before it listens", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await refuses(storage);
      await storage.close();
      await refusesToServe(`file:${folder}`);
    }));

  it("is refused in Deno KV, and a server ends before it listens", () =>
    withKvFile(async (path) => {
      const storage = await openKvFile(path);
      await refuses(storage);
      await storage.close();
      await refusesToServe(`kv:${path}`);
    }));

  it("is refused in a database, and a server ends before it listens", () =>
    withDatabase(cluster, async (url) => {
      const storage = await openPostgresStorage(url);
      await refuses(storage);
      await storage.close();
      await refusesToServe(url);
    }));

  it("is no longer used once it became newer while this program had it open", () =>
    withKvStorage(async (storage) => {
      let nowMs = 0;
      storeOf(storage, { elapsed: () => nowMs });
      const { send, call } = createService({ storage });
      await call("POST", "boards", { boardId: "a", name: "A" });
      await makeNewer(storage);
      nowMs += 500;
      const body = { json: { name: "B" } };
      assertEquals((await send("PATCH", "boards/a", body)).status, 503);
      assertEquals((await send("GET", "boards/a")).status, 503);
      assertEquals((await send("GET", "/readyz")).status, 503);
      assertEquals((await storage.get(BOARDS, "a"))?.name, "A");
      assertEquals(await readVersion(storage), NEWER.version.value);
    }));

  it("has nothing dropped from its records by one that has not noticed yet", () =>
    withKvStorage(async (storage) => {
      storeOf(storage, { elapsed: () => 0 });
      const { send, call } = createService({ storage });
      await call("POST", "boards", { boardId: "b", name: "B" });
      const board = { ...sampleBoard("a"), motto: "Onwards" };
      await store(storage, NEW_BOARDS, board);
      assertEquals((await send("GET", "boards/a")).status, 503);
      assertEquals((await send("GET", "boards")).status, 503);
      assertEquals((await send("PATCH", "boards/a", { json: { name: "B" } })).status, 503);
      assertEquals(await storage.get(NEW_BOARDS, "a"), board);
    }));
});

describe("storage whose version can't be read", () => {
  it("is refused, and its version is left as it is", async () => {
    const storage = openMemoryStorage();
    const version = { settingId: "version", value: "x" };
    await storage.transact(VERSION, () => ({ answer: 0, put: { version } }));
    const error = await assertRejects(() => storeOf(storage).get(BOARDS, "a"), StorageError);
    assertEquals(error.code, "damaged");
    const { send } = createService({ storage });
    assertEquals((await send("POST", "boards", { json: { name: "Ideas" } })).status, 503);
    assertEquals(await readVersion(storage), "x");
  });
});
