import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "./_rows.ts";
import { assertProblem, createService, outcomeOf } from "./_service.ts";

/** What has ETags, and how it is created and changed. */
const RESOURCES = [
  { path: "boards", record: { boardId: "a", name: "A" }, change: { name: "B" } },
  {
    path: "changelogs/entries",
    record: { entryId: "a", title: "A", body: "" },
    change: { title: "B" },
  },
];

/** A service with one record, with what it takes to read and change it. */
async function withRecord({ path, record, change }: typeof RESOURCES[number]) {
  const { send, advance } = createService();
  const etag = (await send("POST", path, { json: record })).headers.get("etag") ?? "";
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
      // By the square of its length, this one takes a quarter of an hour.
      await forEachRow([...lists, `"x"${" ".repeat(1_000_000)}"y", ETAG`], async (list) => {
        for (const method of ["GET", "HEAD"]) {
          const { status, headers, body } = await call(method, ["if-none-match", list]);
          assertEquals([status, body, headers.get("etag")], [304, null, etag]);
          assertEquals(headers.get("cache-control"), "private, no-cache");
          assertEquals(headers.has("content-type"), false);
        }
      });
      await forEachRow(['"x"', 'W/"x"', '"x", "y"', "", "x"], async (list) => {
        assertEquals(await outcomeOf(await call("GET", ["if-none-match", list])), "200");
      });
    });

    it("have a tag that changes with the record, and only with it", async () => {
      const { call, etag, advance } = await withRecord(resource);
      advance(1_000);
      assertEquals((await call("GET")).headers.get("etag"), etag);
      const next = (await call("PATCH")).headers.get("etag");
      assert(next !== etag);
      for (const method of ["GET", "PATCH"]) {
        assertEquals((await call(method)).headers.get("etag"), next);
      }
    });

    it("let a change be made whose If-Match has the tag", async () => {
      const { call } = await withRecord(resource);
      let next = "";
      await forEachRow([
        ["PATCH", "ETAG", 200],
        ["PATCH", "*", 200],
        ["DELETE", '"x", NEXT', 204],
      ], async ([method, list, status]) => {
        const response = await call(method, ["if-match", list.replace("NEXT", next)]);
        assertEquals(response.status, status);
        next = response.headers.get("etag") ?? "";
      });
    });

    it("make 412 of another change, with the reason, and nothing of the record", async () => {
      const { call, etag } = await withRecord(resource);
      await forEachRow([
        ['"x"', "What is stored no longer matches If-Match"],
        ['"x", W/ETAG', "What is stored no longer matches If-Match"],
        ["W/ETAG", "If-Match takes no weak ETag"],
        ["x", "If-Match has no ETag: send it with its double quotes"],
        ["", "If-Match has no ETag: send it with its double quotes"],
      ], async ([list, expected]) => {
        for (const method of ["PATCH", "DELETE"]) {
          const response = await call(method, ["if-match", list]);
          const { detail } = await assertProblem(response, 412, "precondition_failed");
          assert(detail.startsWith(expected), detail);
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
  });
}
