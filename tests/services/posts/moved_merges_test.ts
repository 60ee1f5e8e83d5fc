import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { createRandom } from "../../_support/merges.ts";
import type { TestService } from "../../_support/service.ts";

const POST_IDS = ["a", "b", "c", "d"];
const NDJSON = { "content-type": "application/x-ndjson" };

interface ShownVote {
  readonly userEmail: string;
  readonly notify: boolean;
  readonly own: boolean;
  readonly via: readonly string[];
  readonly asks: readonly { readonly via: string | null; readonly source: string }[];
}

/** Returns the number of each post, and its votes with whence they came. */
async function statesOf({ call }: TestService): Promise<readonly string[]> {
  return await Promise.all(POST_IDS.map(async (postId) => {
    const { votes, mergedInto } = await call<{ votes: number; mergedInto: string | null }>(
      "GET",
      `${POSTS_PATH}/${postId}`,
    );
    const { data } = await call<{ data: ShownVote[] }>("GET", `${POSTS_PATH}/${postId}/votes`);
    const voters = data.map(({ userEmail, notify, own, via, asks }) => {
      const whence = [...via].sort().join(",");
      const wishes = asks.map((ask) => `${ask.via}`).sort().join(",");
      return `${userEmail.split("@")[0]}${notify ? "!" : ""}${own ? "" : "-"}(${whence})${wishes}`;
    });
    return `${postId}>${mergedInto} ${votes}: ${voters.sort().join(" ")}`;
  }));
}

describe("merges that an export has", () => {
  it("are undone after a move as they would have been before, in any order", async () => {
    for (let run = 0; run < 60; run++) {
      const random = createRandom(run + 1);
      const from = await createBoardService();
      const post = (postId: string, action: string, body = {}) =>
        from.send("POST", `${POSTS_PATH}/${postId}/${action}`, { json: body })
          .then((response) => response.body?.cancel());
      for (const postId of POST_IDS) await from.add(postId);
      for (let step = 0; step < 20; step++) {
        const postId = POST_IDS[random(4)];
        const dice = random(10);
        const name = `${["ann", "ben", "cem", "dora"][random(4)]}@example.com`;
        if (dice < 6) await from.vote(postId, name, random(2) === 0 ? { notify: true } : {});
        else if (dice < 7) await from.vote(postId, name, { vote: false });
        else if (dice < 9) await post(postId, "merge", { into: POST_IDS[random(4)] });
        else await post(postId, "unmerge");
      }
      const text = await (await from.send("GET", `${POSTS_PATH}/export`)).text();
      const to = await createBoardService();
      for (let round = 0; round < 2; round++) {
        const response = await to.send("POST", `${POSTS_PATH}/import`, {
          headers: NDJSON,
          body: text,
        });
        assertEquals((await response.text()).trimEnd().split("\n").length, 1);
        assertEquals(await statesOf(to), await statesOf(from), `${run}`);
      }
      for (const postId of [...POST_IDS].sort(() => random(3) - 1)) {
        for (const service of [from, to]) {
          const response = await service.send("POST", `${POSTS_PATH}/${postId}/unmerge`);
          assertEquals((await response.json()).mergedInto, null);
        }
        assertEquals(await statesOf(to), await statesOf(from), `${run} ${postId}`);
      }
    }
  });

  it("don't come back with an old export once they were undone", async () => {
    const service = await createBoardService();
    for (const postId of POST_IDS) await service.add(postId);
    await service.vote("a", "ann@example.com", { notify: true });
    await service.vote("b", "ben@example.com");
    await service.vote("c", "ben@example.com", { notify: true });
    for (const postId of ["a", "b", "c"]) {
      await service.call("POST", `${POSTS_PATH}/${postId}/merge`, { into: "d" });
    }
    const body = await (await service.send("GET", `${POSTS_PATH}/export`)).text();
    for (const postId of ["a", "c"]) await service.call("POST", `${POSTS_PATH}/${postId}/unmerge`);
    const before = await statesOf(service);
    const response = await service.send("POST", `${POSTS_PATH}/import`, { headers: NDJSON, body });
    const { votesAdded } = JSON.parse(await response.text());
    assertEquals([votesAdded, await statesOf(service)], [0, before]);
  });
});
