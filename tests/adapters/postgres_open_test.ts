import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { after, afterEach, before, describe, it } from "@std/testing/bdd";
import postgres from "postgres";
import { createClient } from "../../adapters/_postgres/client.ts";
import { migrate } from "../../adapters/_postgres/migrate.ts";
import { migratePostgres, openPostgresStorage } from "../../adapters/postgres.ts";
import type { PostgresStorageOptions } from "../../adapters/postgres.ts";
import { StorageError } from "../../adapters/storage.ts";
import type { AnyKind, Item, Kind } from "../../model/kind.ts";
import { BOARDS, KINDS, KINDS_VERSION, LAYOUT, SETTINGS } from "../../model/kinds.ts";
import type { Layout } from "../../model/steps.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import { makeCertificate } from "../_support/certificate.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { put, remove } from "../_contract/calls.ts";
import { assertUnavailable, failureOf } from "../_support/load.ts";
import { CLOSED_PORT } from "../_support/port.ts";
import { type PostgresCluster, startCluster, withDatabase } from "../_support/postgres.ts";
import { SERVER } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";
import { sampleBoard } from "../_support/samples.ts";
import { until } from "../_support/waiting.ts";

/** An invented later version, with another field, another kind and moved data. */
const SHADES: Kind<Item> = { name: "shades", key: "name", fields: { name: "text" } };
const COLOURED = {
  ...(BOARDS as AnyKind),
  fields: { ...BOARDS.fields, colour: "text" as const },
  defaults: { ...BOARDS.defaults, colour: "grey" },
};
const LATER: Layout = {
  ...LAYOUT,
  version: KINDS_VERSION + 1,
  kinds: [...KINDS.filter((kind) => kind.name !== BOARDS.name), COLOURED, SHADES],
  steps: [{
    to: KINDS_VERSION + 1,
    kind: COLOURED,
    move: (record) => [
      { kind: COLOURED, record: { ...record, name: `${record.name}!` } },
      { kind: SHADES, record: { name: `of ${record.boardId}` } },
    ],
  }],
};
const FAILING: Layout = {
  ...LATER,
  steps: [{
    ...LATER.steps[0],
    move() {
      throw new Error("no");
    },
  }],
};

describe("opening postgres storage", () => {
  let cluster: PostgresCluster;

  before(async () => {
    cluster = await startCluster();
  });
  after(() => cluster.dispose());
  afterEach(async () => {
    await cluster.sql`drop schema if exists boardcast cascade`;
  });

  const open = (options: PostgresStorageOptions = {}) => openPostgresStorage(cluster.url, options);

  async function migrateTo(layout: Layout) {
    const driver = { max: 1, fetch_types: false, onnotice() {} };
    const client = createClient(({ onClose: onclose }) =>
      postgres(cluster.url, { ...driver, onclose })
    );
    try {
      return await migrate(client, { name: "boardcast", layout, timeoutMs: 10_000 });
    } finally {
      await client.close();
    }
  }

  describe("on a server that can't be used", () => {
    it("rejects in time when it never answers", async () => {
      using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const url = `postgres://ann:secret@127.0.0.1:${silent.addr.port}/x`;
      assertUnavailable([await failureOf(() => openPostgresStorage(url, { timeoutMs: 500 }))]);
    });

    it("goes on to the next host when one can't be reached or is silent", async () => {
      using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      for (const port of [CLOSED_PORT, silent.addr.port]) {
        const url = `postgres://postgres@127.0.0.1:${port},${cluster.address}`;
        await (await openPostgresStorage(url)).close();
      }
    });

    it("rejects without the password when nothing listens", async () => {
      const url = `postgres://ann:secret@127.0.0.1:${CLOSED_PORT}/x`;
      const failure = await failureOf(() => openPostgresStorage(url));
      assertUnavailable([failure]);
      assert(!Deno.inspect(failure).includes("secret"));
    });
  });

  it("refuses a URL that can't be read, without its password", () =>
    forEachRow([
      ...["postgres://ann:secret@ho st:1/x", "postgres://ann:secret@h:99999999/x"],
      ...["postgres://ann:secret%@h/x", "postgres://ann:5/secret@h/x"],
      ...["postgres://ann:5?secret@h/x", "postgres://ann:5#secret@h/x"],
      ...["http://ann:secret@h/x", "host=h password=secret", ""],
    ], async (url) => {
      const message = "Cannot parse the connection URL: write postgres://USER:PASSWORD@HOST";
      const error = await assertRejects(() => openPostgresStorage(url), TypeError, message);
      assert(!Deno.inspect(error).includes("secret"), Deno.inspect(error));
    }));

  it("refuses options that make no sense, and passes over those that are undefined", async () => {
    await forEachRow<PostgresStorageOptions>(
      [{ schema: 'x"; drop' }, ...[0, 99, NaN, 2 ** 31].map((timeoutMs) => ({ timeoutMs }))],
      (options) => assertRejects(() => open(options), RangeError),
    );
    const misspelt = { timeoutms: 5 } as PostgresStorageOptions;
    await assertRejects(() => open(misspelt), TypeError, "did you mean timeoutMs?");
    await (await open({ timeoutMs: undefined, migrate: undefined, driver: undefined })).close();
  });

  describe("whose tables are migrated", () => {
    it("makes a table of each kind, with all of its fields and indexes", async () => {
      const storage = await open();
      for (const kind of KINDS) {
        for (const index of [undefined, ...Object.keys(kind.indexes ?? {})]) {
          assert(await storage.list(kind, { index, limit: 1 }));
        }
      }
      await storage.close();
    });

    it("brings a database to a later version, and its records", async () => {
      for (const version of [0, KINDS_VERSION]) {
        await cluster.sql`drop schema if exists boardcast cascade`;
        if (version > 0) {
          const storage = await open();
          await put(storage, BOARDS, sampleBoard("ideas", { name: "Ideas" }));
          await put(storage, SETTINGS, { settingId: "version", value: `${KINDS_VERSION}` });
          await storage.close();
        }
        const { from, to } = await migrateTo(LATER);
        assertEquals([from, to], [version, LATER.version]);
        const boards = await cluster.sql`select name, colour from boardcast.boards`;
        const shades = await cluster.sql`select name from boardcast.shades`;
        const settings = await cluster.sql`select value from boardcast.settings`;
        const isOld = version > 0;
        assertEquals([...boards], isOld ? [{ name: "Ideas!", colour: "grey" }] : []);
        assertEquals([...shades], isOld ? [{ name: "of ideas" }] : []);
        assertEquals([...settings], isOld ? [{ value: `${LATER.version}` }] : []);
        assertEquals((await migrateTo(LATER)).sql, "");
      }
    });

    it("leaves the database as it was when a migration fails, or a table is in use", async () => {
      const storage = await open();
      await put(storage, BOARDS, sampleBoard("ideas"));
      await storage.close();
      await assertRejects(() => migrateTo(FAILING), Error, "no");
      await cluster.sql.begin(async (sql) => {
        await sql`lock table boardcast.boards in access share mode`;
        const error = await assertRejects(() => migrateTo(LATER), StorageError, "pg_dump");
        assertEquals(error.code, "unavailable");
      });
      assertEquals((await migrateTo(LAYOUT)).sql, "");
      assertEquals((await migrateTo(LATER)).from, KINDS_VERSION);
    });

    it("adds a column, an index and a check that an operator has removed, and keeps what is theirs", async () => {
      await migrateTo(LAYOUT);
      await cluster.sql.unsafe(`alter table boardcast.boards drop column url;
        alter table boardcast.boards drop constraint boards_name_check;
        drop index boardcast.api_keys_by_age;
        alter table boardcast.boards add column mine text;
        create index mine on boardcast.boards (mine);
        create table boardcast.notes (id integer)`);
      const { from, sql } = await migrateTo(LAYOUT);
      assertEquals(from, KINDS_VERSION);
      const added = sql.split(";\n").map((line) => line.trim()).filter((line) =>
        line !== "" && !line.startsWith("comment")
      );
      assertEquals(added, [
        `alter table "boardcast"."boards" add column "url" text collate "C"`,
        `alter table "boardcast"."boards" add constraint "boards_name_check" check (char_length("name") between 1 and 200)`,
        `alter table "boardcast"."boards" add constraint "boards_url_check" check (char_length("url") between 1 and 2000)`,
        `create index "api_keys_by_age" on "boardcast"."api_keys" ("created_at", "key_id")`,
      ]);
      assertEquals((await migrateTo(LAYOUT)).sql, "");
      await cluster.sql`select mine from boardcast.boards, boardcast.notes`;
    });

    it("refuses a database of a newer version", async () => {
      await migrateTo(LATER);
      const attempts = [open, () => open({ migrate: false }), () => migratePostgres(cluster.url)];
      for (const attempt of attempts) {
        const message = `at version ${LATER.version}, made by a newer Boardcast; `;
        const error = await assertRejects(attempt, StorageError, message);
        assertEquals(error.code, "incompatible");
      }
    });

    it("refuses an empty database when it is not to migrate, and leaves it empty", async () => {
      const error = await assertRejects(
        () => open({ migrate: false }),
        StorageError,
        "Cannot use the database: it is at version 0, and has to be migrated; " +
          `this program needs version ${KINDS_VERSION}`,
      );
      assertEquals(error.code, "incompatible");
      const found = await cluster.sql`select from pg_namespace where nspname = 'boardcast'`;
      assertEquals(found.length, 0);
    });

    it("refuses a database of another encoding than UTF8", () =>
      withDatabase(cluster, async (url) => {
        for (const attempt of [openPostgresStorage, migratePostgres]) {
          const error = await assertRejects(() => attempt(url), StorageError, "is LATIN1, and");
          assertEquals(error.code, "incompatible");
        }
      }, "encoding LATIN1 locale 'C' template template0"));

    it("needs no right to create tables on a migrated database, and says so on another", async () => {
      await cluster.sql`create role service login`;
      const url = `postgres://service@${cluster.address}`;
      const error = await assertRejects(
        () => openPostgresStorage(url),
        StorageError,
        "permission denied",
      );
      assertEquals(error.code, "unavailable");
      await until(async () =>
        (await cluster.sql`select from pg_stat_activity where usename = 'service'`).length === 0
      );
      assertEquals((await migratePostgres(cluster.url)).from, 0);
      await cluster.sql.unsafe(`grant usage on schema boardcast to service;
        grant select on boardcast.migrations to service;
        grant select, insert, update, delete on boardcast.boards to service`);
      for (const migrate of [true, false]) {
        const storage = await openPostgresStorage(url, { migrate });
        await storage.ping();
        await put(storage, BOARDS, sampleBoard("ideas"));
        assertEquals(await remove(storage, BOARDS, "ideas"), true);
        await storage.close();
      }
    });
  });

  it("takes a URL as Neon, Supabase, Prisma and libpq write it", async () => {
    const [address, name] = cluster.address.split("/");
    const [host, port] = address.split(":");
    await forEachRow([
      `${cluster.url}?sslmode=prefer&channel_binding=require&options=-c%20work_mem%3D8MB`,
      `${cluster.url}?pgbouncer=true&connection_limit=1&pool_timeout=20&schema=public`,
      `${cluster.url}?keepalives=1&keepalives_idle=30&gssencmode=disable&connect_timeout=10`,
      `${cluster.url}?fallback_application_name=app&statement_timeout=1000`,
      `postgres:///?host=${host}&port=${port}&user=postgres&dbname=${name}`,
    ], async (url) => {
      await (await openPostgresStorage(url)).close();
    });
  });

  it("names a parameter that neither it nor the server knows", async () => {
    const url = `${cluster.url}?sllmode=require`;
    await assertRejects(() => openPostgresStorage(url), TypeError, 'parameter "sllmode" of');
    const { run } = createCommandLine({ openStorage });
    assertFailed(await run(`keys list --storage ${url}`), 2, 'the parameter "sllmode" of');
  });

  it("says that a server has no TLS when the URL asks for it", async () => {
    for (const mode of ["require", "verify-full"]) {
      const error = await assertRejects(
        () => openPostgresStorage(`${cluster.url}?sslmode=${mode}`),
        StorageError,
        "sslmode asks for TLS, and the server has none",
      );
      assertEquals(error.code, "unavailable");
    }
  });

  it("takes TLS from PGSSLMODE, which the driver does not know, unless the URL says otherwise", async () => {
    // The environment belongs to the whole process, in which other tests connect at the same time.
    const command = (url: string) => ({
      args: ["run", "--allow-all", "--quiet", SERVER, "migrate", "--storage", url],
      env: { PGSSLMODE: "require" },
    });
    const refused = await new Deno.Command(Deno.execPath(), command(cluster.url)).output();
    assertEquals(refused.code, 1);
    assertMatch(
      new TextDecoder().decode(refused.stderr),
      /^boardcast: Cannot connect: sslmode asks for TLS/,
    );
    const url = `${cluster.url}?sslmode=disable`;
    assert((await new Deno.Command(Deno.execPath(), command(url)).output()).success);
  });

  it("encrypts all connections, and checks the certificate, as sslmode says", async () => {
    // On a busy machine, a connection over TLS may exceed the default deadline.
    const timeoutMs = 10_000;
    const { ca, cert, key } = await makeCertificate();
    const [{ data_directory: data }] = await cluster.sql`show data_directory`;
    const { uid, gid } = await Deno.stat(data);
    for (const [name, text] of [["server.key", key], ["server.crt", cert]]) {
      await Deno.writeTextFile(`${data}/${name}`, text, { mode: 0o600 });
      await Deno.chown(`${data}/${name}`, uid, gid);
    }
    await cluster.sql`alter system set ssl = on`;
    await cluster.sql`select pg_reload_conf()`;
    await until(async () => (await cluster.sql`show ssl`)[0].ssl === "on");
    const url = `postgres://postgres@${cluster.address.replace("127.0.0.1", "localhost")}`;
    const storage = await openPostgresStorage(`${url}?sslmode=require`, { timeoutMs });
    await storage.get(BOARDS, "ideas");
    await storage.ping();
    const sessions = await cluster.sql`
      select ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'boardcast'`;
    await storage.close();
    assertEquals(sessions.map(({ ssl }) => ssl), [true, true]);
    const unknown = () => openPostgresStorage(`${url}?sslmode=verify-full`, { timeoutMs });
    assertEquals((await assertRejects(unknown, StorageError)).code, "unavailable");
    await (await openPostgresStorage(url, { timeoutMs, driver: { ssl: { ca } } })).close();
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/ca.crt`, ca);
      const known = `${url}?sslmode=verify-full&sslrootcert=${folder}/ca.crt`;
      await (await openPostgresStorage(known, { timeoutMs })).close();
      const missing = () => openPostgresStorage(`${known}.old`, { timeoutMs });
      await assertRejects(missing, TypeError, "the file of the parameter sslrootcert: ENOENT");
    });
  });
});
