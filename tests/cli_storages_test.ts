import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { withFolder } from "./_folder.ts";
import { openServer, type PostgresServer, withDatabase } from "./_postgres.ts";
import { runProcess, startProcess } from "./_process.ts";
import { HEADER } from "./_subscribers.ts";

/** What every command does, seen through nothing but other commands. */
async function useAllCommands(url: string): Promise<void> {
  async function run(line: string, stdin?: string): Promise<string> {
    const { status, out, err } = await runProcess([...line.split(" "), "--storage", url], {
      stdin,
    });
    assertEquals(status, 0, err);
    return out;
  }

  await run("boards create ideas --name Ideas --url https://example.com/");
  await run("boards update ideas --name Wishes --url=");
  const board = JSON.parse(await run("boards list --json"));
  assertEquals([board.name, board.url], ["Wishes", null]);
  await run("boards delete ideas");
  assertEquals(await run("boards list --json"), "");

  assertMatch(await run("keys create --name CI --expires 90d"), /^bc_\w{36}\n$/);
  const { keyId } = JSON.parse(await run("keys list --json"));
  assertMatch(await run(`keys rotate ${keyId} --overlap 1h`), /^bc_\w{36}\n$/);
  await run(`keys revoke ${keyId}`);
  const keys = (await run("keys list --json")).trimEnd().split("\n").map((line) =>
    JSON.parse(line)
  );
  assertEquals(keys.filter(({ revokedAt }) => revokedAt === null).length, 1);

  const rows = `ann@example.com,'=Ann,true\nbob@example.com,,false\n`;
  await run("subscribers import -", HEADER + rows);
  await run("subscribers import -", `${HEADER}bob@example.com,,true\n`);
  assertEquals(await run("subscribers export"), HEADER + rows);
  await run("subscribers erase ann@example.com");
  assertEquals(JSON.parse(await run("subscribers list --json")).subscribed, false);
}

describe("all commands on a folder", () => {
  it("see what the others did", () =>
    withFolder((folder) => useAllCommands(`file:${folder}/data`)));
});

describe("all commands on PostgreSQL", () => {
  let server: PostgresServer;
  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  it("see what the others did", () => withDatabase(server, useAllCommands));

  it("are moved with all their times by copy, there and back, and keys go on working", () =>
    withFolder((folder) =>
      withDatabase(server, async (url) => {
        const [old, back] = [`file:${folder}/old`, `file:${folder}/back`];
        const run = async (...args: string[]) => {
          const result = await runProcess(args);
          assertEquals(result.status, 0, result.err);
          return result.out;
        };
        const listings = async (storage: string) =>
          await Promise.all(
            [
              ["boards", "list", "--json"],
              ["keys", "list", "--json"],
              ["subscribers", "export", "--format", "ndjson"],
            ].map((args) => run(...args, "--storage", storage)),
          );
        await run("boards", "create", "ideas", "--name", "Ideas", "--storage", old);
        const key = (await run("keys", "create", "--name", "App", "--storage", old)).trim();
        for (const subscribed of ["true", "false"]) {
          await runProcess(["subscribers", "import", "-", "--storage", old], {
            stdin: `${HEADER}ann@x.org,Ann,${subscribed}\nbob@x.org,,true\n`,
          });
        }
        const before = await listings(old);
        await run("copy", "--from", old, "--storage", url);
        assertEquals(await listings(url), before);
        await run("copy", "--from", url, "--storage", back);
        assertEquals(await listings(back), before);
        const serve = ["serve", "--storage", url, "--port", "0", "--log", "text"];
        await using server = startProcess(serve);
        const [, origin] = await server.waitFor("stderr", /listening on (http:[^ ]*)\/\n/);
        const response = await fetch(`${origin}/api/v1/boards/ideas`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        assertEquals((await response.json()).name, "Ideas");
      })
    ));

  it("make one first key when several servers start at once", () =>
    withDatabase(server, async (url) => {
      // What migrates would let one go ahead of the others.
      await runProcess(["migrate", "--storage", url]);
      const servers = Array.from(
        { length: 6 },
        () => startProcess(["serve", "--storage", url, "--port", "0", "--log", "text"]),
      );
      const printed = await Promise.all(servers.map(async (server) => {
        await using _ = server;
        await server.waitFor("stderr", /listening on/);
        server.signal("SIGTERM");
        assertEquals(await server.status, 0);
        return server.stdout().includes("first API key");
      }));
      assertEquals(printed.filter(Boolean).length, 1);
      const keys = await runProcess(["keys", "list", "--json", "--storage", url]);
      assertEquals(keys.out.trimEnd().split("\n").length, 1);
    }));
});
