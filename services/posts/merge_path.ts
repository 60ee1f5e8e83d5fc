import { MAX_REFS, type Storage } from "../../adapters/storage.ts";
import { POSTS } from "../../model/kinds.ts";
import type { Post } from "../../model/posts/post.ts";
import { readPages } from "../records.ts";

/**
 * The greatest number of targets that a merged post leads to: a transaction has room for one vote,
 * its copies and their posts.
 */
export const MAX_PATH: number = Math.floor((MAX_REFS - 2) / 2);

/** Returns a post followed by all targets of its merges. */
export async function listMergePath(
  storage: Storage,
  postId: string | null,
): Promise<readonly Post[]> {
  const path: Post[] = [];
  for (let next = postId; next !== null;) {
    const post = await storage.get(POSTS, next);
    // No operation creates a cycle, but a cycle in a restored file must not hang a server.
    if (post === undefined || path.some(({ postId }) => postId === post.postId)) break;
    path.push(post);
    next = post.mergedInto;
  }
  return path;
}

/** Returns the posts that were merged into a post, directly or indirectly. */
export async function listMergedInto(
  storage: Storage,
  { postId }: Pick<Post, "postId">,
): Promise<readonly Post[]> {
  const found: Post[] = [];
  const ids = [postId];
  for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
    const isOver = ({ mergedInto }: Post) => mergedInto !== id;
    const query = { index: "byMerge", after: { by: id, key: "" } };
    for await (const page of readPages(storage, POSTS, query, { isOver })) {
      const fresh = page.filter((post) => !found.some((known) => known.postId === post.postId));
      found.push(...fresh);
      ids.push(...fresh.map((post) => post.postId));
    }
  }
  return found;
}

/** Returns the length of the longest chain of merges that leads to a post. */
export async function depthOf(storage: Storage, { postId }: Post): Promise<number> {
  const depths = new Map([[postId, 0]]);
  // A post comes after the one that it was merged into.
  for (const merged of await listMergedInto(storage, { postId })) {
    depths.set(merged.postId, 1 + (depths.get(`${merged.mergedInto}`) ?? 0));
  }
  return Math.max(...depths.values());
}

/** Tells whether the work on the votes of a post is still where it was. */
export function isAtWork(post: Post | undefined, seen: Post): post is Post {
  return post !== undefined && post.instanceId === seen.instanceId &&
    post.mergedInto === seen.mergedInto && post.unmergedFrom === seen.unmergedFrom &&
    post.voteCursor === seen.voteCursor;
}

/**
 * Tells whether a merge still leads through the same posts, none takes votes back, and each has the
 * same lender of votes without an address.
 */
export function isPath(
  found: readonly (Post | undefined)[],
  path: readonly Post[],
): found is readonly Post[] {
  return found.every((post, at) =>
    post?.instanceId === path[at].instanceId && post.mergedInto === path[at].mergedInto &&
    post.unmergedFrom === null && post.lender === path[at].lender
  );
}
