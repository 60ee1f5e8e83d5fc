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
import { createRandom } from "../../_support/merges.ts";
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

async function withdraw(model: Model, postId: string, name: string): Promise<void> {
  model.own.get(postId)!.delete(name);
  for (const [from, to] of model.into) if (to === postId) await withdraw(model, from, name);
}

/** Does one random step, the same to storage and model. */
async function step(
  storage: Storage,
  model: Model,
  random: (limit: number) => number,
): Promise<void> {
  const postId = POST_IDS[random(POST_IDS.length)];
  const dice = random(10);
  if (dice < 5) {
    const target = targetOf(model, postId);
    // A test by hand covers people whom a merge leads here and who ask for both.
    const name = PEOPLE[random(PEOPLE.length)];
    const isLed = [...model.into.values()].includes(target);
    const vote = dice < 4;
    const notify = vote && !isLed && random(2) === 0;
    await castVote(storage, {
      ...{ postId, userEmail: `${name}@example.com`, vote, at: AT, source: "api", keyId: null },
      ...notify && { notify },
    });
    if (!vote) return await withdraw(model, target, name);
    const own = model.own.get(target)!;
    own.set(name, notify || own.get(name) === true);
    return;
  }
  if (dice < 8) {
    const into = targetOf(model, POST_IDS[random(POST_IDS.length)]);
    const merged = await mergePost(storage, { boardId: "ideas", postId, into, at: AT });
    if (typeof merged === "object") model.into.set(postId, model.into.get(postId) ?? into);
    return;
  }
  await unmergePost(storage, { boardId: "ideas", postId, at: AT });
  model.into.delete(postId);
}

for (const [name, withStorage] of STORAGES) {
  describe(`random merges and votes on ${name}`, () => {
    it("leave each post with exactly what was cast there and what leads there", () =>
      withStorage(async (storage) => {
        for (let run = 0; run < RUNS; run++) {
          const random = createRandom(run + 1);
          const model: Model = { own: new Map(), into: new Map() };
          if (run === 0) {
            const board = { boardId: "ideas", name: "Ideas", visibility: "public" } as const;
            const created = createBoard({ ...board, moderation: "none" }, AT);
            await insertRecord(storage, BOARDS, created);
          }
          for (const postId of POST_IDS) {
            model.own.set(postId, new Map());
            if (run > 0) {
              const address = { boardId: "ideas", postId, at: AT, isExpected: () => true };
              await deletePost(storage, address);
            }
            await createPost(storage, {
              ...{ boardId: "ideas", postId, title: "An idea", body: null },
              ...{ source: "api", keyId: null, at: AT },
            });
          }
          const done: string[] = [];
          for (let at = 0; at < STEPS; at++) {
            await step(storage, model, random);
            done.push(JSON.stringify([...model.into]));
            for (const postId of POST_IDS) {
              const found = await actual(storage, postId);
              assertEquals(
                found,
                expected(model, postId),
                `${run}.${at} ${postId}: ${done.at(-1)}`,
              );
            }
          }
          await finishAllVoteWork(storage, {});
        }
      }));
  });
}
