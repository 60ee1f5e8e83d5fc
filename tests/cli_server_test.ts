import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { openStorage } from "../commands/_storage.ts";
import { createHandler, type Handler, openMemoryStorage } from "../mod.ts";
import { createCommandLine, withFile } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { HEADER, stored } from "./_import.ts";
import { runProcess, startProcess } from "./_process.ts";
import { OPERATOR_KEY } from "./_service.ts";

/** Serves a handler while a function runs. */
async function serving(
  handler: (request: Request) => Response | Promise<Response>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  try {
    await use(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

const withKey = createCommandLine({ environment: { BOARDCAST_KEY: OPERATOR_KEY } });

describe("a command with --server", () => {
  it("does what it does on storage, under a base path too", async () => {
    const storage = openMemoryStorage();
    const basePath = "/feedback";
    const handler: Handler = createHandler({ storage, basePath, operatorKey: OPERATOR_KEY });
    await serving(handler, async (origin) => {
      const server = ["--server", `${origin}${basePath}/`];
      const run = async (...args: string[]) => {
        const result = await withKey.run(...args, ...server);
        assertEquals(result.status, 0, result.err);
        return result;
      };
      await run("boards", "create", "ideas", "--name", "Ideas");
      await run("boards", "update", "ideas", "--url", "https://a.b/");
      assertEquals(JSON.parse((await run("boards", "list", "--json")).out).url, "https://a.b/");
      const { out: secret } = await run("keys", "create", "--name", "CI", "--scope", "*");
      await run("subscribers", "subscribe", "ann@x.org");
      const list = `${HEADER}bob@x.org,,true\n`;
      await withFile(list, (path) => run("subscribers", "import", path));
      assertEquals((await run("subscribers", "export")).err, "Exported 2 subscribers.\n");
      assertEquals(await stored(storage), [
        "ann@x.org null true api",
        "bob@x.org null true import",
      ]);
      const environment = { BOARDCAST_KEY: secret.trim(), BOARDCAST_SERVER: server[1] };
      const shown = await createCommandLine({ environment }).run("boards", "get", "ideas");
      assertEquals(shown.status, 1, "--storage wins over the variable");
      await run("keys", "list");
    });
  });

  it("imports a list of which every row is refused, however long", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    await serving(handler, async (url) => {
      const list = HEADER + "bad,,true\n".repeat(20_000);
      const { status, out } = await withFile(
        list,
        (path) => withKey.run("subscribers", "import", path, "--json", "--server", url),
      );
      const lines = out.trimEnd().split("\n");
      assertEquals([status, lines.length], [3, 20_001]);
      assertEquals(JSON.parse(lines[20_000]).refused, 20_000);
    });
  });

  it("says what is wrong in one line", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    await serving(handler, async (url) => {
      const get = ["boards", "get", "a", "--server", url];
      const wrong = createCommandLine({ environment: { BOARDCAST_KEY: "wrong" } });
      const results = [
        [
          await wrong.run(...get),
          1,
          "API key is unknown, expired or revoked (it is in BOARDCAST_KEY)",
        ],
        [await withKey.run(...get), 1, "There is no board with this boardId"],
        [await createCommandLine().run(...get), 2, "--server needs an API key in BOARDCAST_KEY"],
        [
          await withKey.run(...get, "--storage", "file:x"),
          2,
          "--storage and --server exclude each",
        ],
        [
          await withKey.run("boards", "list", "--server", `${url}/x`),
          1,
          "There is nothing at this",
        ],
        [
          await withKey.run("boards", "list", "--server", "x"),
          2,
          "--server is not a URL like https",
        ],
      ] as const;
      for (const [{ status, out, err }, expected, message] of results) {
        assertEquals([status, out, err.split("\n").length], [expected, "", 2], err);
        assertStringIncludes(err, message);
      }
    });
  });

  it("names the server that can't be reached, or is none of Boardcast", async () => {
    let url = "";
    await serving(() => new Response("<html>", { status: 502 }), async (other) => {
      url = other;
      const { status, err } = await withKey.run("boards", "list", "--server", url);
      assertEquals(status, 1);
      assertStringIncludes(err, `${url} answered 502, unlike Boardcast: is it the right address?`);
    });
    const { status, err } = await withKey.run("boards", "list", "--server", url);
    assertEquals(status, 1);
    assertStringIncludes(err, `cannot reach ${url}: `);
  });

  it("sends its key to the server that is named, and to no other", async () => {
    const seen: (string | null)[] = [];
    await serving(({ headers }) => {
      seen.push(headers.get("authorization"));
      return new Response();
    }, async (other) => {
      await serving(() => Response.redirect(other), async (url) => {
        const { status, err } = await withKey.run("boards", "list", "--server", url);
        assertEquals(status, 1);
        assertStringIncludes(err, `${url} answered 302`);
      });
    });
    assertEquals(seen, []);
  });

  it("says that a response broke off", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answering = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_000));
      const response = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nuserEmail,userName\n";
      await connection.write(new TextEncoder().encode(response));
      connection.close();
    });
    const url = `http://127.0.0.1:${listener.addr.port}`;
    const { status, err } = await withKey.run("subscribers", "export", "--server", url);
    await answering;
    assertEquals(status, 1);
    assertStringIncludes(err, "boardcast: the response broke off: ");
  });
});

describe("a command on a folder that a server holds", () => {
  it("asks that server, with the key in BOARDCAST_KEY", () =>
    withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      await using server = startProcess(["serve", "--port", "0", "--base-path", "/x", ...storage]);
      const [, secret] = await server.waitFor("stdout", /^ {2}(bc_\w{36})$/m);
      await server.waitFor("stderr", /listening on/);
      const run = (args: string[], environment?: Record<string, string>) =>
        runProcess([...args, ...storage], { environment });

      const locked = await run(["boards", "list"]);
      assertEquals([locked.status, locked.out], [1, ""]);
      assertStringIncludes(
        locked.err,
        "/x holds the data folder: put an API key for it into BOARDCAST",
      );
      const environment = { BOARDCAST_KEY: secret };
      const created = await run(["boards", "create", "ideas", "--name", "Ideas"], environment);
      assertEquals(created, { status: 0, out: "", err: "Created the board ideas.\n" });
      const listed = await run(["boards", "list", "--json"], environment);
      assertEquals(JSON.parse(listed.out).boardId, "ideas");

      server.signal("SIGTERM");
      assertEquals(await server.status, 0);
      assertEquals(JSON.parse((await run(["boards", "list", "--json"])).out).boardId, "ideas");
    }));

  it("sends its key nowhere when that server runs on another machine", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(`${folder}/data`, { host: "far" });
      let requests = 0;
      await serving(() => new Response(`${++requests}`), async (url) => {
        await storage.announce(url);
        const environment = { BOARDCAST_KEY: OPERATOR_KEY };
        const { status, err } = await createCommandLine({ environment, openStorage })
          .run("boards", "list", "--storage", `file:${folder}/data`);
        assertEquals([status, requests], [1, 0]);
        assertStringIncludes(err, "far");
      });
      await storage.close();
    }));
});
