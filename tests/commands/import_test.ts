import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import config from "../../deno.json" with { type: "json" };
import { openMemoryStorage, type Storage, StorageError } from "../../mod.ts";
import { assertFailed, type CommandLine, createCommandLine, withFile } from "../_support/cli.ts";
import { HEADER, stored } from "../_support/import.ts";
import { neededEnvironment } from "../_support/environment.ts";
import { type CommandResult, run } from "../_support/process.ts";
import { forEachRow } from "../_support/rows.ts";

const ROWS = 'ann@x.org,Ann,true\nbad,,true\n"a\nb",x,true\nbob@x.org,,false\nq@x.org,"Q" x,true\n';

function importText({ run }: CommandLine, text: string, flags = ""): Promise<CommandResult> {
  return withFile(text, (path) => run(`subscribers import ${path} ${flags}`));
}

describe("subscribers import", () => {
  it("imports the rows that it can, and tells of each other one", async () => {
    const command = createCommandLine();
    const dry = await importText(command, HEADER + ROWS, "--dry-run");
    assertMatch(dry.err, / 2 added, .* 3 refused \(dry run: nothing was changed\)\n$/);
    assertEquals(await stored(command.storage), []);
    const { status, out, err } = await importText(command, HEADER + ROWS);
    assertEquals([status, out], [3, ""]);
    assertMatch(
      err,
      /^line 3: userEmail is .*no @\nline 4: .* \(lines 4 to 5\)\nline 7: the row has text after a closing quote\n.*people\.csv: 2 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 3 refused\n$/,
    );
    const rows = ["ann@x.org Ann true import", "bob@x.org null false import"];
    assertEquals(await stored(command.storage), rows);
  });

  it("turns an unsubscribed address back on with --resubscribe alone", async () => {
    const command = createCommandLine();
    await command.succeed("call subscribe userEmail=bob@x.org subscribe=false");
    const { err } = await importText(command, `${HEADER}bob@x.org,Bob,true\n`);
    assertMatch(err, /: 0 added, 0 changed, 0 unchanged, 1 kept unsubscribed, 0 refused\n$/);
    await importText(command, `${HEADER}bob@x.org,Bob,true\n`, "--resubscribe");
    assertEquals(await stored(command.storage), ["bob@x.org Bob true import"]);
  });

  it("writes refused rows to a new file", () =>
    forEachRow([
      ["people.csv", HEADER + ROWS, `${HEADER}bad,,true\n"a\nb",x,true\nq@x.org,"Q" x,true\n`],
      ["people.ndjson", 'x\n{"userEmail":"a@x.org","subscribed":true}\n{}', "x\n{}\n"],
      [
        "people.csv",
        "sep=|\nuserEmail|subscribed\nx|true\n",
        "sep=|\nuserEmail|subscribed\nx|true\n",
      ],
    ], ([name, text, rejects]) =>
      withFile(text, async (path) => {
        await createCommandLine().run(`subscribers import ${path} --rejects ${path}.rejects`);
        assertEquals(await Deno.readTextFile(`${path}.rejects`), rejects);
      }, name)));

  it("prepares its file of rejects with the permissions of the task that runs commands", () =>
    withFile(`${HEADER}ann@x.org,,true\n`, async (path) => {
      const [, ...flags] = config.tasks.boardcast.command.split(" ");
      const args = ["subscribers", "import", path, "--dry-run", "--rejects", `${path}.rejects`];
      const { err } = await run(Deno.execPath(), [...flags, ...args], {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: neededEnvironment(),
      });
      assertMatch(err, / 1 added, /);
    }));

  it("makes no file of rejects when no row is refused", () =>
    withFile(`${HEADER}ann@x.org,,true\n`, async (path) => {
      await createCommandLine().succeed(`subscribers import ${path} --rejects ${path}.rejects`);
      await assertRejects(() => Deno.stat(`${path}.rejects`), Deno.errors.NotFound);
    }));

  it("writes refused rows of input that can be read only once, such as standard input", () =>
    withFile("", async (path) => {
      const pipe = `${path}.pipe`;
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      const writing = Deno.writeTextFile(pipe, HEADER + ROWS);
      await createCommandLine().run(`subscribers import ${pipe} --rejects ${path}.rejects`);
      await writing;
      const expected = `${HEADER}bad,,true\n"a\nb",x,true\nq@x.org,"Q" x,true\n`;
      assertEquals(await Deno.readTextFile(`${path}.rejects`), expected);
    }));

  it("takes any sheet whose headings and words are explained", async () => {
    const { run, storage } = createCommandLine();
    const flags =
      "--columns=userEmail=E-Mail,userName=Name,subscribed=Status --true active --false left";
    await withFile(
      "Name;Status;E-Mail\nAnn;Active;ann@x.org\nBob;left;bob@x.org\nEve;odd;eve@x.org\n",
      async (path) => {
        const { status, err } = await run(`subscribers import ${path} ${flags}`);
        assertEquals(status, 3);
        assertMatch(
          err,
          /line 4: subscribed must be true or false, and is "odd"; name other words/,
        );
      },
    );
    assertEquals(await stored(storage), [
      "ann@x.org Ann true import",
      "bob@x.org Bob false import",
    ]);
  });

  it("finds the format by flag, name and first character", () =>
    forEachRow([
      ["people.JSONL", '\n{"userEmail":"ann@x.org","subscribed":true}', ""],
      ["people.txt", '\ufeff {"userEmail":"ann@x.org","subscribed":true}', ""],
      ["people.csv", 'no row\n{"userEmail":"ann@x.org","subscribed":true}', "--format ndjson"],
      ["people", "{a},subscribed,userEmail\n,true,ann@x.org\n", "--format csv"],
    ], async ([name, text, flags]) => {
      const { run, storage } = createCommandLine();
      await withFile(text, (path) => run(`subscribers import ${path} ${flags}`), name);
      assertEquals(await stored(storage), ["ann@x.org null true import"]);
    }));

  it("ends with 2, and stores nothing, when a file can't be used", () =>
    withFile("a,b\n", async (path) => {
      await Deno.symlink(path, `${path}.link`);
      await forEachRow([
        [path, "people.csv: the header has no column userEmail; the first line must name"],
        ["/dev/null", "/dev/null: the file is empty; its first line must be a header"],
        ["/nowhere/people.csv", 'there is no file "/nowhere/people.csv"'],
        [`${path} --rejects ${path}.link`, "--rejects names the list itself"],
        [`${path} --rejects ${path}`, "--rejects names the list itself"],
        [`${path} --rejects /nowhere/r`, '--rejects "/nowhere/r" can\'t be created'],
        [`${path} --rejects /dev/null`, '--rejects "/dev/null" is there already: name a new file'],
        ["x --format xml", '--format "xml" is none of csv, ndjson, boardcast, listmonk, keila'],
      ], async ([args, message]) => {
        const { run, storage } = createCommandLine();
        assertFailed(await run(`subscribers import ${args}`), 2, message);
        assertEquals(await stored(storage), []);
      });
      assertEquals(await Deno.readTextFile(path), "a,b\n");
    }));

  it("says what to do when storage fails on the way", async () => {
    const full = () => Promise.reject(new StorageError("unavailable", "The disk is full"));
    const storage: Storage = { ...openMemoryStorage(), transact: full };
    const result = await importText(createCommandLine({ storage }), `${HEADER}ann@x.org,,true\n`);
    assertFailed(result, 1, "The disk is full; run it again to complete it");
  });
});

describe("subscribers export", () => {
  it("prints CSV that gives the same list when it is imported, and NDJSON", async () => {
    const [command, other] = [createCommandLine(), createCommandLine()];
    await importText(command, `${HEADER}ann@x.org,"'=1;+2 'n",true\n-@x.org,"'t ""Hooft",false\n`);
    const { out, err } = await command.succeed("subscribers export");
    assertEquals(err, "Exported 2 subscribers.\n");
    assertMatch(
      out,
      /^userEmail,userName,subscribed,source,createdAt,updatedAt,labels,pace\n'-@x\.org,/,
    );
    await importText(other, out);
    assertEquals(await stored(other.storage), await stored(command.storage));
    const line = "subscribers export --format ndjson --subscribed false";
    const ndjson = await command.succeed(line);
    assertEquals(JSON.parse(ndjson.out).userEmail, "-@x.org");
    assertEquals(ndjson.err, "Exported 1 subscriber.\n");
    const filtered = await command.succeed("subscribers export --subscribed true --format ndjson");
    assertEquals(filtered.err, "Exported 1 subscriber.\n");
  });

  it("names the flag when its value is refused", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\n`);
    assertFailed(await command.run("subscribers export --subscribed maybe"), 2, "--subscribed");
  });
});
