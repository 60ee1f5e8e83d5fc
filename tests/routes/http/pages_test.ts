import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, createService, type TestService } from "../../_support/service.ts";

/**
 * The lists. Each has a path, the key of its records, and a function that makes the fields of a
 * record from a name.
 */
const LISTS = [
  { path: "boards", key: "boardId", fields: (boardId: string) => ({ boardId, name: "A" }) },
  {
    path: "changelogs/subscribers",
    key: "userEmail",
    fields: (name: string) => ({ userEmail: `${name}@a.bc`, subscribe: true }),
  },
  {
    path: "changelogs/entries",
    key: "entryId",
    fields: (entryId: string) => ({ entryId, title: "A", body: "" }),
    isNewestFirst: true,
  },
  { path: "keys", key: "name", fields: (name: string) => ({ name }), isNewestFirst: true },
];
type List = typeof LISTS[number];
const [BOARDS, SUBSCRIBERS, , KEYS] = LISTS;

/** Adds records at different times, because the order of simultaneous records is not defined. */
async function add({ call, advance }: TestService, list: List, names: Iterable<string>) {
  for (const name of names) {
    if (list === SUBSCRIBERS) await call("PUT", "changelogs/subscribe", list.fields(name));
    else await call("POST", list.path, list.fields(name));
    advance(1);
  }
}

/** Reads a page: the names of its records, and the cursor of the next one. */
async function read({ call }: TestService, { path, key }: List, query = "") {
  type Page = { data: Record<string, unknown>[]; nextCursor: string | null };
  const { data, nextCursor } = await call<Page>("GET", `${path}?${query}`);
  return { names: data.map((record) => `${record[key]}`.split("@")[0]), nextCursor };
}

for (const list of LISTS) {
  const { path, isNewestFirst = false } = list;
  describe(`pages of ${path}`, () => {
    it("follow each other by cursor to the last, which has null", async () => {
      const service = createService();
      assertEquals(await read(service, list), { names: [], nextCursor: null });
      await add(service, list, ["c", "a", "aa~", "b", "0"]);
      for (const limit of [1, 2, 5]) {
        const seen: string[] = [];
        for (let query = `limit=${limit}`; query !== "";) {
          const { names, nextCursor } = await read(service, list, query);
          assert(names.length <= limit);
          seen.push(...names);
          query = nextCursor === null ? "" : `limit=${limit}&cursor=${nextCursor}`;
        }
        assertEquals(seen.join(), isNewestFirst ? "0,b,aa~,a,c" : "0,a,aa~,b,c");
      }
    });

    it("neither skip nor repeat a record when others come and go between them", async () => {
      const service = createService();
      await add(service, list, ["b", "d", "f", "h"]);
      const { names, nextCursor } = await read(service, list, "limit=2");
      await add(service, list, ["a", "e"]);
      // Revoked keys stay in the list.
      const last = list === SUBSCRIBERS ? `${names[1]}@a.bc` : names[1];
      if (list !== KEYS) await service.send("DELETE", `${path}/${last}`);
      const second = await read(service, list, `cursor=${nextCursor}`);
      const expected = isNewestFirst ? ["hf", "db"] : ["bd", "efh"];
      assertEquals([names.join(""), second.names.join("")], expected);
    });

    it("are 422 where limit or cursor is bad, 400 where the query can't be read", async () => {
      const rows = [
        ...["0", "101", "1.5", "x", "", "9".repeat(30)]
          .map((limit) => [`limit=${limit}`, "422 limit:invalid_value"]),
        ...["", "!", "YQ==", "YR", "_w", "AA"]
          .map((cursor) => [`cursor=${cursor}`, "422 cursor:invalid_value"]),
        ...["limit=%", "limit=1&limit=1", "a=1&".repeat(101)]
          .map((query) => [query, "400 malformed_path"]),
      ].map(([query, outcome]) => ["GET", `${path}?${query}`, {}, outcome] as const);
      await assertOutcomes(createService(), rows);
    });
  });
}

describe("a page", () => {
  it("is of 25 unless the limit says otherwise, up to 100", async () => {
    const service = createService();
    const names = Array.from({ length: 101 }, (_, index) => `b${`${index}`.padStart(3, "0")}`);
    await add(service, BOARDS, names);
    await forEachRow([["", 25], ["limit=100", 100]], async ([query, length]) => {
      assertEquals((await read(service, BOARDS, query)).names, names.slice(0, length));
    });
  });

  it("is of subscribers in one state where that is asked for", async () => {
    const service = createService();
    await add(service, SUBSCRIBERS, ["c", "b"]);
    await service.call("PUT", "changelogs/subscribe", { userEmail: "a@a.bc", subscribe: false });
    const page = await read(service, SUBSCRIBERS, "subscribed=False");
    assertEquals(page, { names: ["a"], nextCursor: null });
    const first = await read(service, SUBSCRIBERS, "subscribed=true&limit=1");
    const query = `subscribed=true&limit=1&cursor=${first.nextCursor}`;
    const second = await read(service, SUBSCRIBERS, query);
    assertEquals([...first.names, ...second.names].sort(), ["b", "c"]);
    assertEquals(second.nextCursor, null);
    const bad = "changelogs/subscribers?subscribed=1";
    await assertOutcomes(service, [["GET", bad, {}, "422 subscribed:invalid_value"]]);
  });
});
