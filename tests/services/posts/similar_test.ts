import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { POSTS } from "../../../model/kinds.ts";
import type { Storage } from "../../../mod.ts";
import { createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { createService } from "../../_support/service.ts";

/** Creates a board whose storage counts the posts that lists read. */
async function createCountedBoard() {
  const { storage } = createService();
  let read = 0;
  const counted: Storage = {
    ...storage,
    async list(kind, query) {
      const records = await storage.list(kind, query);
      if (kind.name === POSTS.name) read += records.length;
      return records;
    },
  };
  const service = await createBoardService({ storage: counted });
  async function find(q: string): Promise<readonly string[]> {
    const { data } = await service.call<{ data: { postId: string }[] }>(
      "GET",
      `${POSTS_PATH}/similar?q=${encodeURIComponent(q)}`,
    );
    return data.map(({ postId }) => postId);
  }
  return {
    ...service,
    find,
    /** Returns the number of posts read since the last call. */
    takeRead(): number {
      const before = read;
      read = 0;
      return before;
    },
  };
}

describe("similar posts of a board", () => {
  it("are found by what changed, without reading the others again", async () => {
    const { add, change, find, send, takeRead } = await createCountedBoard();
    for (let n = 0; n < 30; n++) await add(`other${n}`, { title: `Number ${n} of many` });
    await add("dark", { title: "Dark mode" });
    assertEquals(await find("dark mode"), ["dark"]);
    takeRead();
    await change("dark", { title: "Zebra list" });
    await add("late", { title: "Offline sync" });
    assertEquals([await find("dark mode"), await find("zebra list")], [[], ["dark"]]);
    assertEquals(await find("offline sync"), ["late"]);
    assertEquals(takeRead(), 2);
    await change("late", { state: "hidden" });
    assertEquals(await find("offline sync"), []);
    await change("late", { state: "public" });
    await send("DELETE", `${POSTS_PATH}/dark`);
    assertEquals([await find("offline sync"), await find("zebra list")], [["late"], []]);
  });

  it("are those of the target once they are merged, and their own again after it", async () => {
    const { add, call, find } = await createCountedBoard();
    await add("dark", { title: "Dark mode" });
    await add("night", { title: "Zebra list" });
    assertEquals(await find("dark mode"), ["dark"]);
    await call("POST", `${POSTS_PATH}/dark/merge`, { into: "night" });
    assertEquals(await find("dark mode"), []);
    await call("POST", `${POSTS_PATH}/dark/unmerge`);
    assertEquals(await find("dark mode"), ["dark"]);
  });
});
