import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Input, openInput, readLines } from "../commands/_input.ts";
import { UsageError } from "../commands/_options.ts";
import { openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { type CommandLine, createCommandLine, withFile } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { HEADER, stored } from "./_import.ts";
import type { CommandResult } from "./_process.ts";
import { until } from "./_waiting.ts";

const ROWS = 'ann@x.org,Ann,true\nbad,,true\n"a\nb",x,true\nbob@x.org,,false\nq@x.org,"Q" x,true\n';

/** Imports a list. */
function importText(
  { run }: CommandLine,
  text: string,
  ...flags: string[]
): Promise<CommandResult> {
  return withFile(text, (path) => run("subscribers", "import", path, ...flags));
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
    assertEquals(await stored(command.storage), [
      "ann@x.org Ann true import",
      "bob@x.org null false import",
    ]);
    const again = await importText(command, `${HEADER}bob@x.org,Bob,true\n`);
    assertEquals(again.status, 0);
    assertMatch(again.err, /: 0 added, 0 changed, 0 unchanged, 1 kept unsubscribed, 0 refused\n$/);
    await importText(command, `${HEADER}bob@x.org,Bob,true\n`, "--resubscribe");
    assertEquals((await stored(command.storage))[1], "bob@x.org Bob true import");
  });

  it("only tells what it would do with --dry-run", async () => {
    const command = createCommandLine();
    const { err } = await importText(command, HEADER + ROWS, "--dry-run");
    assertStringIncludes(err, "2 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 3 refused");
    assertStringIncludes(err, " (dry run: nothing was changed)\n");
    assertEquals(await stored(command.storage), []);
  });

  it("prints what the API answered with --json", async () => {
    const { status, out, err } = await importText(createCommandLine(), HEADER + ROWS, "--json");
    const lines = out.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals([status, err, lines.map(({ line }) => line)], [3, "", [3, 4, 7, undefined]]);
    assertEquals([lines[3].added, lines[3].refused], [2, 3]);
  });

  for (
    const [name, text, rejects] of [
      ["people.csv", HEADER + ROWS, `${HEADER}bad,,true\n"a\nb",x,true\nq@x.org,"Q" x,true\n`],
      ["people.csv", `${HEADER}ann@x.org,,true\n`, ""],
      ["people.ndjson", 'x\n{"userEmail":"a@x.org","subscribed":true}\n{}', "x\n{}\n"],
    ]
  ) {
    it(`writes refused rows of ${name} to a file: ${JSON.stringify(rejects)}`, () =>
      withFile(text, async (path) => {
        await Deno.writeTextFile(`${path}.rejects`, "what was there before".repeat(100));
        const { run } = createCommandLine();
        await run("subscribers", "import", path, "--rejects", `${path}.rejects`);
        assertEquals(await Deno.readTextFile(`${path}.rejects`), rejects);
      }, name));
  }

  it("never writes refused rows over the list itself", () =>
    withFile(HEADER + ROWS, async (path) => {
      await Deno.symlink(path, `${path}.link`);
      const args = ["subscribers", "import", path, "--rejects", `${path}.link`];
      const { status, err } = await createCommandLine().run(...args);
      assertEquals([status, await Deno.readTextFile(path)], [2, HEADER + ROWS]);
      assertStringIncludes(err, "--rejects names the list itself");
    }));

  const formats: readonly (readonly [name: string, text: string, ...flags: string[]])[] = [
    ["people.ndjson", ' \n{"userEmail":"ann@x.org","subscribed":true}'],
    ["people.JSONL", '\n{"userEmail":"ann@x.org","subscribed":true}'],
    ["people.txt", '\ufeff {"userEmail":"ann@x.org","subscribed":true}'],
    ["people.csv", 'no row\n{"userEmail":"ann@x.org","subscribed":true}', "--format", "ndjson"],
    ["ndjson", `${HEADER}ann@x.org,,true`],
    ["people", "{a},subscribed,userEmail\n,true,ann@x.org\n", "--format", "csv"],
  ];
  for (const [name, text, ...flags] of formats) {
    it(`finds the format of ${name} ${flags.join(" ")}: ${JSON.stringify(text)}`, async () => {
      const command = createCommandLine();
      await withFile(text, (path) => command.run("subscribers", "import", path, ...flags), name);
      assertEquals(await stored(command.storage), ["ann@x.org null true import"]);
    });
  }

  const unusable: readonly (readonly [text: string | undefined, message: string])[] = [
    ["a,b\n", "people.csv: the header has no column userEmail; the first line must name"],
    ["", "people.csv: the file is empty; its first line must be a header"],
    [undefined, 'there is no file "'],
  ];
  for (const [text = "", message] of unusable) {
    it(`ends with 2, and stores nothing: ${message}`, async () => {
      const command = createCommandLine();
      const path = message.startsWith("there") ? "/nowhere/people.csv" : undefined;
      const { status, err } = await withFile(
        text,
        (file) => command.run("subscribers", "import", path ?? file),
      );
      assertEquals([status, err.split("\n").length, await stored(command.storage)], [2, 2, []]);
      assertStringIncludes(err, message);
    });
  }

  for (
    const [args, message] of [
      [["/"], '"/" is a folder, not a file'],
      [["-", "--rejects", "x"], "--rejects needs a FILE that can be read again, not -"],
      [["x", "--format", "xml"], '--format "xml" is not csv or ndjson'],
    ] as const
  ) {
    it(`ends with 2: ${message}`, async () => {
      const { status, err } = await createCommandLine().run("subscribers", "import", ...args);
      assertEquals([status, err], [2, `boardcast: ${message}\n`]);
    });
  }

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
    const { status, err } = await importText(
      createCommandLine({ storage: failing }),
      HEADER + rows,
    );
    assertEquals([status, err], [
      1,
      "boardcast: The disk is full; run it again to complete it\n",
    ]);
  });

  it("stores what it says when a signal ends it, and never half a row", async () => {
    const command = createCommandLine();
    const { stdin } = Deno;
    const rows = new TextEncoder().encode(`${HEADER}ann@x.org,,true\nbob@x.org,,true\ncat@x.o`);
    let isWaiting = false;
    const readable = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(rows),
      pull(controller) {
        if (isWaiting) return new Promise(() => {});
        controller.enqueue(new TextEncoder().encode("r"));
        isWaiting = true;
      },
    });
    Object.defineProperty(Deno, "stdin", { value: { readable }, configurable: true });
    try {
      const importing = command.run("subscribers", "import", "-");
      await until(() => isWaiting);
      Deno.kill(Deno.pid, "SIGTERM");
      const { status, err } = await importing;
      assertEquals([status, err], [
        1,
        "standard input: 2 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 0 refused (incomplete)\n" +
        "boardcast: interrupted; run it again to complete it\n",
      ]);
      assertEquals((await stored(command.storage)).length, 2);
    } finally {
      Object.defineProperty(Deno, "stdin", { value: stdin, configurable: true });
    }
  });

  it("draws its progress on a terminal", async () => {
    const { err } = await importText(createCommandLine({ errColumns: 80 }), HEADER + ROWS);
    assertStringIncludes(err, `\r100% ${"█".repeat(20)} 0.0 MB  `);
  });
});

describe("reading a file", () => {
  const input = (chunks: ReadableStream<Uint8Array>): Input => ({
    name: "people.csv",
    sizeBytes: undefined,
    startsWithBrace: false,
    start: new Uint8Array(),
    chunks,
  });

  it("says which file can't be read on", async () => {
    const chunks = new ReadableStream({ start: (part) => part.error(new Error("EIO")) });
    let failure: Error | undefined;
    const lines = readLines(input(chunks), {
      signal: new AbortController().signal,
      onRead: () => {},
      onFailure: (error) => failure = error,
    });
    await Array.fromAsync(lines).catch(() => {});
    assertEquals(failure?.message, 'cannot read on in "people.csv": EIO');
  });

  it("keeps lines whole, but none that is too long for a row", async () => {
    const texts = ["a", "b\nc", "\n", "d".repeat(300_000), "e\n", "f"];
    const encoder = new TextEncoder();
    const lines = await Array.fromAsync(
      readLines(input(ReadableStream.from(texts.map((text) => encoder.encode(text)))), {
        signal: new AbortController().signal,
        onRead: () => {},
        onFailure: () => {},
      }),
      (bytes) => new TextDecoder().decode(bytes),
    );
    assertEquals(lines, ["ab\n", "c\n", "d".repeat(300_000), "e\n", "f"]);
  });

  it("says why a file can't be opened", () =>
    withFolder(async (folder) => {
      await Deno.symlink(`${folder}/loop`, `${folder}/loop`);
      const opening = () => openInput(`${folder}/loop`);
      await assertRejects(opening, UsageError, `cannot read "${folder}/loop": `);
    }));
});

describe("subscribers export", () => {
  it("prints what gives the same list when it is imported", async () => {
    const [command, other] = [createCommandLine(), createCommandLine()];
    await importText(command, `${HEADER}ann@x.org,"'=1;+2 'n",true\n-@x.org,"'t ""Hooft",false\n`);
    const { status, out, err } = await command.run("subscribers", "export");
    assertEquals([status, err], [0, "Exported 2 subscribers.\n"]);
    assertMatch(out, /^userEmail,userName,subscribed,source,createdAt,updatedAt\n'-@x\.org,/);
    await importText(other, out);
    assertEquals(await stored(other.storage), await stored(command.storage));
  });

  it("prints NDJSON, of those in one state", async () => {
    const command = createCommandLine();
    await importText(command, HEADER + ROWS);
    const args = ["subscribers", "export", "--format", "ndjson", "--subscribed", "false"];
    const { out, err } = await command.run(...args);
    assertEquals([JSON.parse(out).userEmail, err], ["bob@x.org", "Exported 1 subscriber.\n"]);
  });
});
