import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { VOTES } from "../../../model/kinds.ts";
import { createBoardService } from "../../_support/boards.ts";

/** Creates a service that counts how often a listing of votes begins while none is under way. */
async function createCounting() {
  const memory = openMemoryStorage();
  let waves = 0;
  let underWay = 0;
  const list: Storage["list"] = async (kind, query) => {
    if (kind.name !== VOTES.name) return await memory.list(kind, query);
    if (underWay++ === 0) waves++;
    await Promise.resolve();
    underWay--;
    return await memory.list(kind, query);
  };
  const service = await createBoardService({ storage: { ...memory, list } });
  return { ...service, waves: () => waves };
}

describe("an export of posts", () => {
  it("reads the votes of several posts at the same time, and writes each below its post", async () => {
    const { add, vote, send, waves } = await createCounting();
    for (let n = 0; n < 45; n++) {
      await add(`p${n}`);
      for (let voter = 0; voter < n % 3; voter++) await vote(`p${n}`, `v${voter}@example.com`);
    }
    const before = waves();
    const text = await (await send("GET", "boards/ideas/posts/export")).text();
    assertEquals(waves() - before, 3);
    const lines = text.trim().split("\n").map((line) => JSON.parse(line));
    const expected = Array.from({ length: 45 }, (_, n) => n).map((n) => `p${n}`).sort()
      .flatMap((id) => [id, ...Array.from({ length: +id.slice(1) % 3 }, () => `vote ${id}`)]);
    const written = lines.map(({ postId, userEmail }) => userEmail ? `vote ${postId}` : postId);
    assertEquals(written, expected);
  });
});
