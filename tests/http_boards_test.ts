import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { BOARDS } from "../mod.ts";
import { forEachRow } from "./_rows.ts";
import {
  assertOutcomes,
  createService,
  outcomeOf,
  readJson,
  type Sent,
  START,
} from "./_service.ts";

const TIMES = { createdAt: START, updatedAt: START };
const LATER = "2026-11-21T10:00:01.000Z";

async function withIdeas() {
  const service = createService();
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  return service;
}

describe("a board", () => {
  it("is created from a form or JSON, with Location, and read by its id", async () => {
    const given = { boardId: "B.~_-9", name: " Ide\u0301es ", description: "a\nb" };
    const fields = { ...given, url: "HTTPS://a.example/x?y#z" };
    await forEachRow([{ form: fields }, { json: fields }], async (sent) => {
      const { send, call } = createService();
      const created = await send("POST", "boards", sent);
      assertEquals(created.headers.get("location"), "/api/v1/boards/B.~_-9");
      const board = await readJson(created, 201);
      assertEquals(board, { ...fields, name: "Idées", ...TIMES });
      assertEquals(await call("GET", "boards/B.~_-9"), board);
    });
  });

  it("has null for what was not given, and an id of its own", async () => {
    const { send } = createService();
    await forEachRow<Sent>([
      { form: { name: "A", boardId: "", description: "", url: "" } },
      { json: { name: "A", boardId: null, description: " ", url: null } },
      { json: { name: "A" } },
    ], async (sent) => {
      const { boardId, ...rest } = await readJson(await send("POST", "boards", sent), 201);
      assertEquals(rest, { name: "A", description: null, url: null, ...TIMES });
      assertMatch(`${boardId}`, /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
    });
  });

  it("is 422, and not made, where a value is bad; the longest ones are good", async () => {
    const service = createService();
    await forEachRow([
      [{}, "name:required"],
      [{ name: "A", boardId: "", url: "" }, "boardId:invalid_value url:invalid_value"],
      [{ name: "A", boardId: "x".repeat(129) }, "boardId:too_long"],
      [{ name: "A", description: "a\u0000" }, "description:unsupported_characters"],
      [
        { name: "", boardId: "?", description: [], url: "x" },
        "name:invalid_value boardId:invalid_value description:invalid_type url:invalid_value",
      ],
    ], async ([json, errors]) => {
      const found = (await outcomeOf(await service.send("POST", "boards", { json }))).split(" ");
      assertEquals(found.toSorted(), ["422", ...errors.split(" ").sort()]);
    });
    assertEquals(await service.storage.list(BOARDS, { limit: 1 }), []);
    const json = {
      boardId: "x".repeat(128),
      name: "𝒳".repeat(200),
      description: "é".repeat(4_000),
      url: `https://a.example/${"x".repeat(1_982)}`,
    };
    assertEquals(await service.call("POST", "boards", json), { ...json, ...TIMES });
  });

  it("is 409 board_exists, and stays as it was, when its id is taken", async () => {
    const service = await withIdeas();
    await assertOutcomes(service, [
      ["POST", "boards", { form: { boardId: "ideas", name: "Other" } }, "409 board_exists"],
      ["POST", "boards", { form: { boardId: "IDEAS", name: "Other" } }, "201"],
    ]);
    assertEquals((await service.call("GET", "boards/ideas")).name, "Ideas");
  });

  it("is 404 board_not_found when there is none, whatever the id and the condition", async () => {
    const ids = ["none", "Ideas", "-x", "%2E%2E%2F", "a b", "é", "x".repeat(129)];
    const headers = { "if-match": "*", "if-none-match": "*" };
    const calls = ids.flatMap((id) =>
      [
        ["GET", `boards/${id}`, { headers }, "404 board_not_found"],
        ["PATCH", `boards/${id}`, { headers, json: { name: "A" } }, "404 board_not_found"],
        ["DELETE", `boards/${id}`, { headers }, "404 board_not_found"],
      ] as const
    );
    await assertOutcomes(await withIdeas(), calls);
  });

  it("changes in the fields given alone, and updatedAt only with a change", async () => {
    const { send, call, advance } = await withIdeas();
    const board = { boardId: "ideas", name: "Ideas", createdAt: START };
    advance(1_000);
    const none = { description: null, url: null };
    const unchanged = await call("PATCH", "boards/ideas", { name: " Ideas ", description: null });
    assertEquals(unchanged, { ...board, ...none, updatedAt: START });
    const json = { description: "What next?", url: "https://a.example/" };
    const changed = await call("PATCH", "boards/ideas", json);
    assertEquals(changed, { ...board, ...json, updatedAt: LATER });
    assertEquals(await call("GET", "boards/ideas"), changed);
    await forEachRow([{ json: none }, { form: { description: "", url: "" } }], async (sent) => {
      await call("PATCH", "boards/ideas", json);
      const cleared = await readJson(await send("PATCH", "boards/ideas", sent));
      assertEquals(cleared, { ...board, ...none, updatedAt: LATER });
    });
  });

  it("is 422 for a bad change before it is looked for", async () => {
    const json = { name: null, url: "x" };
    await assertOutcomes(createService(), [
      ["PATCH", "boards/none", { json }, "422 name:required url:invalid_value"],
      ["PATCH", "boards/none", { form: { name: "" } }, "422 name:invalid_value"],
    ]);
  });

  it("leaves nothing when it is deleted, and its id can be used again", async () => {
    await assertOutcomes(await withIdeas(), [
      ["DELETE", "boards/ideas", {}, "204"],
      ["GET", "boards/ideas", {}, "404 board_not_found"],
      ["DELETE", "boards/ideas", {}, "404 board_not_found"],
      ["POST", "boards", { form: { boardId: "ideas", name: "Again" } }, "201"],
    ]);
  });
});
