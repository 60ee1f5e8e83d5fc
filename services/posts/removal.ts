import type { Storage } from "../../adapters/storage.ts";
import { POSTS, REPORTS, VOTES } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import {
  BOARD_TALLIES,
  FORMER_VOTES,
  POST_REMOVALS,
  type PostRemoval,
} from "../../model/posts/records.ts";
import { mailboxOf, voterPrefix } from "../../model/posts/vote.ts";
import { countHeld } from "./tally.ts";
import { removeIdlePerson } from "./votes/idle_people.ts";
import type { FencedTransact } from "../leases.ts";
import { change, type ChangeTools, type Reading } from "../change.ts";
import { CHANGED_AT_ONCE, readPages, removeRecord } from "../records.ts";
import { type IsStopped, removeWhere, type WorkInParts } from "../removals.ts";

/** Removes the rest of a deleted board or post in batches; returns `false` if it was stopped. */
export async function finishRemoval(
  storage: Storage,
  removal: PostRemoval | undefined,
  isStopped: IsStopped = () => false,
): Promise<boolean> {
  if (removal === undefined) return true;
  const { instanceId, what } = removal;
  const isDone = what === "board"
    ? await removePostsOf(storage, instanceId, isStopped)
    : await removeVotesOf(storage, instanceId, isStopped);
  if (isDone) await removeRecord(storage, POST_REMOVALS, instanceId);
  return isDone;
}

/** Tells whether the removal of any deleted board or post is pending. */
export async function hasRemovals(storage: Storage): Promise<boolean> {
  return (await storage.list(POST_REMOVALS, { limit: 1 })).length > 0;
}

/** Finishes the removal of deleted boards and posts, also after a crash. */
export async function finishRemovals(
  storage: Storage,
  { isStopped = () => false, attempt = (part) => part() }: WorkInParts = {},
): Promise<void> {
  for await (const removals of readPages(storage, POST_REMOVALS)) {
    for (const removal of removals) {
      if (isStopped()) return;
      await attempt(() => finishRemoval(storage, removal, isStopped));
    }
  }
}

async function removePostsOf(
  storage: Storage,
  boardInstanceId: string,
  isStopped: IsStopped,
): Promise<boolean> {
  const query = { index: "byBoard", within: boardInstanceId };
  for await (const posts of readPages(storage, POSTS, query)) {
    for (const post of posts) {
      if (isStopped()) return false;
      const isDone = await removePost(storage, post, isStopped);
      if (!isDone) return false;
    }
  }
  await removeRecord(storage, BOARD_TALLIES, boardInstanceId);
  return true;
}

async function removeVotesOf(
  storage: Storage,
  instanceId: string,
  isStopped: IsStopped,
): Promise<boolean> {
  const transact: FencedTransact = (refs, decide) =>
    isStopped() ? Promise.resolve(undefined) : storage.transact(refs, decide);
  const range = { index: "byPost", within: voterPrefix(instanceId) };
  const query = { ...range, limit: CHANGED_AT_ONCE };
  for await (const votes of readPages(storage, VOTES, query)) {
    const keys = votes.map(({ voteId }) => voteId);
    const refs = Object.fromEntries(keys.map((key) => [key, { kind: VOTES, key }]));
    const isRemoved = await transact(refs, () => ({ answer: true, remove: keys }));
    if (!isRemoved) return false;
    const voters = new Set(votes.map(({ userEmail }) => mailboxOf(userEmail)));
    await Promise.all([...voters].map((mailbox) => removeIdlePerson(storage, mailbox)));
  }
  return await removeWhere(storage, REPORTS, { ...range, transact }) &&
    await removeWhere(storage, FORMER_VOTES, { index: "byPost", within: instanceId, transact });
}

/**
 * Removes a post with its votes and reports, unless it has been replaced since it was read. Returns
 * `false` if it was stopped.
 */
export async function removePost(
  storage: Storage,
  seen: Post,
  isStopped?: IsStopped,
): Promise<boolean> {
  const removal = await change<PostRemoval | undefined>(storage, function* (tools) {
    const post = yield* tools.read(POSTS, seen.postId);
    if (post?.instanceId !== seen.instanceId) return undefined;
    yield* countHeld(tools, [post, undefined]);
    return yield* beginRemoval(tools, post);
  });
  const isDone = await finishRemoval(storage, removal, isStopped);
  if (seen.authorMailbox !== null) await removeIdlePerson(storage, seen.authorMailbox);
  return isDone;
}

/** Removes the record of a post, and records that its votes are to be removed. */
export function* beginRemoval(
  { read, put, remove }: ChangeTools,
  { postId, instanceId }: Post,
): Reading<PostRemoval> {
  const removal: PostRemoval = { instanceId, what: "post" };
  yield* read(POST_REMOVALS, instanceId);
  put(POST_REMOVALS, removal);
  remove(POSTS, postId);
  return removal;
}
