import { assert, assertEquals } from "@std/assert";
import type { Storage } from "../../adapters/storage.ts";
import { createBoard } from "../../model/board.ts";
import { BOARDS, POSTS, VOTES } from "../../model/kinds.ts";
import { createPost } from "../../services/posts/create.ts";
import { type MergeFault, mergePost, unmergePost } from "../../services/posts/merge.ts";
import type { Post } from "../../model/posts/post.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { castVote, type VoteRequest } from "../../services/posts/votes/votes.ts";
import { insertRecord } from "../../services/records.ts";
import { minute } from "./samples.ts";

/** When everything happens. */
export const AT = minute(0);
const BOARD = {
  boardId: "ideas",
  name: "Ideas",
  visibility: "public",
  moderation: "first",
} as const;

/** Creates a public board with posts. */
export async function setUp(storage: Storage, ...postIds: readonly string[]): Promise<void> {
  if (await storage.get(BOARDS, "ideas") === undefined) {
    await insertRecord(storage, BOARDS, createBoard(BOARD, AT));
  }
  for (const postId of postIds) {
    const post = await createPost(storage, {
      boardId: "ideas",
      postId,
      title: `About ${postId}`,
      body: null,
      source: "api",
      keyId: null,
      at: AT,
    });
    assert(typeof post === "object", `${post}`);
  }
}

function emailOf(name: string): string {
  return name.includes("@") ? name : `${name}@example.com`;
}

/** Casts or withdraws the votes of people. */
export async function vote(
  storage: Storage,
  postId: string,
  names: readonly string[],
  rest: Partial<VoteRequest> = {},
): Promise<void> {
  await Promise.all(names.map(async (name) => {
    const request = { vote: true, source: "api", keyId: null, at: AT, ...rest } as const;
    const outcome = await castVote(storage, { postId, userEmail: emailOf(name), ...request });
    assert(typeof outcome === "object", `${outcome}`);
  }));
}

/** Returns the voters of a post, after checking its number against the votes that count. */
export async function votersOf(storage: Storage, postId: string): Promise<string> {
  const post = await storage.get(POSTS, postId);
  const within = voterPrefix(`${post?.instanceId}`);
  const votes = await storage.list(VOTES, { index: "byPost", within, limit: 1_000 });
  assertEquals(post?.votes, votes.filter(({ counts }) => counts).length, `the number of ${postId}`);
  return votes.map(({ userEmail, notify }) => userEmail.split("@")[0] + (notify ? "!" : "")).sort()
    .join(" ");
}

/** Merges a post of the board into another. */
export function merge(storage: Storage, postId: string, into: string): Promise<Post | MergeFault> {
  return mergePost(storage, { boardId: "ideas", postId, into, at: AT });
}

/** Undoes the merge of a post of the board. */
export function unmerge(storage: Storage, postId: string): Promise<Post | "not_found"> {
  return unmergePost(storage, { boardId: "ideas", postId, at: AT });
}

/** Returns storage that fails before or after a transaction is stored, as after a kill. */
export function failingAt(storage: Storage, count: number, isAfter = false): Storage {
  let left = count;
  return {
    ...storage,
    async transact(refs, decide) {
      if (left-- !== 0) return await storage.transact(refs, decide);
      if (isAfter) await storage.transact(refs, decide);
      throw new Error("It was killed");
    },
  };
}

/** Does something again and again, each time killed one transaction later, until it succeeds. */
export async function withKills(
  storage: Storage,
  use: (storage: Storage) => Promise<unknown>,
): Promise<void> {
  for (let count = 0;; count++) {
    // Even ones fail before the transaction, odd ones after it.
    const killed = failingAt(storage, count >> 1, count % 2 === 1);
    const isDone = await use(killed).then(() => true, () => false);
    if (isDone && count % 2 === 0) return;
  }
}

/** Returns a generator of random numbers below `limit`, the same for a seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed * 2_654_435_761 % 2 ** 32;
  return (limit) => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor(state / 2 ** 32 * limit);
  };
}

/** Returns storage whose calls overtake each other by chance. */
export function shuffled(storage: Storage, random: (limit: number) => number): Storage {
  async function late<T>(call: () => Promise<T>): Promise<T> {
    for (let turns = random(12); turns > 0; turns--) await null;
    return await call();
  }
  return {
    ...storage,
    get: (kind, key) => late(() => storage.get(kind, key)),
    list: (kind, query) => late(() => storage.list(kind, query)),
    transact: (refs, decide) => late(() => storage.transact(refs, decide)),
  };
}
