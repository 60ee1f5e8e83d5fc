import type { Found, Ref, Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { findPost, followMerges } from "../posts/posts.ts";
import { countChange, emptyTally } from "../posts/tally.ts";

/** References to the posts that an entry ships, and to the tallies of their boards. */
export type PostRefs = {
  readonly [post: `post ${string}`]: Ref<typeof POSTS>;
  readonly [tally: `tally ${string}`]: Ref<typeof BOARD_TALLIES>;
};

/** A change of the posts that an entry ships. */
export interface PostsChange {
  /** The entry that ships the posts; `undefined`: the entry is removed. */
  readonly entryId: string | undefined;
  /** The entry's identifier before the change; differs if the change renames it. */
  readonly formerId: string;
  /** The identifiers of the posts that the entry ships after the change. */
  readonly postIds: readonly string[];
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/**
 * Returns the identifiers of the posts that an entry is to ship, without duplicates. Replaces a
 * merged post by the post that it was merged into. Refuses a post that is unknown, held, hidden or
 * in another entry.
 */
export async function resolvePosts(
  storage: Storage,
  postIds: readonly string[],
  entryId: string,
): Promise<readonly string[] | Refusal> {
  const posts: Post[] = [];
  for (const postId of postIds) {
    const found = await findPost(storage, { postId });
    const post = found && await followMerges(storage, found.post);
    const refusal = refusePost(post, postId, entryId);
    if (refusal !== undefined) return refusal;
    posts.push(post!);
  }
  return [...new Set(posts.map(({ postId }) => postId))];
}

/**
 * Returns references to the posts that a change may concern, and to the tallies of their boards.
 */
export async function referToPosts(
  storage: Storage,
  postIds: readonly string[],
): Promise<PostRefs> {
  const refs: Record<keyof PostRefs, PostRefs[keyof PostRefs]> = {};
  for (const postId of new Set(postIds)) {
    const post = await storage.get(POSTS, postId);
    if (post === undefined) continue;
    const { boardInstanceId } = post;
    refs[`post ${postId}`] = { kind: POSTS, key: postId };
    refs[`tally ${boardInstanceId}`] = { kind: BOARD_TALLIES, key: boardInstanceId };
  }
  return refs as PostRefs;
}

/**
 * Links posts to the entry that ships them, and unlinks those that it no longer ships. Refuses if a
 * post has changed since it was resolved.
 */
export function linkPosts(
  found: Found<PostRefs>,
  { entryId, formerId, postIds, at }: PostsChange,
): Partial<Found<PostRefs>> | Refusal {
  const put: { -readonly [N in keyof PostRefs]: Found<PostRefs>[N] } = {};
  for (const postId of postIds) {
    const refusal = refusePost(found[`post ${postId}`], postId, formerId);
    if (refusal !== undefined) return refusal;
  }
  for (const [name, record] of Object.entries(found)) {
    if (!name.startsWith("post ") || record === undefined) continue;
    const post = record as Post;
    const isShipped = postIds.includes(post.postId);
    const next = isShipped ? entryId ?? null : post.entryId === formerId ? null : post.entryId;
    if (next === post.entryId) continue;
    const changed = placed({ ...post, entryId: next });
    const tally = `tally ${post.boardInstanceId}` as const;
    const current = put[tally] ?? found[tally] ?? emptyTally(post.boardInstanceId);
    const counted = countChange(current, [post, changed], at);
    put[`post ${post.postId}`] = counted.post;
    put[tally] = counted.tally;
  }
  return put;
}

function refusePost(
  post: Post | undefined,
  postId: string,
  entryId: string,
): Refusal | undefined {
  const refuse = (reason: string) => new Refusal("invalid_value", `names "${postId}", ${reason}`);
  if (post === undefined) return refuse("which is no post");
  if (post.mergedInto !== null) return refuse("which was merged meanwhile: try again");
  if (post.state !== "public") return refuse(`which is ${post.state}`);
  if (post.entryId === null || post.entryId === entryId) return undefined;
  return refuse(`which the entry ${post.entryId} ships`);
}
