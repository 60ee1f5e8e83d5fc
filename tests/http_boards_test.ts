import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS, IDEAS, withIdeas } from "./_boards.ts";
import { assertProblem, assertRefused, createService, readJson, START } from "./_service.ts";

describe("reading a board", () => {
  it("a board has all members, a strong ETag and a Cache-Control of its own", async () => {
    const { send } = await withIdeas();
    const response = await send("GET", IDEAS);
    assertMatch(response.headers.get("etag") ?? "", /^"[^"]+"$/);
    assertEquals(response.headers.get("cache-control"), "private, no-cache");
    assertEquals(await readJson(response), {
      boardId: "ideas",
      name: "Ideas",
      description: null,
      url: null,
      createdAt: START,
      updatedAt: START,
    });
  });

  for (const boardId of ["none", "Ideas", "-x", ".", "a b", "ideas%0A", "é", "x".repeat(129)]) {
    it(`a board is 404 board_not_found when its id is ${boardId}`, async () => {
      const { send } = await withIdeas();
      // "." alone would be taken out of a URL.
      const path = `${BOARDS}/${boardId === "." ? "%2E%2E%2F" : boardId}`;
      await assertProblem(await send("GET", path), 404, "board_not_found");
    });
  }

  for (const condition of ["ETAG", "W/ETAG", "*", '"x", ETAG', '"x",W/ETAG , "y"', '"a,b", ETAG']) {
    it(`a board is 304 when If-None-Match is ${condition}`, async () => {
      const { send, etag } = await withIdeas();
      for (const method of ["GET", "HEAD"]) {
        const headers = { "if-none-match": condition.replace("ETAG", etag) };
        const response = await send(method, IDEAS, { headers });
        assertEquals([response.status, await response.text()], [304, ""]);
        assertEquals(response.headers.get("etag"), etag);
        assertEquals(response.headers.get("cache-control"), "private, no-cache");
        assertEquals(response.headers.has("content-type"), false);
      }
    });
  }

  for (const condition of ['"x"', 'W/"x"', '"x", "y"', "", "x"]) {
    it(`a board is 200 when If-None-Match is '${condition}'`, async () => {
      const { send } = await withIdeas();
      const response = await send("GET", IDEAS, { headers: { "if-none-match": condition } });
      await readJson(response);
    });
  }

  it("If-None-Match is read in no time that grows with the square of its length", async () => {
    const { send, etag } = await withIdeas();
    // By the square this takes a quarter of an hour.
    const headers = { "if-none-match": `"x"${" ".repeat(1_000_000)}"y", ${etag}` };
    assertEquals((await send("GET", IDEAS, { headers })).status, 304);
  });

  it("If-None-Match counts for nothing when the board does not exist", async () => {
    const response = await createService().send("GET", IDEAS, {
      headers: { "if-none-match": "*" },
    });
    await assertProblem(response, 404, "board_not_found");
  });

  it("the ETag changes with the board, and only with it", async () => {
    const { send, etag } = await withIdeas();
    assertEquals((await send("GET", IDEAS)).headers.get("etag"), etag);
    const changed = await send("PATCH", IDEAS, { form: { name: "Better ideas" } });
    const next = changed.headers.get("etag");
    assert(next !== etag);
    assertEquals((await send("GET", IDEAS)).headers.get("etag"), next);
  });
});

describe("creating a board", () => {
  for (const kind of ["form", "json"] as const) {
    it(`a board is created from ${kind}, with Location and ETag`, async () => {
      const { send } = createService();
      const given = {
        boardId: "B.~_-9",
        name: " Idées ",
        description: "a\nb",
        url: "HTTPS://a.example/x?y#z",
      };
      const response = await send("POST", BOARDS, { [kind]: given });
      const location = response.headers.get("location");
      const etag = response.headers.get("etag");
      assertEquals(location, `${BOARDS}/B.~_-9`);
      const board = await readJson(response, 201);
      assertEquals(board, { ...given, name: "Idées", createdAt: START, updatedAt: START });
      const read = await send("GET", location!);
      assertEquals([read.headers.get("etag"), await read.json()], [etag, board]);
    });
  }

  it("a boardId is generated when none is given, or an empty one", async () => {
    const { send } = createService();
    const answers = [
      await send("POST", BOARDS, { form: { name: "A" } }),
      await send("POST", BOARDS, { form: { name: "A", boardId: "" } }),
      await send("POST", BOARDS, { json: { name: "A", boardId: null } }),
    ];
    const ids = await Promise.all(
      answers.map(async (answer) => (await readJson(answer, 201)).boardId),
    );
    assertEquals(new Set(ids).size, 3);
    for (const id of ids) assertMatch(`${id}`, /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
  });

  for (const given of [{ json: { description: " " } }, { form: { description: "", url: "" } }]) {
    it(`a board has no description and no url when they are ${JSON.stringify(given)}`, async () => {
      const { send } = createService();
      const [[kind, fields]] = Object.entries(given);
      const response = await send("POST", BOARDS, { [kind]: { name: "A", ...fields } });
      const { description, url } = await readJson(response, 201);
      assertEquals([description, url], [null, null]);
    });
  }

  it("a board is 409 board_exists when its id is taken, and stays as it was", async () => {
    const { send } = await withIdeas();
    const response = await send("POST", BOARDS, { form: { boardId: "ideas", name: "Other" } });
    await assertProblem(response, 409, "board_exists");
    assertEquals((await readJson(await send("GET", IDEAS))).name, "Ideas");
    await readJson(await send("POST", BOARDS, { form: { boardId: "IDEAS", name: "Other" } }), 201);
  });

  const NAMED = { name: "A" };
  const REFUSED: readonly [json: Record<string, unknown>, errors: Record<string, string>][] = [
    [{}, { name: "required" }],
    [{ name: null }, { name: "required" }],
    [{ name: 1 }, { name: "invalid_type" }],
    [{ name: "" }, { name: "invalid_value" }],
    [{ ...NAMED, boardId: "", url: "" }, { boardId: "invalid_value", url: "invalid_value" }],
    [{ name: " \n " }, { name: "invalid_value" }],
    [{ name: "x".repeat(201) }, { name: "too_long" }],
    [{ name: "a\nb" }, { name: "unsupported_characters" }],
    [{ name: "a\u202eb" }, { name: "unsupported_characters" }],
    [{ ...NAMED, boardId: "-a" }, { boardId: "invalid_value" }],
    [{ ...NAMED, boardId: "a b" }, { boardId: "invalid_value" }],
    [{ ...NAMED, boardId: "a\n" }, { boardId: "invalid_value" }],
    [{ ...NAMED, boardId: "x".repeat(129) }, { boardId: "too_long" }],
    [{ ...NAMED, boardId: 7 }, { boardId: "invalid_type" }],
    [{ ...NAMED, description: "x".repeat(4_001) }, { description: "too_long" }],
    [{ ...NAMED, description: "a\u0000" }, { description: "unsupported_characters" }],
    [{ ...NAMED, description: {} }, { description: "invalid_type" }],
    [{ ...NAMED, url: "/relative" }, { url: "invalid_value" }],
    [{ ...NAMED, url: "javascript:alert(1)" }, { url: "invalid_value" }],
    [{ ...NAMED, url: "https://" }, { url: "invalid_value" }],
    [{ ...NAMED, url: "https:///a.example" }, { url: "invalid_value" }],
    [{ ...NAMED, url: " https://a.example" }, { url: "invalid_value" }],
    [{ ...NAMED, url: "https://a.example/<x>" }, { url: "invalid_value" }],
    [{ ...NAMED, url: `https://a.example/${"x".repeat(1_983)}` }, { url: "too_long" }],
    [{ name: "", boardId: "?", description: [], url: "x" }, {
      name: "invalid_value",
      boardId: "invalid_value",
      description: "invalid_type",
      url: "invalid_value",
    }],
  ];
  for (const [json, errors] of REFUSED) {
    it(`a board is 422 when it is ${JSON.stringify(json).slice(0, 60)}`, async () => {
      const { send, storage } = createService();
      await assertRefused(await send("POST", BOARDS, { json }), errors);
      assertEquals(await storage.boards.list({ limit: 1 }), []);
    });
  }

  it("a board is taken when every field is as long as may be", async () => {
    const json = {
      boardId: "x".repeat(128),
      name: "𝒳".repeat(200),
      description: "é".repeat(4_000),
      url: `https://a.example/${"x".repeat(1_982)}`,
    };
    const response = await createService().send("POST", BOARDS, { json });
    const { createdAt: _c, updatedAt: _u, ...board } = await readJson(response, 201);
    assertEquals(board, json);
  });
});
