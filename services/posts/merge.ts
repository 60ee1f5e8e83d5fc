import type { Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import { postIdOfOrigin } from "../../model/posts/vote_origins.ts";
import type { EventType } from "../../model/webhooks/webhook_event.ts";
import { all, type Reading } from "../change.ts";
import { changeWithEvents, type EventfulTools } from "../webhooks/events.ts";
import { depthOf, isPath, listMergedInto, listMergePath, MAX_PATH } from "./merge_path.ts";
import { lendEntry, returnEntry } from "./merged_entries.ts";
import { findPost, followMerges, postEvent } from "./posts.ts";
import { countHeld, putPost } from "./tally.ts";
import { endLending, withLender } from "./votes/lent_votes.ts";
import { finishAllVoteWork, finishVoteWork } from "./votes/vote_work.ts";
import { countNewVoters } from "./votes/voters.ts";

/** A request that names a post. */
export interface PostAddress {
  readonly boardId: string;
  readonly postId: string;
  /** The time of the request (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/**
 * The reasons why a post is not merged: it does not exist, the other post can't take its voters, or
 * it is merged into a third one already.
 */
export type MergeFault = "not_found" | "bad_target" | "merged_elsewhere";

/** A post that is to be merged or unmerged, as it was seen. */
interface Seen {
  readonly post: Post;
  /** The post that takes its votes, or gives them back, and those that it leads to. */
  readonly path: readonly Post[];
}

/**
 * Merges a post into another public post of its board: from the first step on, its id leads to the
 * other, and then the votes follow in batches. Merging again changes nothing.
 */
export async function mergePost(
  storage: Storage,
  { into, ...address }: PostAddress & { readonly into: string },
): Promise<Post | MergeFault> {
  const { at } = address;
  for (;;) {
    const found = await findMerge(storage, { into, ...address });
    if (typeof found === "string") return found;
    const { post: seen, path: [seenTarget] } = found;
    if (seen.mergedInto !== null) return seen;
    const merged = await changeMerge(storage, found, "post.merged", function* (tools, posts) {
      const [post, seenAsTarget] = posts;
      const isReady = seenAsTarget.mergedInto === null && seenAsTarget.state === "public" &&
        post.voteCursor === null && post.mergeCount === seen.mergeCount;
      if (!isReady) return undefined;
      const [left, target] = yield* lendEntry(tools, [post, seenAsTarget], at);
      const counted = { ...withLender(target, post), mergeCount: target.mergeCount + 1 };
      yield* putPost(tools, [seenAsTarget, counted], at);
      return {
        ...left,
        mergedInto: seenTarget.postId,
        voteCursor: voterPrefix(post.instanceId),
      };
    }, at);
    if (merged !== undefined) return await finishVoteWork(storage, merged) ?? "not_found";
  }
}

/**
 * Returns the target of a merge as it would be afterwards, with each mailbox counted once; changes
 * nothing.
 */
export async function foreseeMerge(
  storage: Storage,
  address: PostAddress & { readonly into: string },
): Promise<Post | MergeFault> {
  const found = await findMerge(storage, address);
  if (typeof found === "string") return found;
  const { post, path: [target] } = found;
  if (post.mergedInto !== null) return target;
  return { ...target, votes: target.votes + await countNewVoters(storage, post, target) };
}

/** Returns a post and the other one that is to take its voters, or why that can't be. */
async function findMerge(
  storage: Storage,
  { into, ...address }: PostAddress & { readonly into: string },
): Promise<Seen | MergeFault> {
  const post = await findSettled(storage, address);
  if (post === undefined) return "not_found";
  const named = await findPost(storage, { postId: into, boardId: address.boardId });
  const last = named && await followMerges(storage, named.post);
  const target = last && (last.unmergedFrom === null ? last : await finishVoteWork(storage, last));
  if (target === undefined || target.state !== "public" || into === post.postId) {
    return "bad_target";
  }
  if (post.mergedInto !== null) {
    const current = await followMerges(storage, post);
    return current?.postId === target.postId ? { post, path: [target] } : "merged_elsewhere";
  }
  // The target was merged into this post: each of the two would lead to the other.
  if (target.postId === post.postId) return "bad_target";
  const isTooLong = await depthOf(storage, post) >= MAX_PATH;
  return isTooLong ? "bad_target" : { post, path: [target] };
}

/**
 * Undoes the merge of a post, and takes back exactly the votes that moved with it. A vote that was
 * cast meanwhile stays with the target, and a withdrawn vote stays withdrawn. Leaves a post that is
 * not merged as it is.
 */
export async function unmergePost(
  storage: Storage,
  address: PostAddress,
): Promise<Post | "not_found"> {
  const { at } = address;
  for (;;) {
    const post = (await findPost(storage, address))?.post;
    if (post === undefined) return "not_found";
    if (post.mergedInto === null) return await finishVoteWork(storage, post) ?? "not_found";
    const path = await listMergePath(storage, post.mergedInto);
    const last = path.at(-1);
    // Votes that a target takes back come back before those that it gives back.
    if (last !== undefined && last.unmergedFrom !== null) await finishVoteWork(storage, last);
    const seen = { post, path };
    const unmerged = await changeMerge(storage, seen, "post.updated", function* (tools, posts) {
      const [, ...targets] = posts;
      const post = yield* returnEntry(tools, posts, at);
      yield* endLending(tools, posts);
      return {
        ...post,
        mergedInto: null,
        unmergedFrom: targets[0]?.postId ?? null,
        voteCursor: targets.length === 0 ? null : voterPrefix(targets[0].instanceId),
      };
    }, at);
    if (unmerged !== undefined) return await finishVoteWork(storage, unmerged) ?? "not_found";
  }
}

/** Undoes all merges into a post before its deletion. Returns whether there were any. */
export async function unmergeAll(storage: Storage, { post: { postId, boardId }, at }: {
  readonly post: Post;
  readonly at: string;
}): Promise<boolean> {
  const merged = (await listMergedInto(storage, { postId }))
    .filter(({ mergedInto }) => mergedInto === postId);
  for (const one of merged) await unmergePost(storage, { boardId, postId: one.postId, at });
  // A crash may have ended an earlier deletion before all votes were back.
  await finishAllVoteWork(storage, {}, ({ unmergedFrom }) => unmergedFrom === postId);
  return merged.length > 0;
}

/** Returns a post after finishing the pending work on its votes, and on those lent to it. */
async function findSettled(storage: Storage, address: PostAddress): Promise<Post | undefined> {
  const found = await findPost(storage, address);
  const post = found && await finishVoteWork(storage, found.post);
  if (post?.lender) await finishVoteWork(storage, { postId: postIdOfOrigin(post.lender) });
  return post;
}

/**
 * Changes the target of a post, and updates the counts of its board and author. Returns `undefined`
 * if the post or its target has changed meanwhile.
 */
function changeMerge(
  storage: Storage,
  { post: seen, path }: Seen,
  type: EventType,
  steps: (
    tools: EventfulTools,
    posts: readonly [Post, ...Post[]],
  ) => Reading<Post | undefined>,
  at: string,
): Promise<Post | undefined> {
  return changeWithEvents<Post | undefined>(storage, function* (tools) {
    const { read } = tools;
    const seenPosts = [seen, ...path];
    const [post, ...targets] = yield* all(...seenPosts.map(({ postId }) => read(POSTS, postId)));
    const isSame = post?.instanceId === seen.instanceId && post.mergedInto === seen.mergedInto &&
      post.unmergedFrom === null;
    if (!isSame || !isPath(targets, path)) return undefined;
    const next = yield* steps(tools, [post, ...targets]);
    if (next === undefined) return undefined;
    const stored = yield* putPost(tools, [post, placed(next)], at);
    yield* countHeld(tools, [post, stored]);
    if (post.state === "public") tools.tell(postEvent(type, { post: stored, at }));
    return stored;
  }, { types: [type], at });
}
