import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import { FORMER_VOTES } from "../../../model/posts/records.ts";
import { votesPrefix } from "../../../model/posts/vote.ts";
import { erasePerson } from "../../../services/privacy/erasure.ts";
import { foreseeMerge, mergePost, unmergePost } from "../../../services/posts/merge.ts";
import { deletePost, updatePost } from "../../../services/posts/update.ts";
import { forgetVoters } from "../../../services/posts/votes/retention.ts";
import { finishAllVoteWork } from "../../../services/posts/votes/vote_work.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { createRandom, failingAt, setUp, withKills } from "../../_support/merges.ts";
import { minute } from "../../_support/samples.ts";
import { STORAGES } from "../../_support/storages.ts";

const AT = minute(1);
const POST_IDS = ["a", "b", "c", "d", "e"];
const PEOPLE = ["ann", "ben", "cem", "dan", "eve"];
const STEPS = 40;

/** The people who voted for each post itself, and where each was merged into. */
interface Model {
  readonly own: ReadonlyMap<string, Set<string>>;
  readonly into: Map<string, string>;
}

type Use = (storage: Storage) => Promise<unknown>;

function targetOf(model: Model, postId: string): string {
  const next = model.into.get(postId);
  return next === undefined ? postId : targetOf(model, next);
}

/** Returns the posts that lead to a post, and itself. */
function treeOf(model: Model, postId: string): readonly string[] {
  const merged = POST_IDS.filter((one) => model.into.get(one) === postId);
  return [postId, ...merged.flatMap((one) => treeOf(model, one))];
}

function peopleOf(model: Model, postId: string): ReadonlySet<string> {
  return new Set(treeOf(model, postId).flatMap((one) => [...model.own.get(one)!]));
}

function withdraw(model: Model, postId: string, name: string): void {
  for (const one of treeOf(model, targetOf(model, postId))) model.own.get(one)!.delete(name);
}

const addressOf = (postId: string) => ({ boardId: "ideas", postId, at: AT });
const emailOf = (name: string) => `${name}@example.com`;

/** Removes the addresses of a post's voters, and of those of posts that lead to it. */
async function retain(storage: Storage, postId: string): Promise<void> {
  const change = async (change: Parameters<typeof updatePost>[1]["change"]) =>
    await updatePost(storage, { ...addressOf(postId), isExpected: () => true, change });
  await change({ status: "declined", answer: "No" });
  await forgetVoters(storage, { retentionMs: 0, now: minute(9) });
  await change({ status: "open" });
}

/** Tells whether all people of two posts can be compared. */
async function areComparable(storage: Storage, postId: string, into: string): Promise<boolean> {
  const [post, target] = await Promise.all([postId, into].map((id) => storage.get(POSTS, id)));
  const isLending = post!.formerVotes > 0 || post!.lender !== null;
  return !isLending || (target!.formerVotes === 0 && target!.lender === null);
}

/** Chooses a random step, and returns how to do it and how the model follows. */
async function stepOf(storage: Storage, model: Model, random: (limit: number) => number) {
  const pick = <T>(list: readonly T[]): T => list[random(list.length)];
  const postId = pick(POST_IDS);
  const target = targetOf(model, postId);
  const name = pick(PEOPLE);
  const dice = random(20);
  if (dice < 9) {
    const vote = dice < 7;
    const rest = { vote, at: AT, source: "api", keyId: null } as const;
    return {
      use: (storage: Storage) => castVote(storage, { postId, userEmail: emailOf(name), ...rest }),
      expect: () => vote ? model.own.get(target)!.add(name) : withdraw(model, postId, name),
    };
  }
  if (dice < 14) {
    const into = targetOf(model, pick(POST_IDS));
    const isPossible = model.into.get(postId) === undefined && into !== postId &&
      await areComparable(storage, postId, into);
    if (!isPossible) return undefined;
    const foreseen = await foreseeMerge(storage, { ...addressOf(postId), into });
    return {
      postId,
      use: (storage: Storage) => mergePost(storage, { ...addressOf(postId), into }),
      expect: () => {
        model.into.set(postId, into);
        assert(typeof foreseen === "object");
        assertEquals(foreseen.votes, peopleOf(model, into).size, "the foreseen number");
      },
    };
  }
  if (dice < 17) {
    return {
      postId,
      use: (storage: Storage) => unmergePost(storage, addressOf(postId)),
      expect: () => model.into.delete(postId),
    };
  }
  if (dice < 19) return { use: (storage: Storage) => retain(storage, target), expect: () => {} };
  const query = { within: votesPrefix(emailOf(name)), limit: 100 };
  const votes = await storage.list(VOTES, query);
  return {
    use: (storage: Storage) => erasePerson(storage, emailOf(name), AT),
    expect: () => votes.forEach(({ postId }) => withdraw(model, postId, name)),
  };
}

/** Checks the number of each post, and that it has each person once. */
async function check(storage: Storage, model: Model, hint: string): Promise<void> {
  const votes = await storage.list(VOTES, { limit: 1_000 });
  const formers = await storage.list(FORMER_VOTES, { limit: 1_000 });
  for (const postId of POST_IDS) {
    const post = (await storage.get(POSTS, postId))!;
    const people = peopleOf(model, postId);
    const own = votes.filter(({ postInstanceId }) => postInstanceId === post.instanceId);
    const without = formers.filter(({ postInstanceId, stands }) =>
      stands && postInstanceId === post.instanceId
    );
    const text = `${hint} ${postId}: ${[...people]} ${JSON.stringify([...model.into])}`;
    assertEquals(post.votes, people.size, text);
    assertEquals(post.formerVotes, without.length, `without an address, ${text}`);
    assertEquals(post.votes, own.length + without.length, `records, ${text}`);
    for (const { userEmail } of own) assert(people.has(userEmail.split("@")[0]), text);
  }
}

async function compare(
  storage: Storage,
  runs: number,
  run: (use: Use) => Promise<unknown>,
  leavesWork = false,
): Promise<void> {
  for (let round = 0; round < runs; round++) {
    const random = createRandom(round + 1);
    const model: Model = { own: new Map(POST_IDS.map((id) => [id, new Set()])), into: new Map() };
    for (const postId of POST_IDS) {
      await deletePost(storage, { ...addressOf(postId), isExpected: () => true });
    }
    await setUp(storage, ...POST_IDS);
    for (let at = 0; at < STEPS; at++) {
      const step = await stepOf(storage, model, random);
      if (step === undefined) continue;
      if (leavesWork && step.postId !== undefined) {
        // The rest of the merge, or of its end, is left to later steps.
        await step.use(failingAt(storage, random(5))).catch(() => {});
        const { mergedInto } = (await storage.get(POSTS, step.postId))!;
        if (mergedInto === null) model.into.delete(step.postId);
        else model.into.set(step.postId, mergedInto);
        if (random(3) > 0) continue;
        await finishAllVoteWork(storage, {});
      } else {
        await run(step.use);
        step.expect();
        if (leavesWork) continue;
      }
      await check(storage, model, `${round}.${at}`);
    }
  }
}

for (const [name, withStorage] of STORAGES) {
  const runs = name === "memory" ? 60 : 5;
  describe(`random merges, votes and retention on ${name}`, () => {
    it("keep the number of people of each post", () =>
      withStorage((storage) => compare(storage, runs, (use) => use(storage))));

    it("keep it when their work is left to others", () =>
      withStorage((storage) => compare(storage, runs, (use) => use(storage), true)));

    it("keep it when each of their transactions is killed", () =>
      withStorage((storage) =>
        compare(storage, Math.ceil(runs / 8), (use) => withKills(storage, use))
      ));
  });
}
