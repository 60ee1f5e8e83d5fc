import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../../adapters/memory.ts";
import type { Storage } from "../../../../adapters/storage.ts";
import { createBoard } from "../../../../model/board.ts";
import { BOARDS, KINDS, POSTS } from "../../../../model/kinds.ts";
import type { PostStatus } from "../../../../model/posts/post.ts";
import { createPost } from "../../../../services/posts/create.ts";
import { foreseeMerge } from "../../../../services/posts/merge.ts";
import { forgetVoters } from "../../../../services/posts/votes/retention.ts";
import { summarizeVotes } from "../../../../services/posts/votes/voters.ts";
import { castVote } from "../../../../services/posts/votes/votes.ts";
import { insertRecord, replaceRecord } from "../../../../services/records.ts";
import { createWorker } from "../../../../mod.ts";
import { updatePost } from "../../../../services/posts/update.ts";
import { merge, setUp as setUpPosts, unmerge, vote as voteAs } from "../../../_support/merges.ts";
import { minute } from "../../../_support/samples.ts";
import { until } from "../../../_support/waiting.ts";

const MINUTE_MS = 60_000;
const PEOPLE_COUNT = 130;

async function setUp(): Promise<Storage> {
  const storage = openMemoryStorage();
  const board = {
    boardId: "ideas",
    name: "Ideas",
    visibility: "public",
    moderation: "first",
  } as const;
  await insertRecord(storage, BOARDS, createBoard(board, minute(0)));
  await createPost(storage, {
    boardId: "ideas",
    postId: "dark",
    title: "Dark mode",
    body: null,
    author: { userEmail: "ann@example.com", userName: "Ann", notify: true },
    source: "api",
    keyId: null,
    at: minute(0),
  });
  for (let i = 1; i < PEOPLE_COUNT; i++) await vote(storage, `p${i}@example.com`, minute(1));
  return storage;
}

function vote(storage: Storage, userEmail: string, at: string) {
  const source = { source: "api", keyId: null } as const;
  return castVote(storage, { postId: "dark", userEmail, vote: true, at, ...source });
}

async function setStatus(storage: Storage, status: PostStatus, at: string): Promise<void> {
  await replaceRecord(storage, { kind: POSTS, key: "dark" }, (post) => ({
    ...post,
    status,
    history: [...post.history, { at, status }],
  }));
}

/** Returns all that is stored, as text. */
async function textOf(storage: Storage): Promise<string> {
  const lists = await Promise.all(KINDS.map((kind) => storage.list(kind, { limit: 1_000 })));
  return JSON.stringify(lists);
}

describe("the retention of votes", () => {
  it("removes every address of a closed post after its time, and keeps the number", async () => {
    const storage = await setUp();
    await setStatus(storage, "shipped", minute(10));
    const run = (now: string) => forgetVoters(storage, { retentionMs: 60 * MINUTE_MS, now });
    await run(minute(69));
    assert((await textOf(storage)).includes("ann@example.com"));
    await run(minute(70));
    assertEquals((await textOf(storage)).match(/[\w.+]+@example\.com/g), null);
    assertEquals((await storage.get(POSTS, "dark"))?.votes, PEOPLE_COUNT);
  });

  it("keeps how many votes came from where when their addresses go", async () => {
    const storage = await setUp();
    const summary = async () => {
      const post = await storage.get(POSTS, "dark");
      assert(post !== undefined);
      return await summarizeVotes(storage, post, {
        ...{ countsAsked: false, isGone: () => false, timeZone: "UTC", now: minute(11) },
      });
    };
    const { bySource, byDay } = await summary();
    await setStatus(storage, "declined", minute(10));
    await forgetVoters(storage, { retentionMs: 0, now: minute(11) });
    assertEquals(await summary(), { bySource, byDomain: [], byDay });
    assertEquals(bySource.api, PEOPLE_COUNT);
  });

  it("lets nobody count twice when the post is open again, and starts anew", async () => {
    const storage = await setUp();
    await setStatus(storage, "declined", minute(10));
    await forgetVoters(storage, { retentionMs: 0, now: minute(11) });
    await setStatus(storage, "open", minute(20));
    await vote(storage, "p1@example.com", minute(21));
    await vote(storage, "new@example.com", minute(22));
    assertEquals((await storage.get(POSTS, "dark"))?.votes, PEOPLE_COUNT + 1);
    await forgetVoters(storage, { retentionMs: 0, now: minute(30) });
    assert((await textOf(storage)).includes("new@example.com"), "an open post keeps its voters");
  });
});

describe("the retention of votes for merged posts", () => {
  const people = ["ann", "ben"];
  const retain = async (storage: Storage, ...postIds: readonly string[]) => {
    const declined = { change: { status: "declined", answer: "No" } } as const;
    for (const postId of postIds) {
      await updatePost(storage, { ...address(postId), ...declined });
    }
    await forgetVoters(storage, { retentionMs: 0, now: minute(9) });
    assert(!(await textOf(storage)).includes("@example.com"));
  };
  const address = (postId: string) =>
    ({ boardId: "ideas", postId, at: minute(1), isExpected: () => true }) as const;
  const numbers = async (storage: Storage, ...postIds: readonly string[]) =>
    await Promise.all(postIds.map(async (id) => (await storage.get(POSTS, id))?.votes));

  it("keeps the number of people when the merge is undone after it", async () => {
    const storage = openMemoryStorage();
    await setUpPosts(storage, "a", "b", "c");
    await voteAs(storage, "a", people);
    await voteAs(storage, "b", ["ben", "cem"]);
    await voteAs(storage, "c", ["cem"]);
    await merge(storage, "a", "b");
    await merge(storage, "b", "c");
    assertEquals(await numbers(storage, "a", "b", "c"), [2, 3, 3]);
    await retain(storage, "c");
    assertEquals(await numbers(storage, "a", "b", "c"), [2, 3, 3]);
    await unmerge(storage, "a");
    assertEquals(await numbers(storage, "a", "b", "c"), [2, 2, 2]);
    await unmerge(storage, "b");
    assertEquals(await numbers(storage, "a", "b", "c"), [2, 2, 1]);
  });

  it("keeps it when only the other post has lost its addresses", async () => {
    const storage = openMemoryStorage();
    await setUpPosts(storage, "a", "b");
    await voteAs(storage, "b", people);
    await retain(storage, "b");
    await voteAs(storage, "a", ["ben", "cem"]);
    await merge(storage, "a", "b");
    assertEquals(await numbers(storage, "a", "b"), [2, 3]);
    await retain(storage, "b");
    await unmerge(storage, "a");
    assertEquals(await numbers(storage, "a", "b"), [2, 2]);
  });

  it("keeps it when only the merged post has lost its addresses", async () => {
    const storage = openMemoryStorage();
    await setUpPosts(storage, "a", "b");
    await voteAs(storage, "a", people);
    await retain(storage, "a");
    await updatePost(storage, { ...address("a"), change: { status: "open" } });
    await voteAs(storage, "b", ["ben", "cem"]);
    const foreseen = await foreseeMerge(storage, { ...address("a"), into: "b" });
    await merge(storage, "a", "b");
    assertEquals(await numbers(storage, "a", "b"), [2, 3]);
    assertEquals(typeof foreseen === "object" && foreseen.votes, 3);
    await voteAs(storage, "b", people);
    assertEquals(await numbers(storage, "a", "b"), [2, 3]);
    await voteAs(storage, "b", ["ben"], { vote: false });
    assertEquals(await numbers(storage, "a", "b"), [1, 2]);
    await retain(storage, "b");
    await unmerge(storage, "a");
    assertEquals(await numbers(storage, "a", "b"), [1, 2]);
  });

  it("lets the number stay when both posts have lost their addresses", async () => {
    const storage = openMemoryStorage();
    await setUpPosts(storage, "a", "b");
    await voteAs(storage, "a", people);
    await voteAs(storage, "b", ["ben", "cem"]);
    await retain(storage, "a", "b");
    await updatePost(storage, { ...address("b"), change: { status: "open" } });
    await merge(storage, "a", "b");
    assertEquals(await numbers(storage, "a", "b"), [2, 2]);
    await unmerge(storage, "a");
    assertEquals(await numbers(storage, "a", "b"), [2, 2]);
  });

  it("lets a person whose address went vote again, and withdraw everywhere", async () => {
    const storage = openMemoryStorage();
    await setUpPosts(storage, "a", "b");
    await voteAs(storage, "a", people);
    await merge(storage, "a", "b");
    await retain(storage, "b");
    await updatePost(storage, { ...address("b"), change: { status: "open" } });
    await voteAs(storage, "b", ["ann"]);
    assertEquals(await numbers(storage, "a", "b"), [2, 2]);
    await voteAs(storage, "b", ["ben"], { vote: false });
    assertEquals(await numbers(storage, "a", "b"), [1, 1]);
    await unmerge(storage, "a");
    assertEquals(await numbers(storage, "a", "b"), [1, 1]);
  });
});

describe("a worker with a retention of votes", () => {
  it("removes the addresses of posts that were closed before", async () => {
    const storage = await setUp();
    await setStatus(storage, "declined", minute(10));
    const worker = createWorker({ storage, voteRetentionMs: 0 });
    await until(async () => !(await textOf(storage)).includes("@example.com"));
    await worker.close();
  });

  it("leaves a post alone that was opened again since it was listed", async () => {
    const memory = await setUp();
    await setStatus(memory, "shipped", minute(2));
    let isOpened = false;
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        if (!isOpened) await setStatus(memory, "open", minute(3));
        isOpened = true;
        return await memory.transact(refs, decide);
      },
    };
    const before = (await memory.get(POSTS, "dark"))?.votes;
    await forgetVoters(storage, { retentionMs: MINUTE_MS, now: minute(10) });
    assert((await textOf(memory)).includes("p1@example.com"));
    assertEquals((await memory.get(POSTS, "dark"))?.votes, before);
  });
});
