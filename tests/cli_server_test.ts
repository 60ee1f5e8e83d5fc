import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { openStorage } from "../commands/_storage.ts";
import { createHandler, openMemoryStorage } from "../mod.ts";
import { assertFailed, createCommandLine, withFile } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { HEADER, stored } from "./_import.ts";
import { freePort } from "./_port.ts";
import { startProcess, waitUntilServing } from "./_process.ts";
import { forEachRow } from "./_rows.ts";
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

const LIST = ["boards", "list"];
const environment = { BOARDCAST_KEY: OPERATOR_KEY };
const withKey = createCommandLine({ environment });

describe("a command with --server", () => {
  it("does what it does on storage, under a base path too", async () => {
    const storage = openMemoryStorage();
    const basePath = "/feedback";
    const handler = createHandler({ storage, basePath, operatorKey: OPERATOR_KEY });
    await serving(handler, async (origin) => {
      const server = ["--server", `${origin}${basePath}/`];
      await withKey.succeed("boards create ideas --name Ideas", ...server);
      await withKey.succeed("boards update ideas --url https://a.b/", ...server);
      const [{ url }] = await withKey.json("boards list", ...server);
      assertEquals(url, "https://a.b/");
      await withKey.succeed("subscribers subscribe ann@x.org", ...server);
      const list = `${HEADER}bob@x.org,,true\n`;
      await withFile(list, (path) => withKey.succeed(`subscribers import ${path}`, ...server));
      const { err } = await withKey.succeed("subscribers export", ...server);
      assertEquals(err, "Exported 2 subscribers.\n");
      const rows = ["ann@x.org null true api", "bob@x.org null true import"];
      assertEquals(await stored(storage), rows);
    });
  });

  it("is one with BOARDCAST_SERVER, too, unless --storage is given", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    await serving(handler, async (url) => {
      const variables = { ...environment, BOARDCAST_SERVER: url, BOARDCAST_STORAGE: "file:x" };
      const { succeed, run } = createCommandLine({ environment: variables });
      await succeed("boards create a --name A");
      assertEquals((await run("boards", "get", "a", "--storage", "file:x")).status, 1);
    });
  });

  it("imports a list of which every row is refused, however long", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    await serving(handler, async (url) => {
      const { status, out } = await withFile(
        HEADER + "bad,,true\n".repeat(20_000),
        (path) => withKey.run("subscribers", "import", path, "--json", "--server", url),
      );
      const lines = out.trimEnd().split("\n");
      assertEquals([status, lines.length], [3, 20_001]);
      assertEquals(JSON.parse(lines[20_000]).refused, 20_000);
    });
  });

  it("says what is wrong in one line", async () => {
    const handler = createHandler({ storage: openMemoryStorage(), operatorKey: OPERATOR_KEY });
    await serving(
      handler,
      (url) =>
        serving(() => new Response("<html>", { status: 502 }), async (other) => {
          const wrong = { BOARDCAST_KEY: "wrong" };
          const nobody = `http://127.0.0.1:${freePort()}`;
          const rows = [
            [
              wrong,
              ["--server", url],
              1,
              "is unknown, expired or revoked (it is in BOARDCAST_KEY)",
            ],
            [environment, ["--server", `${url}/x`], 1, "There is nothing at this"],
            [{}, ["--server", url], 2, "--server needs an API key in BOARDCAST_KEY"],
            [
              environment,
              ["--server", url, "--storage", "file:x"],
              2,
              "--storage and --server excl",
            ],
            [environment, ["--server", "x"], 2, "--server is not a URL like https"],
            [environment, ["--server", other], 1, `${other} answered 502, unlike Boardcast: is it`],
            [environment, ["--server", nobody], 1, `cannot reach ${nobody}: `],
          ] as const;
          await forEachRow(rows, async ([environment, flags, status, message]) => {
            const { run } = createCommandLine({ environment });
            assertFailed(await run(...LIST, ...flags), status, message);
          });
        }),
    );
  });

  it("sends its key to the server that is named, and to no other", async () => {
    const seen: unknown[] = [];
    const spy = ({ headers }: Request) => {
      seen.push(headers.get("authorization"));
      return new Response();
    };
    await serving(spy, (other) =>
      serving(() => Response.redirect(other), async (url) => {
        assertFailed(await withKey.run(...LIST, "--server", url), 1, `${url} answered 302`);
      }));
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
  it("calls that server, with the key in BOARDCAST_KEY", () =>
    withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      const args = ["serve", "--port", "0", "--base-path", "/x", ...storage];
      await using server = await waitUntilServing(startProcess(args));
      const keyless = createCommandLine({ openStorage });
      const message = "/x holds the data folder: put an API key for it into BOARDCAST_KEY";
      assertFailed(await keyless.run(...LIST, ...storage), 1, message);
      const command = createCommandLine({
        openStorage,
        environment: { BOARDCAST_KEY: server.key },
      });
      await command.succeed("boards create ideas --name Ideas", ...storage);
      server.signal("SIGTERM");
      assertEquals(await server.status, 0);
      const [{ boardId }] = await keyless.json("boards list", ...storage);
      assertEquals(boardId, "ideas");
    }));

  it("sends its key nowhere when that server runs on another machine", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(`${folder}/data`, { host: "far" });
      let requests = 0;
      await serving(() => new Response(`${++requests}`), async (url) => {
        await storage.announce(url);
        const openStorage = () => Promise.reject(new Error("it is held"));
        const { run } = createCommandLine({ environment, openStorage });
        assertFailed(await run(...LIST, "--storage", `file:${folder}/data`), 1, "it is held");
      });
      assertEquals(requests, 0);
      await storage.close();
    }));
});
