import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { withFolder } from "./_folder.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { runProcess } from "./_process.ts";

// Of its own, as others may use the same server at the same time.
const DATABASE = `boardcast_migrate_${Deno.pid}`;

describe("migrate", () => {
  let server: PostgresServer;
  let storage: string;

  before(async () => {
    server = await openServer();
    await server.sql.unsafe(`create database ${DATABASE}`);
    storage = server.url.replace(/\/[^/]*$/, `/${DATABASE}`);
  });
  after(async () => {
    await server.sql.unsafe(`drop database ${DATABASE} with (force)`);
    await server.dispose();
  });

  it("is not done to a database that is copied from", () =>
    withFolder(async (folder) => {
      const { status, err } = await runProcess([
        ...["copy", "--from", storage, "--storage", `file:${folder}/data`],
      ]);
      assertEquals(status, 1);
      assertMatch(err, /has to be migrated/);
    }));

  it("makes the tables that a command with --no-migrate then finds", async () => {
    const refused = await runProcess(["keys", "list", "--no-migrate", "--storage", storage]);
    assertEquals([refused.status, refused.out], [1, ""]);
    const migrated = await runProcess(["migrate", "--storage", storage]);
    assertEquals(migrated.status, 0);
    assertMatch(migrated.err, /^Migrated the database from version 0 to \d+\.\n$/);
    const again = await runProcess(["migrate", "--storage", storage]);
    assertMatch(again.err, /^The database is already at version \d+\.\n$/);
    const created = await runProcess([
      "boards",
      "create",
      "ideas",
      "--name",
      "Ideas",
      "--no-migrate",
      "--storage",
      storage,
    ]);
    assertEquals(created.status, 0);
    const rows = await runProcess(["boards", "list", "--json", "--storage", storage]);
    assertEquals(JSON.parse(rows.out).boardId, "ideas");
  });

  it("ends with status 2 when the storage is no database", async () => {
    const { status, err } = await runProcess(["migrate", "--storage", "file:data"]);
    assertEquals([status, err], [2, "boardcast: migrate needs --storage postgres://…\n"]);
  });

  it("ends with status 2 and no password when the URL is bad", async () => {
    const { status, err } = await runProcess([
      "migrate",
      "--storage",
      "postgres://me:secret@h:port/x",
    ]);
    assertEquals(status, 2);
    assertEquals(err.includes("secret"), false);
    assertEquals(err.trim().split("\n").length, 1);
  });

  it("takes the TLS mode from PGSSLMODE, as PostgreSQL's clients do", async () => {
    const environment = { PGSSLMODE: "verify-full" };
    const { status, err } = await runProcess(["migrate", "--storage", storage], { environment });
    assertEquals(status === 0, false);
    assertEquals(err.trim().split("\n").length, 1);
    const off = await runProcess(["migrate", "--storage", storage], {
      environment: { PGSSLMODE: "disable" },
    });
    assertEquals(off.status, 0);
  });
});
