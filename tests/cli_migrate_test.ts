import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { withFolder } from "./_folder.ts";
import { openServer, type PostgresServer, withDatabase } from "./_postgres.ts";
import { runProcess } from "./_process.ts";

describe("migrate", () => {
  let server: PostgresServer;
  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  it("is not done to a database that is copied from", () =>
    withFolder((folder) =>
      withDatabase(server, async (url) => {
        const copy = ["copy", "--from", url, "--storage", `file:${folder}/data`];
        const { status, err } = await runProcess(copy);
        assertEquals(status, 1);
        assertMatch(err, /has to be migrated/);
      })
    ));

  it("makes the tables that a command with --no-migrate then finds", () =>
    withDatabase(server, async (url) => {
      const storage = ["--storage", url];
      const refused = await runProcess(["keys", "list", "--no-migrate", ...storage]);
      assertEquals([refused.status, refused.out], [1, ""]);
      const migrated = await runProcess(["migrate", ...storage]);
      assertEquals(migrated.status, 0);
      assertMatch(migrated.err, /^Migrated the database from version 0 to \d+\.\n$/);
      const again = await runProcess(["migrate", ...storage]);
      assertMatch(again.err, /^The database is already at version \d+\.\n$/);
      const create = ["boards", "create", "ideas", "--name", "Ideas", "--no-migrate", ...storage];
      assertEquals((await runProcess(create)).status, 0);
      const rows = await runProcess(["boards", "list", "--json", ...storage]);
      assertEquals(JSON.parse(rows.out).boardId, "ideas");
    }));

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

  it("takes the TLS mode from PGSSLMODE, as PostgreSQL's clients do", () =>
    withDatabase(server, async (url) => {
      const migrateBy = (PGSSLMODE: string) =>
        runProcess(["migrate", "--storage", url], { environment: { PGSSLMODE } });
      const { status, err } = await migrateBy("verify-full");
      assertEquals(status === 0, false);
      assertEquals(err.trim().split("\n").length, 1);
      assertEquals((await migrateBy("disable")).status, 0);
    }));
});
