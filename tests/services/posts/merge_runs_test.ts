import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../adapters/storage.ts";
import { createBoard } from "../../../model/board.ts";
import { BOARDS, POSTS, VOTES } from "../../../model/kinds.ts";
import { createPost } from "../../../services/posts/create.ts";
import { mergePost, unmergePost } from "../../../services/posts/merge.ts";
import { deletePost } from "../../../services/posts/update.ts";
import { finishAllVoteWork } from "../../../services/posts/votes/vote_work.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { insertRecord } from "../../../services/records.ts";
import { createRandom, withKills } from "../../_support/merges.ts";
import { minute } from "../../_support/samples.ts";
import { STORAGES } from "../../_support/storages.ts";

const AT = minute(1);
const POST_IDS = ["a", "b", "c", "d", "e"];
const PEOPLE = ["ann", "ben", "cem"];
const RUNS = 12;
const STEPS = 25;

/** The votes that each post has by itself, and where each was merged into: the expected state. */
interface Model {
  readonly own: Map<string, Map<string, boolean>>;
  readonly into: Map<string, string>;
}

function targetOf({ into }: Model, postId: string): string {
  const next = into.get(postId);
  return next === undefined ? postId : targetOf({ into } as Model, next);
}

/** Returns the people with a vote for a post or for those merged into it; `!`: who asked. */
function expected(model: Model, postId: string): string {
  const found = new Map<string, boolean>();
  const add = (id: string): void => {
    for (const [name, asked] of model.own.get(id)!) {
      found.set(name, asked || found.get(name) === true);
    }
    for (const [from, to] of model.into) if (to === id) add(from);
  };
  add(postId);
  return [...found].map(([name, asked]) => name + (asked ? "!" : "")).sort().join(" ");
}

async function actual(storage: Storage, postId: string): Promise<string> {
  const post = await storage.get(POSTS, postId);
  const votes = (await storage.list(VOTES, { limit: 1_000 }))
    .filter((vote) => vote.postInstanceId === post?.instanceId);
  assertEquals(post?.votes, votes.length, `the number of ${postId}`);
  return votes.map(({ userEmail, notify }) => userEmail.split("@")[0] + (notify ? "!" : ""))
    .sort().join(" ");
}

function withdraw(model: Model, postId: string, name: string): void {
  model.own.get(postId)!.delete(name);
  for (const [from, to] of model.into) if (to === postId) withdraw(model, from, name);
}

/** Chooses a random step, the same for storage and model. */
function stepOf(model: Model, random: (limit: number) => number) {
  const postId = POST_IDS[random(POST_IDS.length)];
  const dice = random(10);
  const address = { boardId: "ideas", postId, at: AT };
  if (dice < 5) {
    const target = targetOf(model, postId);
    // A test by hand covers people whom a merge leads here and who ask for both.
    const name = PEOPLE[random(PEOPLE.length)];
    const isLed = [...model.into.values()].includes(target);
    const vote = dice < 4;
    const notify = vote && !isLed && random(2) === 0;
    const own = model.own.get(target)!;
    return {
      use: (storage: Storage) =>
        castVote(storage, {
          ...{ postId, userEmail: `${name}@example.com`, vote, at: AT, source: "api", keyId: null },
          ...notify && { notify },
        }),
      expect: () =>
        vote ? own.set(name, notify || own.get(name) === true) : withdraw(model, target, name),
    };
  }
  if (dice < 8) {
    const into = targetOf(model, POST_IDS[random(POST_IDS.length)]);
    // A post that is merged stays where it is.
    const isRefused = into === postId || targetOf(model, into) === postId;
    return {
      use: (storage: Storage) => mergePost(storage, { ...address, into }),
      expect: () => !isRefused && model.into.set(postId, model.into.get(postId) ?? into),
    };
  }
  return {
    use: (storage: Storage) => unmergePost(storage, address),
    expect: () => model.into.delete(postId),
  };
}

/** Does random steps, and compares each post with what was cast there and what leads there. */
async function compare(
  storage: Storage,
  runs: number,
  run: (use: (storage: Storage) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const board = { boardId: "ideas", name: "Ideas", visibility: "public" } as const;
  await insertRecord(storage, BOARDS, createBoard({ ...board, moderation: "none" }, AT));
  for (let round = 0; round < runs; round++) {
    const random = createRandom(round + 1);
    const model: Model = { own: new Map(), into: new Map() };
    for (const postId of POST_IDS) {
      model.own.set(postId, new Map());
      await deletePost(storage, { boardId: "ideas", postId, at: AT, isExpected: () => true });
      await createPost(storage, {
        ...{ boardId: "ideas", postId, title: "An idea", body: null },
        ...{ source: "api", keyId: null, at: AT },
      });
    }
    for (let at = 0; at < STEPS; at++) {
      const { use, expect } = stepOf(model, random);
      await run(use);
      expect();
      const hint = JSON.stringify([...model.into]);
      for (const postId of POST_IDS) {
        const found = await actual(storage, postId);
        assertEquals(found, expected(model, postId), `${round}.${at} ${postId}: ${hint}`);
      }
    }
    await finishAllVoteWork(storage, {});
  }
}

for (const [name, withStorage] of STORAGES) {
  describe(`random merges and votes on ${name}`, () => {
    it("leave each post with exactly what was cast there and what leads there", () =>
      withStorage((storage) => compare(storage, RUNS, (use) => use(storage))));

    it("are finished after a kill before and after each of their transactions", () =>
      withStorage((storage) => compare(storage, RUNS / 3, (use) => withKills(storage, use))));
  });
}
