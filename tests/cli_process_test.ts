import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { namesIn, withFolder } from "./_folder.ts";
import { HEADER, rows } from "./_subscribers.ts";
import { runByShell, runProcess, startProcess } from "./_process.ts";

describe("the process", () => {
  it("keeps data on standard output and messages on standard error", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      const created = await runProcess(["boards", "create", "b", "--name", "B", ...storage]);
      assertEquals(created, { status: 0, out: "", err: "Created the board b.\n" });
      const listed = await runProcess(["boards", "list", "--json", ...storage]);
      assertEquals([listed.status, JSON.parse(listed.out).boardId, listed.err], [0, "b", ""]);
    });
  });

  it("reads the storage from the environment, and a flag wins", async () => {
    await withFolder(async (folder) => {
      const environment = { BOARDCAST_STORAGE: `file:${folder}/data` };
      const create = ["keys", "create", "--name", "x"];
      const { status, out } = await runProcess(create, { environment });
      assertEquals(status, 0);
      assertMatch(out, /^bc_\w{36}\n$/);
      const other = ["keys", "list", "--storage", `file:${folder}/other`];
      assertEquals((await runProcess(other, { environment })).out, "");
    });
  });

  it("makes no first key when it can't listen, and prints one when it can", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      {
        using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        const { status, out } = await runProcess([...storage, "--port", `${taken.addr.port}`]);
        assertEquals([status, out], [1, ""]);
        assertEquals(await namesIn(`${folder}/data`), ["journal.jsonl"]);
      }
      await using server = startProcess(["serve", ...storage, "--port", "0"]);
      await server.waitFor("stderr", /listening/);
      await server.waitFor("stdout", /subscribe=true/);
      assertMatch(server.stdout(), /\bbc_\w{36}\b/);
      server.signal("SIGTERM");
      assertEquals(await server.status, 0);
      assertEquals(await namesIn(`${folder}/data`), ["journal.jsonl"]);
      const keys = await runProcess(["keys", "list", "--json", ...storage]);
      assertEquals(keys.out.trimEnd().split("\n").length, 1);
    });
  });

  it("revokes the first key, and says how to make one, when it can't be shown", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      const { status, err } = await runByShell(
        'boardcast serve --port 0 "$@" > /dev/full',
        storage,
      );
      assertEquals(status, 1);
      assertStringIncludes(err, "create one with boardcast keys create");
      const keys = await runProcess(["keys", "list", "--json", ...storage]);
      assert(JSON.parse(keys.out).revokedAt !== null);
    });
  });

  for (
    const args of [
      ["keys", "create", "--name", "x"],
      ["boards", "list"],
      ["subscribers", "export"],
    ]
  ) {
    it(`refuses storage in memory for ${args.slice(0, 2).join(" ")}`, async () => {
      const { status, out, err } = await runProcess([...args, "--storage", "memory"]);
      assertEquals([status, out, err.split("\n").length], [2, "", 2]);
      assertStringIncludes(err, "give file:DIR or postgres://");
    });
  }

  it("ends with 2 and one line on storage that there is not", async () => {
    const { status, out, err } = await runProcess(["boards", "list", "--storage", "ftp://u:p@x"]);
    assertEquals([status, out, err.split("\n").length], [2, "", 2]);
    assert(!err.includes("u:p"));
  });

  it("ends with 2, and says what to write, on a folder without its kind", async () => {
    for (const path of ["./data", "../data", "/srv/data"]) {
      const { status, out, err } = await runProcess(["boards", "list", "--storage", path]);
      assertEquals([status, out, err.split("\n").length], [2, "", 2]);
      assertStringIncludes(err, `write file:${path} for a folder`);
    }
  });

  for (const below of ["", "/data"]) {
    it(`ends with 2 and one line on a folder that is a file${below}`, async () => {
      await withFolder(async (folder) => {
        await Deno.writeTextFile(`${folder}/file`, "");
        const storage = ["--storage", `file:${folder}/file${below}`];
        const { status, out, err } = await runProcess(["keys", "list", ...storage]);
        assertEquals([status, out, err.split("\n").length], [2, "", 2]);
        assertStringIncludes(err, "is not a folder");
      });
    });
  }

  it("takes a folder that is not there for empty, and makes none, when it only reads", async () => {
    await withFolder(async (folder) => {
      const missing = `${folder}/typo`;
      const calls = [["boards", "list"], ["subscribers", "import", "-", "--dry-run"]];
      for (const args of calls) {
        const { status, err } = await runProcess([...args, "--storage", `file:${missing}`], {
          stdin: "userEmail,subscribed\n",
        });
        assertEquals(status, 0, err);
        assertStringIncludes(err, `There is no data in "${missing}" yet`);
      }
      assertEquals(await namesIn(folder), []);
    });
  });

  it("ends with 2, and makes no folder, when there is none to copy from", async () => {
    await withFolder(async (folder) => {
      const [from, to] = [`file:${folder}/typo`, `file:${folder}/data`];
      const { status, out, err } = await runProcess(["copy", "--from", from, "--storage", to]);
      assertEquals([status, out], [2, ""]);
      assertEquals(err, `boardcast: --from: there is no data in the folder "${folder}/typo"\n`);
      assertEquals(await namesIn(folder), []);
    });
  });

  it("ends with 2, and writes no file, when a folder holds nothing to copy", async () => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/letter.txt`, "Dear Ann");
      const to = `file:${folder}/data`;
      const result = await runProcess(["copy", "--from", `file:${folder}`, "--storage", to]);
      assertEquals(result.status, 2);
      assertEquals(await namesIn(folder), ["letter.txt"]);
    });
  });

  it("copies a folder that has a snapshot alone, by its absolute URL", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file://${folder}/data`];
      await runProcess(["boards", "create", "b", "--name", "B", ...storage]);
      const stdin = `${HEADER}ann@x.io,,true\n`;
      await runProcess(["subscribers", "import", "-", ...storage], { stdin });
      await runProcess(["subscribers", "erase", "ann@x.io", ...storage]);
      await Deno.remove(`${folder}/data/journal.jsonl`);
      const copy = ["copy", "--from", `file://${folder}/data`, "--storage", `file:${folder}/copy`];
      const { status, err } = await runProcess(copy);
      assertEquals([status, err], [0, "Copied 1 board, 0 subscribers and 0 keys.\n"]);
    });
  });

  it("ends with 2 when storage is to be copied into itself under another name", async () => {
    await withFolder(async (folder) => {
      const data = `${folder}/data`;
      await runProcess(["boards", "create", "b", "--name", "B", "--storage", `file:${data}`]);
      await Deno.symlink(data, `${folder}/link`);
      for (const to of [`${folder}/./data`, `${folder}/link`]) {
        const result = await runProcess([
          "copy",
          "--from",
          `file:${data}`,
          "--storage",
          `file:${to}`,
        ]);
        assertEquals([result.status, result.err], [
          2,
          "boardcast: --storage is the same as --from\n",
        ]);
      }
    });
  });

  it("ends with 2 on a folder whose name is probably meant to be another one", async () => {
    const remedies = [
      ["file://data", "would start at the root: write file:data, or file:/data"],
      ["file:~/data", 'would be a folder called ~: write file:"$HOME"/…, or file:./~/data'],
    ];
    for (const [url, remedy] of remedies) {
      const { status, err } = await runProcess(["boards", "list", "--storage", url]);
      assertEquals([status, err], [2, `boardcast: --storage "${url}" ${remedy}\n`]);
    }
  });

  it("takes a folder by its file URL, with an at sign in its name", () =>
    withFolder(async (folder) => {
      await Deno.mkdir(`${folder}/boardcast@prod`);
      const { status } = await runProcess([
        "boards",
        "list",
        "--storage",
        `file://${folder}/boardcast@prod`,
      ]);
      assertEquals(status, 0);
    }));

  it("says that it is standard output that can't be written to", async () => {
    const { status, err } = await runByShell("boardcast --help > /dev/full");
    assertEquals(status, 1);
    assertMatch(
      err,
      /^boardcast: cannot write to standard output: No space left[^\n]*\n$/,
    );
  });

  it("reads a folder that a server holds, and shows the HTTP call for a change", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      await runProcess(["subscribers", "import", "-", ...storage], { stdin: HEADER + rows(3) });
      {
        await using server = startProcess(["serve", "--port", "0", "--log", "text", ...storage]);
        await server.waitFor("stderr", /listening on/);
        const exported = await runProcess(["subscribers", "export", ...storage]);
        assertEquals(exported, {
          status: 0,
          out: HEADER + rows(3),
          err: "Exported 3 subscribers.\n",
        });
        const rehearsed = await runProcess(
          ["subscribers", "import", "-", "--dry-run", ...storage],
          {
            stdin: `${HEADER}user1@example.com,,false\n`,
          },
        );
        assertEquals([rehearsed.status, rehearsed.out], [0, "2\tchanged\tuser1@example.com\n"]);
        const { status, out, err } = await runProcess(["boards", "delete", "b", ...storage]);
        assertEquals([status, out], [1, ""]);
        assertStringIncludes(err, "curl -X DELETE http://127.0.0.1:8000/api/v1/boards/b -H");
      }
    });
  });
});

describe("the server", () => {
  it("warns in its log, JSON as well, when it takes over a folder", async () => {
    await withFolder(async (folder) => {
      const args = ["serve", "--port", "0", "--log", "json", "--storage", `file:${folder}/data`];
      {
        await using killed = startProcess(args);
        await killed.waitFor("stderr", /listening on/);
      }
      await shortenPatience(`${folder}/data`);
      await using server = startProcess(args);
      await server.waitFor("stderr", /listening on/);
      const warning = JSON.parse(server.stderr().split("\n", 1)[0]);
      assertEquals(warning.level, "warn");
      assertStringIncludes(warning.message, "was taken over from a process that had stopped");
    });
  });

  it("names its machine to others who ask for its folder", async () => {
    await withFolder(async (folder) => {
      const args = ["serve", "--port", "0", "--storage", `file:${folder}/data`];
      await using server = startProcess(args);
      await server.waitFor("stderr", /listening on/);
      const { host } = JSON.parse(await Deno.readTextFile(`${folder}/data/lock`));
      assertEquals(host, Deno.hostname());
    });
  });

  it("ends with 1 when a command took its folder over while it was paused", async () => {
    await withFolder(async (folder) => {
      const storage = ["--storage", `file:${folder}/data`];
      await using server = startProcess(["serve", "--port", "0", "--log", "text", ...storage]);
      await server.waitFor("stderr", /listening on/);
      server.signal("SIGSTOP");
      await shortenPatience(`${folder}/data`);
      const { status, err } = await runProcess(["keys", "create", "--name", "x", ...storage]);
      assertEquals(status, 0, err);
      server.signal("SIGCONT");
      assertEquals(await server.status, 1);
      assertEquals(
        server.stderr().split("\n").slice(1),
        [
          `boardcast: Cannot use the data folder "${folder}/data": the lock file is gone; ` +
          "restart to use it again",
          "stopping",
          "",
        ],
      );
    });
  });
});

/** Lets others wait no longer for the holder of a folder, who shows no life, than it takes to look. */
async function shortenPatience(folder: string): Promise<void> {
  const lock = await Deno.readTextFile(`${folder}/lock`);
  await Deno.writeTextFile(`${folder}/lock`, lock.replace(/"heartbeatMs":\d+/, '"heartbeatMs":10'));
}
