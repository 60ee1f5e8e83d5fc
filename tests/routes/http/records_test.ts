import { assert, assertEquals, assertMatch, assertObjectMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, assertProblem, createService, outcomeOf } from "../../_support/service.ts";
import { readJson, type Sent, START } from "../../_support/service.ts";

/** The resources for tests that boards and entries must both pass. */
const RESOURCES = [
  {
    path: "boards",
    name: "board",
    key: "boardId",
    fields: { name: " Ide\u0301es ", description: "a\nb" } as Record<string, string>,
    shown: { name: "Idées", description: "a\nb", url: null },
    bad: { name: null, description: [], url: "x" },
    codes: "name:required description:invalid_type url:invalid_value",
    empty: { description: null, url: null },
  },
  {
    path: "changelogs/entries",
    name: "entry",
    key: "entryId",
    fields: { title: " Ide\u0301es ", body: "a\n", labels: "new ui new" } as Record<string, string>,
    shown: { title: "Idées", body: "a\n", labels: ["new", "ui"], url: null },
    bad: { title: null, body: 1, labels: "New", url: "javascript:1" },
    codes: "title:required body:invalid_type labels:invalid_value url:invalid_value",
    empty: { labels: [], url: null },
  },
];
const TIMES = { createdAt: START, updatedAt: START };
const LATER = "2026-11-21T10:00:01.000Z";
const CHANGE = { url: "https://a.example/" };

for (const { path, name, key, fields, shown, bad, codes, empty } of RESOURCES) {
  const id = "B.~_-9";
  const one = `${path}/${id}`;
  const missing = `404 ${name}_not_found`;

  describe(`a record of ${path}`, () => {
    /** Creates a service with one record, and functions that read and change it. */
    async function withRecord() {
      const service = createService();
      const json = { [key]: id, ...fields };
      const etag = `${(await service.send("POST", path, { json })).headers.get("etag")}`;
      assertMatch(etag, /^"[^"]+"$/);
      function on(condition: "if-match" | "if-none-match", method: string, list: string) {
        const headers = { [condition]: list.replaceAll("ETAG", etag) };
        return service.send(method, one, {
          headers,
          json: method === "PATCH" ? CHANGE : undefined,
        });
      }
      return { ...service, etag, on };
    }

    it("is created from a form or JSON, with Location, and read by its id", async () => {
      const given = { [key]: id, ...fields };
      await forEachRow<Sent>([{ form: given }, { json: given }], async (sent) => {
        const { send, call } = createService();
        const created = await send("POST", path, sent);
        assertEquals(created.headers.get("location"), `/api/v1/${one}`);
        const record = await readJson(created, 201);
        const state = name === "entry" ? { state: "draft", publishedAt: null } : {};
        assertObjectMatch(record, { [key]: id, ...shown, ...state, ...TIMES });
        assertEquals(await call("GET", one), record);
      });
    });

    it("has an id of its own where none is given", async () => {
      await forEachRow<Sent>([
        { form: { ...fields, [key]: "" } },
        { json: { ...fields, url: null, [key]: null } },
      ], async (sent) => {
        const record = await readJson(await createService().send("POST", path, sent), 201);
        assertMatch(`${record[key]}`, /^[a-z0-9]{16}$/);
      });
    });

    it("is not made, nor changed, where a value is bad or its id is taken", async () => {
      const service = await withRecord();
      const before = await service.call("GET", path);
      await assertOutcomes(service, [
        ["POST", path, { json: bad }, `422 ${codes}`],
        ["PATCH", one, { json: bad }, `422 ${codes}`],
        ["POST", path, { json: { ...fields, [key]: id } }, `409 ${name}_exists`],
      ]);
      assertEquals(await service.call("GET", path), before);
    });

    it("changes in the fields given alone, and updatedAt and ETag only with a change", async () => {
      const { send, call, advance, etag } = await withRecord();
      const before = await call("GET", one);
      advance(1_000);
      const repeated = await send("PATCH", one, { json: { ...fields, url: null } });
      assertEquals([repeated.headers.get("etag"), await repeated.json()], [etag, before]);
      const cleared = Object.keys(empty);
      const json = Object.fromEntries(cleared.map((name) => [name, null]));
      const form = Object.fromEntries(cleared.map((name) => [name, ""]));
      await forEachRow([{ json }, { form }], async (sent) => {
        const changed = await send("PATCH", one, { json: CHANGE });
        assert(changed.headers.get("etag") !== etag);
        assertEquals((await changed.json()).url, CHANGE.url);
        const record = await readJson(await send("PATCH", one, sent));
        assertEquals(record, { ...before, ...empty, updatedAt: LATER });
      });
    });

    it("is 404 when there is none, as after its deletion, whatever the id and the condition", async () => {
      const service = await withRecord();
      await assertOutcomes(service, [["DELETE", one, {}, "204"]]);
      const headers = { "if-match": "*", "if-none-match": "*" };
      await assertOutcomes(
        service,
        [id, "-x", "a%20b", "%2F", "x".repeat(129)].flatMap((other) => [
          ["GET", `${path}/${other}`, { headers }, missing],
          ["PATCH", `${path}/${other}`, { headers, json: CHANGE }, missing],
          ["DELETE", `${path}/${other}`, { headers }, missing],
        ]),
      );
      const json = { ...fields, [key]: id };
      await assertOutcomes(service, [["POST", path, { json }, "201"]]);
    });

    it("is 304 where If-None-Match has its tag", async () => {
      const { on, etag } = await withRecord();
      const lists = ["ETAG", "W/ETAG", "*", '"x",W/ETAG , "y"', '"a,b", ETAG'];
      // In quadratic time, this list would take a quarter of an hour.
      await forEachRow([...lists, `"x"${" ".repeat(1_000_000)}"y", ETAG`], async (list) => {
        for (const method of ["GET", "HEAD"]) {
          const { status, headers, body } = await on("if-none-match", method, list);
          assertEquals([status, body, headers.get("etag")], [304, null, etag]);
          assertEquals(headers.get("cache-control"), "private, no-cache");
        }
      });
      await forEachRow(['W/"x"', '"x", "y"', "", "x"], async (list) => {
        assertEquals(await outcomeOf(await on("if-none-match", "GET", list)), "200");
      });
    });

    it("is changed, by one of several at a time, where If-Match has its tag", async () => {
      await forEachRow(["ETAG", "*", '"x", ETAG'], async (list) => {
        const { on } = await withRecord();
        assertEquals((await on("if-match", "DELETE", list)).status, 204);
      });
      const { on } = await withRecord();
      const changes = [1, 2, 3].map(() => on("if-match", "PATCH", "ETAG"));
      const statuses = (await Promise.all(changes)).map(({ status }) => status);
      assertEquals(statuses.toSorted(), [200, 412, 412]);
    });

    it("is 412 to a read that If-Match doesn't fit, and to a change that If-None-Match forbids", async () => {
      const { on, call } = await withRecord();
      const before = await call("GET", one);
      await forEachRow([
        ["if-match", "GET", "ETAG", "200"],
        ["if-match", "GET", "*", "200"],
        ["if-match", "GET", '"x"', "412 precondition_failed"],
        ["if-none-match", "PATCH", "*", "412 precondition_failed"],
        ["if-none-match", "PATCH", "ETAG", "412 precondition_failed"],
        ["if-none-match", "DELETE", "*", "412 precondition_failed"],
      ], async ([condition, method, list, expected]) => {
        assertEquals(await outcomeOf(await on(condition, method, list)), expected);
      });
      assertEquals(await call("GET", one), before);
      assertEquals(await outcomeOf(await on("if-none-match", "PATCH", '"x"')), "200");
    });

    it("is 412 to another change, with the reason", async () => {
      const { on, call } = await withRecord();
      const before = await call("GET", one);
      await forEachRow([
        ['"x", W/ETAG', "What is stored no longer matches If-Match"],
        ["W/ETAG", "If-Match takes no weak ETag"],
        ["x", "If-Match has no ETag: send it with its double quotes"],
        ["", "If-Match has no ETag: send it with its double quotes"],
      ], async ([list, expected]) => {
        for (const method of ["PATCH", "DELETE"]) {
          const response = await on("if-match", method, list);
          const { detail } = await assertProblem(response, 412, "precondition_failed");
          assert(detail.startsWith(expected), detail);
        }
      });
      assertEquals(await call("GET", one), before);
    });
  });
}
