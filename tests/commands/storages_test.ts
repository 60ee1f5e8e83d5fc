import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openStorage } from "../../commands/storage/storage.ts";
import { createHandler } from "../../mod.ts";
import { assertFailed, createCommandLine } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";
import { CLOSED_PORT } from "../_support/port.ts";
import { findServer, type PostgresServer, withDatabase } from "../_support/postgres.ts";
import { forEachRow } from "../_support/rows.ts";

const { run, succeed } = createCommandLine({ openStorage });

/** Creates a command line whose storage a variable names. */
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
        ["typo", `call listBoards --storage ${url}/typo`],
        ["typo", `call deleteBoard boardId=a --storage ${url}/typo`],
        ["typo", `copy ${url}/typo ${url}/letters`],
        ["letters", `call listBoards --storage ${url}/letters`],
        ["file", `keys create --name x --storage ${url}/file`],
      ], async ([name, line]) => {
        assertFailed(await run(line), 1, `folder "${folder}/${name}"`);
      });
      assertEquals(await namesIn(folder), ["file", "letters"]);
      assertEquals(await namesIn(`${folder}/letters`), []);
    }));

  it("make none where a value is refused", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/list.csv`, "no,header\n");
      await forEachRow([
        "keys create --name x --scope bords:read",
        "call createBoard boardId=-x name=x",
        "call createEntry entryId=a title=T body=x url=nowhere",
        `subscribers import ${folder}/list.csv`,
        "call subscribe userEmail=nobody subscribe=true",
      ], async (line) => {
        assertEquals((await run(`${line} --storage file:${folder}/data`)).status, 2);
        assertEquals(await namesIn(folder), ["list.csv"]);
      });
      assertEquals((await run(`keys create --name x --storage file:${folder}/data`)).status, 0);
    }));
});

describe("commands on Deno KV", () => {
  it("fail, and make none, where the file is missing and they only read, or is none of a database", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/letter`, "Dear reader, this is no database.");
      await forEachRow([
        [`call listBoards --storage kv:${folder}/typo`, `there is no database "${folder}/typo"`],
        [`copy kv:${folder}/typo file:${folder}/b`, `there is no database "${folder}/typo"`],
        [`keys create --name x --storage kv:${folder}/letter`, "file is not a database"],
        [
          `keys create --name x --storage kv:${folder}/no/file`,
          `open the file "${folder}/no/file"`,
        ],
      ], async ([line, message]) => assertFailed(await run(line), 1, message));
      assertEquals(await namesIn(folder), ["letter"]);
    }));

  it("say which flag Deno lacks where it has no KV", () =>
    withFolder(async (folder) => {
      const { get } = Object.getOwnPropertyDescriptor(Deno, "openKv")!;
      Object.defineProperty(Deno, "openKv", { get: () => undefined });
      const result = await run(`keys create --name x --storage kv:${folder}/db`);
      Object.defineProperty(Deno, "openKv", { get });
      assertFailed(result, 2, "--storage kv:… needs Deno with the flag --unstable-kv");
    }));

  it("keep their data in a file that is its owner's alone", () =>
    withFolder(async (folder) => {
      await on(`kv:${folder}/data.db`).succeed("call createBoard boardId=ideas name=Ideas");
      for (const name of await namesIn(folder)) {
        assertEquals((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o600, name);
      }
      assertEquals((await on(`kv:${folder}/data.db`).json("call listBoards")).length, 1);
    }));
});

describe("commands on a module", () => {
  const MODULE = `
    import { openMemoryStorage } from "${new URL("../../adapters/memory.ts", import.meta.url)}";
    const storage = openMemoryStorage();
    export default () => Promise.resolve({ ...storage, close: () => Promise.resolve() });
  `;

  it("use the storage that its default export opens, also to copy there and back", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/storage.ts`, MODULE);
      const url = `module:${folder}/storage.ts`;
      await on(`file:${folder}/old`).succeed("call createBoard boardId=ideas name=Ideas");
      await succeed("copy", `file:${folder}/old`, url);
      await on(url).succeed("call updateBoard boardId=ideas name=Plans");
      await succeed("copy", url, `file:${folder}/new`);
      assertEquals(
        (await on(`file:${folder}/new`).json("call getBoard boardId=ideas"))[0].name,
        "Plans",
      );
    }));

  it("say what is wrong where there is none, or none that opens a storage", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/none.ts`, "export default {};");
      await forEachRow([
        [`${folder}/typo.ts`, `cannot load the module "${folder}/typo.ts"`],
        [`${folder}/none.ts`, `the default export of "${folder}/none.ts" is no function`],
      ], async ([path, message]) => {
        assertFailed(await run(`call listBoards --storage module:${path}`), 1, message);
      });
    }));
});

describe("commands on PostgreSQL", () => {
  let server: PostgresServer;
  before(async () => {
    server = await findServer();
  });
  after(() => server.dispose());

  it("end with 1 when no database can be reached", async () => {
    const result = await on(`postgresql://127.0.0.1:${CLOSED_PORT}/x`).run("call listBoards");
    assertFailed(result, 1, "Cannot reach the database");
  });

  it("move all records there from a folder, by way of Deno KV, and back, and keys go on working", () =>
    withFolder((folder) =>
      withDatabase(server, async (url) => {
        const [there, home] = ["there", "home"].map((name) => `kv:${folder}/${name}.db`);
        const [old, back] = [`file://${folder}/it's my "data"@home/~`, `file:${folder}/back`];
        await on(old).succeed("call createBoard boardId=ideas name=Ideas");
        await on(old).succeed("call subscribe userEmail=bob@x.org subscribe=false");
        const { out: secret } = await on(old).succeed("keys create --name App --scope *");
        await succeed("copy", old, there);
        await succeed("copy", there, url);
        await on(url).succeed("call updateBoard boardId=ideas name=Plans");
        await succeed("copy", url, home);
        await succeed("copy", home, back);
        assertEquals((await on(back).json("call getBoard boardId=ideas"))[0].name, "Plans");
        assertEquals((await on(back).json("call listSubscribers"))[0].subscribed, false);
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
      await forEachRow(
        ["keys list", "call createBoard boardId=a name=A --no-migrate"],
        async (line) => {
          assertFailed(await run(line), 1, "has to be migrated");
        },
      );
      const { err } = await succeed("migrate");
      assertMatch(err, /^Migrated the database from version 0 to \d+\.\n$/);
      assertMatch((await succeed("migrate")).err, /^The database is already at version \d+\.\n$/);
      await succeed("call createBoard boardId=a name=A --no-migrate");
      assertEquals((await succeed("keys list")).err, "There are no API keys.\n");
    }));
});
