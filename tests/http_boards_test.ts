import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS } from "../mod.ts";
import { BOARDS_PATH, IDEAS_PATH, withIdeas } from "./_calls.ts";
import { forEachRow } from "./_rows.ts";
import {
  assertProblem,
  assertRefused,
  createService,
  readJson,
  type Sent,
  START,
} from "./_service.ts";

const LATER = "2026-11-21T10:00:01.000Z";

describe("a board", () => {
  it("is created from a form or JSON, with Location and ETag, and read by its id", async () => {
    const given = {
      boardId: "B.~_-9",
      name: " Ide\u0301es ",
      description: "a\nb",
      url: "HTTPS://a.example/x?y#z",
    };
    await forEachRow([{ form: given }, { json: given }], async (sent) => {
      const { send } = createService();
      const created = await send("POST", BOARDS_PATH, sent);
      const { headers } = created;
      assertEquals(headers.get("location"), `${BOARDS_PATH}/B.~_-9`);
      assertMatch(headers.get("etag") ?? "", /^"[^"]+"$/);
      const board = await readJson(created, 201);
      assertEquals(board, { ...given, name: "Idées", createdAt: START, updatedAt: START });
      const read = await send("GET", `${BOARDS_PATH}/B.~_-9`);
      assertEquals(read.headers.get("etag"), headers.get("etag"));
      assertEquals(read.headers.get("cache-control"), "private, no-cache");
      assertEquals(await readJson(read), board);
    });
  });

  it("has null for what was not given, and an id of its own", async () => {
    const { send } = createService();
    const ids = new Set<unknown>();
    await forEachRow<Sent>([
      { form: { name: "A" } },
      { form: { name: "A", boardId: "", description: "", url: "" } },
      { json: { name: "A", boardId: null, description: " ", url: null } },
    ], async (sent) => {
      const { boardId, ...rest } = await readJson(await send("POST", BOARDS_PATH, sent), 201);
      const expected = { name: "A", description: null, url: null };
      assertEquals(rest, { ...expected, createdAt: START, updatedAt: START });
      assertMatch(`${boardId}`, /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
      ids.add(boardId);
    });
    assertEquals(ids.size, 3);
  });

  it("is 422, and not made, where a value is bad; the longest ones are good", async () => {
    const { send, storage } = createService();
    const INVALID = "invalid_value";
    const A = { name: "A" };
    await forEachRow([
      [{}, { name: "required" }],
      [{ ...A, name: null }, { name: "required" }],
      [{ ...A, boardId: "", url: "" }, { boardId: INVALID, url: INVALID }],
      [{ ...A, boardId: "x".repeat(129) }, { boardId: "too_long" }],
      [{ ...A, description: "a\u0000" }, { description: "unsupported_characters" }],
      [{ name: "", boardId: "?", description: [], url: "x" }, {
        name: INVALID,
        boardId: INVALID,
        description: "invalid_type",
        url: INVALID,
      }],
    ], async ([json, errors]) => {
      await assertRefused(await send("POST", BOARDS_PATH, { json }), errors);
    });
    assertEquals(await storage.list(BOARDS, { limit: 1 }), []);
    const json = {
      boardId: "x".repeat(128),
      name: "𝒳".repeat(200),
      description: "é".repeat(4_000),
      url: `https://a.example/${"x".repeat(1_982)}`,
    };
    const board = await readJson(await send("POST", BOARDS_PATH, { json }), 201);
    assertEquals(board, { ...json, createdAt: START, updatedAt: START });
  });

  it("is 409 board_exists, and stays as it was, when its id is taken", async () => {
    const { send } = await withIdeas();
    const form = { boardId: "ideas", name: "Other" };
    await assertProblem(await send("POST", BOARDS_PATH, { form }), 409, "board_exists");
    assertEquals((await readJson(await send("GET", IDEAS_PATH))).name, "Ideas");
    const upper = { boardId: "IDEAS", name: "Other" };
    await readJson(await send("POST", BOARDS_PATH, { form: upper }), 201);
  });

  it("is 404 board_not_found when there is none, whatever the id and the condition", async () => {
    const { send } = await withIdeas();
    const ids = ["none", "Ideas", "-x", "%2E%2E%2F", "a b", "ideas%0A", "é", "x".repeat(129)];
    await forEachRow(ids, async (boardId) => {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const sent = {
          headers: { "if-match": "*", "if-none-match": "*" },
          json: method === "PATCH" ? { name: "A" } : undefined,
        };
        const response = await send(method, `${BOARDS_PATH}/${boardId}`, sent);
        await assertProblem(response, 404, "board_not_found");
      }
    });
  });
});

describe("the change of a board", () => {
  it("is of the fields given alone, and moves updatedAt", async () => {
    const { send, advance } = await withIdeas();
    advance(1_000);
    const json = { description: "What next?", url: "https://a.example/" };
    const changed = await readJson(await send("PATCH", IDEAS_PATH, { json }));
    const unchanged = { boardId: "ideas", name: "Ideas", createdAt: START };
    assertEquals(changed, { ...unchanged, ...json, updatedAt: LATER });
    assertEquals(await readJson(await send("GET", IDEAS_PATH)), changed);
    const cleared = [
      { json: { description: null, url: null } },
      { form: { description: "", url: "" } },
    ];
    await forEachRow(cleared, async (sent) => {
      await send("PATCH", IDEAS_PATH, { json });
      const { description, url } = await readJson(await send("PATCH", IDEAS_PATH, sent));
      assertEquals([description, url], [null, null]);
    });
  });

  it("moves nothing when the board is as asked for already", async () => {
    const { send, etag, advance } = await withIdeas();
    advance(1_000);
    await forEachRow([{}, { name: " Ideas " }, { description: null }], async (json) => {
      const response = await send("PATCH", IDEAS_PATH, { json });
      assertEquals(response.headers.get("etag"), etag);
      assertEquals((await readJson(response)).updatedAt, START);
    });
  });

  it("is 422 for a bad value, before the board is looked for", async () => {
    const { send } = createService();
    const json = { name: null, url: "x" };
    const errors = { name: "required", url: "invalid_value" };
    await assertRefused(await send("PATCH", IDEAS_PATH, { json }), errors);
    const empty = await send("PATCH", IDEAS_PATH, { form: { name: "" } });
    await assertRefused(empty, { name: "invalid_value" });
  });
});

describe("the deletion of a board", () => {
  it("leaves nothing, and its id can be used again", async () => {
    const { send } = await withIdeas();
    const deleted = await send("DELETE", IDEAS_PATH);
    assertEquals([deleted.status, await deleted.text()], [204, ""]);
    await assertProblem(await send("GET", IDEAS_PATH), 404, "board_not_found");
    await assertProblem(await send("DELETE", IDEAS_PATH), 404, "board_not_found");
    const form = { boardId: "ideas", name: "Again" };
    await readJson(await send("POST", BOARDS_PATH, { form }), 201);
  });
});
