import { assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { forEachRow } from "./_rows.ts";
import { assertOutcomes, createService, readJson, type Sent, START } from "./_service.ts";

const TIMES = { createdAt: START, updatedAt: START };
const LATER = "2026-11-21T10:00:01.000Z";
const MISSING = "404 board_not_found";

async function withIdeas() {
  const service = createService();
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  return service;
}

describe("a board", () => {
  it("is created from a form or JSON, with Location, and read by its id", async () => {
    const fields = { boardId: "B.~_-9", name: " Ide\u0301es ", description: "a\nb" };
    await forEachRow([{ form: fields }, { json: fields }], async (sent) => {
      const { send, call } = createService();
      const created = await send("POST", "boards", sent);
      assertEquals(created.headers.get("location"), "/api/v1/boards/B.~_-9");
      const board = await readJson(created, 201);
      assertEquals(board, { ...fields, name: "Idées", url: null, ...TIMES });
      assertEquals(await call("GET", "boards/B.~_-9"), board);
    });
  });

  it("has null for what was not given, and an id of its own", async () => {
    await forEachRow<Sent>([
      { form: { name: "A", boardId: "", description: "", url: "" } },
      { json: { name: "A", boardId: null, description: " ", url: null } },
    ], async (sent) => {
      const response = await createService().send("POST", "boards", sent);
      const { boardId, ...rest } = await readJson(response, 201);
      assertEquals(rest, { name: "A", description: null, url: null, ...TIMES });
      assertMatch(`${boardId}`, /^[A-Za-z0-9][A-Za-z0-9._~-]{0,127}$/);
    });
  });

  it("is not made, nor changed, where a value is bad or its id is taken", async () => {
    const service = await withIdeas();
    const before = await service.call("GET", "boards");
    const bad = { name: null, description: [], url: "x" };
    const codes = "422 name:required description:invalid_type url:invalid_value";
    await assertOutcomes(service, [
      ["POST", "boards", { json: bad }, codes],
      ["PATCH", "boards/ideas", { json: bad }, codes],
      ["POST", "boards", { json: { boardId: "ideas", name: "Other" } }, "409 board_exists"],
    ]);
    assertEquals(await service.call("GET", "boards"), before);
  });

  it("is 404 when there is none, as after its deletion, whatever the id and the condition", async () => {
    const service = await withIdeas();
    await assertOutcomes(service, [["DELETE", "boards/ideas", {}, "204"]]);
    const headers = { "if-match": "*", "if-none-match": "*" };
    await assertOutcomes(
      service,
      ["ideas", "Ideas", "-x", "a b", "x".repeat(129)].flatMap((id) => [
        ["GET", `boards/${id}`, { headers }, MISSING],
        ["PATCH", `boards/${id}`, { headers, json: { name: "A" } }, MISSING],
        ["DELETE", `boards/${id}`, { headers }, MISSING],
      ]),
    );
    const again = { boardId: "ideas", name: "Again" };
    await assertOutcomes(service, [["POST", "boards", { json: again }, "201"]]);
  });

  it("changes in the fields given alone, and updatedAt only with a change", async () => {
    const { send, call, advance } = await withIdeas();
    const before = await call("GET", "boards/ideas");
    advance(1_000);
    assertEquals(await call("PATCH", "boards/ideas", { name: " Ideas ", url: null }), before);
    const json = { description: "What next?", url: "https://a.example/" };
    const none = { description: null, url: null };
    await forEachRow([{ json: none }, { form: { description: "", url: "" } }], async (sent) => {
      const changed = await call("PATCH", "boards/ideas", json);
      assertEquals(changed, { ...before, ...json, updatedAt: LATER });
      const cleared = await readJson(await send("PATCH", "boards/ideas", sent));
      assertEquals(cleared, { ...before, updatedAt: LATER });
    });
  });
});
