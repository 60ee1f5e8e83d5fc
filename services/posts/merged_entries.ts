import { MAX_POSTS } from "../../model/entries/entry.ts";
import { entryStateAt } from "../../model/entries/publication.ts";
import { ENTRIES, POSTS } from "../../model/kinds.ts";
import { placed } from "../../model/posts/place.ts";
import type { Post } from "../../model/posts/post.ts";
import type { ChangeTools, Reading } from "../change.ts";
import { putPost } from "./tally.ts";

/*
 * An entry that is not public yet ships the target in place of a merged post, so that whoever asked
 * about either is told. A target that stands in another entry stays there. The merged post keeps
 * the name of its entry, and the target a number of the posts whose place it took.
 */

/** Takes a post that is merged out of its entry. Returns the post and its target, to be stored. */
export function* lendEntry(
  { read, put }: ChangeTools,
  [post, target]: readonly [Post, Post],
  at: string,
): Reading<readonly [Post, Post]> {
  const entry = yield* read(ENTRIES, post.entryId);
  if (entry === undefined || entryStateAt(entry, at) === "published") return [post, target];
  const { entryId } = entry;
  const isFree = target.entryId === null;
  const isEntryLent = isFree || (target.entryId === entryId && target.entryMerges > 0);
  const posts = entry.posts
    .map((postId) => postId === post.postId && isFree ? target.postId : postId)
    .filter((postId) => postId !== post.postId);
  put(ENTRIES, { ...entry, posts });
  const entryMerges = isFree ? 1 : target.entryMerges + 1;
  return [
    { ...post, entryId: null, entryBefore: entryId, isEntryLent },
    isEntryLent ? placed({ ...target, entryId, entryMerges }) : target,
  ];
}

/**
 * Puts a post that is no longer merged back into its entry, unless that is public. The target
 * leaves the entry if no other merged post needs it there. Returns the post, to be stored.
 */
export function* returnEntry(
  tools: ChangeTools,
  [post, ...targets]: readonly [Post, ...Post[]],
  at: string,
): Reading<Post> {
  const { entryBefore, isEntryLent, state } = post;
  if (entryBefore === null) return post;
  const left = { ...post, entryBefore: null, isEntryLent: false };
  const entry = yield* tools.read(ENTRIES, entryBefore);
  const isPublic = entry !== undefined && entryStateAt(entry, at) === "published";
  // An editor may have taken the target out of the entry.
  const isThere = !isEntryLent || (targets[0]?.entryMerges ?? 0) > 0;
  const leaving = isEntryLent ? yield* giveBackPlace(tools, targets, { isPublic, at }) : undefined;
  // Readers of a public entry, and those who asked, have heard of the target.
  if (entry === undefined || isPublic || !isThere || state !== "public") return left;
  const posts = leaving !== undefined && entry.posts.includes(leaving)
    ? entry.posts.map((postId) => postId === leaving ? post.postId : postId)
    : [...entry.posts, post.postId];
  if (posts.length > MAX_POSTS) return left;
  tools.put(ENTRIES, { ...entry, posts });
  return { ...left, entryId: entryBefore };
}

/** Counts one merged post less at its targets. Returns the id of the one that leaves the entry. */
function* giveBackPlace(
  tools: ChangeTools,
  targets: readonly Post[],
  { isPublic, at }: { readonly isPublic: boolean; readonly at: string },
): Reading<string | undefined> {
  for (const target of targets) {
    const { postId, entryId } = target;
    if (target.entryMerges === 0) return undefined;
    const entryMerges = target.entryMerges - 1;
    const isLeaving = entryMerges === 0 && entryId !== null && !isPublic;
    if (entryMerges > 0 || entryId !== null) {
      const next = isLeaving ? placed({ ...target, entryId: null }) : target;
      yield* putPost(tools, [target, { ...next, entryMerges }], at);
      return isLeaving ? postId : undefined;
    }
    // The target was merged, too: it does not return to an entry in which it stood for the post.
    tools.put(POSTS, { ...target, entryMerges, entryBefore: null, isEntryLent: false });
    if (!target.isEntryLent) return undefined;
  }
  return undefined;
}
