import { assertEquals, assertObjectMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import postgres from "postgres";
import { MIGRATIONS } from "../../adapters/_postgres/migrations.ts";
import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { AnyKind, Item, Kind, Storage } from "../../adapters/storage.ts";
import { BOARDS, KINDS, KINDS_VERSION, SETTINGS } from "../../model/kinds.ts";
import { versioned } from "../../services/versioned.ts";
import { withFolder } from "../_support/folder.ts";
import { withKvStorage } from "../_support/kv.ts";
import { findServer, type PostgresServer, withDatabase } from "../_support/postgres.ts";
import { sampleBoard } from "../_support/samples.ts";
import { assertProblem, createService } from "../_support/service.ts";

const VERSION = { version: { kind: SETTINGS, key: "version" } };
const NEWER = { version: { settingId: "version", value: `${KINDS_VERSION + 1}` } };

/** A data folder that a program with kinds of version 1 has written, and these kinds. */
const VERSION_1 = new URL("../fixtures/version_1/", import.meta.url);
const KINDS_1: readonly AnyKind[] = JSON.parse(
  await Deno.readTextFile(new URL("kinds.json", VERSION_1)),
);

/** The records of the folder, by kind and key. */
async function readVersion1(): Promise<ReadonlyMap<AnyKind, ReadonlyMap<string, Item>>> {
  const records = new Map(KINDS_1.map((kind) => [kind, new Map<string, Item>()]));
  const journal = await Deno.readTextFile(new URL("journal-0.jsonl", VERSION_1));
  for (const line of journal.trimEnd().split("\n")) {
    for (const { kind: name, by, put } of JSON.parse(line).changes ?? []) {
      records.get(KINDS_1.find((kind) => kind.name === name)!)!.set(put[by], put);
    }
  }
  return records;
}

/** Writes the records through an adapter, as a program with these kinds would. */
async function writeVersion1(storage: Storage): Promise<void> {
  for (const [kind, records] of await readVersion1()) {
    for (const [key, record] of records) {
      const refs = { record: { kind: kind as Kind<Item>, key } };
      await storage.transact(refs, () => ({ answer: 0, put: { record } }));
    }
  }
}

/** Makes a database that a program with these kinds has migrated and filled. */
async function fillDatabase(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const schema = "create schema boardcast; create table boardcast.migrations (version integer " +
    "primary key, applied_at timestamptz default now()); insert into boardcast.migrations values (1);";
  await sql.unsafe(schema + MIGRATIONS[0].replaceAll("$schema", "boardcast"));
  const snakeCase = (name: string) => name.replace(/[A-Z]/g, (char) => `_${char.toLowerCase()}`);
  for (const [{ name }, records] of await readVersion1()) {
    const table = `boardcast.${snakeCase(name)}`;
    for (const record of records.values()) {
      const columns = Object.entries(record).map(([field, value]) => [snakeCase(field), value]);
      const row = JSON.stringify(Object.fromEntries(columns));
      await sql.unsafe(
        `insert into ${table} select * from json_populate_record(null::${table}, $1::text::json)`,
        [row],
      );
    }
  }
  await sql.end();
}

/** Checks that this program reads all records of the folder, changes them, and raises the version. */
async function readsVersion1(storage: Storage): Promise<void> {
  const current = versioned(storage);
  for (const [{ name, fields }, records] of await readVersion1()) {
    // Has changed by then.
    if (name === SETTINGS.name) continue;
    const kind = KINDS.find((kind) => kind.name === name) as Kind<Item>;
    const kept = Object.keys(kind.fields).filter((field) => field in fields);
    for (const [key, record] of records) {
      const found = await current.get(kind, key);
      const missing = Object.keys(kind.fields).filter((field) => found?.[field] === undefined);
      assertEquals(missing, [], `${name} ${key}`);
      assertObjectMatch(found!, Object.fromEntries(kept.map((field) => [field, record[field]])));
    }
  }
  const { call, send } = createService({ storage });
  const form = { userEmail: "ann@example.com", subscribe: "false" };
  assertEquals((await send("PUT", "changelogs/subscribe", { form })).status, 200);
  assertObjectMatch(await call("PATCH", "boards/ideas", { name: "New" }), { name: "New" });
  const { data } = await call<{ data: readonly Item[] }>("GET", "changelogs/subscribers");
  assertEquals(
    data.map(({ userEmail, subscribed }) => [userEmail, subscribed]),
    ["ann", "bob", "eve"].map((name) => [`${name}@example.com`, false]),
  );
  assertEquals(await readVersion(storage), `${KINDS_VERSION}`);
}

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

let cluster: PostgresServer;
before(async () => {
  cluster = await findServer();
});
after(() => cluster.dispose());

describe("storage of an older program", () => {
  it("is read, changed and brought up to date in memory", async () => {
    const storage = openMemoryStorage();
    await writeVersion1(storage);
    await readsVersion1(storage);
  });

  it("is read, changed and brought up to date in Deno KV", () =>
    withKvStorage(async (storage) => {
      await writeVersion1(storage);
      await readsVersion1(storage);
    }));

  it("is read, changed and brought up to date in a folder", () =>
    withFolder(async (folder) => {
      for (const name of ["journal-0.jsonl", "high-water-mark.json"]) {
        await Deno.copyFile(new URL(name, VERSION_1), `${folder}/${name}`);
      }
      const storage = await openFileStorage(folder);
      await readsVersion1(storage);
      await storage.close();
    }));

  it("is read, changed and brought up to date in a database", () =>
    withDatabase(cluster, async (url) => {
      await fillDatabase(url);
      const storage = await openPostgresStorage(url);
      await readsVersion1(storage);
      await storage.close();
    }));

  it("has its records read with the default of a field that they lack", async () => {
    const storage = openMemoryStorage();
    for (const boardId of ["a", "b"]) {
      const refs = { board: { kind: OLD_BOARDS, key: boardId } };
      await storage.transact(refs, () => ({ answer: 0, put: { board: withoutUrl(boardId) } }));
    }
    const { call } = createService({ storage });
    assertEquals((await call("GET", "boards/a")).url, null);
    const { data } = await call<{ data: readonly Item[] }>("GET", "boards");
    assertEquals(data.map(({ url }) => url), [null, null]);
    assertObjectMatch(await call("PATCH", "boards/a", { name: "New" }), { name: "New" });
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

  it("is refused in Deno KV", () => withKvStorage(refuses));

  it("is refused in a database", () =>
    withDatabase(cluster, async (url) => {
      const storage = await openPostgresStorage(url);
      await refuses(storage);
      await storage.close();
    }));

  it("is refused where it became newer while this program had it open", async () => {
    const storage = openMemoryStorage();
    const { send } = createService({ storage });
    assertEquals((await send("GET", "boards")).status, 200);
    await storage.transact(VERSION, () => ({ answer: 0, put: NEWER }));
    assertEquals((await send("POST", "boards", { json: { name: "Ideas" } })).status, 503);
    assertEquals(await readVersion(storage), NEWER.version.value);
  });
});
