import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openStorage } from "../../commands/storage/storage.ts";
import { assertFailed, createCommandLine, withFile } from "../_support/cli.ts";
import { namesIn, withFolder } from "../_support/folder.ts";

const places = createCommandLine({ environment: { BOARDCAST_STORAGE: "" }, openStorage });

/** Calls a function with the address of a server with arbitrary responses. */
async function withServer(
  answer: (path: string) => unknown,
  use: (flags: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    const { pathname } = new URL(url);
    asked.push(pathname);
    return Response.json(answer(pathname));
  });
  try {
    await use(`--server http://127.0.0.1:${server.addr.port}`, asked);
  } finally {
    await server.shutdown();
  }
}

describe("a server", () => {
  it("can't choose where entries export writes a file", () =>
    withFolder(async (folder) => {
      for (const imageId of ["../escaped.txt", "/tmp/escaped.txt", "..", "a.png", 1]) {
        const answer = (path: string) =>
          path.endsWith("/images") ? { data: [{ imageId, path: "/any" }], nextCursor: null } : {};
        await withServer(answer, async (flags, asked) => {
          const { run } = createCommandLine({ environment: { BOARDCAST_KEY: "a" } });
          const result = await run(`entries export --images ${folder}/out ${flags}`);
          assertEquals(result.status, 1, result.err);
          assertStringIncludes(result.err, `the server names an image "${imageId}"`);
          assertEquals(asked.includes("/any"), false);
        });
      }
      assertEquals([await namesIn(folder), await namesIn(`${folder}/out`)], [["out"], []]);
    }));
});

describe("an alias of a relay", () => {
  it("has a mail tried again later when a flag or a variable is bad", async () => {
    const calls: readonly (readonly [string, Readonly<Record<string, string>>, string?])[] = [
      ["bounces read --alias --nonsense", {}],
      ["bounces read --alias more", {}],
      ["bounces read --alias --server ftp://a", {}],
      ["bounces read --alias", { BOARDCAST_STORAGE: "ftp://a" }],
      ["bounces read --alias", {}, "BOARDCAST_STORAG"],
    ];
    for (const [line, environment, variable] of calls) {
      const variableNames = () => variable === undefined ? [] : [variable];
      const { run } = createCommandLine({ environment, variableNames, openStorage });
      const { status, err } = await run(line);
      assertEquals([line, status], [line, 75], err);
    }
  });
});

describe("a dry run", () => {
  it("reports what would be imported, and creates nothing, when there is no data folder yet", () =>
    withFolder((folder) =>
      withFile("userEmail,subscribed\nann@example.com,true\n", async (file) => {
        const flags = `--dry-run --storage file:${folder}/none`;
        const { err } = await places.succeed(`subscribers import ${file} ${flags}`);
        assertMatch(err, /1 added, .*\(dry run: nothing was changed\)/);
        assertEquals(await namesIn(folder), []);
      })
    ));
});

describe("a file that never ends", () => {
  it("is refused as too large when it is added as an image or given as the logo", async () => {
    const { run } = createCommandLine();
    assertFailed(await run("images add /dev/zero"), 2, "/dev/zero: The body is");
    assertFailed(
      await run("serve --logo /dev/zero --port 0"),
      2,
      "--logo: it has more than 65536 bytes",
    );
  });
});
