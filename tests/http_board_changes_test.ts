import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS, IDEAS, withIdeas } from "./_boards.ts";
import { assertProblem, assertRefused, createService, readJson, START } from "./_service.ts";

describe("changing a board", () => {
  it("only the fields given change, and updatedAt with them", async () => {
    const { send, advance } = await withIdeas();
    advance(1_000);
    const json = { description: "What next?", url: "https://a.example/" };
    const changed = await readJson(await send("PATCH", IDEAS, { json }));
    const expected = { boardId: "ideas", name: "Ideas", ...json, createdAt: START };
    assertEquals(changed, { ...expected, updatedAt: "2026-11-21T10:00:01.000Z" });
    assertEquals(await readJson(await send("GET", IDEAS)), changed);
  });

  for (
    const cleared of [
      { json: { description: null, url: null } },
      { form: { description: "", url: "" } },
    ]
  ) {
    it(`description and url are cleared by ${JSON.stringify(cleared)}`, async () => {
      const { send } = await withIdeas();
      await send("PATCH", IDEAS, { json: { description: "x", url: "https://a.example" } });
      const { name, description, url } = await readJson(await send("PATCH", IDEAS, cleared));
      assertEquals([name, description, url], ["Ideas", null, null]);
    });
  }

  it("nothing moves when the board is as asked for already", async () => {
    const { send, etag, advance, storage } = await withIdeas();
    storage.boards.replace = () => Promise.reject(new Error("there is nothing to store"));
    advance(1_000);
    for (const json of [{}, { name: " Ideas " }, { description: null }]) {
      const response = await send("PATCH", IDEAS, { json });
      assertEquals(response.headers.get("etag"), etag);
      assertEquals((await readJson(response)).updatedAt, START);
    }
  });

  it("boardId can't be changed", async () => {
    const { send } = await withIdeas();
    const json = { boardId: "other", createdAt: "2001-01-01T00:00:00.000Z" };
    const { boardId, createdAt } = await readJson(await send("PATCH", IDEAS, { json }));
    assertEquals([boardId, createdAt], ["ideas", START]);
  });

  it("a change is 422 when a value is bad, before the board is looked for", async () => {
    const { send } = createService();
    const json = { name: null, url: "x" };
    await assertRefused(await send("PATCH", IDEAS, { json }), {
      name: "required",
      url: "invalid_value",
    });
    await assertRefused(await send("PATCH", IDEAS, { form: { name: "" } }), {
      name: "invalid_value",
    });
  });

  it("a change is 404 when there is no such board", async () => {
    const { send } = createService();
    const form = { name: "A" };
    await assertProblem(await send("PATCH", IDEAS, { form }), 404, "board_not_found");
    await assertProblem(await send("PATCH", `${BOARDS}/-`, { form }), 404, "board_not_found");
    await assertProblem(await send("DELETE", IDEAS), 404, "board_not_found");
  });

  for (const condition of ["ETAG", "*", '"x", ETAG']) {
    it(`a change is made when If-Match is ${condition}`, async () => {
      const { send, etag } = await withIdeas();
      const headers = { "if-match": condition.replace("ETAG", etag) };
      await readJson(await send("PATCH", IDEAS, { headers, form: { name: "Ideas" } }));
      assertEquals((await send("DELETE", IDEAS, { headers })).status, 204);
    });
  }

  const CHANGED = "The board no longer matches If-Match";
  const UNQUOTED = "If-Match has no ETag: send it with its double quotes";
  const WEAK =
    'If-Match takes no weak ETag: send "…" without W/, which a proxy that compresses may have added';
  for (
    const [condition, expected] of [
      ['"x"', CHANGED],
      ['"x", "y"', CHANGED],
      ['"x", W/ETAG', CHANGED],
      ["W/ETAG", WEAK],
      ["x", UNQUOTED],
      ["", UNQUOTED],
    ]
  ) {
    it(`a change is 412 when If-Match is '${condition}'`, async () => {
      const { send, etag, storage } = await withIdeas();
      const headers = { "if-match": condition.replace("ETAG", etag) };
      const before = await storage.boards.get("ideas");
      const changed = await send("PATCH", IDEAS, { headers, form: { name: "New" } });
      const { detail } = await assertProblem(changed, 412, "precondition_failed");
      assertEquals(detail, expected);
      const deleted = await send("DELETE", IDEAS, { headers });
      await assertProblem(deleted, 412, "precondition_failed");
      assertEquals(await storage.boards.get("ideas"), before);
    });
  }

  it("If-Match is read in no time that grows with the square of its length", async () => {
    const { send, etag } = await withIdeas();
    const headers = { "if-match": `"x"${" ".repeat(1_000_000)}"y", ${etag}` };
    assertEquals((await send("DELETE", IDEAS, { headers })).status, 204);
  });

  it("If-Match is 404, not 412, when there is no such board", async () => {
    const headers = { "if-match": "*" };
    const response = await createService().send("DELETE", IDEAS, { headers });
    await assertProblem(response, 404, "board_not_found");
  });

  it("a change is tried again when another came between", async () => {
    const { send, storage: { boards } } = await withIdeas();
    const { replace } = boards;
    let races = 2;
    boards.replace = async (current, next) => {
      if (races-- > 0) await replace(current, { ...current, url: `http://a/${races}` });
      return await replace(current, next);
    };
    const { name, url } = await readJson(await send("PATCH", IDEAS, { form: { name: "New" } }));
    assertEquals([name, url], ["New", "http://a/0"]);
  });

  it("a deletion is tried again when a change came between", async () => {
    const { send, storage: { boards } } = await withIdeas();
    const { delete: remove } = boards;
    let races = 1;
    boards.delete = async (current) => {
      if (races-- > 0) await boards.replace(current, { ...current, name: "Changed" });
      return await remove(current);
    };
    assertEquals((await send("DELETE", IDEAS)).status, 204);
    assertEquals(await boards.get("ideas"), undefined);
  });

  it("a change is 503 when storage says each time that another came between", async () => {
    const { send, storage } = await withIdeas();
    storage.boards.replace = () => Promise.resolve(false);
    const response = await send("PATCH", IDEAS, { form: { name: "New" } });
    await assertProblem(response, 503, "storage_unavailable");
  });

  it("one of many changes under the same If-Match is made", async () => {
    const { send, etag } = await withIdeas();
    const statuses = await Promise.all(["A", "B", "C", "D"].map(async (name) => {
      const headers = { "if-match": etag };
      return (await send("PATCH", IDEAS, { headers, form: { name } })).status;
    }));
    assertEquals(statuses.sort(), [200, 412, 412, 412]);
  });

  it("a board is gone after DELETE, and its id can be used again", async () => {
    const { send } = await withIdeas();
    const deleted = await send("DELETE", IDEAS);
    assertEquals([deleted.status, await deleted.text()], [204, ""]);
    await assertProblem(await send("GET", IDEAS), 404, "board_not_found");
    await assertProblem(await send("DELETE", IDEAS), 404, "board_not_found");
    await readJson(await send("POST", BOARDS, { form: { boardId: "ideas", name: "Again" } }), 201);
  });
});
