import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { COMMANDS } from "../commands/_all.ts";
import type { OpeningOptions } from "../commands/_command.ts";
import { StorageError } from "../mod.ts";
import { createCommandLine, withFile } from "./_cli.ts";

describe("a command on storage that is held", () => {
  const openStorage = () => Promise.reject(new StorageError("locked", "Cannot open: it is held"));
  const environment = { BOARDCAST_PORT: "9000", BOARDCAST_BASE_PATH: "/feedback" };
  const locked = createCommandLine({ environment, openStorage });
  const base = "http://127.0.0.1:9000/feedback/api/v1";

  for (
    const [args, call] of [
      [
        ["boards", "create", "ideas", "--name", "Ideas", "--description", "It's"],
        `curl -X POST ${base}/boards -H "Authorization: Bearer $KEY" ` +
        `--data-urlencode boardId=ideas --data-urlencode name=Ideas ` +
        `--data-urlencode 'description=It'\\''s'\n`,
      ],
      [["boards", "delete", "ideas"], `curl -X DELETE ${base}/boards/ideas -H`],
      [["boards", "update", "a", "--url="], `--data-urlencode url=\n`],
      [["keys", "create", "--name", "x", "--scope", "*", "--expires", "1d"], `expiresIn=1d`],
      [["keys", "rotate", "k"], `${base}/keys/k/rotate`],
      [["keys", "revoke", "k"], `curl -X DELETE ${base}/keys/k`],
      [
        ["subscribers", "erase", "a+b@x.org"],
        `DELETE ${base}/changelogs/subscribers/a%2Bb%40x.org`,
      ],
    ] as const
  ) {
    it(`shows the HTTP call for ${args.slice(0, 2).join(" ")}`, async () => {
      const { status, out, err } = await locked.run(...args);
      assertEquals([status, out], [1, ""]);
      assertMatch(err, /^boardcast: Cannot open: it is held; while a server runs on it, ask/);
      assertStringIncludes(err, call);
    });
  }

  it("shows a call in JSON where a form would be too long", async () => {
    const description = "説明\n'a'".repeat(600);
    const { err } = await locked.run(
      ...["boards", "update", "ideas", "--url=", "--description", description],
    );
    const [, body] = /-H 'Content-Type: application\/json' --data '(.*)'\n$/.exec(err)!;
    assertEquals(JSON.parse(body.replaceAll(`'\\''`, "'")), { description, url: null });
  });

  it("shows a call as a form as long as that is not too long", async () => {
    // A form writes each of the first characters as six.
    const longest = "é".repeat(2_700) + "a".repeat(16 * 1024 - 2_700 * 6 - "description=".length);
    for (const [description, flag] of [[longest, "--data-urlencode"], [`${longest}a`, "--data"]]) {
      const { err } = await locked.run("boards", "update", "ideas", "--description", description);
      assertStringIncludes(err, ` ${flag} `);
    }
  });

  it("shows the HTTP call for subscribers import", () =>
    withFile("userEmail,subscribed\n", async (path) => {
      const { status, err } = await locked.run("subscribers", "import", path);
      assertEquals(status, 1);
      assertStringIncludes(err, `curl -X PUT ${base}/changelogs/subscribe`);
      assertMatch(err, /\nOver HTTP [^\n]*\nTo import [^\n]*\n$/);
    }));

  for (
    const [host, port, authority] of [
      ["0.0.0.0", "", "127.0.0.1:8000"],
      ["::", "", "127.0.0.1:8000"],
      ["::1", "", "[::1]:8000"],
      ["boards.example.com", "", "boards.example.com:8000"],
      ["", "9", "127.0.0.1:9"],
      ["", "0", "127.0.0.1:PORT"],
      ["", "tcp://10.96.0.12:8000", "127.0.0.1:PORT"],
      ["", "8000x", "127.0.0.1:PORT"],
    ]
  ) {
    it(`shows the call for ${authority} when the server listens on ${host} ${port}`, async () => {
      const environment = {
        BOARDCAST_HOST: host,
        BOARDCAST_PORT: port,
        BOARDCAST_BASE_PATH: "/",
      };
      const { run } = createCommandLine({ environment, openStorage });
      const { err } = await run("keys", "revoke", "k");
      assertStringIncludes(err, `http://${authority}/api/v1/keys/k`);
    });
  }
});

describe("a command for which no HTTP call is shown", () => {
  // What keeps its storage open, and what is about whole storages.
  const others = ["serve", "copy", "migrate"];
  for (const { name, overHttp, example } of COMMANDS) {
    if (overHttp !== undefined || others.includes(name)) continue;
    it(`opens storage only to read when it is ${name}`, async () => {
      let asked: OpeningOptions | undefined;
      const { run } = createCommandLine({
        openStorage(_, options) {
          asked = options;
          return Promise.reject(new StorageError("unavailable", "Cannot open"));
        },
      });
      await run(...example.split(" > ")[0].split(" ").slice(1));
      assertEquals(asked?.readOnly, true);
    });
  }
});
