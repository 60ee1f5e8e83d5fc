import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoardService } from "../../_support/boards.ts";

interface Page {
  readonly data: readonly { readonly postId: string }[];
  readonly nextCursor: string | null;
}

describe("a list of the posts of many boards", () => {
  it("has what is on any of them on its first page", async () => {
    const { call } = await createBoardService();
    for (let n = 0; n < 60; n++) {
      await call("POST", "boards", { boardId: `b${n}`, name: `${n}`, visibility: "public" });
    }
    await call("POST", "boards/b59/posts", { postId: "dark", title: "Dark mode" });
    await call("PATCH", "boards/b59/posts/dark", { status: "planned" });
    for (const query of ["", "q=dark", "answered=false", "status=planned", "q=dark&sort=new"]) {
      const { data, nextCursor } = await call<Page>("GET", `posts?${query}`);
      assertEquals([query, data.map(({ postId }) => postId), nextCursor], [query, ["dark"], null]);
    }
  });

  it("has each unanswered post once, the most wanted first", async () => {
    const { call, add, vote, change } = await createBoardService();
    for (let n = 0; n < 25; n++) {
      await add(`p${n}`);
      for (let voter = 0; voter < n % 5; voter++) await vote(`p${n}`, `v${voter}@example.com`);
      if (n % 2 === 0) await change(`p${n}`, { answer: "Thanks." });
    }
    await change("p1", { answer: "Thanks." });
    await change("p0", { answer: null });
    const found: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: Page = await call(
        "GET",
        `posts?answered=false&limit=4&cursor=${cursor}`
          .replace(/&cursor=$/, ""),
      );
      found.push(...page.data.map(({ postId }) => postId));
      cursor = page.nextCursor;
    }
    const numbers = Array.from({ length: 25 }, (_, n) => n).filter((n) => n % 2 === 1 && n !== 1);
    const expected = [0, ...numbers].map((n) => `p${n}`)
      .sort((a, b) => +b.slice(1) % 5 - +a.slice(1) % 5 || (a > b ? -1 : 1));
    assertEquals(found, expected);
  });
});
