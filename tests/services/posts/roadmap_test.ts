import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { POSTS, STEPS } from "../../../model/kinds.ts";
import type { AnyKind, Item } from "../../../model/kind.ts";
import { moveRecord } from "../../../model/steps.ts";
import { listPublicBoards } from "../../../services/posts/public_boards.ts";
import { readRoadmap } from "../../../services/posts/roadmap.ts";
import { createBoardService } from "../../_support/boards.ts";
import { START } from "../../_support/service.ts";

const LATER = "2026-11-21T11:00:00.000Z";

/** Creates a service with some boards, each with two planned ideas, and counts what it reads. */
async function createRoadmap(boards: number) {
  const memory = openMemoryStorage();
  let reads = 0;
  const list: Storage["list"] = (kind, query) => {
    if (kind.name === POSTS.name) reads++;
    return memory.list(kind, query);
  };
  const storage = { ...memory, list };
  const service = await createBoardService({ storage });
  const { call } = service;
  for (let n = 0; n < boards; n++) {
    const boardId = `b${n}`;
    const visibility = n === 1 ? "private" : "public";
    await call("POST", "boards", { boardId, name: boardId, visibility });
    for (const rank of [1, 2]) {
      const path = `boards/${boardId}/posts`;
      await call("POST", path, { postId: `p${n}-${rank}`, title: `Post ${n}` });
      for (let voter = 0; voter < rank * n; voter++) {
        const vote = { userEmail: `v${voter}@example.com`, vote: true };
        await call("PUT", `${path}/p${n}-${rank}/votes`, vote);
      }
      await call("PATCH", `${path}/p${n}-${rank}`, { status: "planned" });
    }
  }
  return {
    ...service,
    /** Returns the ids in each column, and the number of listings. */
    async columns(now = START) {
      const shown = await listPublicBoards(storage);
      reads = 0;
      const columns = await readRoadmap(storage, shown, now);
      const ids = columns.map(({ status, posts }) =>
        [status, ...posts.map(({ postId }) => postId)].join(" ")
      );
      return { ids, reads };
    },
  };
}

describe("the roadmap", () => {
  it("has the ideas of all public boards by votes, and reads no more for more boards", async () => {
    const few = await createRoadmap(1);
    const many = await createRoadmap(12);
    const [one, other] = [await few.columns(), await many.columns()];
    assertEquals(other.reads, one.reads);
    const byVotes = Array.from({ length: 12 }, (_, n) => n).filter((n) => n !== 1)
      .flatMap((n) => [1, 2].map((rank) => ({ id: `p${n}-${rank}`, votes: rank * n })))
      .sort((a, b) => b.votes - a.votes || (a.id > b.id ? -1 : 1));
    const planned = byVotes.map(({ id }) => id).join(" ");
    assertEquals(other.ids, ["considering", `planned ${planned}`, "started", "shipped"]);
  });

  it("has an idea as planned until its entry is public, and then as shipped", async () => {
    const { call, columns } = await createRoadmap(1);
    const entry = { entryId: "a", title: "T", body: "", posts: ["p0-1"] };
    await call("POST", "changelogs/entries", entry);
    await call("POST", "changelogs/entries/a/publish", { notify: false, at: LATER });
    assertEquals((await columns()).ids[1], "planned p0-2 p0-1");
    assertEquals((await columns(LATER)).ids.slice(1), ["planned p0-2", "started", "shipped p0-1"]);
    await call("POST", "changelogs/entries/a/publish", { notify: false, at: START });
    assertEquals((await columns()).ids.slice(1), ["planned p0-2", "started", "shipped p0-1"]);
    await call("POST", "changelogs/entries/a/unpublish");
    assertEquals((await columns()).ids[1], "planned p0-2 p0-1");
  });

  it("has the ideas of storage of version 1", async () => {
    const { storage, columns } = await createRoadmap(1);
    const post = await storage.get(POSTS, "p0-2");
    const { roadmapPlace, shippedAt: _, ...record } = { ...post } as Item;
    assertEquals((await columns()).ids[1], "planned p0-2 p0-1");
    const [moved] = moveRecord(STEPS, { kind: POSTS as AnyKind, record });
    assertEquals(moved.record, { ...post, roadmapPlace });
  });
});
