// Compiles the command, and runs the program as on an empty machine: without variables and HOME, in
// an empty folder.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { after, before, beforeEach, describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { cpSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startCluster } from "../../_support/postgres.ts";
import { run as runToEnd, startProgram, waitUntilServing } from "../../_support/process.ts";
import { assertServes } from "../../_support/serving.ts";

// A larger program would contain more than Deno and the command.
const MAX_BYTES = 150 << 20;
const KEY = "a-key-of-24-characters-or-more";
const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const COMPILE = join(ROOT, "packaging/compile.ts");

type Variables = Readonly<Record<string, string>>;

describe("compiled command", () => {
  let root: string;
  let program: string;
  let folder: string;

  before(async () => {
    root = await Deno.makeTempDir({ prefix: "boardcast-compiled-" });
    program = await compile(root);
  });
  after(() => Deno.remove(root, { recursive: true }));
  beforeEach(async () => {
    folder = await Deno.makeTempDir({ dir: root });
  });

  async function compile(folder: string): Promise<string> {
    const program = join(folder, "boardcast");
    await runToEnd(Deno.execPath(), ["run", "--allow-all", COMPILE, program]);
    return program;
  }

  function start(line: string, env: Variables = {}) {
    return startProgram(program, { args: line.split(" ").filter(Boolean), env, cwd: folder });
  }

  /** Runs a command that must succeed, and returns what it wrote. */
  async function run(line: string, env?: Variables): Promise<string> {
    await using process = start(line, env);
    assertEquals(await process.status, 0, `${line}: ${process.stderr()}`);
    return process.stdout().trimEnd() || process.stderr();
  }

  /** Starts a server, makes the documented calls, fetches the pages, and stops the server. */
  async function serve(line: string, env: Variables = {}): Promise<void> {
    await using server = await waitUntilServing(start(line, env), env.BOARDCAST_API_KEY);
    await assertServes(server.url, server.key);
    assertMatch(await (await fetch(`${server.url}/openapi.json`)).text(), /"openapi":"3\.1/);
    assertMatch(await (await fetch(`${server.url}/docs`)).text(), /changelogs\/subscribe/);
    assertMatch(await (await fetch(`${server.url}/studio/main.js`)).text(), /PLACES/);
    server.signal("SIGTERM");
    assertEquals(await server.status, 0);
  }

  it("is the same wherever it is compiled, no larger than Deno and the command together", async () => {
    const bytes = await Deno.readFile(program);
    assert(Buffer.compare(bytes, await Deno.readFile(await compile(folder))) === 0);
    assert(bytes.length < MAX_BYTES, `${bytes.length} bytes`);
  });

  it("is compiled from nothing but the files that the container's build copies", async () => {
    const text = await Deno.readTextFile(join(ROOT, "packaging/Containerfile"));
    const build = text.slice(0, text.indexOf("\nRUN "));
    for (const [, words] of build.matchAll(/^COPY (.*)$/gm)) {
      const names = words.split(" ");
      const target = join(folder, names.pop()!);
      const isFolder = /\/$/.test(words);
      for (const name of names) {
        cpSync(join(ROOT, name), isFolder ? join(target, basename(name)) : target, {
          recursive: true,
        });
      }
    }
    const args = ["run", "--allow-all", "packaging/compile.ts", join(folder, "boardcast")];
    await runToEnd(Deno.execPath(), args, { cwd: folder });
    await using process = startProgram(join(folder, "boardcast"), { args: ["--help"] });
    assertEquals(await process.status, 0, process.stderr());
  });

  it("serves from memory when nothing else is there", async () => {
    await serve("--storage memory --port 0");
    assertEquals([...Deno.readDirSync(folder)], []);
  });

  it("keeps what it was told in a folder, with settings from variables", async () => {
    const env = { BOARDCAST_STORAGE: "file:./kept", BOARDCAST_PORT: "0", BOARDCAST_API_KEY: KEY };
    await serve("", env);
    assertMatch(await run("call listBoards --storage file:kept"), /"boardId":"ideas"/);
  });

  it("keeps what it was told in a file of Deno KV, and takes no module for storage", async () => {
    await serve("--port 0", { BOARDCAST_STORAGE: "kv:kept.db" });
    assertMatch(await run("call listBoards --storage kv:kept.db"), /"boardId":"ideas"/);
    await using refused = start("call listBoards --storage module:./storage.ts");
    assertEquals(await refused.status, 2);
    assertMatch(refused.stderr(), /works where Deno runs the sources/);
  });

  // The program may contain an older Deno, in which reads and writes of one handle disturb each
  // other.
  it("compacts the journal, and loses nothing, while a large import goes on", async () => {
    const rows = Array.from({ length: 200_000 }, (_, n) => `user${n}@example.com,,true\n`);
    const path = join(folder, "people.csv");
    await Deno.writeTextFile(path, `userEmail,userName,subscribed\n${rows.join("")}`);
    assertMatch(await run(`subscribers import ${path}`), /^[^\n]*200000 added, 0 changed[^\n]*\n$/);
    const names = [...Deno.readDirSync(join(folder, "data"))].map(({ name }) => name);
    assert(names.some((name) => name.startsWith("snapshot-")), `${names}`);
    assertEquals((await run("subscribers export")).split("\n").length, 200_001);
  });

  it("runs commands on, and serves from, a database that variables of PostgreSQL name", async () => {
    // The test starts its own server, because it uses the default schema.
    const server = await startCluster();
    try {
      const { hostname: PGHOST, port: PGPORT, username: PGUSER, pathname } = new URL(server.url);
      const PGDATABASE = pathname.slice(1);
      const env = { PGHOST, PGPORT, PGUSER, PGDATABASE, BOARDCAST_STORAGE: "postgres://" };
      assertMatch(await run("migrate", env), /^Migrated the database/);
      await serve("--port 0", env);
      assertMatch(await run("call listBoards", env), /"boardId":"ideas"/);
    } finally {
      await server.dispose();
    }
  });
});
