import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readPages } from "../commands/_listing.ts";
import { type Column, createTable, widthOf } from "../commands/_table.ts";

interface Person {
  readonly id: string;
  readonly name: string;
}

const COLUMNS: readonly Column<Person>[] = [
  { title: "ID", text: ({ id }) => id, fixed: true },
  { title: "NAME", text: ({ name }) => name },
];
const ANN = { id: "1", name: "Ann Onymous of Somewhere" };

describe("table", () => {
  it("is as wide as its widest cells, titles included", () => {
    assertEquals(
      createTable(COLUMNS).format([{ id: "12", name: "A" }, { id: "345", name: "B" }]),
      "ID   NAME\n12   A\n345  B\n",
    );
  });

  it("has its titles once, and keeps its columns on later pages", () => {
    const table = createTable(COLUMNS);
    table.format([{ id: "1", name: "A" }]);
    assertEquals(table.format([{ id: "4567", name: "B" }]), "4567  B\n");
  });

  it("cuts nothing of a later page that fits the terminal by itself", () => {
    const table = createTable(COLUMNS, 20);
    table.format([{ id: "1", name: "A" }]);
    assertEquals(table.format([{ id: "2", name: "Ann Onymous" }]), "2   Ann Onymous\n");
    assertEquals(table.format([{ id: "3", name: "n".repeat(20) }]), "3   nnn…\n");
  });

  it("cuts no text where the output is no terminal", () => {
    const name = "n".repeat(500);
    assert(createTable(COLUMNS).format([{ id: "1", name }]).includes(name));
  });

  it("fits the terminal by cutting columns that are not fixed", () => {
    assertEquals(createTable(COLUMNS, 14).format([ANN]), "ID  NAME\n1   Ann Onymo…\n");
  });

  it("never has a line longer than the terminal, however narrow", () => {
    for (let width = 1; width < 40; width++) {
      const lines = createTable(COLUMNS, width).format([ANN, {
        id: "七",
        name: "東京".repeat(9),
      }]);
      for (const line of lines.trimEnd().split("\n")) assert(widthOf(line) <= width, line);
    }
  });

  it("counts two columns for East Asian characters and none for marks", () => {
    assertEquals([widthOf("東京"), widthOf("e\u0301"), widthOf("ab")], [4, 1, 2]);
  });
});

describe("a listing", () => {
  it("hears of what happened while a page was written before it asks for the next", async () => {
    let hasHappened = false;
    const heard: boolean[] = [];
    const source = {
      list() {
        heard.push(hasHappened);
        return Promise.resolve(Array.from({ length: heard.length === 1 ? 1_000 : 0 }, () => ANN));
      },
    };
    for await (const _ of readPages(source, ({ id }) => id)) {
      setTimeout(() => hasHappened = true, 0);
    }
    assertEquals(heard, [false, true]);
  });
});
