import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { after, afterEach, before, describe, it } from "@std/testing/bdd";
import { type Client, createClient } from "../adapters/_postgres/client.ts";
import { migrate } from "../adapters/_postgres/migrate.ts";
import { MIGRATIONS } from "../adapters/_postgres/migrations.ts";
import { migratePostgres, openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { BOARDS, KINDS } from "../model/kinds.ts";
import { put, remove } from "./_contract/calls.ts";
import { openServer, type PostgresServer, withDatabase } from "./_postgres.ts";
import { boardOf, toSnakeCase } from "./_postgres_kinds.ts";
import { until } from "./_waiting.ts";

const schema = `migrations_${Deno.pid}`;
const role = `role_${Deno.pid}`;

// Versions that are yet to come, so that there is more than one step to take.
const LATER = [
  ...MIGRATIONS,
  `alter table $schema.boards add column colour text not null default 'grey'`,
  `create table $schema.later (id integer primary key);
   insert into $schema.later select count(*) from $schema.boards`,
];

describe("postgres migrations", () => {
  let server: PostgresServer;
  let client: Client;

  before(async () => {
    server = await openServer();
    const options = { max: 1, fetch_types: false, onnotice() {} };
    client = createClient((onclose) => postgres(server.url, { ...options, onclose }));
  });
  after(async () => {
    await client.close();
    await server.dispose();
  });
  afterEach(async () => {
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
  });

  const migrateTo = (migrations: readonly string[]) =>
    migrate(client, { name: schema, migrations, timeoutMs: 10_000 });
  const open = (options = {}) => openPostgresStorage(server.url, { schema, ...options });

  it("make a table of each kind, with a column of its type for each field", async () => {
    await migrateTo(MIGRATIONS);
    const columns = await server.sql.unsafe(
      `select table_name || '.' || column_name as name, is_nullable,
         coalesce(collation_name || ' ', '') || udt_name || coalesce(datetime_precision::text, '')
           as type
       from information_schema.columns where table_schema = '${schema}'`,
    );
    const made = new Map(columns.map((row) => [row.name, `${row.type} ${row.is_nullable}`]));
    const types: Readonly<Record<string, string>> = {
      text: "text",
      boolean: "bool",
      integer: "int8",
      time: "timestamptz3",
      texts: "_text",
    };
    for (const { name: kind, key, fields } of KINDS) {
      for (const [name, type] of Object.entries(fields)) {
        const column = `${toSnakeCase(kind)}.${toSnakeCase(name)}`;
        const expected = (name === key ? "C " : "") + types[type.replace("?", "")] +
          (type.endsWith("?") ? " YES" : " NO");
        assert(made.get(column)?.endsWith(expected), `${column} is ${made.get(column)}`);
      }
    }
  });

  for (let version = 0; version <= LATER.length; version++) {
    it(`version ${version} becomes the latest, and keeps its records`, async () => {
      await migrateTo(LATER.slice(0, version));
      if (version > 0) {
        await server.sql.unsafe(
          `insert into ${schema}.boards values ('ideas', 'Ideas', null, null, now(), now())`,
        );
      }
      assertEquals(await migrateTo(LATER), { from: version, to: LATER.length });
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

  it("one that fails leaves the database as it was", async () => {
    await migrateTo(MIGRATIONS);
    const failing = [...LATER, "create table $schema.later (id integer)"];
    await assertRejects(() => migrateTo(failing));
    assertEquals((await migrateTo(LATER)).from, MIGRATIONS.length);
  });

  it("a database of a newer version is refused", async () => {
    await migrateTo(LATER);
    const attempts = [
      () => open(),
      () => open({ migrate: false }),
      () => migratePostgres(server.url, { schema }),
    ];
    for (const attempt of attempts) {
      const message = `at version ${LATER.length}, made by a newer Boardcast; `;
      const error = await assertRejects(attempt, StorageError, message);
      assertEquals(error.code, "incompatible");
    }
  });

  it("one process migrates at a time, and finds what the one before has done", async () => {
    const lock = `hashtextextended('boardcast.migrations.${schema}', 0)`;
    let migrating: Promise<unknown> | undefined;
    await server.sql.begin(async (sql) => {
      await sql.unsafe(`select pg_advisory_xact_lock(${lock})`);
      migrating = migratePostgres(server.url, { schema });
      await until(async () =>
        (await server.sql`select from pg_locks where locktype = 'advisory' and not granted`)
          .length > 0
      );
      await sql.unsafe(`create schema ${schema}; create table ${schema}.migrations
        as select ${MIGRATIONS.length} as version, now() as applied_at`);
    });
    assertEquals(await migrating, { from: MIGRATIONS.length, to: MIGRATIONS.length });
  });

  it("a table in use makes a migration give up, with all as it was", async () => {
    await migrateTo(MIGRATIONS);
    await server.sql.begin(async (sql) => {
      await sql.unsafe(`lock table ${schema}.boards in access share mode`);
      const error = await assertRejects(() => migrateTo(LATER), StorageError, "pg_dump");
      assertEquals(error.code, "unavailable");
    });
    assertEquals((await migrateTo(LATER)).from, MIGRATIONS.length);
  });

  it("open without migrating refuses an empty database, and leaves it empty", async () => {
    const error = await assertRejects(
      () => open({ migrate: false }),
      StorageError,
      "Cannot use the database: it is at version 0, and has to be migrated; " +
        `this program needs version ${MIGRATIONS.length}`,
    );
    assertEquals(error.code, "incompatible");
    const found = await server.sql`select from pg_namespace where nspname = ${schema}`;
    assertEquals(found.length, 0);
  });

  it("a database of another encoding than UTF8 is refused", () =>
    withDatabase(server, async (url) => {
      for (const attempt of [openPostgresStorage, migratePostgres]) {
        const error = await assertRejects(() => attempt(url), StorageError, "is LATIN1, and");
        assertEquals(error.code, "incompatible");
      }
    }, "encoding LATIN1 locale 'C' template template0"));

  it("a call says so when a table lacks a column", async () => {
    const storage = await open();
    await server.sql.unsafe(`alter table ${schema}.boards rename url to renamed`);
    const error = await assertRejects(() => storage.get(BOARDS, "ideas"), StorageError, "42703");
    await storage.close();
    assertEquals(error.code, "incompatible");
  });

  describe("a role that may not create tables", () => {
    before(async () => {
      await server.sql.unsafe(`create role ${role} login password 'secret'`);
    });
    after(async () => {
      await server.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    });
    const openAsRole = (migrate: boolean) =>
      openPostgresStorage(`postgres://${role}:secret@${server.address}`, { schema, migrate });

    for (const isMigrating of [true, false]) {
      it(`works on a migrated database when migrate is ${isMigrating}`, async () => {
        assertEquals((await migratePostgres(server.url, { schema })).from, 0);
        await server.sql.unsafe(`grant usage on schema ${schema} to ${role};
          grant select on ${schema}.migrations to ${role};
          grant select, insert, update, delete on ${schema}.boards to ${role}`);
        const storage = await openAsRole(isMigrating);
        await storage.ping();
        await put(storage, BOARDS, boardOf("ideas"));
        assertEquals(await remove(storage, BOARDS, "ideas"), true);
        await storage.close();
      });
    }

    it("is refused an empty database, told why, and no longer connected", async () => {
      const error = await assertRejects(() => openAsRole(true), StorageError, "permission denied");
      assertEquals(error.code, "unavailable");
      await until(async () =>
        (await server.sql`select from pg_stat_activity where usename = ${role}`).length === 0
      );
    });
  });
});
