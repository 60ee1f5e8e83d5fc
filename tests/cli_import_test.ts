import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { StorageError } from "../adapters/storage.ts";
import { openMemoryStorage } from "../mod.ts";
import { type CommandLine, createCommandLine } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { HEADER, importText, stored } from "./_subscribers.ts";

/** What a file comes to: the lines on standard error without the name of the file. */
async function messages(text: string | Uint8Array, ...flags: string[]): Promise<string[]> {
  const { err } = await importText(createCommandLine(), text, ...flags);
  return err.trimEnd().split("\n").map((line) => line.replace(/^.*people\.csv: /, ""));
}

describe("subscribers import", () => {
  it("adds, changes and leaves rows, and sums up", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\nbob@x.org,,true\n`);
    const { status, out, err } = await importText(
      command,
      `${HEADER}ann@x.org,Ann,true\nBOB@x.org,Bob,false\neve@x.org,,TRUE\n`,
    );
    assertEquals([status, out], [0, ""]);
    assertMatch(err, /: 1 added, 1 changed, 1 unchanged, 0 kept unsubscribed, 0 refused\n$/);
    assertEquals(await stored(command), [
      "ann@x.org Ann true",
      "bob@x.org Bob false",
      "eve@x.org null true",
    ]);
  });

  it("takes columns in any order and ignores others with a note", async () => {
    const command = createCommandLine();
    const { err } = await importText(command, "note,subscribed,userEmail\nx,false,ann@x.org\n");
    assertEquals(await stored(command), ["ann@x.org null false"]);
    assertStringIncludes(err, 'Ignoring the columns "note".\n');
  });

  it("says what to mend where the names stand under another one", async () => {
    const [note] = await messages("userEmail,username,subscribed\nann@x.org,Ann,true\n");
    assertEquals(note, 'Ignoring the columns "username" (spaces and case count in "username").');
    const [other] = await messages("userEmail,userName,username,subscribed\nann@x.org,,,true\n");
    assertEquals(other, 'Ignoring the columns "username".');
  });

  it("shows nothing of a column's name that a terminal would obey", async () => {
    const text = "userEmail,subscribed,ü\u009b31m\u202e\u001b\n";
    const [note] = await messages(text);
    assertEquals(note, 'Ignoring the columns "ü\\u{9b}31m\\u{202e}\\u001b".');
  });

  it("reads a byte order mark, CRLF, quotes, empty lines and a last line without its end", async () => {
    const command = createCommandLine();
    const text =
      '\ufeff\r\n"userEmail",subscribed,userName\r\n\r\nann@x.org,"true","Ann ""A"", B"\r\n' +
      "bob@x.org,true,Bob";
    assertEquals((await importText(command, text)).status, 0);
    assertEquals(await stored(command), ['ann@x.org Ann "A", B true', "bob@x.org Bob true"]);
  });

  it("keeps an unsubscribed address so, unless --resubscribe says otherwise", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,,false\n`);
    const { err } = await importText(command, `${HEADER}ann@x.org,,true\n`);
    assertStringIncludes(err, "0 unchanged, 1 kept unsubscribed");
    assertEquals(await stored(command), ["ann@x.org null false"]);
    await importText(command, `${HEADER}ann@x.org,,true\n`, "--resubscribe");
    assertEquals(await stored(command), ["ann@x.org null true"]);
  });

  it("keeps an address unsubscribed when rows of one file say false, and then true", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,,false\nann@x.org,Ann,true\n`);
    assertEquals(await stored(command), ["ann@x.org Ann false"]);
  });

  it("keeps the name on record where the row has none", async () => {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,Ann,true\nann@x.org,,false\n`);
    assertEquals(await stored(command), ["ann@x.org Ann false"]);
  });

  it("takes rows of one address in their order", async () => {
    const command = createCommandLine();
    const rows = Array.from({ length: 2_000 }, (_, n) => `ann@x.org,Name ${n},true\n`).join("");
    await importText(command, HEADER + rows);
    assertEquals(await stored(command), ["ann@x.org Name 1999 true"]);
  });

  it("draws its progress on a terminal, and never elsewhere", async () => {
    const rows = `${HEADER}ann@x.org,,true\nbad,,true\n`;
    const onTerminal = await importText(createCommandLine({ errColumns: 80 }), rows);
    assertStringIncludes(onTerminal.err, `\r100% ${"█".repeat(20)} 2 rows  `);
    const elsewhere = await importText(createCommandLine(), rows);
    assertEquals(elsewhere.err.includes("\r"), false);
  });

  it("ends with 3 when rows were refused, and imports all others", async () => {
    const command = createCommandLine();
    const { status } = await importText(command, `${HEADER}bad,,true\nann@x.org,,true\n`);
    assertEquals([status, await stored(command)], [3, ["ann@x.org null true"]]);
  });

  it("names line, field and reason of each refused row", async () => {
    const bad = new TextEncoder().encode(
      `${HEADER}bad,,true\n"a\nb","\u202e",maybe\na@x.org,true\n,,\na@x.org,"A" B,true\n#\nA <a@x.org>,,true\n`,
    );
    bad[bad.indexOf("#".charCodeAt(0))] = 0xff;
    assertEquals(await messages(bad), [
      "line 2: userEmail is not a valid e-mail address: it has no @",
      "lines 3-4: userEmail is not a valid e-mail address: it has no @; userName has control " +
      "characters, bidirectional controls or lone surrogates; subscribed must be true or false",
      "line 5: the row has 2 fields where the header has 3",
      "line 6: userEmail is required; subscribed is required",
      "line 7: the row has text after a closing quote",
      "line 8: the row is not valid UTF-8",
      "line 9: userEmail has a space",
      "0 added, 0 changed, 0 unchanged, 0 kept unsubscribed, 7 refused",
    ]);
  });

  for (
    const [text, message] of [
      ["", "the file is empty; its first line must be a header"],
      ["ab", "the header has no column userEmail"],
      ["ann@x.org,Ann,true\n", "the header has no column userEmail"],
      ["userEmail,userName\n", "the header has no column subscribed"],
      ["userEmail, subscribed\n", '(spaces and case count in " subscribed")'],
      ["Email,useremail,subscribed\n", '(spaces and case count in "useremail")'],
      ["userEmail;userName;subscribed\n", "its columns must be separated by commas\n"],
      ['"userEmail"\t"userName"\t"subscribed"\n', "its columns must be separated by commas\n"],
      ["userEmail,subscribed\rann@x.org,true\r", "its lines end with CR; they must end with LF"],
      [
        '{\n  "userEmail": "ann@x.org",\n  "subscribed": true\n}\n',
        "it is JSON over several lines",
      ],
      ['[{"userEmail":"ann@x.org","subscribed":true}]', "it is a JSON array; write one object"],
      ['\n\n[{"userEmail":"ann@x.org","subscribed":true}]', "it is a JSON array; write one object"],
      ["[tag],useremail,subscribed\n", '(spaces and case count in "useremail")\n'],
      ['"userEmail;x",subscribed\n', "the header has no column userEmail; "],
      ["a,b;c\n", "the header has no column userEmail; "],
      ["a,b\r\r\n", "the header has no column userEmail; "],
      ["u\0s\0e\0r\0\n", "not valid UTF-8; "],
      ["\n\n\n", "the file is empty; its first line must be a header\n"],
      [`${"x".repeat(66_000)}\n`, "the header is longer than 65,536 bytes\n"],
      ["userEmail,subscribed,userEmail\n", "the header has the column userEmail twice"],
      ['"userEmail,subscribed\n', "the header has a quote that is never closed"],
      ...[
        Uint8Array.of(0xff, 0xfe, 0x75, 0x00),
        // With a quote where none may stand.
        Uint8Array.of(0x1f, 0x8b, 0x08, 0x00, 0x22, 0x22, 0x31),
      ].map((bytes) =>
        [bytes, "not valid UTF-8; the file must be uncompressed text in UTF-8\n"] as const
      ),
    ] as const
  ) {
    it(`ends with 2 and stores nothing when the file is ${JSON.stringify(text)}`, async () => {
      const command = createCommandLine();
      const { status, err } = await importText(command, text);
      assertEquals([status, err.split("\n").length, await stored(command)], [2, 2, []]);
      assertStringIncludes(err, message);
    });
  }

  it("opens no storage for a file that can't be used", async () => {
    let opened = 0;
    const command = createCommandLine({
      openStorage: () => {
        opened++;
        return Promise.resolve(openMemoryStorage());
      },
    });
    assertEquals((await importText(command, "a,b\n")).status, 2);
    assertEquals(opened, 0);
    assertEquals((await importText(command, HEADER)).status, 0);
    assertEquals(opened, 1);
  });

  it("ends with 2 when there is no such file, or it is a folder", async () => {
    const command = createCommandLine();
    const missing = await command.run("subscribers", "import", "/nowhere/people.csv");
    assertEquals([missing.status, missing.err], [
      2,
      'boardcast: there is no file "/nowhere/people.csv"\n',
    ]);
    assertEquals((await command.run("subscribers", "import", "/")).status, 2);
  });

  const ndjson: readonly (readonly [name: string, start: string, ...flags: string[]])[] = [
    ["people.ndjson", "no row\n"],
    ["people.JSONL", "no row\n"],
    ["people.txt", ""],
    ["people", "\ufeff \r\n"],
    ["people.csv", "no row\n", "--format", "ndjson"],
  ];
  for (const [name, start, ...flags] of ndjson) {
    it(`reads NDJSON when ${name} starts with ${JSON.stringify(start)} (${flags})`, async () => {
      const command = createCommandLine();
      const text = `${start}{"userEmail":"ann@x.org","subscribed":true,"createdAt":"x"}\n\n` +
        '{"subscribed":false,"userName":null,"userEmail":"bob@x.org"}';
      await withFolder(async (folder) => {
        const path = `${folder}/${name}`;
        await Deno.writeTextFile(path, text);
        const { status } = await command.run("subscribers", "import", path, ...flags);
        assertEquals(status, start.includes("no") ? 3 : 0);
      });
      assertEquals(await stored(command), ["ann@x.org null true", "bob@x.org null false"]);
    });
  }

  const NO_NDJSON = [
    ['[{"userEmail":"ann@x.org","subscribed":true},\n', "it is a JSON array"],
    ['{\r\n"userEmail":"ann@x.org","subscribed":true}\n', "it is JSON over several lines"],
    ['{\0"\0u\0', "it is not uncompressed text in UTF-8"],
  ] as const;
  for (const [text, message] of NO_NDJSON) {
    it(`ends with 2 and stores nothing when NDJSON is ${JSON.stringify(text)}`, async () => {
      const command = createCommandLine();
      const { status, err } = await importText(command, text, "--format", "ndjson");
      assertEquals([status, await stored(command)], [2, []]);
      assertStringIncludes(err, message);
    });
  }

  it("refuses lines of NDJSON that say no row", async () => {
    const lines = ['{"x":"\0"}', "[]", '{"userEmail":1,"userName":2,"subscribed":"true"}', "{}"];
    assertEquals((await messages(lines.join("\n"), "--format", "ndjson")).slice(0, 4), [
      "line 1: the row is not JSON",
      "line 2: the row is not a JSON object",
      "line 3: userEmail must be a string; userName must be a string; " +
      "subscribed must be a JSON boolean",
      "line 4: userEmail is required; subscribed is required",
    ]);
  });

  it("says how far it came, and to run it again, when storage fails on the way", async () => {
    const command = createCommandLine();
    const { subscriptions } = command.storage;
    const { put } = subscriptions;
    const failure = new StorageError("unavailable", "Cannot reach the database: X");
    let left = 700;
    subscriptions.put = (change) => left-- > 0 ? put(change) : Promise.reject(failure);
    const rows = Array.from({ length: 1_200 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    const { status, err } = await importText(command, HEADER + rows);
    assertEquals(status, 1);
    assertMatch(
      err,
      /csv: 499 added, .* \(incomplete\)\nboardcast: Cannot reach the database: X; /,
    );
    assertStringIncludes(err, "; once that is mended, run it again to complete it\n");
  });

  it("ends with 2 on an unknown format, or --json without --dry-run", async () => {
    const command = createCommandLine();
    assertEquals((await importText(command, HEADER, "--format", "xml")).status, 2);
    assertEquals((await importText(command, HEADER, "--json")).status, 2);
  });
});

describe("subscribers import --dry-run", () => {
  const text = `${HEADER}ann@x.org,,true\nbob@x.org,Bob,true\nnew@x.org,,true\nbad,,true\n`;

  async function prepared(): Promise<CommandLine> {
    const command = createCommandLine();
    await importText(command, `${HEADER}ann@x.org,,false\nbob@x.org,,true\n`);
    return command;
  }

  it("changes nothing and prints what each row would do", async () => {
    const command = await prepared();
    const before = await stored(command);
    const { status, out, err } = await importText(command, text, "--dry-run");
    assertEquals(status, 3);
    assertEquals(
      out,
      "2\tkept unsubscribed\tann@x.org\n3\tchanged\tbob@x.org\n4\tadded\tnew@x.org\n",
    );
    assertStringIncludes(err, "1 refused (dry run: nothing was changed)");
    assertEquals(await stored(command), before);
  });

  it("counts what the import then does", async () => {
    const command = await prepared();
    const summary = ({ err }: { readonly err: string }) => /\d+ added.*refused/.exec(err)?.[0];
    const [dry, real] = [
      await importText(command, text, "--dry-run", "--resubscribe"),
      await importText(command, text, "--resubscribe"),
    ];
    assertEquals(summary(dry), summary(real));
  });

  it("prints one JSON object per row with --json", async () => {
    const { out } = await importText(await prepared(), text, "--dry-run", "--json");
    assertEquals(JSON.parse(out.split("\n")[0]), {
      line: 2,
      outcome: "kept unsubscribed",
      userEmail: "ann@x.org",
    });
  });
});
