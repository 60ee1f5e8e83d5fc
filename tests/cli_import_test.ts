import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { assertFailed, type CommandLine, createCommandLine, withFile } from "./_cli.ts";
import { HEADER, stored } from "./_import.ts";
import type { CommandResult } from "./_process.ts";
import { forEachRow } from "./_rows.ts";
import { until } from "./_waiting.ts";

const ROWS = 'ann@x.org,Ann,true\nbad,,true\n"a\nb",x,true\nbob@x.org,,false\nq@x.org,"Q" x,true\n';

/** Imports a list. */
function importText({ run }: CommandLine, text: string, flags = ""): Promise<CommandResult> {
  return withFile(text, (path) => run(`subscribers import ${path} ${flags}`));
}

describe("subscribers import", () => {
  it("imports the rows that it can, and tells of each other one", async () => {
    const command = createCommandLine();
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
    await importText(command, `${HEADER}bob@x.org,,false\n`);
    const { err } = await importText(command, `${HEADER}bob@x.org,Bob,true\n`);
    assertMatch(err, /: 0 added, 0 changed, 0 unchanged, 1 kept unsubscribed, 0 refused\n$/);
    await importText(command, `${HEADER}bob@x.org,Bob,true\n`, "--resubscribe");
    assertEquals(await stored(command.storage), ["bob@x.org Bob true import"]);
  });

  it("only tells what it would do with --dry-run", async () => {
    const command = createCommandLine();
    const { err } = await importText(command, HEADER + ROWS, "--dry-run");
    assertMatch(err, / 2 added, .* 3 refused \(dry run: nothing was changed\)\n$/);
    assertEquals(await stored(command.storage), []);
  });

  it("prints what the API answered with --json", async () => {
    const { status, out, err } = await importText(createCommandLine(), HEADER + ROWS, "--json");
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals([status, err, lines.map(({ line }) => line)], [3, "", [3, 4, 7, undefined]]);
    assertEquals([lines[3].added, lines[3].refused], [2, 3]);
  });

  it("writes refused rows to a file, in place of what was there", () =>
    forEachRow([
      ["people.csv", HEADER + ROWS, `${HEADER}bad,,true\n"a\nb",x,true\nq@x.org,"Q" x,true\n`],
      ["people.csv", `${HEADER}ann@x.org,,true\n`, ""],
      ["people.ndjson", 'x\n{"userEmail":"a@x.org","subscribed":true}\n{}', "x\n{}\n"],
    ], ([name, text, rejects]) =>
      withFile(text, async (path) => {
        await Deno.writeTextFile(`${path}.rejects`, "what was there before".repeat(100));
        await createCommandLine().run(`subscribers import ${path} --rejects ${path}.rejects`);
        assertEquals(await Deno.readTextFile(`${path}.rejects`), rejects);
      }, name)));

  it("never writes refused rows over the list itself", () =>
    withFile(HEADER + ROWS, async (path) => {
      await Deno.symlink(path, `${path}.link`);
      const line = `subscribers import ${path} --rejects ${path}.link`;
      assertFailed(await createCommandLine().run(line), 2, "--rejects names the list itself");
      assertEquals(await Deno.readTextFile(path), HEADER + ROWS);
    }));

  it("finds the format by flag, name and first character", () => {
    const ANN = '{"userEmail":"ann@x.org","subscribed":true}';
    return forEachRow([
      ["people.ndjson", ` \n${ANN}`, ""],
      ["people.JSONL", `\n${ANN}`, ""],
      ["people.txt", `\ufeff ${ANN}`, ""],
      ["people.csv", `no row\n${ANN}`, "--format ndjson"],
      ["ndjson", `${HEADER}ann@x.org,,true`, ""],
      ["people", "{a},subscribed,userEmail\n,true,ann@x.org\n", "--format csv"],
    ], async ([name, text, flags]) => {
      const { run, storage } = createCommandLine();
      await withFile(text, (path) => run(`subscribers import ${path} ${flags}`), name);
      assertEquals(await stored(storage), ["ann@x.org null true import"]);
    });
  });

  it("ends with 2, and stores nothing, when the list can't be used", () =>
    withFile("a,b\n", (path) =>
      forEachRow([
        [path, "people.csv: the header has no column userEmail; the first line must name"],
        ["/dev/null", "/dev/null: the file is empty; its first line must be a header"],
        ["/nowhere/people.csv", 'there is no file "/nowhere/people.csv"'],
        ["/", '"/" is a folder, not a file'],
        ["- --rejects x", "--rejects needs a FILE that can be read again, not -"],
        ["x --format xml", '--format "xml" is not csv or ndjson'],
      ], async ([args, message]) => {
        const { run, storage } = createCommandLine();
        assertFailed(await run(`subscribers import ${args}`), 2, message);
        assertEquals(await stored(storage), []);
      })));

  it("says what to do when storage fails on the way", async () => {
    const storage = openMemoryStorage();
    let left = 7;
    const failing: Storage = {
      ...storage,
      transact: (refs, decide) =>
        left-- > 0
          ? storage.transact(refs, decide)
          : Promise.reject(new StorageError("unavailable", "The disk is full")),
    };
    const rows = Array.from({ length: 1_200 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    const result = await importText(createCommandLine({ storage: failing }), HEADER + rows);
    assertFailed(result, 1, "The disk is full; run it again to complete it");
  });

  it("stores what it says when a signal ends it, and never half a row", async () => {
    const { run, storage } = createCommandLine();
    const { stdin } = Deno;
    const rows = new TextEncoder().encode(`${HEADER}ann@x.org,,true\nbob@x.org,,true\ncat@x.org`);
    const readable = new ReadableStream({ start: (controller) => controller.enqueue(rows) });
    Object.defineProperty(Deno, "stdin", { value: { readable }, configurable: true });
    try {
      const importing = run("subscribers import -");
      await until(async () => (await stored(storage)).length === 2);
      Deno.kill(Deno.pid, "SIGTERM");
      const { status, err } = await importing;
      assertEquals(status, 1);
      assertMatch(err, /^standard input: 2 added, .* 0 refused \(incomplete\)\n/);
      assertStringIncludes(err, "\nboardcast: interrupted; run it again to complete it\n");
      assertEquals((await stored(storage)).length, 2);
    } finally {
      Object.defineProperty(Deno, "stdin", { value: stdin, configurable: true });
    }
  });

  it("draws its progress on a terminal", async () => {
    const { err } = await importText(createCommandLine({ errColumns: 80 }), HEADER + ROWS);
    assertStringIncludes(err, `\r100% ${"█".repeat(20)} 0.0 MB  `);
  });
});

describe("subscribers export", () => {
  it("prints CSV that gives the same list when it is imported", async () => {
    const [command, other] = [createCommandLine(), createCommandLine()];
    await importText(command, `${HEADER}ann@x.org,"'=1;+2 'n",true\n-@x.org,"'t ""Hooft",false\n`);
    const { out, err } = await command.succeed("subscribers export");
    assertEquals(err, "Exported 2 subscribers.\n");
    assertMatch(out, /^userEmail,userName,subscribed,source,createdAt,updatedAt\n'-@x\.org,/);
    await importText(other, out);
    assertEquals(await stored(other.storage), await stored(command.storage));
  });

  it("prints NDJSON, of those in one state", async () => {
    const command = createCommandLine();
    await importText(command, HEADER + ROWS);
    const line = "subscribers export --format ndjson --subscribed false";
    const { out, err } = await command.succeed(line);
    assertEquals([JSON.parse(out).userEmail, err], ["bob@x.org", "Exported 1 subscriber.\n"]);
  });
});
