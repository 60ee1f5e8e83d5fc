import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openStorage } from "../commands/_storage.ts";
import { createCommandLine } from "./_cli.ts";
import { namesIn, withFolder } from "./_folder.ts";
import { HEADER } from "./_import.ts";
import { freePort } from "./_port.ts";
import { openServer, type PostgresServer, withDatabase } from "./_postgres.ts";
import { runByShell, runProcess } from "./_process.ts";

/** What every command does, seen through nothing but other commands. */
async function useAllCommands(url: string): Promise<void> {
  async function run(line: string, stdin?: string): Promise<string> {
    const { status, out, err } = await runProcess([...line.split(" "), "--storage", url], {
      stdin,
    });
    assertEquals(status, 0, err);
    return out;
  }
  async function values(line: string): Promise<Record<string, unknown>[]> {
    const out = await run(`${line} --json`);
    return out.split("\n").filter((text) => text !== "").map((text) => JSON.parse(text));
  }

  await run("boards create ideas --name Ideas --url https://example.com/");
  await run("boards update ideas --name Wishes --url=");
  const [board] = await values("boards get ideas");
  assertEquals([board.name, board.url], ["Wishes", null]);
  await run("boards delete ideas");
  assertEquals(await values("boards list"), []);

  assertMatch(await run("keys create --name CI --expires 90d"), /^bc_\w{36}\n$/);
  const [{ keyId }] = await values("keys list");
  assertMatch(await run(`keys rotate ${keyId} --overlap 1h`), /^bc_\w{36}\n$/);
  await run(`keys revoke ${keyId}`);
  const keys = await values("keys list");
  assertEquals(keys.map(({ revokedAt }) => revokedAt === null), [true, false]);

  await run(
    "subscribers import -",
    `${HEADER}ann@example.com,'=Ann,true\nbob@example.com,,false\n`,
  );
  await run("subscribers import -", `${HEADER}bob@example.com,,true\n`);
  await run("subscribers subscribe cat@example.com");
  const rows = (await run("subscribers export")).split("\n").map((row) => row.split(",", 4).join());
  assertEquals(rows, [
    "userEmail,userName,subscribed,source",
    "ann@example.com,'=Ann,true,import",
    "bob@example.com,,false,import",
    "cat@example.com,,true,api",
    "",
  ]);
  await run("subscribers unsubscribe cat@example.com");
  await run("subscribers erase ann@example.com");
  const left = await values("subscribers list --subscribed false");
  assertEquals(left.map(({ userEmail }) => userEmail), ["bob@example.com", "cat@example.com"]);
}

describe("commands on a folder", () => {
  it("see what the others did", () =>
    withFolder((folder) => useAllCommands(`file:${folder}/data`)));

  it("make none where it is missing, or holds no data, when they are about what exists", () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/letters`);
      const { run } = createCommandLine({ openStorage });
      for (const name of ["typo", "letters"]) {
        const url = `file:${folder}/${name}`;
        for (
          const args of [
            ["boards", "list", "--storage", url],
            ["boards", "delete", "a", "--storage", url],
            ["subscribers", "import", "/dev/null", "--dry-run", "--storage", url],
            ["copy", url, `file:${folder}/other`],
          ]
        ) {
          const { status, err } = await run(...args);
          assertEquals(status, 1, args.join(" "));
          assertStringIncludes(err, `there is no data in the folder "${folder}/${name}"`);
        }
      }
      assertEquals(await namesIn(folder), ["letters"]);
      assertEquals(await namesIn(`${folder}/letters`), []);
    }));

  it("find it by its URL too, whatever is in its name", () =>
    withFolder(async (folder) => {
      const storage = ["--storage", `file://${folder}/it's my "data"@home/~`];
      const { run } = createCommandLine({ openStorage });
      assertEquals((await run("boards", "create", "a", "--name", "A", ...storage)).status, 0);
      assertEquals((await run("boards", "get", "a", ...storage)).status, 0);
    }));

  it("take it from BOARDCAST_STORAGE", () =>
    withFolder(async (folder) => {
      const environment = { BOARDCAST_STORAGE: `file:${folder}/data` };
      const created = await runProcess(["keys", "create", "--name", "x"], { environment });
      assertEquals(created.status, 0);
      assert((await namesIn(`${folder}/data`)).length > 0);
    }));

  it("end with 1 when it is no folder, and when output can't be written", () =>
    withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/file`, "");
      const storage = ["--storage", `file:${folder}/file`];
      const { run } = createCommandLine({ openStorage });
      for (const args of [["boards", "list"], ["keys", "create", "--name", "x"]]) {
        const { status, err } = await run(...args, ...storage);
        assertEquals([status, err.split("\n").length], [1, 2], err);
      }
      const full = await runByShell("boardcast --help > /dev/full");
      assertEquals(full.status, 1);
      assertMatch(full.err, /^boardcast: cannot write to standard output: No space left[^\n]*\n$/);
    }));
});

describe("a storage", () => {
  const mistakes = [
    ["", '--storage "" is not memory, file:DIR or postgres://…'],
    ["file:", '"file…" is not memory'],
    ["./data", '"./data" lacks its kind: write file:./data for a folder'],
    ["/srv/data", "write file:/srv/data for a folder"],
    ["s3://user:hunter22hunter22@host/x", '"s3…" is not memory'],
    ["host=127.0.0.1 user=ann password=hunter22", '"host…" is not memory'],
    ["/postgres://user:hunter22@host/x", "is not memory"],
    ["file:postgres://user:hunter22@host/x", "write file:DIR, with a path in place of a URL"],
    ["file://user:hunter22@host/x", "write file:DIR, with a path in place of a URL"],
    ["file:~/data", 'would be a folder called ~: write file:"$HOME"/…'],
    ["file:./d\n", "has white space or quotes around its value"],
    ['file:"./d"', "has white space or quotes around its value"],
    ["postgres:/user:hunter22@host/x", "write postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
    ["postgres://me:hunter22@h:port/x", "write postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
  ];
  for (const [url, message] of mistakes) {
    it(`is refused in one line, without secrets, when it is ${JSON.stringify(url)}`, async () => {
      const { run } = createCommandLine({ openStorage });
      const { status, err } = await run("boards", "list", "--storage", url);
      assertEquals([status, err.split("\n").length, err.includes("hunter22")], [2, 2, false], err);
      assertStringIncludes(err, message);
    });
  }

  it("may be a database by either scheme of PostgreSQL", async () => {
    const { run } = createCommandLine({ openStorage });
    for (const scheme of ["postgres", "postgresql"]) {
      const url = `${scheme}://127.0.0.1:${freePort()}/x`;
      const { status, err } = await run("boards", "list", "--storage", url);
      assertEquals(status, 1);
      assertStringIncludes(err, "Cannot reach the database");
    }
  });
});

describe("commands on PostgreSQL", () => {
  let server: PostgresServer;
  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  it("see what the others did", () => withDatabase(server, useAllCommands));

  it("move all records there and back, and keys go on working", () =>
    withFolder((folder) =>
      withDatabase(server, async (url) => {
        const [old, back] = [`file:${folder}/old`, `file:${folder}/back`];
        const run = async (args: string[], stdin?: string) => {
          const { status, out, err } = await runProcess(args, { stdin });
          assertEquals(status, 0, err);
          return out;
        };
        const listings = async (storage: string) => {
          let found = "";
          for (const noun of ["boards", "keys", "subscribers"]) {
            found += await run([noun, "list", "--json", "--storage", storage]);
          }
          return found;
        };
        await run(["boards", "create", "ideas", "--name", "Ideas", "--storage", old]);
        await run(["keys", "create", "--name", "App", "--storage", old]);
        await run(["subscribers", "import", "-", "--storage", old], `${HEADER}a@x.org,A,true\n`);
        const before = await listings(old);
        await run(["copy", old, url]);
        assertEquals(await listings(url), before);
        await run(["copy", url, back]);
        assertEquals(await listings(back), before);
      })
    ));

  it("migrate it only when they may, and never to read", () =>
    withDatabase(server, async (url) => {
      const run = (line: string) => runProcess([...line.split(" "), "--storage", url]);
      for (const line of ["keys list", "boards create a --name A --no-migrate"]) {
        const { status, err } = await run(line);
        assertEquals(status, 1);
        assertMatch(err, /has to be migrated/);
      }
      const migrated = await run("migrate");
      assertMatch(migrated.err, /^Migrated the database from version 0 to \d+\.\n$/);
      assertMatch((await run("migrate")).err, /^The database is already at version \d+\.\n$/);
      assertEquals((await run("boards create a --name A --no-migrate")).status, 0);
      assertEquals((await run("keys list")).err, "There are no API keys.\n");
    }));
});
