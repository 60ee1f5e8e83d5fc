import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createHandler, openMemoryStorage, type Storage } from "../../mod.ts";
import { BOARD, type Board } from "../../model/board.ts";
import { BOARDS, ENTRIES, IMAGES as IMAGE_RECORDS } from "../../model/kinds.ts";
import { fillRecord } from "../../model/resource.ts";
import { insertRecord } from "../../services/records.ts";
import { assertFailed, createCommandLine, withFile } from "../_support/cli.ts";
import { withFolder } from "../_support/folder.ts";
import { IMAGES } from "../_support/images.ts";
import { HEADER, stored } from "../_support/import.ts";
import { forEachRow } from "../_support/rows.ts";
import { runByShell } from "../_support/process.ts";
import { OPERATOR_KEY } from "../_support/service.ts";

/** Returns storage that counts its reads and changes. */
function countCalls(storage: Storage): { readonly storage: Storage; calls(): number } {
  let calls = 0;
  const count = <A extends readonly unknown[], R>(method: (...args: A) => R) => (...args: A) => {
    calls++;
    return method(...args);
  };
  const { get, list, transact } = storage;
  return {
    storage: { ...storage, get: count(get), list: count(list), transact: count(transact) },
    calls: () => calls,
  };
}

async function createBoards(storage: Storage, count: number): Promise<void> {
  const at = "2026-11-21T10:00:00.000Z";
  for (let n = 100; n < 100 + count; n++) {
    const texts = { boardId: `b${n}`, instanceId: `${n}`, name: "B", createdAt: at, updatedAt: at };
    await insertRecord(storage, BOARDS, fillRecord<Board>(BOARD, texts));
  }
}

describe("call", () => {
  it("calls any operation by its operationId, fields of path, query and body alike", async () => {
    const { json, succeed } = createCommandLine();
    const [board] = await json(
      "call createBoard boardId=ideas 'name=My ideas' url=https://a.b/",
    );
    assertEquals([board.boardId, board.name, board.url], ["ideas", "My ideas", "https://a.b/"]);
    await succeed("call createBoard boardId=b", "name=A+ & = B");
    const [changed] = await json("call updateBoard boardId=b url=https://a.b/ description=D");
    assertEquals([changed.name, changed.description], ["A+ & = B", "D"]);
    const [cleared] = await json("call updateBoard boardId=b description=");
    assertEquals([cleared.url, cleared.description], ["https://a.b/", null]);
    assertEquals((await succeed("call deleteBoard boardId=ideas")).out, "");
    assertEquals((await json("call listBoards")).map(({ boardId }) => boardId), ["b"]);
    const [person] = await json("call subscribe userEmail=ann@example.com subscribe=true");
    assertEquals([person.userEmail, person.subscribed], ["ann@example.com", true]);
  });

  it("gives the first field of a name to the path, and body.NAME to the body", async () => {
    const { json, run } = createCommandLine();
    await json("call createEntry entryId=a title=T body=B");
    const [entry] = await json("call updateEntry entryId=a body.entryId=b body.title=Darker");
    assertEquals([entry.entryId, entry.title], ["b", "Darker"]);
    const twice = await run("call updateEntry entryId=b entryId=c");
    assertFailed(twice, 2, "entryId is given twice; the one of the body is body.entryId");
  });

  it("sends headers by their names, so that a change can be conditional", async () => {
    const { run, json } = createCommandLine();
    await json("call createBoard boardId=a name=A");
    const result = await run("call updateBoard boardId=a name=B", 'If-Match="no"');
    assertFailed(result, 1, "What is stored no longer matches If-Match");
  });

  it("reads the value of a field, or the whole body, from a file", () =>
    withFile("Press\n**D**.\n", async (path) => {
      const { json, succeed, storage } = createCommandLine();
      await succeed(`call createEntry entryId=a title=T body=@${path}`);
      assertEquals((await storage.get(ENTRIES, "a"))?.body, "Press\n**D**.\n");
      await Deno.writeTextFile(`${path}.ndjson`, '{"userEmail":"a@x.org","subscribed":true}\n');
      const [sum] = await json(`call importSubscribers body=@${path}.ndjson`);
      assertEquals(sum.added, 1);
      await Deno.writeTextFile(`${path}.list`, `${HEADER}b@x.org,,true\n`);
      await succeed(`call importSubscribers body=@${path}.list type=text/csv`);
      assertEquals(await stored(storage), ["a@x.org null true import", "b@x.org null true import"]);
      await Deno.writeFile(`${path}.png`, IMAGES["image/png"]);
      const [{ type }] = await json(`call addImage body=@${path}.png`);
      assertEquals(type, "image/png");
      assertEquals((await storage.list(IMAGE_RECORDS, { limit: 9 })).length, 1);
    }));

  it("takes a value that starts with @@ as one that starts with @", async () => {
    const { succeed, json } = createCommandLine();
    await succeed("call createBoard boardId=ideas name=@@home");
    assertEquals((await json("call listBoards"))[0].name, "@home");
  });

  it("reads one field from standard input", () =>
    withFolder(async (folder) => {
      const { out } = await runByShell(`cd ${folder}
        printf 'Press **D**.' | boardcast call createEntry entryId=a title=T body=@-
        printf 'userEmail,subscribed\\na@x.org,true\\n' |
          boardcast call importSubscribers body=@- type=text/csv`);
      const [entry, sum] = out.trim().split("\n").map((line) => JSON.parse(line));
      assertEquals([entry.body, sum.added], ["Press **D**.", 1]);
    }));

  it("prints a listing as one record a line: all pages, or one where limit is given", async () => {
    const { succeed, json, storage } = createCommandLine();
    await createBoards(storage, 220);
    assertEquals((await json("call listBoards")).length, 220);
    const { out, err } = await succeed("call listBoards limit=2");
    assertEquals(out.trim().split("\n").map((line) => JSON.parse(line).boardId), ["b100", "b101"]);
    const [, cursor] = /^The next page starts at (cursor=\S+)\n$/.exec(err)!;
    const [{ boardId }] = await json(`call listBoards limit=1 ${cursor}`);
    assertEquals(boardId, "b102");
    assertEquals((await json(`call listBoards ${cursor}`)).length, 218);
  });

  it("waits where a listing is longer than the rate limit of the key allows", async () => {
    const storage = openMemoryStorage();
    await createBoards(storage, 250);
    const handler = createHandler({ storage, operatorKey: OPERATOR_KEY });
    let requests = 0;
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) => {
        const isLimited = request.url.includes("cursor=") && requests++ === 0;
        if (!isLimited) return handler(request);
        const problem = JSON.stringify({ code: "rate_limited", detail: "Too many requests" });
        const headers = { "Content-Type": "application/problem+json", "Retry-After": "0" };
        return new Response(problem, { status: 429, headers });
      },
    );
    const { json } = createCommandLine({ environment: { BOARDCAST_KEY: OPERATOR_KEY } });
    const listed = await json(`call listBoards --server http://127.0.0.1:${server.addr.port}`);
    assertEquals([listed.length, requests], [250, 3]);
  });

  it("prints what isn't JSON as it comes", async () => {
    const { succeed } = createCommandLine();
    await succeed("call createEntry entryId=a title=T body=B");
    assertMatch((await succeed("call exportEntries")).out, /^\{"entryId":"a",.*\}\n$/);
    assertMatch((await succeed("call getMetrics")).out, /^# HELP boardcast_build_info /);
    assertMatch((await succeed("call getDocs")).out, /^<!doctype html>/i);
  });

  it("alone lists the operations by group with their summaries", async () => {
    const { out } = await createCommandLine().succeed("call");
    assertMatch(out, /^Boards\n {2}getBoard +Read a board\n/);
    assertMatch(out, /\n\nChangelog subscriptions\n(?: .*\n)*? {2}subscribe +Subscribe or unsub/);
    assertEquals(out.includes("createPreviewLink"), false);
    const { out: more } = await createCommandLine().succeed("call --public-url https://a.b");
    assertStringIncludes(more, "  createPreviewLink ");
  });

  it("with --public-url has the operations that need one", async () => {
    const { json, run } = createCommandLine();
    await json("call createEntry entryId=a title=T body=B");
    const line = "call createPreviewLink entryId=a";
    assertFailed(await run(line), 2, "boardcast call lists them, and --public-url adds some");
    const [{ url }] = await json(`${line} --public-url https://example.com`);
    assertMatch(`${url}`, /^https:\/\/example\.com\/preview\//);
    assertFailed(await run("call --public-url x"), 2, '--public-url: "x" is not like');
  });

  it("shows the fields of an operation with type, limits and meaning, in 80 columns", async () => {
    const { succeed } = createCommandLine();
    const { out } = await succeed("call createKey --help");
    assertMatch(out, /^Usage: boardcast call createKey name=… \[FIELD=VALUE…\] \[OPTIONS\]\n/);
    assertStringIncludes(
      out,
      "\n  name  text, 1 to 200 characters, required\n      What the key is",
    );
    assertStringIncludes(out, "\n  scopes  words separated by spaces");
    assertStringIncludes(out, "\n  expiresAt  time\n");
    assertEquals((await succeed("help call createKey")).out, out);
    const listing = (await succeed("call listEntries --help")).out;
    assertStringIncludes(listing, "\n  limit  whole number, 1 to 100, default: 25\n");
    assertStringIncludes(listing, "\n  state  draft | scheduled | published\n");
    const file = (await succeed("call importSubscribers --help")).out;
    assertStringIncludes(file, "\n  type  application/x-ndjson | text/csv\n");
    const { out: all } = await succeed("call");
    const names = [...all.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
    for (const name of names) {
      const help = (await succeed(`call ${name} --help`)).out;
      assertEquals(help.split("\n").filter((line) => line.length > 80), [], name);
    }
  });

  it("shows no default for a change, which keeps what is left out", async () => {
    const { out } = await createCommandLine().succeed("call updateBoard --help");
    assertStringIncludes(out, "\n  visibility  private | public\n");
  });

  it("names what is unknown or missing, and sends nothing", () =>
    withFolder((folder) =>
      forEachRow([
        ["creatBoard name=A", 'there is no operation "creatBoard": did you mean createBoard?'],
        ["createBoard nam=A", 'createBoard has no field "nam": did you mean name?'],
        ["createBoard name=A zzzzzz=1", "it has boardId, name, description, url"],
        ["createBoard name=A name=B", "name is given twice"],
        ["createBoard A", '"A" is not like FIELD=VALUE (try call createBoard --help)'],
        ["createBoard boardId=a", "createBoard needs name=…"],
        ["getBoard", "getBoard needs boardId=…"],
        ["getBoard boardId=", "getBoard needs boardId=…"],
        ["deleteBoard boardId=..", `boardId can't be ".."`],
        ["subscribe userEmail=a@x.org", "subscribe needs subscribe=…"],
        ["createEntry title=@- body=@-", "only one field can be read from standard input"],
        [`createEntry title=T body=@${folder}/none`, `there is no file "${folder}/none"`],
        [`addImage body=@${folder} type=image/png`, "is a folder, not a file"],
        ["addImage body=x", "addImage needs type=…, as the name of the file doesn't tell"],
        ["addImage body=x type=image/pgn", "did you mean image/png?"],
        ["importSubscribers body=x type=text/csv dryrun=true", "did you mean dryRun?"],
      ], async ([line, message]) => {
        const counted = countCalls(openMemoryStorage());
        const { run } = createCommandLine({ storage: counted.storage });
        assertFailed(await run(`call ${line}`), 2, message);
        assertEquals(counted.calls(), 0);
      })
    ));

  it("ends with 2 for values that the API refuses, and with 1 for what is not there", async () => {
    const { run } = createCommandLine();
    assertFailed(await run("call createBoard boardId=/ name= url=x"), 2, "; name is empty; url ");
    assertFailed(await run("call getBoard boardId=none"), 1, "There is no board with this boardId");
  });
});
