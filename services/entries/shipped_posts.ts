import type { Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { entryStateAt } from "../../model/entries/publication.ts";
import { ENTRIES, POSTS } from "../../model/kinds.ts";
import { BOARD_TALLIES } from "../../model/posts/records.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { all, change, type ChangeTools, type Reading } from "../change.ts";
import { readPages } from "../records.ts";
import { findPost, followMerges } from "../posts/posts.ts";
import type { WorkInParts } from "../removals.ts";
import { putPost } from "../posts/tally.ts";

/** A change of the posts that an entry ships. */
export interface PostsChange {
  /** The entry before the change. */
  readonly before: Pick<Entry, "entryId" | "posts">;
  /** The entry after the change, perhaps renamed; `undefined`: the entry is removed. */
  readonly after: Entry | undefined;
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
  tools: ChangeTools,
  { before, after, at }: PostsChange,
): Reading<Refusal | undefined> {
  const postIds = after?.posts ?? [];
  const ids = [...new Set([...before.posts, ...postIds])];
  const posts = yield* all(...ids.map((postId) => tools.read(POSTS, postId)));
  for (const postId of postIds) {
    const refusal = refusePost(posts[ids.indexOf(postId)], postId, before.entryId);
    if (refusal !== undefined) return refusal;
  }
  const linked = posts.filter((post) => post !== undefined)
    .filter(({ postId, entryId }) => postIds.includes(postId) || entryId === before.entryId)
    .map((post) =>
      [post, linkTo(postIds.includes(post.postId) ? after : undefined, post)] as const
    );
  yield* putPosts(tools, linked, at);
  return undefined;
}

/**
 * Moves the posts of an entry to those that are shipped if it is public, else back to their former
 * status, so that lists of open posts read only those of entries that are to come.
 */
export function* movePosts(tools: ChangeTools, entry: Entry, at: string): Reading<void> {
  const posts = yield* all(...entry.posts.map((postId) => tools.read(POSTS, postId)));
  const moved = posts.filter((post) => post !== undefined)
    .filter(({ entryId }) => entryId === entry.entryId)
    .map((post) => [post, linkTo(entry, post)] as const);
  yield* putPosts(tools, moved, at);
}

/** Tells whether posts wait for an entry to become public. */
export async function hasUnshipped(storage: Storage): Promise<boolean> {
  return (await storage.list(POSTS, { index: "unshipped", limit: 1 })).length > 0;
}

/** Moves the posts of entries that became public before entries moved their posts. */
export async function moveShippedPosts(
  storage: Storage,
  { now, isStopped = () => false, attempt = (part) => part() }: WorkInParts & {
    readonly now: string;
  },
): Promise<void> {
  for await (const page of readPages(storage, POSTS, { index: "unshipped" })) {
    for (const entryId of new Set(page.map(({ entryId }) => `${entryId}`))) {
      if (isStopped()) return;
      const entry = await storage.get(ENTRIES, entryId);
      if (entry === undefined || entryStateAt(entry, now) !== "published") continue;
      await attempt(() => movePostsOf(storage, entryId, now));
    }
  }
}

/** Like {@linkcode movePosts}, in a change of its own. */
export function movePostsOf(storage: Storage, entryId: string, at: string): Promise<void> {
  return change(storage, function* (tools) {
    const entry = yield* tools.read(ENTRIES, entryId);
    if (entry !== undefined) yield* movePosts(tools, entry, at);
  });
}

/** Returns a post with a link to the entry that ships it, or without one. */
function linkTo(entry: Entry | undefined, post: Post): Post {
  const entryId = entry?.entryId ?? null;
  const shippedAt = entry?.announceAt === null ? entry.publishedAt : null;
  const isLinked = entryId === post.entryId && shippedAt === post.shippedAt;
  // A post that is linked by itself stands in for no merged one.
  const entryMerges = entryId === post.entryId ? post.entryMerges : 0;
  return isLinked ? post : placed({ ...post, entryId, shippedAt, entryMerges });
}

/** Stores the posts that changed, and counts the changes on their boards. */
function* putPosts(
  tools: ChangeTools,
  posts: readonly (readonly [before: Post, after: Post])[],
  at: string,
): Reading<void> {
  const changes = posts.filter(([before, after]) => after !== before);
  yield* all(...changes.map(([{ boardInstanceId }]) => tools.read(BOARD_TALLIES, boardInstanceId)));
  for (const change of changes) yield* putPost(tools, change, at);
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
