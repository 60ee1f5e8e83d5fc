import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openStorage } from "../commands/_storage.ts";
import { createCommandLine } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { freePort } from "./_port.ts";
import { runByShell, startCommand } from "./_process.ts";

type Call = readonly [args: readonly string[], variables?: Readonly<Record<string, string>>];

const BAD_FLAGS: readonly Call[] = [
  [["--nonsense"]],
  [["serve", "extra"]],
  [["serv"]],
  [["keys", "creat", "--help"]],
  [["keys", "--storage", "file:x", "list"]],
  [["--port"]],
  [["--port", "-1"]],
  [["--port", "65536"]],
  [["--port", "1.5"]],
  [["--port", ""]],
  [["--host", ""]],
  [["--host", "not a host"]],
  [["--host", "127.0.0.1:80"]],
  [["--host", "256.1.1.1"]],
  [["--base-path", "x"]],
  [["--base-path", "/x/"]],
  [["--rate-limit", "0/s"]],
  [["--rate-limit", "100/h"]],
  [["--cors-origin", "*"]],
  [["--cors-origin", "https://*.a.example"]],
  [["--cors-origin", "https://a.example/path"]],
  [["--log", "xml"]],
  [["--log", "a\nb"]],
  [["--log", ""]],
  [["--listener", "bun"]],
  [["--listener", ""]],
  [["--listener", "node", "--max-connections", "0"]],
  [["--max-connections", "many"]],
];
const BAD_VARIABLES: readonly Call[] = [
  [[], { BOARDCAST_PORT: "http" }],
  [[], { BOARDCAST_PORT: "tcp://10.96.0.12:8000" }],
  [[], { BOARDCAST_HOST: "a b" }],
  [[], { BOARDCAST_HOST: "a..b" }],
  [[], { BOARDCAST_HOST: ".a" }],
  [[], { BOARDCAST_BASE_PATH: "x" }],
  [[], { BOARDCAST_RATE_LIMIT: "fast" }],
  [[], { BOARDCAST_CORS_ORIGINS: "https://a.example,b" }],
  [[], { BOARDCAST_LOG: "xml" }],
  [[], { BOARDCAST_STORAGE: "redis://localhost" }],
  [[], { BOARDCAST_STORAGE: "file:./d\n" }],
  [[], { BOARDCAST_API_KEY: "tooshort" }],
  [[], { BOARDCAST_API_KEY: `bc_${"0".repeat(36)}` }],
];
const BAD_STORAGES: readonly Call[] = [
  [["--storage", ""]],
  [["--storage", "nonsense"]],
  [["--storage", "file:./d "]],
  [["--storage", " file:./d"]],
  [["--storage", "file: ./d"]],
  [["--storage", 'file:"./d"']],
  [["--storage", "s3://user:hunter22hunter22@host/x"]],
  [["--storage", "postgres://user:hunter22@127.0.0.1:1/x?sslmode=always"]],
  [["--storage", "postgres:/user:hunter22@host/x"]],
  [["--storage", "Postgres://user:a/hunter22@host/x"]],
  [["--storage", "mysql://user:a@hunter22@host/x"]],
  [["--storage", "host=127.0.0.1 user=ann password=hunter22"]],
  [["--storage", '"postgres://user:hunter22@host/x"']],
  [["--storage", "//user:hunter22@host/x"]],
  [["--storage", "/postgres://user:hunter22@host/x"]],
  [["--storage", "./postgres://host/x?user=ann&password=hunter22"]],
  [["--storage", "x:/user:hunter22@host/x"]],
  [["--storage", "file:postgres://user:hunter22@host/x"]],
  [["--storage", "file://user:hunter22@host/x"]],
  [["--storage", "file:~/postgres://user:hunter22@host/x"]],
  [["--storage", "file:~/postgres://host/x?user=ann&password=hunter22"]],
  [["--storage", "file:~/postgres://user:a hunter22@host/x"]],
  [["--storage", "file://host/x?password=hunter22"]],
  [["--storage", "file://postgres:/user:hunter22@host/x"]],
  [["--storage", "/host/db?user=ann&PASSWORD=hunter22"]],
];
const MISPLACED_URL = "postgres://user:hunter22@host/x";
const MISPLACED: readonly Call[] = [
  [[MISPLACED_URL]],
  [["serve", MISPLACED_URL]],
  [["keys", MISPLACED_URL]],
  [["keys", "list", 'postgres://user:a"hunter22@host/x']],
  [["keys", "list", "postgres://user:a hunter22@host/x"]],
  [["keys", "list", "postgres://host/x?user=ann&password=hunter22"]],
  [["keys", "list", "postgres://host/x?USER=ann&PASSWORD=hunter22"]],
  [[`--${MISPLACED_URL}`]],
  [["--host", MISPLACED_URL]],
  [["--port", MISPLACED_URL]],
  [["--cors-origin", MISPLACED_URL]],
  [[], { BOARDCAST_HOST: MISPLACED_URL }],
  [["keys", "create", "--name", "a", "--scope", MISPLACED_URL]],
];

/** Runs some calls at a time, so that many take little longer than one. */
async function expectUsageErrors(calls: readonly Call[]): Promise<void> {
  const rest = [...calls];
  async function work(): Promise<void> {
    for (let call = rest.shift(); call !== undefined; call = rest.shift()) {
      const [args, variables] = call;
      const storage = args.includes("--storage") || variables?.BOARDCAST_STORAGE
        ? []
        : ["--storage", "memory"];
      const isServe = args.length === 0 || args[0].startsWith("-");
      await using process = startCommand([...args, ...(isServe ? storage : [])], variables);
      const status = await process.status;
      const said = `${JSON.stringify(call)}: ${process.stderr()}`;
      assertEquals([status, process.stdout()], [2, ""], said);
      assertMatch(process.stderr(), /^boardcast: [^\n]{10,}\n$/, said);
      assert(!process.stderr().includes("hunter22"), said);
      for (const name of Object.keys(variables ?? {})) {
        assert(process.stderr().startsWith(`boardcast: ${name} `), said);
      }
      const secret = variables?.BOARDCAST_API_KEY;
      assert(secret === undefined || !process.stderr().includes(secret), said);
    }
  }
  await Promise.all([work(), work(), work()]);
}

describe("usage", () => {
  it("the process ends with 2 and one line when a flag or command is bad", async () => {
    await expectUsageErrors(BAD_FLAGS);
  });

  it("the process ends with 2 and one line, without secrets, when a storage is bad", async () => {
    await expectUsageErrors([...BAD_STORAGES, ...MISPLACED]);
  });

  it("a path without its kind is shown with it", async () => {
    const { run } = createCommandLine({ openStorage });
    for (const path of ["/srv/data", "./data", "../data", "c:/data", "C:\\data", "\\\\srv\\data"]) {
      const { status, err } = await run("boards", "list", "--storage", path);
      assertEquals(status, 2);
      assertStringIncludes(err, `write file:${path} for a folder\n`);
    }
  });

  for (
    const [url, said] of [
      ["file:", '"file…" is not memory'],
      ["xfile:./d", '"xfile…" is not memory'],
      ["my-data.d+1", '"my-data.d+1" is not memory'],
      ["//srv/data", '"…" is not memory'],
      ["/postgres://host/hunter22", '"…" is not memory'],
      ["postgres:/user:hunter22@host/x", "write postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
      ["postgres://a%b/x", "write postgres://USER:PASSWORD@HOST:PORT/DATABASE"],
      [" file:./d", "has white space or quotes"],
      ["file:'./d'", "has white space or quotes"],
      ["file://host/x?PASSWORD=hunter22", "stands before a URL"],
    ]
  ) {
    it(`a storage is told from what it can't be: ${url}`, async () => {
      const { run } = createCommandLine({ openStorage });
      const { status, err } = await run("boards", "list", "--storage", url);
      assertEquals([status, err.includes("hunter22")], [2, false]);
      assertStringIncludes(err, said);
    });
  }

  it("a folder may have signs in its name that stand for something at its start", () =>
    withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/it's //my "data"@home/~`];
      const { run } = createCommandLine({ openStorage });
      assertEquals((await run("boards", "create", "a", "--name", "A", ...storage)).status, 0);
    }));

  it("what is wrong with a folder that can't be listed is told by opening it", () =>
    withFolder(async (folder) => {
      const { run } = createCommandLine({ openStorage });
      const { readDir } = Deno;
      Deno.readDir = () => {
        throw new Deno.errors.PermissionDenied();
      };
      try {
        const { err } = await run("copy", "--from", `file:${folder}`, "--storage", "file:other");
        assertStringIncludes(err, "--from holds nothing");
      } finally {
        Deno.readDir = readDir;
      }
    }));

  it("a database may be named by either scheme of PostgreSQL", async () => {
    const { run } = createCommandLine({ openStorage });
    for (const scheme of ["postgres", "postgresql"]) {
      const url = `${scheme}://127.0.0.1:${freePort()}/x`;
      const { status, err } = await run("boards", "list", "--storage", url);
      assertEquals(status, 1);
      assertStringIncludes(err, "Cannot reach the database");
    }
  });

  it("the process ends with 2 and a line that names the variable when one is bad", async () => {
    await expectUsageErrors(BAD_VARIABLES);
  });

  it("a port that Kubernetes has set is told from one that was given", async () => {
    const { err } = await createCommandLine({ environment: BAD_VARIABLES[1][1] }).run();
    assertStringIncludes(err, "set enableServiceLinks: false, or give --port\n");
    const given = await createCommandLine().run("--port", "http://localhost:8000");
    assertMatch(given.err, /to 65535\n$/);
  });

  it("the process ends with 2 and names a variable that is not UTF-8, but not its value", async () => {
    for (const name of ["BOARDCAST_PORT", "BOARDCAST_API_KEY", "BOARDCAST_STORAGE", "PGSSLMODE"]) {
      // A variable of bytes can't be given by Deno.Command.
      const script = `export ${name}="$(printf 'hunter22\\377')"; boardcast`;
      const { status, err } = await runByShell(script, [], {
        BOARDCAST_STORAGE: "postgres://127.0.0.1:1/x",
      });
      assertEquals([status, err], [2, `boardcast: ${name} is not valid UTF-8\n`]);
    }
  });

  it("the process ends with 2 when a variable of the driver is not UTF-8", async () => {
    const { status, err } = await runByShell(`export PGUSER="$(printf '\\377')"; boardcast`, [], {
      BOARDCAST_STORAGE: "postgres://127.0.0.1:1/x",
    });
    const names = "PGUSER, PGPASSWORD or PGDATABASE";
    assertEquals([status, err], [2, `boardcast: ${names} is not valid UTF-8\n`]);
  });

  it("help goes to standard output with status 0", async () => {
    await using all = startCommand(["--help"]);
    await using one = startCommand(["serve", "--help"]);
    assertEquals([await all.status, await one.status], [0, 0]);
    assertMatch(all.stdout(), /^Usage: boardcast /);
    for (
      const flag of ["storage", "host", "port", "base-path", "rate-limit", "cors-origin", "log"]
    ) {
      assertMatch(one.stdout(), new RegExp(`^ {2}--${flag} `, "m"));
    }
    assertEquals(all.stderr() + one.stderr(), "");
  });
});
