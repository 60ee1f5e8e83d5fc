import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS_PATH, KEYS_PATH, SUBSCRIBE_PATH, SUBSCRIBERS_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, assertRefused, createService, readJson } from "./_service.ts";
import type { TestService } from "./_service.ts";

const ENTRIES_PATH = "/api/v1/changelogs/entries";

/** Every list: its key, how a record of a name is made, and whether the newest come first. */
const LISTS = [
  {
    path: BOARDS_PATH,
    key: "boardId",
    make: (name: string) => ["POST", BOARDS_PATH, { boardId: name, name }] as const,
    isNewestFirst: false,
  },
  {
    path: SUBSCRIBERS_PATH,
    key: "userEmail",
    make: (name: string) =>
      ["PUT", SUBSCRIBE_PATH, { userEmail: `${name}@a.bc`, subscribe: true }] as const,
    isNewestFirst: false,
  },
  {
    path: ENTRIES_PATH,
    key: "entryId",
    make: (name: string) =>
      ["POST", ENTRIES_PATH, { entryId: name, title: name, body: "" }] as const,
    isNewestFirst: true,
  },
  {
    path: KEYS_PATH,
    key: "name",
    make: (name: string) => ["POST", KEYS_PATH, { name }] as const,
    isNewestFirst: true,
  },
];

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor: string | null;
}

async function readPage({ send }: TestService, path: string): Promise<Page> {
  const { data, nextCursor, ...rest } = await readJson<Page>(await send("GET", path));
  assert(Array.isArray(data) && (nextCursor === null || /^[A-Za-z0-9_-]+$/.test(nextCursor)));
  assertEquals(rest, {});
  return { data, nextCursor };
}

async function add(
  { send, advance }: TestService,
  list: typeof LISTS[number],
  names: readonly string[],
): Promise<void> {
  for (const name of names) {
    const [method, path, json] = list.make(name);
    assertEquals((await send(method, path, { json })).ok, true);
    // Entries and keys of the same moment are in no promised order.
    advance(1);
  }
}

/** The names of the records on a page. */
function namesOf({ data }: Page, { key }: typeof LISTS[number]): string[] {
  return data.map((record) => `${record[key]}`.split("@")[0]);
}

for (const list of LISTS) {
  const { path, isNewestFirst } = list;
  describe(`pages of ${path}`, () => {
    it("are one empty page when there is nothing", async () => {
      assertEquals(await readPage(createService(), path), { data: [], nextCursor: null });
    });

    it("follow each other by cursor to the last, which has null", async () => {
      const service = createService();
      await add(service, list, ["c", "a", "aa~", "b", "0"]);
      const whole = await readPage(service, path);
      const expected = isNewestFirst ? ["0", "b", "aa~", "a", "c"] : ["0", "a", "aa~", "b", "c"];
      assertEquals(namesOf(whole, list), expected);
      for (const limit of [1, 2, 5]) {
        const seen: unknown[] = [];
        let cursor: string | null = "";
        for (let query = ""; cursor !== null; query = `&cursor=${cursor}`) {
          const page = await readPage(service, `${path}?limit=${limit}${query}`);
          assert(page.data.length <= limit);
          seen.push(...page.data);
          cursor = page.nextCursor;
        }
        assertEquals(seen, whole.data);
      }
    });

    it("neither skip nor repeat a record when others come and go between them", async () => {
      const service = createService();
      await add(service, list, ["b", "d", "f", "h"]);
      const first = await readPage(service, `${path}?limit=2`);
      const shown = namesOf(first, list);
      assertEquals(shown, isNewestFirst ? ["h", "f"] : ["b", "d"]);
      await add(service, list, ["a", "e"]);
      const [, last] = first.data;
      // Keys stay in the list.
      if (path !== KEYS_PATH) await service.send("DELETE", `${path}/${last[list.key]}`);
      const second = await readPage(service, `${path}?cursor=${first.nextCursor}`);
      assertEquals(namesOf(second, list), isNewestFirst ? ["d", "b"] : ["e", "f", "h"]);
    });

    it("are 422 where limit or cursor is bad, 400 where the query can't be read", async () => {
      const { send } = createService();
      const limits = ["0", "101", "-1", "1.5", "x", "", "1e1", "0x10", " 5", "5 ", "9".repeat(30)];
      await forEachRow(limits, async (limit) => {
        const response = await send("GET", `${path}?limit=${encodeURIComponent(limit)}`);
        await assertRefused(response, { limit: "invalid_value" });
      });
      const cursors = ["", "!", "YQ==", "YR", "/w", "_w", "AA", "é", "a".repeat(2_000), "a b"];
      await forEachRow(cursors, async (cursor) => {
        const response = await send("GET", `${path}?cursor=${encodeURIComponent(cursor)}`);
        await assertRefused(response, { cursor: "invalid_value" });
      });
      const both = await send("GET", `${path}?limit=0&cursor=!&x=1`);
      const codes = { limit: "invalid_value", cursor: "invalid_value", x: "unknown_field" };
      await assertRefused(both, codes);
      const queries = ["limit=%", "cursor=%ff", "limit=1&limit=1", "x=%", "a=1&".repeat(101)];
      await forEachRow(queries, async (query) => {
        await assertProblem(await send("GET", `${path}?${query}`), 400, "malformed_path");
      });
    });
  });
}

describe("the length of a page", () => {
  it("is 25 unless the limit says otherwise, up to 100", async () => {
    const service = createService();
    const names = Array.from({ length: 101 }, (_, index) => `b${`${index}`.padStart(3, "0")}`);
    await add(service, LISTS[0], names);
    await forEachRow([["", 25], ["?limit=1", 1], ["?limit=100", 100]], async ([query, length]) => {
      const page = await readPage(service, BOARDS_PATH + query);
      assertEquals(namesOf(page, LISTS[0]), names.slice(0, length));
      assertMatch(`${page.nextCursor}`, /^[A-Za-z0-9_-]+$/);
    });
  });
});

describe("the list of subscribers", () => {
  it("can be of one state", async () => {
    const service = createService();
    for (const [name, subscribe] of [["c", true], ["a", false], ["b", true]]) {
      const json = { userEmail: `${name}@a.bc`, subscribe };
      await service.send("PUT", SUBSCRIBE_PATH, { json });
    }
    const [, list] = LISTS;
    await forEachRow([
      ["", ["a", "b", "c"]],
      ["?subscribed=true", ["b", "c"]],
      ["?subscribed=True", ["b", "c"]],
      ["?subscribed=false", ["a"]],
    ], async ([query, names]) => {
      const page = await readPage(service, SUBSCRIBERS_PATH + query);
      assertEquals(namesOf(page, list), names);
      const one = await service.send("GET", `${SUBSCRIBERS_PATH}/${names[0]}@a.bc`);
      assertEquals(page.data[0], await one.json());
    });
    const first = await readPage(service, `${SUBSCRIBERS_PATH}?subscribed=true&limit=1`);
    const query = `?subscribed=true&limit=1&cursor=${first.nextCursor}`;
    const second = await readPage(service, SUBSCRIBERS_PATH + query);
    assertEquals([namesOf(second, list), second.nextCursor], [["c"], null]);
    await forEachRow(["", "1", "null"], async (state) => {
      const response = await service.send("GET", `${SUBSCRIBERS_PATH}?subscribed=${state}`);
      await assertRefused(response, { subscribed: "invalid_value" });
    });
  });
});
