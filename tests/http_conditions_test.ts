import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS_PATH } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, readJson } from "./_service.ts";

/** What has ETags, and how it is created and changed. */
const RESOURCES = [
  { path: BOARDS_PATH, record: { boardId: "a", name: "A" }, change: { name: "B" } },
  {
    path: "/api/v1/changelogs/entries",
    record: { entryId: "a", title: "A", body: "" },
    change: { title: "B" },
  },
];
type Resource = typeof RESOURCES[number];

/** A service with one record, with what it takes to read and change it. */
async function withRecord({ path, record, change }: Resource) {
  const { send, advance } = createService();
  const created = await send("POST", path, { json: record });
  await readJson(created, 201);
  const etag = created.headers.get("etag") ?? "";
  assertMatch(etag, /^"[^"]+"$/);
  function call(method: string, condition?: readonly [name: string, value: string]) {
    const headers = condition && { [condition[0]]: condition[1].replaceAll("ETAG", etag) };
    return send(method, `${path}/a`, { headers, json: method === "PATCH" ? change : undefined });
  }
  return { call, etag, advance };
}

for (const resource of RESOURCES) {
  describe(`conditions of ${resource.path}`, () => {
    it("make 304 of a GET or HEAD whose If-None-Match has the tag", async () => {
      const { call, etag } = await withRecord(resource);
      const lists = ["ETAG", "W/ETAG", "*", '"x", ETAG', '"x",W/ETAG , "y"', '"a,b", ETAG'];
      await forEachRow(lists, async (list) => {
        for (const method of ["GET", "HEAD"]) {
          const { status, headers, body } = await call(method, ["if-none-match", list]);
          assertEquals([status, body, headers.get("etag")], [304, null, etag]);
          assertEquals(headers.get("cache-control"), "private, no-cache");
          assertEquals(headers.has("content-type"), false);
        }
      });
      await forEachRow(['"x"', 'W/"x"', '"x", "y"', "", "x"], async (list) => {
        await readJson(await call("GET", ["if-none-match", list]));
      });
    });

    it("have a tag that changes with the record, and only with it", async () => {
      const { call, etag, advance } = await withRecord(resource);
      advance(1_000);
      assertEquals((await call("GET")).headers.get("etag"), etag);
      const next = (await call("PATCH")).headers.get("etag");
      assert(next !== etag);
      assertEquals((await call("GET")).headers.get("etag"), next);
      assertEquals((await call("PATCH")).headers.get("etag"), next);
    });

    it("let a change be made whose If-Match has the tag", async () => {
      await forEachRow(["ETAG", "*", '"x", ETAG'], async (list) => {
        const changed = await withRecord(resource);
        await readJson(await changed.call("PATCH", ["if-match", list]));
        const deleted = await withRecord(resource);
        assertEquals((await deleted.call("DELETE", ["if-match", list])).status, 204);
      });
    });

    it("make 412 of another change, with the reason, and nothing of the record", async () => {
      const { call, etag } = await withRecord(resource);
      const changed = "What is stored no longer matches If-Match";
      const unquoted = "If-Match has no ETag: send it with its double quotes";
      const weak = 'If-Match takes no weak ETag: send "…" without W/, which a proxy that ' +
        "compresses may have added";
      await forEachRow([
        ['"x"', changed],
        ['"x", "y"', changed],
        ['"x", W/ETAG', changed],
        ["W/ETAG", weak],
        ["x", unquoted],
        ["", unquoted],
      ], async ([list, expected]) => {
        for (const method of ["PATCH", "DELETE"]) {
          const response = await call(method, ["if-match", list]);
          const { detail } = await assertProblem(response, 412, "precondition_failed");
          assertEquals(detail, expected);
        }
      });
      assertEquals((await call("GET")).headers.get("etag"), etag);
    });

    it("let one of several changes be made under the same tag", async () => {
      const { call } = await withRecord(resource);
      const calls = [1, 2, 3].map(() => call("PATCH", ["if-match", "ETAG"]));
      const statuses = (await Promise.all(calls)).map(({ status }) => status);
      assertEquals(statuses.toSorted(), [200, 412, 412]);
    });

    it("are read in a time that does not grow with the square of their length", async () => {
      // By the square this takes a quarter of an hour.
      const list = `"x"${" ".repeat(1_000_000)}"y", ETAG`;
      const { call } = await withRecord(resource);
      assertEquals((await call("GET", ["if-none-match", list])).status, 304);
      assertEquals((await call("DELETE", ["if-match", list])).status, 204);
    });
  });
}
