import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openStorage } from "../commands/_storage.ts";
import { createHandler } from "../mod.ts";
import { assertFailed, createCommandLine } from "./_cli.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { freePort } from "./_port.ts";
import { type PostgresCluster, startCluster, withDatabase } from "./_postgres.ts";
import { forEachRow } from "./_rows.ts";

const { run, succeed } = createCommandLine({ openStorage });

/** Command lines on a storage that a variable names. */
function on(url: string) {
  return createCommandLine({ openStorage, environment: { BOARDCAST_STORAGE: url } });
}

describe("commands on a folder", () => {
  it("fail, and make none, where it is none, is missing or holds no data that they are about", () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/letters`);
      await Deno.writeTextFile(`${folder}/file`, "");
      const url = `file:${folder}`;
      await forEachRow([
        ["typo", `boards list --storage ${url}/typo`],
        ["typo", `boards delete a --storage ${url}/typo`],
        ["typo", `subscribers import /dev/null --dry-run --storage ${url}/typo`],
        ["typo", `copy ${url}/typo ${url}/letters`],
        ["letters", `boards list --storage ${url}/letters`],
        ["file", `keys create --name x --storage ${url}/file`],
      ], async ([name, line]) => {
        assertFailed(await run(line), 1, `folder "${folder}/${name}"`);
      });
      assertEquals(await namesIn(folder), ["file", "letters"]);
      assertEquals(await namesIn(`${folder}/letters`), []);
    }));
});

describe("commands on PostgreSQL", () => {
  let server: PostgresCluster;
  before(async () => {
    server = await startCluster();
  });
  after(() => server.dispose());

  it("end with 1 when no database can be reached", async () => {
    const result = await on(`postgresql://127.0.0.1:${freePort()}/x`).run("boards list");
    assertFailed(result, 1, "Cannot reach the database");
  });

  it("move all records there from a folder, and back, and keys go on working", () =>
    withFolder((folder) =>
      withDatabase(server, async (url) => {
        const [old, back] = [`file://${folder}/it's my "data"@home/~`, `file:${folder}/back`];
        await on(old).succeed("boards create ideas --name Ideas");
        await on(old).succeed("subscribers unsubscribe bob@x.org");
        const { out: secret } = await on(old).succeed("keys create --name App --scope *");
        await succeed("copy", old, url);
        await on(url).succeed("boards update ideas --name Plans");
        await succeed("copy", url, back);
        assertEquals((await on(back).json("boards get ideas"))[0].name, "Plans");
        assertEquals((await on(back).json("subscribers list"))[0].subscribed, false);
        const storage = await openStorage(back);
        const headers = { Authorization: `Bearer ${secret.trim()}` };
        const request = new Request("http://localhost/api/v1/boards/ideas", { headers });
        assertEquals((await createHandler({ storage })(request)).status, 200);
        await storage.close();
      })
    ));

  it("migrate it only when they may, and never to read", () =>
    withDatabase(server, async (url) => {
      const { run, succeed } = on(url);
      await forEachRow(["keys list", "boards create a --name A --no-migrate"], async (line) => {
        assertFailed(await run(line), 1, "has to be migrated");
      });
      const { err } = await succeed("migrate");
      assertMatch(err, /^Migrated the database from version 0 to \d+\.\n$/);
      assertMatch((await succeed("migrate")).err, /^The database is already at version \d+\.\n$/);
      await succeed("boards create a --name A --no-migrate");
      assertEquals((await succeed("keys list")).err, "There are no API keys.\n");
    }));
});
