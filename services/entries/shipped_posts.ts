import type { Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { all, type ChangeTools, type Reading } from "../change.ts";
import { findPost, followMerges } from "../posts/posts.ts";
import { countChange, emptyTally } from "../posts/tally.ts";

/** A change of the posts that an entry ships. */
export interface PostsChange {
  /** The entry that ships the posts; `undefined`: the entry is removed. */
  readonly entryId: string | undefined;
  /** The entry's identifier before the change; differs if the change renames it. */
  readonly formerId: string;
  /** The identifiers of the posts that the entry ships before the change. */
  readonly before: readonly string[];
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
 * Links posts to the entry that ships them, and unlinks those that it no longer ships. Refuses, and
 * changes nothing, if a post has changed since it was resolved.
 */
export function* linkPosts(
  { read, put }: ChangeTools,
  { entryId, formerId, before, postIds, at }: PostsChange,
): Reading<Refusal | undefined> {
  const ids = [...new Set([...before, ...postIds])];
  const posts = yield* all(...ids.map((postId) => read(POSTS, postId)));
  for (const postId of postIds) {
    const refusal = refusePost(posts[ids.indexOf(postId)], postId, formerId);
    if (refusal !== undefined) return refusal;
  }
  const changes = posts.filter((post) => post !== undefined).flatMap((post) => {
    const isShipped = postIds.includes(post.postId);
    const next = isShipped ? entryId ?? null : post.entryId === formerId ? null : post.entryId;
    return next === post.entryId ? [] : [[post, placed({ ...post, entryId: next })] as const];
  });
  yield* all(...changes.map(([{ boardInstanceId }]) => read(BOARD_TALLIES, boardInstanceId)));
  for (const [post, changed] of changes) {
    const tally = yield* read(BOARD_TALLIES, post.boardInstanceId);
    const current = tally ?? emptyTally(post.boardInstanceId);
    const counted = countChange(current, [post, changed], at);
    put(POSTS, counted.post);
    put(BOARD_TALLIES, counted.tally);
  }
  return undefined;
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
