import type { Ref, Storage } from "../../adapters/storage.ts";
import { POSTS, VOTES } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import {
  BOARD_TALLIES,
  FORMER_VOTES,
  PEOPLE,
  POST_REMOVALS,
  type PostRemoval,
  REPORTS,
} from "../../model/posts/records.ts";
import { mailboxOf, voterPrefix } from "../../model/posts/vote.ts";
import { isHeld } from "./tally.ts";
import { removeIdlePerson } from "./votes/idle_people.ts";
import type { FencedTransact } from "../leases.ts";
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
  const isDone = await finishRemoval(storage, await beginRemoval(storage, seen), isStopped);
  if (seen.authorMailbox !== null) await removeIdlePerson(storage, seen.authorMailbox);
  return isDone;
}

/** Removes the record of a post, and records that its votes are to be removed. */
function beginRemoval(storage: Storage, seen: Post): Promise<PostRemoval | undefined> {
  const refs: RemovalRefs = {
    post: { kind: POSTS, key: seen.postId },
    removal: { kind: POST_REMOVALS, key: seen.instanceId },
    ...seen.authorMailbox !== null && {
      person: { kind: PEOPLE, key: seen.authorMailbox },
    },
  };
  return storage.transact<RemovalRefs, PostRemoval | undefined>(refs, (found) => {
    const { post } = found;
    if (post?.instanceId !== seen.instanceId) return { answer: undefined };
    const removal = { instanceId: post.instanceId, what: "post" } as const;
    const person = found.person;
    return {
      answer: removal,
      put: {
        removal,
        ...person !== undefined && isHeld(post) && {
          person: { ...person, heldIdeas: Math.max(0, person.heldIdeas - 1) },
        },
      },
      remove: ["post"],
    };
  });
}

type RemovalRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly removal: Ref<typeof POST_REMOVALS>;
  readonly person?: Ref<typeof PEOPLE>;
};
