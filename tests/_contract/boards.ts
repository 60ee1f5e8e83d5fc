import { assertEquals, fail } from "@std/assert";
import type { Board } from "../../model/board.ts";
import type { ContractTests } from "../storage_contract.ts";
import { DIFFICULT_TEXT, type Full, listPages, minute, sampleBoard, TEXTS } from "./samples.ts";

const BOARD: Full<Board> = {
  ...sampleBoard("ideas"),
  description: "Text",
  url: "https://example.com/",
};

/** What each field but the key may have instead: at least one value, which types see to. */
const OTHER_VALUES: {
  readonly [Field in Exclude<keyof Board, "boardId">]: readonly [Board[Field], ...Board[Field][]];
} = {
  name: ["BOARD ideas", "Board ideas ", "Other"],
  description: [null, "Other"],
  url: [null, "https://example.com/other"],
  createdAt: [minute(9)],
  updatedAt: [minute(9), minute(0).replace(".000", ".001")],
};

export function testBoards({ test, testReopened, testShared }: ContractTests): void {
  test("get returns undefined when the board is unknown", async ({ storage }) => {
    assertEquals(await storage.boards.get("none"), undefined);
  });

  test("get returns what was created, text exactly", async ({ storage }) => {
    const board = sampleBoard("a.b_c~D-1", {
      name: DIFFICULT_TEXT,
      description: `${DIFFICULT_TEXT}\n\t\r\n${DIFFICULT_TEXT}`,
      url: "https://Example.com/Path?q=%20%2f&x='%22#f",
    });
    assertEquals(await storage.boards.create(board), true);
    assertEquals(await storage.boards.get(board.boardId), board);
  });

  test("create changes nothing when the identifier is taken", async ({ storage }) => {
    const first = sampleBoard("ideas", { name: "First" });
    await storage.boards.create(first);
    assertEquals(await storage.boards.create(sampleBoard("ideas", { name: "Second" })), false);
    assertEquals(await storage.boards.get("ideas"), first);
  });

  test("create lets one of many concurrent callers win", async ({ storage }) => {
    const created = await Promise.all(
      Array.from(
        { length: 20 },
        (_, i) => storage.boards.create(sampleBoard("one", { name: `${i}` })),
      ),
    );
    assertEquals(created.filter(Boolean).length, 1);
    assertEquals((await storage.boards.get("one"))?.name, `${created.indexOf(true)}`);
  });

  test("replace stores the next board when the current one is still there", async ({ storage }) => {
    const next = sampleBoard("ideas", { name: "Next", createdAt: minute(1), updatedAt: minute(2) });
    await storage.boards.create(BOARD);
    assertEquals(await storage.boards.replace(BOARD, next), true);
    assertEquals(await storage.boards.get("ideas"), next);
  });

  test("replace stores the next board when it has an earlier time", async ({ storage }) => {
    const current = sampleBoard("ideas", { updatedAt: minute(5) });
    const next = { ...current, name: "Next", updatedAt: minute(1) };
    await storage.boards.create(current);
    assertEquals(await storage.boards.replace(current, next), true);
    assertEquals(await storage.boards.get("ideas"), next);
  });

  for (const [name, values] of Object.entries(OTHER_VALUES)) {
    const field = name as keyof Board;
    for (const other of values.map((value): Board => ({ ...BOARD, [field]: value }))) {
      for (const [stored, read] of [[BOARD, other], [other, BOARD]]) {
        test(`replace and delete refuse when ${field} is ${stored[field]} and was read as ${read[field]}`, async ({ storage }) => {
          await storage.boards.create(stored);
          assertEquals(await storage.boards.replace(read, { ...read, name: "Next" }), false);
          assertEquals(await storage.boards.delete(read), false);
          assertEquals(await storage.boards.get("ideas"), stored);
        });
      }
    }
  }

  test("replace stores texts, and tells them apart, whatever they look like", async ({ storage: { boards } }) => {
    let current = sampleBoard("ideas");
    await boards.create(current);
    for (const text of TEXTS) {
      const next = { ...current, name: text, description: text };
      assertEquals(await boards.replace(current, next), true);
      assertEquals(await boards.replace(current, next), false);
      assertEquals(await boards.get("ideas"), next);
      current = next;
    }
  });

  test("replace and delete compare field by field when these come in another order", async ({ storage }) => {
    const [board, next] = [sampleBoard("ideas"), sampleBoard("ideas", { name: "Next" })];
    await storage.boards.create(board);
    assertEquals(await storage.boards.replace(reversed(board), next), true);
    assertEquals(await storage.boards.delete(reversed(next)), true);
  });

  test("replace and delete refuse when the board is unknown", async ({ storage }) => {
    const board = sampleBoard("none");
    assertEquals(await storage.boards.replace(board, { ...board, name: "Next" }), false);
    assertEquals(await storage.boards.delete(board), false);
    assertEquals(await storage.boards.get("none"), undefined);
  });

  test("delete removes the board, and its identifier can be used again", async ({ storage }) => {
    const board = sampleBoard("ideas");
    await storage.boards.create(board);
    assertEquals(await storage.boards.delete(board), true);
    assertEquals(await storage.boards.get("ideas"), undefined);
    assertEquals(await storage.boards.list({ limit: 9 }), []);
    assertEquals(await storage.boards.create(sampleBoard("ideas", { name: "Again" })), true);
    assertEquals((await storage.boards.get("ideas"))?.name, "Again");
  });

  test("concurrent replacements lose no update", async ({ storage }) => {
    const callers = Array.from({ length: 10 }, (_, i) => i);
    await storage.boards.create(sampleBoard("count", { name: "0" }));
    await Promise.all(callers.map(async () => {
      // Each refusal is owed to a replacement by one of the others, of which each makes one.
      for (const _ of callers) {
        const current = (await storage.boards.get("count"))!;
        const next = { ...current, name: `${Number(current.name) + 1}` };
        if (await storage.boards.replace(current, next)) return;
      }
      fail("replace refused a board that nobody else had replaced");
    }));
    assertEquals((await storage.boards.get("count"))?.name, "10");
  });

  test("list is in byte order, and pages meet without gap or overlap", async ({ storage }) => {
    const names = ["b", "a-b", "A", "a", "a.b", "a_b", "a~b", "B2", "B10", "aa", "constructor"];
    const boardIds = [...names, "0", "7", "007", "7.0", "7.", "10"];
    for (const id of boardIds) assertEquals(await storage.boards.create(sampleBoard(id)), true);
    const seen = await listPages((query) => storage.boards.list(query), (b) => b.boardId, 2);
    assertEquals(seen, [...boardIds].sort());
    assertEquals((await storage.boards.list({ limit: 99 })).map((b) => b.boardId), seen);
  });

  test("list goes on after a key that is gone or never was", async ({ storage }) => {
    for (const id of ["a", "c", "e"]) await storage.boards.create(sampleBoard(id));
    await storage.boards.delete(sampleBoard("c"));
    for (const [after, ...expected] of [["", "a", "e"], ["b", "e"], ["c", "e"], ["e"]]) {
      const listed = await storage.boards.list({ after, limit: 9 });
      assertEquals(listed.map((board) => board.boardId), expected);
    }
  });

  testReopened("boards are as they were left when reopened", async ({ storage, reopen }) => {
    const kept = sampleBoard("kept", { name: DIFFICULT_TEXT, description: "a\nb" });
    const next = { ...kept, url: "https://example.com/", updatedAt: minute(1) };
    await storage.boards.create(kept);
    await storage.boards.create(sampleBoard("gone"));
    await storage.boards.replace(kept, next);
    await storage.boards.delete(sampleBoard("gone"));
    const again = await reopen();
    assertEquals(await again.boards.list({ limit: 9 }), [next]);
    assertEquals(await again.boards.create(sampleBoard("kept")), false);
  });

  testShared("boards are shared at once between instances", async ({ storage, another }) => {
    const other = await another();
    const board = sampleBoard("ideas");
    await storage.boards.create(board);
    assertEquals(await other.boards.get("ideas"), board);
    assertEquals(await other.boards.create(board), false);
    const next = { ...board, name: "Next" };
    assertEquals(await other.boards.replace(board, next), true);
    assertEquals(await storage.boards.get("ideas"), next);
    assertEquals(await storage.boards.delete(board), false);
    assertEquals(await storage.boards.delete(next), true);
    assertEquals(await other.boards.get("ideas"), undefined);
  });
}

/** The same board, its fields in the opposite order. */
function reversed(board: Board): Board {
  return Object.fromEntries(Object.entries(board).reverse()) as unknown as Board;
}
