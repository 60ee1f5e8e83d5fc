import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoardService, POSTS_PATH } from "../../_support/boards.ts";
import { forEachRow } from "../../_support/rows.ts";

interface Voted {
  readonly postId: string;
  readonly voted?: boolean;
}

const VOTER = "voter=ann%2Bx@b.io";

describe("a person named as voter", () => {
  it("is told of in the list and in a single post whether the vote stands", async () => {
    const { call, add } = await createBoardService();
    for (const postId of ["dark", "night", "zoom"]) await add(postId);
    const vote = { userEmail: "ann@b.io", vote: true };
    for (const postId of ["dark", "night"]) {
      await call("PUT", `${POSTS_PATH}/${postId}/votes`, vote);
    }
    await call("PUT", `${POSTS_PATH}/night/votes`, { ...vote, vote: false });
    const { data } = await call<{ data: Voted[] }>("GET", `${POSTS_PATH}?${VOTER}`);
    const voted = data.map((post) => `${post.postId} ${post.voted}`).sort();
    assertEquals(voted, ["dark true", "night false", "zoom false"]);
    for (const [postId, stands] of [["dark", true], ["night", false]] as const) {
      const post = await call<Voted>("GET", `${POSTS_PATH}/${postId}?${VOTER}`);
      assertEquals(post.voted, stands);
    }
    assertEquals("voted" in await call<Voted>("GET", `${POSTS_PATH}/dark`), false);
  });

  it("is told of at a merged post by the post that it went to", async () => {
    const { call, add } = await createBoardService();
    for (const postId of ["dark", "night"]) await add(postId);
    await call("PUT", `${POSTS_PATH}/night/votes`, { userEmail: "ann@b.io", vote: true });
    await call("POST", `${POSTS_PATH}/dark/merge`, { into: "night" });
    assertEquals((await call<Voted>("GET", `${POSTS_PATH}/dark?${VOTER}`)).voted, true);
  });

  it("is seen though the ETag of the post is known, as a vote leaves that", async () => {
    const { send, add } = await createBoardService();
    await add("dark");
    const first = await send("GET", `${POSTS_PATH}/dark?${VOTER}`);
    await first.body?.cancel();
    const headers = { "if-none-match": first.headers.get("etag")! };
    const again = await send("GET", `${POSTS_PATH}/dark?${VOTER}`, { headers });
    assertEquals([again.status, (await again.json()).voted], [200, false]);
  });

  it("is not told of to a key that may not vote", async () => {
    const { send, call, add } = await createBoardService();
    await add("dark");
    const { key } = await call<{ key: string }>("POST", "keys", {
      ...{ name: "reader", scopes: "posts:read" },
    });
    await forEachRow([[POSTS_PATH], [`${POSTS_PATH}/dark`]], async ([path]) => {
      const refused = await send("GET", `${path}?${VOTER}`, { key });
      assertEquals([refused.status, (await refused.json()).code], [403, "insufficient_scope"]);
    });
  });
});
