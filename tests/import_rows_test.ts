import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type ImportCounts, importRows } from "../commands/_transfer/import.ts";
import { openInput, readFirst, readUntil } from "../commands/_transfer/input.ts";
import { openRowBatches, type RowBatch } from "../commands/_transfer/row_batches.ts";
import {
  csvRows,
  describeForeign,
  describeForeignJson,
  ndjsonRows,
} from "../commands/_transfer/rows.ts";
import { UsageError } from "../commands/_options.ts";
import { openMemoryStorage } from "../mod.ts";
import { createCommandLine } from "./_cli.ts";
import { withFolder } from "./_folder.ts";
import { HEADER, importText, stored } from "./_subscribers.ts";
import { turns, unhandledDuring } from "./_waiting.ts";

function batchOf(userEmail: string): RowBatch {
  const row = { line: 2, userEmail, userName: null, subscribe: true };
  return { rows: [row], refused: [], bytesRead: 1 };
}

describe("importRows", () => {
  it("finishes and counts what is under way when reading ends with an error", async () => {
    async function* batches() {
      yield batchOf("ann@example.com");
      yield batchOf("bob@example.com");
      throw new Error("interrupted");
    }
    const { subscriptions } = openMemoryStorage();
    const seen: ImportCounts[] = [];
    const importing = importRows(batches(), {
      put: subscriptions.put,
      resubscribe: false,
      now: () => "2026-11-21T10:00:00.000Z",
      onStep: ({ counts }) => seen.push(counts),
    });
    await assertRejects(() => importing, Error, "interrupted");
    assertEquals(seen.map(({ added }) => added), [1, 2]);
  });

  it("fails as the changes of a batch did that failed while others were under way", async () => {
    async function* batches() {
      for (const name of ["ann", "bob"]) yield batchOf(`${name}@example.com`);
    }
    const { subscriptions } = openMemoryStorage();
    const unhandled = await unhandledDuring(async () => {
      const importing = importRows(batches(), {
        async put(change) {
          if (change.userEmail.startsWith("bob")) throw new Error("full");
          await new Promise((resolve) => setTimeout(resolve));
          return await subscriptions.put(change);
        },
        resubscribe: false,
        now: () => "2026-11-21T10:00:00.000Z",
        onStep: () => {},
      });
      await assertRejects(() => importing, Error, "full");
    });
    assertEquals(unhandled, []);
  });

  it("tells of a batch while no change is under way when somebody reads that", async () => {
    async function* batches() {
      for (const name of ["ann", "bob", "cat"]) yield batchOf(`${name}@example.com`);
    }
    const { subscriptions } = openMemoryStorage();
    let underWay = 0;
    const seen: number[] = [];
    await importRows(batches(), {
      async put(change) {
        underWay++;
        await turns();
        underWay--;
        return await subscriptions.put(change);
      },
      resubscribe: false,
      now: () => "2026-11-21T10:00:00.000Z",
      onStep: () => seen.push(underWay),
      isRead: () => true,
    });
    assertEquals(seen, [0, 0, 0]);
  });
});

describe("ndjsonRows", () => {
  it("takes null for what is missing", () => {
    assertEquals(
      ndjsonRows().read('{"userEmail":null,"userName":null,"subscribed":null}', 1),
      "userEmail is required; subscribed is required",
    );
  });

  for (const record of ["null", "5", "true", '"ann@x.org"', "[]"]) {
    it(`takes no row when a line is ${record}`, () => {
      assertEquals(ndjsonRows().read(record, 1), "the row is not a JSON object");
    });
  }
});

describe("csvRows", () => {
  it("takes the name when its column is the first", () => {
    const rows = csvRows(() => {});
    rows.read("userName,userEmail,subscribed", 1);
    const row = { line: 2, userEmail: "ann@x.org", userName: "Ann", subscribe: true };
    assertEquals(rows.read("Ann,ann@x.org,true", 2), row);
  });

  for (
    const [record, reason] of [
      ["ann,Ann,true", "userEmail is not a valid e-mail address: it has no @"],
      [`ann@x.org,${"x".repeat(201)},true`, "userName is longer than 200 characters"],
      ["ann@x.org,Ann,maybe", "subscribed must be true or false"],
    ]
  ) {
    it(`refuses a row when one field alone is bad: ${reason}`, () => {
      const rows = csvRows(() => {});
      rows.read("userEmail,userName,subscribed", 1);
      assertEquals(rows.read(record, 2), reason);
    });
  }

  it("takes a header that names columns twice when they are ignored, and cuts long names", () => {
    let noted = "";
    const rows = csvRows((text) => noted += text);
    const [forty, long] = ["x".repeat(40), "y".repeat(41)];
    rows.read(`${forty},userEmail,${forty},subscribed,${long}`, 1);
    assertEquals(rows.isReady(), true);
    assertEquals(noted, `Ignoring the columns "${forty}", "${forty}", "${"y".repeat(40)}…".\n`);
  });

  it("shows a name in another case when that is what the header lacks", () => {
    const rows = csvRows(() => {});
    const hint = '(spaces and case count in "USEREMAIL")';
    assertThrows(() => rows.read("USEREMAIL,subscribed", 1), UsageError, hint);
  });
});

describe("a file that has no rows", () => {
  const notText = "it is not uncompressed text in UTF-8";
  const array = "it is a JSON array; write one object per line (NDJSON)";
  const severalLines = "it is JSON over several lines; write one object per line (NDJSON)";
  const known: readonly (readonly [string, string | undefined])[] = [
    ["\0{", notText],
    ["{\0", notText],
    ["\x1f\ufffd\b\0", notText],
    ["\x1f\ufffd\b\b", notText],
    ["{\x1f", undefined],
    ['{"ab\0', undefined],
    ['["a"]', array],
    ["[]", array],
    ["[\n", array],
    ["a[]", undefined],
    ["{ \n", severalLines],
    ["{\t\r\n", severalLines],
    ["a{\n", undefined],
    ["{", undefined],
  ];
  for (const [start, kind] of known) {
    it(`is ${kind ? "recognized" : "not judged"} when it starts with ${JSON.stringify(start)}`, () => {
      assertEquals(describeForeignJson(start), kind);
    });
  }

  const notUtf8 = "the header is not valid UTF-8; the file must be uncompressed text in UTF-8";
  const headers: readonly (readonly [string, string | undefined])[] = [
    ['\ufffd"a', notUtf8],
    [";a\n", "its columns must be separated by commas"],
    ["a\t\n", "its columns must be separated by commas"],
    ["a,b\r\n", undefined],
    ["a\rb\r", "its lines end with CR; they must end with LF or CRLF"],
  ];
  for (const [start, kind] of headers) {
    it(`is ${kind ? "recognized" : "not judged"} when its header is ${JSON.stringify(start)}`, () => {
      assertEquals(describeForeign(start), kind);
    });
  }
});

describe("the format of a file", () => {
  for (const name of ["people.ndjson.csv", "ndjson"]) {
    it(`is CSV when it is called ${name}, and has a brace that does not start it`, async () => {
      const command = createCommandLine();
      await withFolder(async (folder) => {
        await Deno.writeTextFile(`${folder}/${name}`, `${HEADER}ann@x.org,{Ann},true\n`);
        await command.run("subscribers", "import", `${folder}/${name}`);
      });
      assertEquals(await stored(command), ["ann@x.org {Ann} true"]);
    });
  }

  it("is CSV when that is asked for, whatever it starts with", async () => {
    const command = createCommandLine();
    await importText(command, "{a},subscribed,userEmail\n,true,ann@x.org\n", "--format", "csv");
    assertEquals(await stored(command), ["ann@x.org null true"]);
  });
});

describe("openRowBatches", () => {
  it("reads no further once it knows that the header can't be used", async () => {
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (; chunks < 100; chunks++) yield new Uint8Array(30_000).fill(0x61);
    }
    await assertRejects(
      () => openRowBatches(endless(), csvRows(() => {})),
      UsageError,
      "the header is longer than 65,536 bytes",
    );
    assertEquals(chunks, 2);
  });

  /** All rows and refusals of a CSV file whose bytes come in pieces. */
  async function readCsv(text: string, pieceSize: number) {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length; at += pieceSize) yield bytes.slice(at, at + pieceSize);
    }
    const { all } = await readFirst(pieces());
    const batches = await Array.fromAsync(await openRowBatches(all, csvRows(() => {})));
    return {
      names: batches.flatMap(({ rows }) => rows.map(({ userName }) => userName)),
      refused: batches.flatMap(({ refused }) => refused.map(({ line }) => line)),
    };
  }

  it("refuses a row that is too long, and not its header, when both come at once", async () => {
    const text = `userEmail,subscribed\n${"x".repeat(66_000)}`;
    assertEquals(await readCsv(text, Infinity), { names: [], refused: [2] });
  });

  it("takes a byte order mark for none of the header when it comes in pieces", async () => {
    const text = "\ufeffuserName,userEmail,subscribed\nAnn,ann@x.org,true\n";
    for (const pieceSize of [1, 2, 3]) {
      assertEquals(await readCsv(text, pieceSize), { names: ["Ann"], refused: [] });
    }
  });
});

describe("readUntil", () => {
  it("ends a read that is under way when the signal comes", async () => {
    const controller = new AbortController();
    const input = { name: "standard input", chunks: new ReadableStream() };
    const reading = Array.fromAsync(readUntil(controller.signal, input));
    controller.abort(new Error("interrupted"));
    await assertRejects(() => reading, Error, "interrupted");
  });

  it("lets go of a file that is not read to its end", async () => {
    let cancelled = 0;
    const chunks = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1)),
      cancel: () => void cancelled++,
    });
    for await (const _ of readUntil(new AbortController().signal, { name: "a", chunks })) break;
    assertEquals(cancelled, 1);
  });

  it("says which file can't be read on", async () => {
    const chunks = new ReadableStream({
      start: (controller) => controller.error(new Error("EIO")),
    });
    const { signal } = new AbortController();
    await assertRejects(
      () => Array.fromAsync(readUntil(signal, { name: "people.csv", chunks })),
      Error,
      'cannot read on in "people.csv": EIO',
    );
  });
});

describe("openInput", () => {
  it("says why a file can't be read", () =>
    withFolder(async (folder) => {
      const path = `${folder}/loop`;
      await Deno.symlink(path, path);
      await assertRejects(() => openInput(path), Error, `cannot read "${path}": `);
      const { stat } = Deno;
      Deno.stat = () => Promise.reject(new Deno.errors.NotCapable("Requires read access"));
      try {
        await assertRejects(() => openInput(path), Error, `read "${path}"; give - as FILE`);
      } finally {
        Deno.stat = stat;
      }
    }));
});

describe("readFirst", () => {
  it("does not read all of a list that starts with blanks without end", async () => {
    let chunks = 0;
    async function* blanks(): AsyncGenerator<Uint8Array> {
      for (; chunks < 100; chunks++) yield new Uint8Array(30_000).fill(0x20);
    }
    const { first, all } = await readFirst(blanks());
    assertEquals([first.trim(), chunks], ["", 2]);
    let bytes = 0;
    for await (const chunk of all) bytes += chunk.length;
    assertEquals(bytes, 100 * 30_000);
  });
});
