// Compiles the command and runs what comes out as on an empty machine: no variables, no HOME, an
// empty folder to start in.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles } from "../../packaging/_deno.ts";
import { bundle } from "../../packaging/compile.ts";
import { type PostgresServer, startCluster } from "../_postgres.ts";
import { run as runToEnd, startProgram, waitUntilServing } from "../_process.ts";
import { assertServes } from "../_serving.ts";

// Over this there is more in the program than Deno and the command.
const MAX_BYTES = 150 << 20;
const SCHEMA_SQL = "drop schema if exists boardcast cascade";

describe("compiled command", () => {
  let root: string;
  let program: string;
  let folder: string;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-compiled-" });
    program = join(root, "boardcast");
    await compile(program);
  });
  after(() => Deno.remove(root, { recursive: true }));
  beforeEach(async () => {
    folder = await Deno.makeTempDir({ dir: root });
  });

  function start(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return startProgram(program, { args: [...args], env, cwd: folder });
  }

  /** Runs a command on the storage of the folder, and returns what it wrote. */
  async function run(args: readonly string[], env?: Readonly<Record<string, string>>) {
    await using process = start(args, env);
    const status = await process.status;
    assertEquals(status, 0, `${args.join(" ")}: ${process.stderr()}`);
    return process.stdout().trimEnd();
  }

  it("is not larger than Deno and the command together", async () => {
    const { size } = await Deno.stat(program);
    assert(size < MAX_BYTES, `${size} bytes`);
  });

  it("is the same, byte for byte, when it is compiled again", async () => {
    const again = join(folder, "boardcast");
    await compile(again);
    assert(Buffer.compare(await Deno.readFile(program), await Deno.readFile(again)) === 0);
  });

  it("says nothing of the machine that it was built on", async () => {
    await bundle(folder);
    for (const path of await listFiles(folder)) {
      assertEquals(/^\/\/ \.\.\/.*/m.exec(await Deno.readTextFile(path)), null, path);
    }
  });

  it("serves the API, its description and its page from memory when nothing else is there", async () => {
    await using server = await waitUntilServing(start(["--storage", "memory", "--port", "0"]));
    await assertServes(server.url, server.key);
    const description = await (await fetch(`${server.url}/openapi.json`)).json();
    assertMatch(description.openapi, /^3\.1/);
    assertMatch(await (await fetch(`${server.url}/docs`)).text(), /changelogs\/subscribe/);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
    assertEquals([...Deno.readDirSync(folder)], []);
  });

  it("takes its settings from variables when there are no flags", async () => {
    const key = "a-key-of-24-characters-or-more";
    const process = start([], {
      BOARDCAST_STORAGE: "file:./kept",
      BOARDCAST_PORT: "0",
      BOARDCAST_API_KEY: key,
    });
    await using server = await waitUntilServing(process, key);
    await assertServes(server.url, server.key);
    server.signal("SIGINT");
    assertEquals(await server.status, 0);
    assertEquals(await run(["boards", "list", "--json", "--storage", "file:kept"]) === "", false);
  });

  it("serves what it kept in a folder when it is started again", async () => {
    const args = ["--storage", "file:data", "--port", "0"];
    await using first = await waitUntilServing(start(args));
    await assertServes(first.url, first.key);
    first.signal("SIGTERM");
    assertEquals(await first.status, 0);
    await using second = await waitUntilServing(start(args), first.key);
    const headers = { Authorization: `Bearer ${first.key}` };
    const response = await fetch(`${second.url}/api/v1/boards/ideas`, { headers });
    assertEquals([response.status, (await response.json()).name], [200, "Ideas"]);
    second.signal("SIGTERM");
    assertEquals(await second.status, 0);
  });

  it("runs each command on a folder", async () => {
    await runEachCommand(run, folder);
  });

  // The compiler may bring an older Deno along, in which reads and writes of one handle disturb
  // each other.
  it("compacts the journal, and loses nothing, while a large import goes on", async () => {
    const path = join(folder, "people.csv");
    const rows = Array.from({ length: 200_000 }, (_, n) => `user${n}@example.com,,true\n`);
    await Deno.writeTextFile(path, `userEmail,userName,subscribed\n${rows.join("")}`);
    await using importing = start(["subscribers", "import", path]);
    assertEquals(await importing.status, 0);
    assertMatch(importing.stderr(), /^[^\n]*200000 added, 0 changed[^\n]*\n$/);
    const names = await Array.fromAsync(Deno.readDir(join(folder, "data")), ({ name }) => name);
    assert(names.some((name) => name.startsWith("snapshot-")), `${names}`);
    assertEquals((await run(["subscribers", "export"])).split("\n").length, 200_001);
  });

  it("says what to mend, with status 2, when a flag is wrong", async () => {
    await using process = start(["--port", "x"]);
    assertEquals(await process.status, 2);
    assertMatch(process.stderr(), /^boardcast: .*port[^\n]*\n$/);
  });

  describe("with PostgreSQL", () => {
    let server: PostgresServer;

    // Never the server of somebody else, as the schema is the one that is used by default.
    before(async () => {
      server = await startCluster();
    });
    after(() => server.dispose());
    afterEach(async () => void await server.sql.unsafe(SCHEMA_SQL));

    it("runs each command on a database", async () => {
      const env = { BOARDCAST_STORAGE: server.url };
      await run(["migrate"], env);
      await runEachCommand((args) => run(args, env), folder);
    });

    it("serves from a database that variables of PostgreSQL name", async () => {
      const { hostname, port, username, password, pathname } = new URL(server.url);
      const env = {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: username,
        PGDATABASE: pathname.slice(1),
        ...(password && { PGPASSWORD: decodeURIComponent(password) }),
      };
      const args = ["--storage", "postgres://", "--port", "0"];
      await using serving = await waitUntilServing(start(args, env));
      await assertServes(serving.url, serving.key);
      serving.signal("SIGTERM");
      assertEquals(await serving.status, 0);
    });
  });
});

async function compile(program: string): Promise<void> {
  const script = fileURLToPath(new URL("../../packaging/compile.ts", import.meta.url));
  await runToEnd(Deno.execPath(), ["run", "--allow-all", script, program]);
}

async function runEachCommand(
  run: (args: readonly string[]) => Promise<string>,
  folder: string,
): Promise<void> {
  assertMatch(await run(["keys", "create", "--name", "Web app"]), /^bc_[0-9A-Za-z]{36}$/);
  const { keyId } = JSON.parse(await run(["keys", "list", "--json"]));
  assertMatch(await run(["keys", "rotate", keyId]), /^bc_[0-9A-Za-z]{36}$/);
  const keys = (await run(["keys", "list", "--json"])).split("\n").map((line) => JSON.parse(line));
  const live = keys.find((key) => key.revokedAt === null);
  await run(["keys", "revoke", live.keyId]);

  await run(["boards", "create", "ideas", "--name", "Ideas"]);
  await run(["boards", "update", "ideas", "--description", "What to build"]);
  const board = JSON.parse(await run(["boards", "list", "--json"]));
  assertEquals([board.boardId, board.description], ["ideas", "What to build"]);
  assertMatch(await run(["boards", "get", "ideas"]), /^boardId +ideas$/m);
  await run(["boards", "delete", "ideas"]);
  assertEquals(await run(["boards", "list", "--json"]), "");

  const file = join(folder, "subscribers.csv");
  await Deno.writeTextFile(file, "userEmail,userName,subscribed\nann@example.com,Ann,true\n");
  await run(["subscribers", "import", file]);
  assertEquals(JSON.parse(await run(["subscribers", "list", "--json"])).userName, "Ann");
  assertMatch(await run(["subscribers", "export", "--format", "csv"]), /ann@example\.com,Ann,true/);
  await run(["subscribers", "unsubscribe", "ann@example.com"]);
  assertMatch(await run(["subscribers", "get", "ann@example.com"]), /^subscribed +false$/m);
  await run(["subscribers", "subscribe", "ann@example.com"]);
  await run(["subscribers", "erase", "ann@example.com"]);
  assertEquals(await run(["subscribers", "list", "--json"]), "");
}
