import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../../adapters/file.ts";
import { openStorage } from "../../commands/storage/storage.ts";
import { createHandler, openMemoryStorage } from "../../mod.ts";
import { assertFailed, createCommandLine, withFile } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { HEADER, stored } from "../_support/import.ts";
import { CLOSED_PORT } from "../_support/port.ts";
import { startProcess, waitUntilServing } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";
import { OPERATOR_KEY } from "../_support/service.ts";

/** A server in this process. */
interface Served {
  readonly url: string;
  close(): Promise<void>;
}

function serve(handler: (request: Request) => Response | Promise<Response>): Served {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  return { url: `http://127.0.0.1:${server.addr.port}`, close: () => server.shutdown() };
}

const environment = { BOARDCAST_KEY: OPERATOR_KEY };
const { run, succeed, json } = createCommandLine({ environment });

describe("a command with --server", () => {
  const storage = openMemoryStorage();
  const seen: (string | null)[] = [];
  const publicUrl = "https://example.com/feedback";
  const handler = createHandler({
    storage,
    publicUrl,
    basePath: "/feedback",
    operatorKey: OPERATOR_KEY,
  });
  const servers: readonly Served[] = [
    serve(handler),
    serve(({ headers }) => {
      seen.push(headers.get("authorization"));
      return new Response("<html>", { status: 502 });
    }),
    serve(() => Response.redirect(servers[1].url)),
  ];
  const [url, foreign, redirecting] = servers.map(({ url }) => url);
  const server = `--server ${url}/feedback`;
  after(() => Promise.all(servers.map(({ close }) => close())));

  it("does the same as on storage, under a base path too", async () => {
    await succeed(`call createBoard boardId=ideas name=Ideas ${server}/`);
    await succeed(`call updateBoard boardId=ideas url=https://a.b/ ${server}`);
    assertEquals((await json(`call listBoards ${server}`))[0].url, "https://a.b/");
    await succeed(`call subscribe userEmail=ann@x.org subscribe=true ${server}`);
    const list = `${HEADER}bob@x.org,,true\n`;
    await withFile(list, (path) => succeed(`subscribers import ${path} ${server}`));
    const { err } = await succeed(`subscribers export ${server}`);
    assertEquals(err, "Exported 2 subscribers.\n");
    const rows = ["ann@x.org null true api", "bob@x.org null true import"];
    assertEquals(await stored(storage), rows);
  });

  it("prints the link to a draft", async () => {
    await succeed(`call createEntry entryId=dark title=T body=B ${server}`);
    const [{ url: link }] = await json(`call createPreviewLink entryId=dark ${server}`);
    assertMatch(`${link}`, /^https:\/\/example\.com\/feedback\/preview\/[\w-]+$/);
  });

  it("is one with BOARDCAST_SERVER, too, unless --storage is given", async () => {
    const places = { BOARDCAST_SERVER: `${url}/feedback`, BOARDCAST_STORAGE: "file:x" };
    const command = createCommandLine({ environment: { ...environment, ...places } });
    await command.succeed("call createBoard boardId=named name=A");
    assertEquals((await command.run("call getBoard boardId=named --storage file:x")).status, 1);
  });

  it("imports a list of which every row is refused, however long, and prints the answer", () =>
    withFile(HEADER + "bad,,true\n".repeat(20_000), async (path) => {
      const { status, out, err } = await run(`subscribers import ${path} --json ${server}`);
      const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
      assertEquals([status, err, lines.length], [3, "", 20_001]);
      assertEquals([lines[0].line, lines[20_000].refused], [2, 20_000]);
    }));

  it("says what is wrong in one line, and sends its key to no server that another names", async () => {
    const nobody = `http://127.0.0.1:${CLOSED_PORT}`;
    await forEachRow([
      [`${url}/feedback`, { BOARDCAST_KEY: "wrong" }, 1, "revoked (it is in BOARDCAST_K"],
      [url, {}, 2, "--server needs an API key in BOARDCAST_KEY"],
      [`${url}/x`, environment, 1, "There is nothing at this"],
      [`${url} --storage file:x`, environment, 2, "--storage and --server exclude each other"],
      ["x", environment, 2, "--server is not a URL like https"],
      [nobody, environment, 1, `cannot reach ${nobody}: `],
      [redirecting, environment, 1, `${redirecting} answered 302`],
    ], async ([server, environment, status, message]) => {
      const result = await createCommandLine({ environment }).run(
        `call listBoards --server ${server}`,
      );
      assertFailed(result, status, message);
    });
    assertEquals(seen, []);
    const message = `${foreign} answered 502, unlike Boardcast: is it the right`;
    assertFailed(await run(`call listBoards --server ${foreign}`), 1, message);
  });

  it("fails and prints nothing of a page that answers in place of the API", () =>
    withFile(`${HEADER}ann@x.org,,true\n`, async (path) => {
      const headers = { "content-type": "text/html; charset=utf-8" };
      const page = serve(() => new Response("<html>", { headers }));
      try {
        await forEachRow([
          "subscribers export",
          "subscribers export --format ndjson",
          "entries export",
          "posts export --board ideas",
          "posts export --board ideas --format csv",
          `subscribers import ${path}`,
          `posts import ${path} --board ideas`,
          `entries import ${path}`,
          `images add ${path}`,
          "keys create --name A",
          "keys list",
          "status",
          "call listBoards",
        ], async (line) => {
          const result = await run(`${line} --server ${page.url}`);
          const message =
            `${page.url} answered 200 with text/html; charset=utf-8, unlike Boardcast`;
          assertFailed(result, 1, message);
          assertEquals(result.out, "");
        });
      } finally {
        await page.close();
      }
    }));

  it("prints nothing that a terminal obeys of what a server says", async () => {
    const escape = "\x1b[31mred\x9b\u202e";
    const problem = { status: 404, code: "not_found", detail: escape };
    const server = serve(({ url }) =>
      url.includes("import")
        ? new Response(`${JSON.stringify({ line: 1, detail: escape, code: "required" })}\n`, {
          headers: { "content-type": "application/x-ndjson" },
        })
        : new Response(JSON.stringify(problem), {
          status: 404,
          headers: { "content-type": "application/problem+json" },
        })
    );
    try {
      const result = await run(`status --server ${server.url}`);
      assertEquals(result.err, "boardcast: [31mred\n");
      const { err } = await withFile(
        HEADER,
        (path) => run(`subscribers import ${path} --server ${server.url}`),
      );
      assertStringIncludes(err, "line 1: [31mred\n");
    } finally {
      await server.close();
    }
  });

  it("ends an import with 1 when its key ends meanwhile, and says what to do", () =>
    withFile(`${HEADER}ann@x.org,,true\nbob@x.org,,true\n`, async (path) => {
      const lines = [
        { line: 3, field: null, code: "invalid_token", detail: "The API key ended", row: null },
        { added: 1, changed: 0, unchanged: 0, keptUnsubscribed: 0, refused: 0, unusedColumns: [] },
      ];
      const server = serve(() => {
        const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
        return new Response(body, { headers: { "content-type": "application/x-ndjson" } });
      });
      try {
        const { status, err } = await run(`subscribers import ${path} --server ${server.url}`);
        const end = "boardcast: The API key ended; run it again to complete it\n";
        assertEquals([status, err.endsWith(end), err.includes("1 added")], [1, true, true], err);
        lines.length = 0;
        const cut = await run(`subscribers import ${path} --server ${server.url}`);
        assertFailed(cut, 1, "the report on the import broke off; run it again to complete it");
      } finally {
        await server.close();
      }
    }));

  it("reads its key from a file, and refuses a key beside it", () =>
    withFile(`${OPERATOR_KEY}\n`, async (path) => {
      const files = { BOARDCAST_KEY_FILE: path };
      await createCommandLine({ environment: files }).succeed(`call listBoards ${server}`);
      const rows: (readonly [Readonly<Record<string, string>>, string])[] = [
        [{ ...files, ...environment }, "BOARDCAST_KEY and BOARDCAST_KEY_FILE exclude each other"],
        [{ BOARDCAST_KEY_FILE: `${path}.none` }, "BOARDCAST_KEY_FILE: cannot read"],
      ];
      await forEachRow(rows, async ([environment, message]) => {
        const result = await createCommandLine({ environment }).run(`call listBoards ${server}`);
        assertFailed(result, 2, message);
        assertEquals(result.err.includes(OPERATOR_KEY), false);
      });
    }));

  it("refuses a flag that the server decides for itself", () =>
    withFile("## 1.0.0 - 2026-01-01\n", (path) =>
      forEachRow([
        [`entries import ${path} --time-zone Europe/Berlin`, "--time-zone is for storage"],
        ["call listBoards --time-zone Europe/Berlin", "--time-zone is for storage"],
        ["call listBoards --public-url https://a.example", "--public-url is for storage"],
      ], async ([line, message]) => assertFailed(await run(`${line} ${server}`), 2, message))));

  it("says that a response broke off", async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const answering = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_000));
      const response = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nuserEmail,userName\n";
      await connection.write(new TextEncoder().encode(response));
      connection.close();
    });
    const server = `http://127.0.0.1:${listener.addr.port}`;
    const { status, err } = await run(`subscribers export --server ${server}`);
    await answering;
    assertEquals(status, 1);
    assertStringIncludes(err, "boardcast: the response broke off: ");
  });
});

describe("a command on a folder that a server holds", () => {
  it("calls that server, with the key in BOARDCAST_KEY", () =>
    withFolder(async (folder) => {
      const storage = `--storage file:${folder}/data`;
      const args = `serve --port 0 --base-path /x ${storage}`.split(" ");
      await using server = await waitUntilServing(startProcess(args));
      const keyless = createCommandLine({ openStorage });
      const message = "/x holds the data folder: put an API key for it into BOARDCAST_KEY";
      assertFailed(await keyless.run(`call listBoards ${storage}`), 1, message);
      const command = createCommandLine({
        openStorage,
        environment: { BOARDCAST_KEY: server.key },
      });
      await command.succeed(`call createBoard boardId=ideas name=Ideas ${storage}`);
      server.signal("SIGTERM");
      assertEquals(await server.status, 0);
      assertEquals((await keyless.json(`call listBoards ${storage}`))[0].boardId, "ideas");
    }));

  it("sends its key nowhere when that server runs on another machine", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(`${folder}/data`, { host: "far" });
      let requests = 0;
      const server = serve(() => new Response(`${++requests}`));
      await storage.announce(server.url);
      const openStorage = () => Promise.reject(new Error("it is held"));
      const command = createCommandLine({ environment, openStorage });
      assertFailed(
        await command.run(`call listBoards --storage file:${folder}/data`),
        1,
        "it is held",
      );
      assertEquals(requests, 0);
      await server.close();
      await storage.close();
    }));
});
