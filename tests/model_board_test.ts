import { assertEquals, assertStrictEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { applyBoardChange, type Board, type BoardChange } from "../model/board.ts";

const LATER = "2026-11-21T11:00:00.000Z";
const BOARD: Board = {
  boardId: "ideas",
  name: "Ideas",
  description: "What next?",
  url: "https://example.com/ideas",
  createdAt: "2026-11-21T10:00:00.000Z",
  updatedAt: "2026-11-21T10:00:00.000Z",
};

function change(fields: Omit<BoardChange, "at">): Board {
  return applyBoardChange(BOARD, { ...fields, at: LATER });
}

describe("applyBoardChange", () => {
  const same: readonly Omit<BoardChange, "at">[] = [
    {},
    { name: undefined, description: undefined, url: undefined },
    { name: "Ideas", description: "What next?", url: "https://example.com/ideas" },
  ];
  for (const fields of same) {
    it(`returns the board itself when asked for ${JSON.stringify(fields)}`, () => {
      assertStrictEquals(change(fields), BOARD);
    });
  }

  const others: readonly [Omit<BoardChange, "at">, Partial<Board>][] = [
    [{ name: "Wishes" }, { name: "Wishes" }],
    [{ description: "Else" }, { description: "Else" }],
    [{ description: null }, { description: null }],
    [{ description: "" }, { description: null }],
    [{ url: "https://example.com/" }, { url: "https://example.com/" }],
    [{ url: null }, { url: null }],
  ];
  for (const [fields, changed] of others) {
    it(`changes those fields and updatedAt alone when asked for ${JSON.stringify(fields)}`, () => {
      assertEquals(change(fields), { ...BOARD, ...changed, updatedAt: LATER });
    });
  }
});
