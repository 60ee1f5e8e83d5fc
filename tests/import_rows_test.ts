import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type ImportCounts, importRows } from "../commands/_transfer/import.ts";
import { readFirst, readUntil } from "../commands/_transfer/input.ts";
import { openRowBatches, type RowBatch } from "../commands/_transfer/row_batches.ts";
import { csvRows, ndjsonRows } from "../commands/_transfer/rows.ts";
import { UsageError } from "../commands/_options.ts";
import { openMemoryStorage } from "../mod.ts";
import { turns } from "./_waiting.ts";

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
});

describe("readUntil", () => {
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
