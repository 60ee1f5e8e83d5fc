import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, StorageError } from "../../../mod.ts";
import { HEADER, importCounts } from "../../_support/import.ts";
import { forEachRow } from "../../_support/rows.ts";
import { put } from "../../_contract/calls.ts";
import { SUBSCRIPTIONS } from "../../../model/kinds.ts";
import {
  assertProblem,
  createService,
  readJson,
  START,
  type TestService,
} from "../../_support/service.ts";

const NDJSON = "application/x-ndjson";
const AT = `${START},${START}`;

function get({ send }: TestService, accept: string, query = ""): Promise<Response> {
  return send("GET", `changelogs/subscribers${query}`, { headers: { accept } });
}

function rowsOf(count: number): string {
  return Array.from({ length: count }, (_, n) => `user${n}@x.org,,true\n`).join("");
}

async function withSubscribers(rows: string): Promise<TestService> {
  const service = createService();
  await importCounts(service, HEADER + rows);
  return service;
}

describe("an export of subscribers", () => {
  it("is CSV that is safe in a spreadsheet", async () => {
    const rows = 'cat@x.org,"Ann ""A"", B",true\n+bob@x.org,"=1+1",false\n';
    const response = await get(await withSubscribers(rows), "text/csv");
    assertEquals(response.headers.get("content-type"), "text/csv");
    assertEquals(
      await response.text(),
      "userEmail,userName,subscribed,source,createdAt,updatedAt,labels,pace\n" +
        `'+bob@x.org,'=1+1,false,import,${AT},,each\n` +
        `cat@x.org,"Ann ""A"", B",true,import,${AT},,each\n`,
    );
  });

  it("is NDJSON, of those in one state too", async () => {
    const service = await withSubscribers("ann@x.org,Ann,true\nbob@x.org,,false\n");
    const response = await get(service, NDJSON, "?subscribed=false");
    assertEquals(response.headers.get("content-type"), NDJSON);
    const record = { userEmail: "bob@x.org", userName: null, subscribed: false, source: "import" };
    const times = { labels: null, pace: "each", createdAt: START, updatedAt: START };
    const history = [{ at: START, subscribed: false, source: "import", keyId: "operator" }];
    assertEquals(JSON.parse(await response.text()), { ...record, ...times, history });
  });

  it("gives the same addresses, names and states, in order, when it is imported", async () => {
    await forEachRow(["text/csv", NDJSON], async (type) => {
      const rows = 'ann@x.org,"\'=1;+2 \'n",true\n-@x.org,"\'t ""Hooft",false\n' + rowsOf(1_200);
      const text = await (await get(await withSubscribers(rows), type)).text();
      const other = createService();
      assertEquals(await importCounts(other, text, { type }), { added: 1_202 });
      assertEquals(await (await get(other, type)).text(), text);
    });
  });

  it("has everybody, though one history can't be read; reading that one names the record", async () => {
    const service = await withSubscribers(rowsOf(3));
    const { storage, events } = service;
    const stored = await storage.get(SUBSCRIPTIONS, "user1@x.org");
    await put(storage, SUBSCRIPTIONS, { ...stored!, history: "rubbish" });
    const rows = (await (await get(service, NDJSON)).text()).trimEnd().split("\n");
    const histories = rows.map((row) => JSON.parse(row).history.length);
    assertEquals(histories, [1, 0, 1]);
    const { subscriberId } = stored!;
    const named =
      `Cannot read the history of the subscription with the subscriberId ${subscriberId}`;
    assertEquals(events.at(-1)?.warning, named);
    const response = await service.send("GET", "changelogs/subscribers/user1@x.org");
    await assertProblem(response, 500, "internal_error");
    assertEquals((events.at(-1)?.error as Error).message, named);
    await service.call("PUT", "changelogs/subscribe", {
      userEmail: "user1@x.org",
      subscribe: false,
    });
    const { history } = await service.call("GET", "changelogs/subscribers/user1@x.org");
    assertEquals((history as unknown[]).length, 1);
  });

  it("is known by its media type in any case", async () => {
    const response = await get(await withSubscribers("ann@x.org,Ann,true\n"), "Text/CSV");
    assertEquals(response.headers.get("content-type"), "text/csv");
    await response.body?.cancel();
  });

  it("is a page where another type is preferred, or a limit given", async () => {
    const service = await withSubscribers("ann@x.org,Ann,true\n");
    await forEachRow([
      ["*/*", ""],
      ["text/html, text/csv;q=0", ""],
      ["application/json, text/csv;q=0.9", ""],
      ["text/csv", "?limit=1"],
    ], async ([accept, query]) => {
      const page = await readJson<{ data: unknown[] }>(await get(service, accept, query));
      assertEquals(page.data.length, 1);
    });
  });

  it("breaks off, and is logged when it ends, when storage fails on the way", async () => {
    const storage = openMemoryStorage();
    const { list } = storage;
    let calls = 0;
    storage.list = (kind, query) =>
      ++calls > 1 ? Promise.reject(new StorageError("unavailable", "gone")) : list(kind, query);
    const service = createService({ storage });
    await importCounts(service, HEADER + rowsOf(1_500));
    const response = await get(service, "text/csv");
    await assertRejects(() => response.text());
    const [, { level, error }, ...others] = service.events;
    assertEquals([level, `${error}`, others], ["error", "StorageError: gone", []]);
  });
});
