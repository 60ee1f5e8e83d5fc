import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../../adapters/storage.ts";
import { openMemoryStorage } from "../../../../adapters/memory.ts";
import { createBoard } from "../../../../model/board.ts";
import { BOARDS, POSTS, VOTES } from "../../../../model/kinds.ts";
import type { Post } from "../../../../model/posts/post.ts";
import { createPost, type PostRequest } from "../../../../services/posts/create.ts";
import {
  castVote,
  type VoteOutcome,
  type VoteRequest,
} from "../../../../services/posts/votes/votes.ts";
import { insertRecord, replaceRecord } from "../../../../services/records.ts";
import { STORAGES } from "../../../_support/storages.ts";
import { minute } from "../../../_support/samples.ts";

const AT = minute(0);

async function addBoard(storage: Storage, rest: Partial<typeof BOARD_VALUES> = {}): Promise<void> {
  await insertRecord(storage, BOARDS, createBoard({ ...BOARD_VALUES, ...rest }, AT));
}

const BOARD_VALUES = {
  boardId: "ideas",
  name: "Ideas",
  visibility: "public" as "public" | "private",
  moderation: "first" as "first" | "all" | "none",
};

async function addPost(storage: Storage, rest: Partial<PostRequest> = {}): Promise<Post> {
  const post = await tryPost(storage, rest);
  assert(typeof post === "object", `${post}`);
  return post;
}

function tryPost(storage: Storage, rest: Partial<PostRequest> = {}) {
  const texts = { title: "Dark mode", body: null };
  return createPost(storage, {
    ...{ boardId: "ideas", postId: "dark", ...texts, source: "api", keyId: null, at: AT },
    ...rest,
  });
}

function vote(storage: Storage, rest: Partial<VoteRequest> = {}) {
  return castVote(storage, {
    ...{ postId: "dark", userEmail: "ann@example.com", vote: true, source: "api", keyId: null },
    ...{ at: AT, ...rest },
  });
}

async function outcome(storage: Storage, rest: Partial<VoteRequest> = {}): Promise<VoteOutcome> {
  const cast = await vote(storage, rest);
  assert(typeof cast === "object", `${cast}`);
  return cast;
}

async function change(storage: Storage, rest: Partial<Post>): Promise<void> {
  await replaceRecord(storage, { kind: POSTS, key: "dark" }, (post) => ({ ...post, ...rest }));
}

describe("a vote", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`counts once for each mailbox when many are cast at once, on ${name}`, async () => {
      await withStorage(async (storage, another) => {
        await addBoard(storage);
        await addPost(storage);
        const people = ["ann", "ann+a", "ann+b", "ben", "cem", "cem+x"];
        await Promise.all(
          [...people, ...people].map((one, i) =>
            vote(i % 2 === 0 ? storage : another, { userEmail: `${one}@example.com` })
          ),
        );
        assertEquals((await storage.get(POSTS, "dark"))?.votes, 3);
        await Promise.all(
          ["ann+z", "ann", "ben"].map((one) =>
            vote(another, { userEmail: `${one}@example.com`, vote: false })
          ),
        );
        assertEquals((await storage.get(POSTS, "dark"))?.votes, 1);
        const left = await storage.list(VOTES, { limit: 10 });
        assertEquals(left.map(({ voteId }) => voteId.split("!")[0]), ["cem@example.com"]);
      });
    });
  }

  it("keeps what is left out when it is repeated", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    await addPost(storage);
    await outcome(storage, { notify: true, why: "At night", userName: "Ann" });
    const again = await outcome(storage, { at: minute(5) });
    assertEquals([again.notify, again.changed], [true, false]);
    const [kept] = await storage.list(VOTES, { limit: 2 });
    assertEquals([kept.why, kept.userName, kept.at, kept.notifyAt], ["At night", "Ann", AT, AT]);
    assertEquals((await outcome(storage, { notify: false })).changed, true);
    assertEquals((await outcome(storage, { why: null })).changed, true);
  });

  it("can be withdrawn, but not cast, once the post is closed, held or hidden", async () => {
    for (const closed of [{ status: "shipped" }, { state: "held" }, { state: "hidden" }] as const) {
      const storage = openMemoryStorage();
      await addBoard(storage);
      await addPost(storage);
      await outcome(storage, { notify: true });
      await change(storage, closed);
      assertEquals(await vote(storage), "post_closed");
      assertEquals(await vote(storage, { userEmail: "ben@example.com" }), "post_closed");
      assertEquals((await outcome(storage, { notify: false })).notify, false);
      const left = await outcome(storage, { vote: false });
      assertEquals([left.vote, left.changed, left.post.votes], [false, true, 0]);
      assertEquals((await outcome(storage, { vote: false })).changed, false);
    }
  });

  it("goes to the post that a merged one went to", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    await addPost(storage);
    await addPost(storage, { postId: "night" });
    await change(storage, { mergedInto: "night" });
    const { post } = await outcome(storage);
    assertEquals([post.postId, post.votes], ["night", 1]);
  });

  it("weighs half as much in the hot score a week later", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    await addPost(storage);
    const week = 7 * 24 * 60;
    const scoreAfter = async (userEmail: string, minutes: number, isCast = true) =>
      (await outcome(storage, { userEmail, vote: isCast, at: minute(minutes) })).post.hotScore;
    const first = await scoreAfter("a@example.com", 0);
    // A vote of last week weighs half as much as a vote of now.
    await scoreAfter("b@example.com", 0);
    const both = await scoreAfter("c@example.com", week);
    assertEquals(Math.abs(both - first - 2e9) <= 2, true);
    const left = await scoreAfter("c@example.com", 2 * week, false);
    assertEquals(Math.abs(left - first - 1e9) <= 4, true);
    await scoreAfter("a@example.com", 2 * week, false);
    assertEquals(await scoreAfter("b@example.com", 2 * week, false), 0);
  });
});

describe("a new post", () => {
  it("is held until an idea of its author was approved", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    const form = (n: number, userEmail = `ann+${n}@example.com`) =>
      tryPost(storage, {
        postId: `p${n}`,
        source: "form",
        author: { userEmail, userName: null, notify: false },
      });
    const states = [];
    for (const n of [1, 2, 3, 4]) {
      const made = await form(n);
      states.push(typeof made === "string" ? made : made.state);
    }
    assertEquals(states, ["held", "held", "held", "too_many_held"]);
    await addPost(storage, {
      postId: "api",
      author: { userEmail: "ben@example.com", userName: null, notify: true },
    });
    const post = await form(5, "ben+x@example.com");
    assert(typeof post === "object");
    assertEquals([post.state, post.votes], ["public", 1]);
  });

  it("takes no id of another board, and no place on a private board by a form", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    await addBoard(storage, { boardId: "inner", visibility: "private" });
    await addPost(storage);
    assertEquals(await tryPost(storage, { boardId: "inner" }), "post_exists");
    const form = { boardId: "inner", postId: "x", source: "form" } as const;
    assertEquals(await tryPost(storage, form), "board_not_found");
  });

  it("takes the id of one that is left of a deleted board", async () => {
    const storage = openMemoryStorage();
    await addBoard(storage);
    await addPost(storage);
    await outcome(storage);
    await replaceRecord(
      storage,
      { kind: BOARDS, key: "ideas" },
      () => createBoard(BOARD_VALUES, AT),
    );
    assertEquals(await vote(storage), "post_not_found");
    assertEquals((await addPost(storage)).votes, 0);
    assertEquals(await storage.list(VOTES, { limit: 1 }), []);
  });
});
