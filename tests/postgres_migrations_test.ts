import { assert, assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import postgres from "postgres";
import { after, afterEach, before, describe, it } from "@std/testing/bdd";
import { MIGRATIONS } from "../adapters/_postgres/migrations.ts";
import { type Database, openDatabase } from "../adapters/_postgres/database.ts";
import { migrate } from "../adapters/_postgres/migrate.ts";
import { migratePostgres, openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleBoard, sampleChange } from "./_contract/samples.ts";
import { openServer, type PostgresServer, withDatabase } from "./_postgres.ts";
import { until } from "./_waiting.ts";

const schema = `migrations_${Deno.pid}`;
const role = `role_${Deno.pid}`;

// What was released is never edited: a digest for each migration, in their order.
const RELEASED = ["2e3e49d70f0c717f409d709efeec2e3be2bdae8617ecb1d705b41ac7882e8326"];

// Versions that are yet to come, so that there is more than one step to take.
const LATER = [
  ...MIGRATIONS,
  `alter table $schema.boards add column colour text not null default 'grey'`,
  `create table $schema.later (id integer primary key);
   insert into $schema.later select count(*) from $schema.boards`,
];

describe("postgres migrations", () => {
  let server: PostgresServer;
  let database: Database;

  before(async () => {
    server = await openServer();
    const options = { size: 1, timeoutMs: 5_000, idleTimeoutMs: 60_000 };
    database = openDatabase(server.url, { ...options, now: () => performance.now() });
  });
  after(async () => {
    await database.close();
    await server.dispose();
  });
  afterEach(async () => {
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
  });

  it("released migrations are as they were released", () => {
    const digests = MIGRATIONS.map((sql) => createHash("sha256").update(sql).digest("hex"));
    assertEquals(digests, RELEASED);
  });

  it("make the tables and columns that docs/postgres.md names", async () => {
    await migrate(database, schema, MIGRATIONS);
    const page = await Deno.readTextFile(new URL("../docs/postgres.md", import.meta.url));
    const [section] = page.split("## Tables\n")[1].split("\n## ");
    let table: string | undefined;
    const named = [...section.matchAll(/^\| (?:`(\w+)`)? *\| (`.*?) *\|/gm)]
      .flatMap(([, name, columns]) => {
        table = name ?? table;
        return [...columns.matchAll(/\w+/g)].map(([column]) => `${table}.${column}`);
      });
    const made = await server.sql.unsafe(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = '${schema}'`,
    );
    assertEquals(named.sort(), made.map(({ name }) => name).sort());
  });

  for (let version = 0; version <= LATER.length; version++) {
    it(`version ${version} becomes the latest, and keeps its records`, async () => {
      await migrate(database, schema, LATER.slice(0, version));
      if (version > 0) {
        await server.sql.unsafe(
          `insert into ${schema}.boards values ('ideas', 'Ideas', null, null, now(), now())`,
        );
      }
      const outcome = await migrate(database, schema, LATER);
      assertEquals(outcome, { from: version, to: LATER.length });
      const [{ boards }] = await server.sql.unsafe(
        `select count(colour)::int as boards from ${schema}.boards`,
      );
      assertEquals(boards, version > 0 ? 1 : 0);
      const applied = await server.sql.unsafe(
        `select version from ${schema}.migrations order by version`,
      );
      assertEquals(applied.map((row) => row.version), LATER.map((_, i) => i + 1));
    });
  }

  for (const encoding of ["SQL_ASCII", "LATIN1"]) {
    it(`a database of the encoding ${encoding} is refused, and left empty`, () =>
      withDatabase(server, async (url) => {
        for (const open of [openPostgresStorage, migratePostgres]) {
          const error = await assertRejects(() => open(url), StorageError, `is ${encoding}, and`);
          assertEquals(error.code, "incompatible");
        }
        const database = postgres(url, { max: 1, fetch_types: false });
        const schemas = await database`select from pg_namespace where nspname = 'boardcast'`;
        assertEquals(schemas.length, 0);
        await database.end();
      }, `encoding ${encoding} locale 'C' template template0`));
  }

  it("a migration that fails leaves the database as it was", async () => {
    await migrate(database, schema, MIGRATIONS);
    const failing = [...LATER, `create table $schema.later (id integer)`];
    await assertRejects(() => migrate(database, schema, failing));
    const [{ latest }] = await server.sql.unsafe(
      `select max(version) as latest from ${schema}.migrations`,
    );
    assertEquals(latest, MIGRATIONS.length);
    assertEquals(await migrate(database, schema, LATER), {
      from: MIGRATIONS.length,
      to: LATER.length,
    });
  });

  it("a database of a newer version is refused", async () => {
    await migrate(database, schema, LATER);
    for (const options of [{ schema }, { schema, migrate: false }]) {
      const error = await assertRejects(
        () => openPostgresStorage(server.url, options),
        StorageError,
      );
      assertEquals(error.code, "incompatible");
      assert(
        error.message.startsWith(
          `Cannot use the database: it is at version ${LATER.length}, made by a newer Boardcast; `,
        ),
        error.message,
      );
    }
    const error = await assertRejects(() => migratePostgres(server.url, { schema }), StorageError);
    assertEquals(error.code, "incompatible");
  });

  it("one process migrates at a time", async () => {
    const lock = `hashtextextended('boardcast.migrations.' || '${schema}', 0)`;
    let isDone = false;
    let migrating: Promise<unknown> | undefined;
    await server.sql.begin(async (sql) => {
      await sql.unsafe(`select pg_advisory_xact_lock(${lock})`);
      migrating = migrate(database, schema, MIGRATIONS).then(() => isDone = true);
      await until(async () =>
        (await server.sql`select from pg_locks where locktype = 'advisory' and not granted`)
          .length > 0
      );
      assertEquals(isDone, false);
    });
    await migrating;
    assertEquals(isDone, true);
  });

  it("a migration takes as long as it takes, but does not wait, nor is waited for, for long", async () => {
    const look = `create table $schema.settings as select name, setting from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'statement_timeout', 'lock_timeout')`;
    await migrate(database, schema, [look]);
    const found = await server.sql.unsafe(`select * from ${schema}.settings order by name`)
      .values();
    // The server looks for deadlocks after 1,000 ms, and calls are given up after 1,500.
    assertEquals([...found], [
      ["idle_in_transaction_session_timeout", "10000"],
      ["lock_timeout", "1250"],
      ["statement_timeout", "0"],
    ]);
  });

  it("a table in use makes a migration give up, with all as it was", async () => {
    await migrate(database, schema, MIGRATIONS);
    await server.sql.begin(async (sql) => {
      await sql.unsafe(`lock table ${schema}.boards in access share mode`);
      const error = await assertRejects(() => migrate(database, schema, LATER), StorageError);
      assertEquals(error.code, "unavailable");
      assertEquals(
        error.message,
        "Cannot migrate the database: another migration, or something like pg_dump, uses its " +
          "tables; try again (SQLSTATE 55P03)",
      );
    });
    assertEquals((await migrate(database, schema, LATER)).from, MIGRATIONS.length);
  });

  it("a database that another process made newer meanwhile is refused", async () => {
    await migrate(database, schema, LATER);
    const found = [null, Buffer.from("UTF8")];
    const asBefore: Database = { ...database, query: () => Promise.resolve([found]) };
    const error = await assertRejects(() => migrate(asBefore, schema, MIGRATIONS), StorageError);
    assertEquals(error.code, "incompatible");
  });

  it("open without migrating refuses an empty database, and leaves it empty", async () => {
    const error = await assertRejects(
      () => openPostgresStorage(server.url, { schema, migrate: false }),
      StorageError,
    );
    assertEquals(error.code, "incompatible");
    assertEquals(
      error.message,
      "Cannot use the database: it is at version 0, and has to be migrated; " +
        `this program needs version ${MIGRATIONS.length}`,
    );
    const found = await server.sql`select from pg_namespace where nspname = ${schema}`;
    assertEquals(found.length, 0);
  });

  for (const column of ["boards.url", "subscriptions.user_name", "api_keys.hint"]) {
    it(`storage is not ready once ${column} has another name`, async () => {
      const storage = await openPostgresStorage(server.url, { schema });
      await storage.ping();
      const [table, name] = column.split(".");
      await server.sql.unsafe(`alter table ${schema}.${table} rename ${name} to renamed`);
      const error = await assertRejects(() => storage.ping(), StorageError, "42703");
      await storage.close();
      assertEquals(error.code, "incompatible");
    });
  }

  it("migratePostgres tells the versions before and after", async () => {
    const latest = MIGRATIONS.length;
    assertEquals(await migratePostgres(server.url, { schema }), { from: 0, to: latest });
    assertEquals(await migratePostgres(server.url, { schema }), { from: latest, to: latest });
  });

  describe("a role that may not create tables", () => {
    before(async () => {
      await server.sql.unsafe(`create role ${role} login password 'secret'`);
    });
    after(async () => {
      await server.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    });
    const url = () => `postgres://${role}:secret@${server.address}`;
    const open = (migrate: boolean) => openPostgresStorage(url(), { schema, migrate });

    for (const isMigrating of [true, false]) {
      it(`works on a migrated database when migrate is ${isMigrating}`, async () => {
        await migratePostgres(server.url, { schema });
        await server.sql.unsafe(`
          grant usage on schema ${schema} to ${role};
          grant select on ${schema}.migrations to ${role};
          grant select, insert, update, delete
            on ${schema}.boards, ${schema}.subscriptions, ${schema}.api_keys to ${role}`);
        const storage = await open(isMigrating);
        await storage.ping();
        assertEquals(await storage.boards.create(sampleBoard("ideas")), true);
        const put = await storage.subscriptions.put(sampleChange("ann@example.com"));
        assertEquals(put.changed, true);
        assertEquals(await storage.subscriptions.erase("ann@example.com"), true);
        await storage.close();
      });
    }

    it("is told that a database is of a newer version, and not what it may not do", async () => {
      await migrate(database, schema, LATER);
      await server.sql.unsafe(`
        grant usage on schema ${schema} to ${role};
        grant select on ${schema}.migrations to ${role}`);
      const error = await assertRejects(() => open(true), StorageError);
      assertEquals(error.code, "incompatible");
    });

    const attempts = {
      "to open": () => open(true),
      "to migrate": () => migratePostgres(url(), { schema }),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      it(`is refused ${what} an empty database, told why, and no longer connected`, async () => {
        const error = await assertRejects(attempt, StorageError);
        assertEquals(error.code, "unavailable");
        assert(error.message.includes("permission denied"), error.message);
        await until(async () =>
          (await server.sql`select from pg_stat_activity where usename = ${role}`).length === 0
        );
      });
    }

    for (const table of ["boards", "subscriptions", "api_keys"]) {
      it(`is not ready when it may only read the table ${table}`, async () => {
        await migratePostgres(server.url, { schema });
        await server.sql.unsafe(`
          grant usage on schema ${schema} to ${role};
          grant select, insert, update, delete on all tables in schema ${schema} to ${role};
          revoke insert, update, delete on ${schema}.${table} from ${role}`);
        const storage = await open(false);
        const error = await assertRejects(() => storage.ping(), StorageError, table);
        await storage.close();
        assertEquals(error.code, "unavailable");
      });
    }
  });
});
