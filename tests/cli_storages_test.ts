import { assertEquals, assertMatch } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { runProcess, withFolder } from "./_cli.ts";

const HEADER = "userEmail,userName,subscribed\n";

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
  const database = `boardcast_cli_${crypto.randomUUID().slice(0, 8)}`;

  before(async () => {
    server = await openServer();
    await server.sql`create database ${server.sql(database)}`;
  });
  after(async () => {
    await server.sql`drop database ${server.sql(database)} with (force)`;
    await server.dispose();
  });

  it("see what the others did", async () => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    await useAllCommands(url.href);
  });
});
