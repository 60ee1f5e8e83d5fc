// Compiles the command and runs what comes out as on an empty machine: no variables, no HOME, an
// empty folder to start in.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, beforeEach, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { listFiles } from "../../packaging/_deno.ts";
import { bundle } from "../../packaging/compile.ts";
import { startCluster } from "../_postgres.ts";
import { run as runToEnd, startProgram, type TestServer, waitUntilServing } from "../_process.ts";
import { assertServes } from "../_serving.ts";

// Over this there is more in the program than Deno and the command.
const MAX_BYTES = 150 << 20;
const KEY = "a-key-of-24-characters-or-more";

type Variables = Readonly<Record<string, string>>;

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

  function start(line: string, env: Variables = {}) {
    return startProgram(program, { args: line.split(" ").filter(Boolean), env, cwd: folder });
  }

  /** Runs a command that must succeed, and returns what it wrote. */
  async function run(line: string, env?: Variables): Promise<string> {
    await using process = start(line, env);
    assertEquals(await process.status, 0, `${line}: ${process.stderr()}`);
    return process.stdout().trimEnd() || process.stderr();
  }

  /** Serves, makes the documented calls unless told otherwise, and stops. */
  async function serve(
    line: string,
    env: Variables = {},
    use = (server: TestServer) => assertServes(server.url, server.key),
  ): Promise<void> {
    await using server = await waitUntilServing(start(line, env), env.BOARDCAST_API_KEY);
    await use(server);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
  }

  it("is the same wherever it is compiled, no larger than Deno and the command together", async () => {
    const again = join(folder, "boardcast");
    await compile(again);
    const bytes = await Deno.readFile(program);
    assert(Buffer.compare(bytes, await Deno.readFile(again)) === 0);
    assert(bytes.length < MAX_BYTES, `${bytes.length} bytes`);
    await bundle(folder);
    for (const path of await listFiles(folder, ".js")) {
      assertEquals(/^\/\/ \.\.\/.*/m.exec(await Deno.readTextFile(path)), null, path);
    }
  });

  it("serves the API, its description and its page from memory when nothing else is there", async () => {
    await serve("--storage memory --port 0", {}, async ({ url, key }) => {
      await assertServes(url, key);
      const description = await (await fetch(`${url}/openapi.json`)).json();
      assertMatch(description.openapi, /^3\.1/);
      assertMatch(await (await fetch(`${url}/docs`)).text(), /changelogs\/subscribe/);
    });
    assertEquals([...Deno.readDirSync(folder)], []);
  });

  it("serves what it kept in a folder when it is started again, with settings from variables", async () => {
    const env = { BOARDCAST_STORAGE: "file:./kept", BOARDCAST_PORT: "0", BOARDCAST_API_KEY: KEY };
    await serve("", env);
    await serve("", env, async ({ url }) => {
      const headers = { Authorization: `Bearer ${KEY}` };
      const response = await fetch(`${url}/api/v1/boards/ideas`, { headers });
      assertEquals([response.status, (await response.json()).name], [200, "Ideas"]);
    });
    assertMatch(await run("boards list --storage file:kept"), /^ideas +Ideas/m);
  });

  // The compiler may bring an older Deno along, in which reads and writes of one handle disturb
  // each other.
  it("compacts the journal, and loses nothing, while a large import goes on", async () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => `user${n}@example.com,,true\n`);
    const path = join(folder, "people.csv");
    await Deno.writeTextFile(path, `userEmail,userName,subscribed\n${rows.join("")}`);
    assertMatch(await run(`subscribers import ${path}`), /^[^\n]*200000 added, 0 changed[^\n]*\n$/);
    const names = [...Deno.readDirSync(join(folder, "data"))].map(({ name }) => name);
    assert(names.some((name) => name.startsWith("snapshot-")), `${names}`);
    assertEquals((await run("subscribers export")).split("\n").length, 200_001);
  });

  it("says what to mend, with status 2, when a flag is wrong", async () => {
    await using process = start("--port x");
    assertEquals(await process.status, 2);
    assertMatch(process.stderr(), /^boardcast: .*port[^\n]*\n$/);
  });

  it("runs commands on, and serves from, a database that variables of PostgreSQL name", async () => {
    // Never the server of somebody else, as the schema is the one that is used by default.
    const server = await startCluster();
    try {
      const { hostname: PGHOST, port: PGPORT, username: PGUSER, pathname } = new URL(server.url);
      const PGDATABASE = pathname.slice(1);
      const env = { PGHOST, PGPORT, PGUSER, PGDATABASE, BOARDCAST_STORAGE: "postgres://" };
      assertMatch(await run("migrate", env), /^Migrated the database/);
      await serve("--port 0", env);
      assertMatch(await run("keys create --name App", env), /^bc_\w{36}$/);
      assertMatch(await run("boards list", env), /^ideas +Ideas/m);
    } finally {
      await server.dispose();
    }
  });
});

async function compile(program: string): Promise<void> {
  const script = fileURLToPath(new URL("../../packaging/compile.ts", import.meta.url));
  await runToEnd(Deno.execPath(), ["run", "--allow-all", script, program]);
}
