import type { Ref, Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { entryStateAt } from "../../model/entries/publication.ts";
import { ENTRIES, POSTS } from "../../model/kinds.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { BOARD_TALLIES, PEOPLE, type Person } from "../../model/posts/records.ts";
import { voterPrefix } from "../../model/posts/vote.ts";
import type { EventType } from "../../model/webhooks/webhook_event.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { listMergedInto } from "./merge_path.ts";
import { findPost, followMerges, postEvent } from "./posts.ts";
import { countChange, emptyTally } from "./tally.ts";
import { finishVoteWork } from "./votes/vote_work.ts";
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

type MergeRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly tally: Ref<typeof BOARD_TALLIES>;
  readonly target?: Ref<typeof POSTS>;
  readonly author?: Ref<typeof PEOPLE>;
  readonly entry?: Ref<typeof ENTRIES>;
};

/**
 * Merges a post into another public post of its board: from the first step on, its id leads to the
 * other, and then the votes follow in batches. Merging again changes nothing.
 */
export async function mergePost(
  storage: Storage,
  { into, ...address }: PostAddress & { readonly into: string },
): Promise<Post | MergeFault> {
  for (;;) {
    const found = await findMerge(storage, { into, ...address });
    if (typeof found === "string") return found;
    const { seen, target } = found;
    if (seen.mergedInto !== null) return seen;
    const merged = await changeMerge(storage, { seen, target, at: address.at }, (post) => ({
      ...post,
      mergedInto: target.postId,
      voteCursor: voterPrefix(post.instanceId),
    }));
    if (merged === undefined) continue;
    return await finishVoteWork(storage, merged);
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
  const { seen, target } = found;
  if (seen.mergedInto !== null) return target;
  return { ...target, votes: target.votes + await countNewVoters(storage, seen, target) };
}

/** Returns a post and the other one that is to take its voters, or why that can't be. */
async function findMerge(
  storage: Storage,
  { into, ...address }: PostAddress & { readonly into: string },
): Promise<{ readonly seen: Post; readonly target: Post } | MergeFault> {
  const seen = await findSettled(storage, address);
  if (seen === undefined) return "not_found";
  const named = await findPost(storage, { postId: into, boardId: address.boardId });
  const target = named && await followMerges(storage, named.post);
  if (target === undefined || target.state !== "public" || into === seen.postId) {
    return "bad_target";
  }
  if (seen.mergedInto !== null) {
    const current = await followMerges(storage, seen);
    return current?.postId === target.postId ? { seen, target } : "merged_elsewhere";
  }
  // The target was merged into this post: each of the two would lead to the other.
  return target.postId === seen.postId ? "bad_target" : { seen, target };
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
  for (;;) {
    const seen = (await findPost(storage, address))?.post;
    if (seen === undefined) return "not_found";
    if (seen.mergedInto === null) return await finishVoteWork(storage, seen);
    const target = await storage.get(POSTS, seen.mergedInto);
    const unmerged = await changeMerge(storage, { seen, at: address.at }, (post) => ({
      ...post,
      mergedInto: null,
      unmergedFrom: target?.postId ?? null,
      voteCursor: target === undefined ? null : voterPrefix(target.instanceId),
    }));
    if (unmerged === undefined) continue;
    return await finishVoteWork(storage, unmerged);
  }
}

/** Undoes all merges into a post before its deletion. Returns whether there were any. */
export async function unmergeAll(storage: Storage, { post, at }: {
  readonly post: Post;
  readonly at: string;
}): Promise<boolean> {
  const merged = await listMergedInto(storage, post);
  for (const { boardId, postId } of merged.filter(({ mergedInto }) => mergedInto === post.postId)) {
    await unmergePost(storage, { boardId, postId, at });
  }
  return merged.length > 0;
}

/** Returns a post after finishing the pending work on its votes. */
async function findSettled(storage: Storage, address: PostAddress): Promise<Post | undefined> {
  const post = (await findPost(storage, address))?.post;
  return post && await finishVoteWork(storage, post);
}

/**
 * Changes the target of a post, and updates the counts of its board and author. Returns `undefined`
 * if the post or its target has changed meanwhile.
 */
function changeMerge(
  storage: Storage,
  { seen, target, at }: {
    readonly seen: Post;
    readonly target?: Post | undefined;
    readonly at: string;
  },
  change: (post: Post) => Post,
): Promise<Post | undefined> {
  const { postId, boardInstanceId, authorMailbox, entryId } = seen;
  const refs: MergeRefs = {
    post: { kind: POSTS, key: postId },
    tally: { kind: BOARD_TALLIES, key: boardInstanceId },
    ...target !== undefined && { target: { kind: POSTS, key: target.postId } },
    ...authorMailbox !== null && { author: { kind: PEOPLE, key: authorMailbox } },
    ...target !== undefined && entryId !== null && { entry: { kind: ENTRIES, key: entryId } },
  };
  const type: EventType = seen.mergedInto === null ? "post.merged" : "post.updated";
  return transactWithEvents<MergeRefs, Post | undefined>(storage, refs, (found) => {
    const { post, tally = emptyTally(boardInstanceId) } = found;
    const isSame = post !== undefined && post.instanceId === seen.instanceId &&
      post.mergedInto === seen.mergedInto && post.voteCursor === seen.voteCursor &&
      post.authorMailbox === authorMailbox && post.entryId === entryId;
    if (!isSame || !canTake(found.target, target)) return { answer: undefined };
    const moved = moveEntry(found.entry, [post, found.target], at);
    const changed = placed(change(moved === undefined ? post : { ...post, entryId: null }));
    const { post: next, tally: counted } = countChange(tally, [post, changed], at);
    const shipped = moved && countChange(counted, moved.change, at);
    const author = found.author;
    return {
      answer: next,
      put: {
        post: next,
        tally: shipped?.tally ?? counted,
        author: author && authorAfter(author, post, next),
        ...moved !== undefined && { entry: moved.entry, target: shipped?.post },
      },
      events: post.state === "public" ? [postEvent(type, { post: next, at })] : [],
    };
  }, { types: [type], at });
}

/**
 * Lets an entry that is not public yet ship the target in place of the merged post, so that whoever
 * asked about either is told. A target that another entry ships stays there.
 */
function moveEntry(
  entry: Entry | undefined,
  [post, target]: readonly [Post, Post | undefined],
  at: string,
): { readonly entry: Entry; readonly change: readonly [Post, Post] } | undefined {
  if (entry === undefined || target === undefined) return undefined;
  if (entryStateAt(entry, at) === "published") return undefined;
  const isFree = target.entryId === null;
  const posts = entry.posts
    .map((postId) => postId === post.postId && isFree ? target.postId : postId)
    .filter((postId) => postId !== post.postId);
  const linked = isFree ? placed({ ...target, entryId: entry.entryId }) : target;
  return { entry: { ...entry, posts }, change: [target, linked] };
}

function canTake(found: Post | undefined, target: Post | undefined): boolean {
  if (target === undefined) return true;
  return found !== undefined && found.instanceId === target.instanceId &&
    found.mergedInto === null && found.state === "public";
}

/** Returns the author of a held post. The post does not count as held while it is merged. */
function authorAfter(author: Person, before: Post, after: Post): Person {
  if (before.state !== "held") return author;
  const change = Number(after.mergedInto === null) - Number(before.mergedInto === null);
  return { ...author, heldIdeas: Math.max(0, author.heldIdeas + change) };
}
