import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoardService, POSTS_PATH, type TestPost } from "../../_support/boards.ts";
import { forEachRow } from "../../_support/rows.ts";
import { assertOutcomes, outcomeOf, START } from "../../_support/service.ts";

interface MergedPost extends TestPost {
  readonly mergedInto: string | null;
}

async function createMerged() {
  const service = await createBoardService();
  await service.add("dark", { userEmail: "ann@example.com" });
  await service.add("night");
  await service.vote("dark", "ben@example.com");
  await service.vote("night", "ben+x@example.com");
  const merged = await service.call<MergedPost>("POST", `${POSTS_PATH}/dark/merge`, {
    into: "night",
  });
  return { ...service, merged, unmerge: `${POSTS_PATH}/dark/unmerge` };
}

describe("a merged post", () => {
  it("has no votes and is in no list, and its id leads votes to the other", async () => {
    const { merged, idsOf, call, vote } = await createMerged();
    assertEquals([merged.mergedInto, merged.votes], ["night", 0]);
    assertEquals(await idsOf(), ["night"]);
    assertEquals((await call<TestPost>("GET", `${POSTS_PATH}/night`)).votes, 2);
    const { postId, votes } = await vote("dark", "cem@example.com");
    assertEquals([postId, votes], ["night", 3]);
  });

  it("gets back the votes that came with it, and no others", async () => {
    const { call, vote, unmerge } = await createMerged();
    await vote("dark", "cem@example.com");
    const post = await call<MergedPost>("POST", unmerge);
    assertEquals([post.mergedInto, post.votes], [null, 2]);
    assertEquals((await call<TestPost>("GET", `${POSTS_PATH}/night`)).votes, 2);
    assertEquals((await call<MergedPost>("POST", unmerge)).votes, 2);
  });

  it("stands by itself again when the other is deleted", async () => {
    const { send, call } = await createMerged();
    const etag = (await send("GET", `${POSTS_PATH}/night`)).headers.get("etag")!;
    const stale = { headers: { "if-match": '"stale"' } };
    await assertOutcomes({ send }, [
      ["DELETE", `${POSTS_PATH}/night`, stale, "412 precondition_failed"],
    ]);
    assertEquals((await call<MergedPost>("GET", `${POSTS_PATH}/dark`)).mergedInto, "night");
    const current = { headers: { "if-match": etag } };
    await assertOutcomes({ send }, [["DELETE", `${POSTS_PATH}/night`, current, "204"]]);
    const { mergedInto, votes } = await call<MergedPost>("GET", `${POSTS_PATH}/dark`);
    assertEquals([mergedInto, votes], [null, 2]);
  });

  it("is made only of a post of the board and another that is public", async () => {
    const { send, add, call } = await createMerged();
    await call("POST", "boards", { boardId: "other", name: "Other" });
    await add("third");
    await call("PATCH", `${POSTS_PATH}/third`, { state: "hidden" });
    await call("POST", "boards/other/posts", { postId: "far", title: "Far away" });
    await forEachRow([
      ["night", "night", "422 into:invalid_value"],
      ["night", "dark", "422 into:invalid_value"],
      ["night", "third", "422 into:invalid_value"],
      ["night", "far", "422 into:invalid_value"],
      ["night", "no such id", "422 into:invalid_value"],
      ["night", "", "422 into:invalid_value"],
      ["none", "night", "404 post_not_found"],
      ["third", "night", "200"],
    ], async ([postId, into, outcome]) => {
      const response = await send("POST", `${POSTS_PATH}/${postId}/merge`, { json: { into } });
      assertEquals(await outcomeOf(response), outcome);
    });
    await assertOutcomes({ send }, [
      ["POST", "boards/none/posts/x/merge", { json: { into: "y" } }, "404 board_not_found"],
      ["POST", `${POSTS_PATH}/night/merge`, { json: {} }, "422 into:required"],
    ]);
  });

  it("can be foreseen: each mailbox counts once, and nothing changes", async () => {
    const { call, add, vote, send, idsOf } = await createMerged();
    await add("third", { userEmail: "ann+3@example.com" });
    await vote("third", "dan@example.com");
    await vote("third", "eve@spam.example");
    await call("PUT", `${POSTS_PATH}/night/domains/spam.example`, { aside: true });
    const into = { into: "dark" };
    const sum = { postId: "night", votes: 3, mergedInto: null };
    for (const [path, json] of [["?dryRun", into], ["", { ...into, dryRun: true }]] as const) {
      const seen = await call<MergedPost>("POST", `${POSTS_PATH}/third/merge${path}`, json);
      const { postId, votes, mergedInto } = seen;
      assertEquals({ postId, votes, mergedInto }, sum);
    }
    assertEquals(await idsOf(), ["third", "night"]);
    const bad = { json: { into: "third", dryRun: true } };
    const refused = await send("POST", `${POSTS_PATH}/third/merge`, bad);
    assertEquals(await outcomeOf(refused), "422 into:invalid_value");
    await call("POST", `${POSTS_PATH}/third/merge`, into);
    assertEquals((await call<TestPost>("GET", `${POSTS_PATH}/night`)).votes, 3);
  });

  it("is named by the other, to the team alone", async () => {
    const { call, add, createKey, send } = await createMerged();
    await add("third");
    await call("POST", `${POSTS_PATH}/night/merge`, { into: "third" });
    const { merged } = await call("GET", `${POSTS_PATH}/third`);
    assertEquals(merged, [
      { postId: "night", title: "Post night" },
      { postId: "dark", title: "Post dark" },
    ]);
    const key = await createKey(["posts:read"]);
    const seen = await (await send("GET", `${POSTS_PATH}/third`, { key })).json();
    assertEquals("merged" in seen, false);
  });

  it("is told to webhooks once, and again when it is undone", async () => {
    const service = await createBoardService();
    await service.add("dark");
    await service.add("night");
    const { webhookId } = await service.call("POST", "webhooks", {
      url: "https://example.com/hook",
      types: "post.merged post.updated",
    });
    for (const action of ["merge", "merge", "unmerge", "unmerge"]) {
      const json = action === "merge" ? { into: "night" } : undefined;
      await service.call("POST", `${POSTS_PATH}/dark/${action}`, json);
    }
    const { data } = await service.call<{ data: readonly { type: string }[] }>(
      "GET",
      `webhooks/${webhookId}/messages`,
    );
    assertEquals(data.map(({ type }) => type).sort(), ["post.merged", "post.updated"]);
  });
});

describe("votes that the team leaves out", () => {
  it("are those of a domain, for as long as it is set aside", async () => {
    const { send, add, vote, call } = await createBoardService();
    await add("dark");
    for (const name of ["a", "b", "c"]) await vote("dark", `${name}@Spam.example`);
    await vote("dark", "ann@example.com");
    const path = `${POSTS_PATH}/dark/domains/spam.example`;
    assertEquals((await call<TestPost>("PUT", path, { aside: true })).votes, 1);
    const summary = await call<{ byDomain: unknown }>("GET", `${POSTS_PATH}/dark/votes/summary`);
    const times = { firstAt: START, lastAt: START };
    assertEquals(summary.byDomain, [
      { domain: "spam.example", votes: 3, ...times, aside: true },
      { domain: "example.com", votes: 1, ...times, aside: false },
    ]);
    assertEquals((await call<TestPost>("PUT", path, { aside: false })).votes, 4);
    await assertOutcomes({ send }, [
      [
        "PUT",
        `${POSTS_PATH}/dark/domains/x`,
        { json: { aside: true } },
        "422 domain:invalid_value",
      ],
      ["PUT", path, { json: {} }, "422 aside:required"],
      [
        "PUT",
        `${POSTS_PATH}/none/domains/a.example`,
        { json: { aside: true } },
        "404 post_not_found",
      ],
    ]);
  });

  it("are those that a key cast since a time", async () => {
    const service = await createBoardService();
    await service.add("dark");
    const key = await service.createKey(["posts:write"]);
    const cast = (userEmail: string) =>
      service.send("PUT", `${POSTS_PATH}/dark/votes`, { key, json: { userEmail, vote: true } });
    const { data: [{ keyId }] } = await service.call<{ data: readonly { keyId: string }[] }>(
      "GET",
      "keys",
    );
    await cast("ann@example.com");
    service.advance(60_000);
    await cast("ben@example.com");
    await service.vote("dark", "cem@example.com");
    const since = "2026-11-21T10:00:30Z";
    const path = `posts/votes?keyId=${keyId}&since=${since}`;
    assertEquals(await service.call("DELETE", path), { withdrawn: 1 });
    assertEquals((await service.call<TestPost>("GET", `${POSTS_PATH}/dark`)).votes, 2);
    await assertOutcomes(service, [
      ["DELETE", "posts/votes", {}, "422 keyId:required since:required"],
      ["DELETE", `posts/votes?keyId=${keyId}&since=today`, {}, "422 since:invalid_value"],
    ]);
  });

  it("need the scopes that are promised", async () => {
    const service = await createBoardService();
    await service.add("dark");
    const publisher = await service.createKey(["posts:publish"]);
    const json = { aside: true };
    await assertOutcomes(service, [
      [
        "PUT",
        `${POSTS_PATH}/dark/domains/a.example`,
        { key: publisher, json },
        "403 insufficient_scope",
      ],
      [
        "DELETE",
        `posts/votes?keyId=x&since=${START}`,
        { key: publisher },
        "403 insufficient_scope",
      ],
      ["POST", `${POSTS_PATH}/dark/unmerge`, { key: publisher }, "200"],
    ]);
  });
});
