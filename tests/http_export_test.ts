import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type LogEvent, openMemoryStorage, type Storage, StorageError } from "../mod.ts";
import { HEADER, importCounts, SUBSCRIBERS } from "./_import.ts";
import { createService, readJson, START, type TestService } from "./_service.ts";

const NDJSON = "application/x-ndjson";
const AT = `${START},${START}`;

function get({ send }: TestService, accept: string, query = ""): Promise<Response> {
  return send("GET", `${SUBSCRIBERS}${query}`, { headers: { accept } });
}

async function withSubscribers(rows: string): Promise<TestService> {
  const service = createService();
  await importCounts(service, HEADER + rows);
  return service;
}

describe("exporting subscribers", () => {
  it("sends CSV that is safe in a spreadsheet", async () => {
    const service = await withSubscribers(
      'cat@x.org,"Ann ""A"", B",true\n+bob@x.org,"=1+1",false\n',
    );
    const response = await get(service, "text/csv");
    assertEquals(response.headers.get("content-type"), "text/csv");
    assertEquals(
      await response.text(),
      "userEmail,userName,subscribed,source,createdAt,updatedAt\n" +
        `'+bob@x.org,'=1+1,false,import,${AT}\n` +
        `cat@x.org,"Ann ""A"", B",true,import,${AT}\n`,
    );
  });

  it("sends NDJSON, of those in one state too", async () => {
    const service = await withSubscribers("ann@x.org,Ann,true\nbob@x.org,,false\n");
    const response = await get(service, NDJSON, "?subscribed=false");
    assertEquals(response.headers.get("content-type"), NDJSON);
    assertEquals(JSON.parse(await response.text()), {
      userEmail: "bob@x.org",
      userName: null,
      subscribed: false,
      source: "import",
      createdAt: START,
      updatedAt: START,
    });
  });

  for (const type of ["text/csv", NDJSON]) {
    it(`sends what gives the same addresses, names and states when imported as ${type}`, async () => {
      const rows = 'ann@x.org,"\'=1;+2 \'n",true\n-@x.org,"\'t ""Hooft",false\n';
      const service = await withSubscribers(rows);
      const text = await (await get(service, type)).text();
      const other = createService();
      assertEquals(await importCounts(other, text, { type }), { added: 2 });
      assertEquals(await (await get(other, type)).text(), text);
    });
  }

  it("sends more than one page of storage, in order", async () => {
    const rows = Array.from({ length: 2_500 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    const lines = await (await get(await withSubscribers(rows), "text/csv")).text();
    const addresses = lines.trimEnd().split("\n").slice(1).map((line) => line.split(",")[0]);
    assertEquals(addresses.length, 2_500);
    assertEquals(addresses, addresses.toSorted());
  });

  const PAGES = [
    ["*/*", ""],
    ["text/html, text/csv;q=0", ""],
    ["application/json, text/csv;q=0.9", ""],
    ["text/csv", "?limit=1"],
  ];
  for (const [accept, query] of PAGES) {
    it(`sends a page when Accept is ${accept} and the query is "${query}"`, async () => {
      const service = await withSubscribers("ann@x.org,Ann,true\n");
      const page = await readJson<{ data: unknown[] }>(await get(service, accept, query));
      assertEquals(page.data.length, 1);
    });
  }

  it("sends no content when HEAD asks for it", async () => {
    const { send } = await withSubscribers("ann@x.org,Ann,true\n");
    const response = await send("HEAD", SUBSCRIBERS, { headers: { accept: "text/csv" } });
    assertEquals(response.headers.get("content-type"), "text/csv");
    assertEquals(await response.text(), "");
  });

  it("breaks off, and is logged when it ends, when storage fails on the way", async () => {
    const storage = openMemoryStorage();
    let calls = 0;
    const failing: Storage = {
      ...storage,
      async list(kind, query) {
        if (++calls > 1) throw new StorageError("unavailable", "The disk is gone");
        return await storage.list(kind, query);
      },
    };
    const events: LogEvent[] = [];
    const service = createService({ storage: failing, log: (event) => void events.push(event) });
    const rows = Array.from({ length: 1_500 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    await importCounts(service, HEADER + rows);
    const response = await get(service, "text/csv");
    assertEquals(events.length, 1);
    await assertRejects(() => response.text());
    assertEquals(events.slice(1).map(({ level, error }) => [level, `${error}`]), [
      ["error", "StorageError: The disk is gone"],
    ]);
  });

  it("ends with the client that does not read on", async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => `user${n}@x.org,,true\n`).join("");
    const events: LogEvent[] = [];
    const service = createService({ log: (event) => void events.push(event) });
    await importCounts(service, HEADER + rows);
    const { body } = await get(service, "text/csv");
    await body?.cancel();
    assertEquals(events.length, 2);
  });
});
