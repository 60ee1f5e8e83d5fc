import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { migratePostgres, openPostgresStorage } from "../../adapters/postgres.ts";
import { type Item, type Kind, type Storage, StorageError } from "../../adapters/storage.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import { BOARDS, KINDS, KINDS_VERSION, POSTS, SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import type { ShownDelivery } from "../../model/deliveries/delivery.ts";
import { FIRST } from "../../model/version_1.ts";
import { storeOf } from "../../services/store.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { withAnyDatabase } from "../_support/postgres.ts";
import { forEachRow } from "../_support/rows.ts";
import { createService } from "../_support/service.ts";
import { VERSION_1, withSql } from "../_support/version_1.ts";

const OLDER =
  /^Cannot use the (?:storage|data folder|database): it was made before version 1 of what is stored/;

/** Boards as a program before version 1 has stored them. */
const OLD_BOARDS: Kind<Item> = {
  name: BOARDS.name,
  key: BOARDS.key,
  fields: { boardId: "text", name: "text" },
};

async function makeOlder(storage: Storage): Promise<void> {
  const refs = {
    version: { kind: SETTINGS, key: "version" },
    board: { kind: OLD_BOARDS, key: "old" },
  };
  await storage.transact(refs, () => ({
    answer: undefined,
    put: { version: { settingId: "version", value: "1" }, board: { boardId: "old", name: "Old" } },
  }));
}

describe("storage of version 1", () => {
  for (const [name, withVersion1] of VERSION_1) {
    it(`is opened in ${name}, with records of every kind`, () =>
      withVersion1(async (url) => {
        const storage = await openStorage(url);
        const store = storeOf(storage);
        for (const kind of KINDS) {
          const records = await store.list<Item>(kind, { limit: 1_000 });
          assert(records.length > 0 || !(kind.name in FIRST.fields), kind.name);
          for (const record of records) {
            assertEquals(Object.keys(record), Object.keys(kind.fields), kind.name);
            assert(!Object.values(record).includes(undefined), kind.name);
          }
        }
        assertEquals((await storage.get(SETTINGS, "version"))?.value, `${KINDS_VERSION}`);
        const { call } = createService({ storage });
        assertEquals((await call("GET", "boards/ideas/posts/dark")).votes, 1);
        const { voteDays } = (await store.get(POSTS, "dark"))!;
        assertEquals(voteDays, { since: null, days: {} });
        const { data } = await call<{ data: ShownDelivery[] }>("GET", "deliveries");
        assert(data.length > 0);
        for (const shown of data) {
          assertEquals(await call("GET", `deliveries/${shown.deliveryId}`), { ...shown });
        }
        await call("PATCH", "boards/ideas/posts/dark", { title: "Darker mode" });
        await call("POST", "boards/ideas/posts", { title: "Light mode" });
        await storage.close();
      }));

    it(`is sound in ${name} once it was opened`, () =>
      withVersion1(async (url) => {
        await (await openStorage(url)).close();
        const { out } = await createCommandLine({ openStorage }).run(`check ${url}`);
        // The filled-in samples name nothing that exists.
        assertEquals(out.split("\n").filter((line) => line !== "" && !/sample/.test(line)), []);
      }));
  }
});

describe("a database of version 1", () => {
  const [, withVersion1] = VERSION_1[2];

  it("has the tables of a new one once it was migrated", () =>
    withVersion1(async (url) => {
      const { from, to } = await migratePostgres(url);
      assertEquals([from, to], [1, KINDS_VERSION]);
      const migrated = await withSql(url, describeTables);
      const fresh = await withAnyDatabase(async (url) => {
        await migratePostgres(url);
        return await withSql(url, describeTables);
      });
      assertEquals(migrated, fresh);
    }));

  it("has its numbers of subscriptions kept", () =>
    withVersion1(async (url) => {
      const storage = await openStorage(url);
      const counts = ["subscribed", "unsubscribed"].map((it) => storage.count!(SUBSCRIPTIONS, it));
      assertEquals(await Promise.all(counts), [1, 1]);
      await storage.close();
    }));

  it("shows what a migration would do, and changes nothing", () =>
    withVersion1(async (url) => {
      const before = await withSql(url, describeTables);
      const { out } = await createCommandLine().succeed(`migrate --print --storage ${url}`);
      assertMatch(out, /^alter table "boardcast"."boards" /m);
      assertEquals(await withSql(url, describeTables), before);
    }));
});

describe("migrate --print without a database", () => {
  it("prints SQL that makes what a migration makes", () =>
    withAnyDatabase(async (url) => {
      const { out } = await createCommandLine().succeed("migrate --print");
      assertMatch(out, /check \(char_length\("name"\) between 1 and 200\)/);
      const printed = await withSql(url, async (sql) => {
        await sql.unsafe(out);
        return await describeTables(sql);
      });
      assertEquals((await migratePostgres(url)).sql, "");
      assertEquals(await withSql(url, describeTables), printed);
    }));
});

describe("storage from before version 1", () => {
  it("is refused in a folder, whose files stay as they are", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await makeOlder(storage);
      await storage.close();
      const files = () =>
        namesIn(folder).then((names) =>
          Promise.all(names.map((name) => Deno.readTextFile(`${folder}/${name}`)))
        );
      const before = await files();
      await refusesAll(`file:${folder}`);
      assertEquals(await files(), before);
      const { run } = createCommandLine({ openStorage });
      assertFailed(await run(`check ${folder}`), 1, "it was made before version 1");
    }));

  it("is refused in a folder whose files have no number", () =>
    withFolder(async (folder) => {
      const header = `{"boardcast":"journal","version":1,"store":"eec6j8Ge8S52XEpZ","after":0,` +
        `"durable":0,"crc32":"bf9e4118"}\n`;
      await Deno.writeTextFile(`${folder}/journal-0.jsonl`, header);
      await refusesAll(`file:${folder}`);
    }));

  it("is refused in Deno KV", () =>
    withFolder(async (folder) => {
      const url = `kv:${folder}/kv.db`;
      const storage = await openStorage(url);
      await makeOlder(storage);
      await storage.close();
      await refusesAll(url);
    }));

  it("is refused in a database, by migrate too, and stays as it is", () =>
    VERSION_1[2][1](async (url) => {
      await withSql(url, (sql) => sql`alter table boardcast.boards drop column instance_id`);
      const before = await withSql(url, describeTables);
      await refusesAll(url);
      const { run } = createCommandLine({ openStorage });
      assertFailed(await run(`migrate --storage ${url}`), 1, "it has no boards.instanceId");
      for (const migrate of [true, false]) {
        const open = () => openPostgresStorage(url, { migrate });
        assertEquals((await assertRejects(open, StorageError)).code, "incompatible");
      }
      assertEquals(await withSql(url, describeTables), before);
    }));
});

/** Checks that every kind of command refuses a storage with one line. */
async function refusesAll(url: string): Promise<void> {
  const { run } = createCommandLine({ openStorage });
  const commands = [
    `keys list --storage ${url}`,
    `call createBoard name=x --storage ${url}`,
    `serve --port 0 --storage ${url}`,
    `copy ${url} file:/nowhere`,
  ];
  await forEachRow(commands, async (command) => {
    const { status, err } = await run(command);
    assertEquals([status, err.match(/\n/g)?.length], [1, 1]);
    assertMatch(err.replace("boardcast: ", ""), OLDER);
  });
}

/** Returns everything about the tables of a database but the order of their columns. */
async function describeTables(sql: Parameters<Parameters<typeof withSql>[1]>[0]) {
  return {
    columns: [
      ...await sql`
      select table_name, column_name, data_type, datetime_precision, collation_name, is_nullable,
        column_default
      from information_schema.columns where table_schema = 'boardcast' order by 1, 2`,
    ],
    indexes: [
      ...await sql`
      select indexdef from pg_indexes where schemaname = 'boardcast' order by indexname`,
    ],
    constraints: [
      ...await sql`
      select conrelid::regclass::text as table, conname, pg_get_constraintdef(oid) as condition
      from pg_constraint where connamespace = 'boardcast'::regnamespace order by 1, 2`,
    ],
    triggers: [
      ...await sql`
      select pg_get_triggerdef(oid) as definition from pg_trigger
      where not tgisinternal order by tgname`,
    ],
    functions: [
      ...await sql`
      select pg_get_functiondef(oid) as definition from pg_proc
      where pronamespace = 'boardcast'::regnamespace order by proname`,
    ],
    tables: [
      ...await sql`
      select relname, reloptions, obj_description(oid, 'pg_class') as comment from pg_class
      where relnamespace = 'boardcast'::regnamespace and relkind = 'r' order by relname`,
    ],
    storage: [
      ...await sql`
      select attrelid::regclass::text as table, attname, attstorage from pg_attribute
      where attnum > 0 and not attisdropped
        and attrelid in (select oid from pg_class
          where relnamespace = 'boardcast'::regnamespace and relkind = 'r') order by 1, 2`,
    ],
  };
}
