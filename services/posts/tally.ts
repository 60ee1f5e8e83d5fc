import { POSTS } from "../../model/kinds.ts";
import { isClosing, type Post } from "../../model/posts/post.ts";
import { BOARD_TALLIES, type BoardTally, PEOPLE } from "../../model/posts/records.ts";
import { EPOCH } from "../../model/values/time.ts";
import type { ChangeTools, Reading } from "../change.ts";

const VERSION_DIGITS = 15;

/** Creates the tally of a new board. */
export function emptyTally(instanceId: string): BoardTally {
  return { instanceId, open: 0, publicOpen: 0, held: 0, version: 0, updatedAt: EPOCH };
}

/** Returns the position of a post in the order of a board's changes. */
export function changePlace(instanceId: string, version: number): string {
  return `${changesPrefix(instanceId)}${`${version}`.padStart(VERSION_DIGITS, "0")}`;
}

/** Returns the prefix of the positions of a board's changes. */
export function changesPrefix(instanceId: string): string {
  return `${instanceId}!`;
}

/**
 * Returns the tally of a board after one of its posts has changed, been created or removed, and the
 * post with its position among the changes.
 */
export function countChange<P extends Post | undefined>(
  tally: BoardTally,
  [before, after]: readonly [before: Post | undefined, after: P],
  at: string,
): { readonly tally: BoardTally; readonly post: P } {
  const isSeen = before?.state === "public" || after?.state === "public";
  const counted = tallyAfter(tally, [before, after], { isSeen, at });
  if (!isSeen || after === undefined) return { tally: counted, post: after };
  const place = changePlace(tally.instanceId, counted.version);
  return { tally: counted, post: { ...after, changePlace: place } };
}

/** Stores a changed post that was read before, and the tally of its board. Returns the post. */
export function* putPost(
  tools: ChangeTools,
  change: readonly [before: Post, after: Post],
  at: string,
): Reading<Post> {
  const post = yield* countPost(tools, change, at);
  tools.put(POSTS, post);
  return post;
}

/** Stores the tally of a board after a change of a post. Returns the post, to be stored. */
export function* countPost<P extends Post | undefined>(
  { read, put }: ChangeTools,
  [before, after]: readonly [before: Post, after: P],
  at: string,
): Reading<P> {
  const { boardInstanceId } = before;
  const tally = (yield* read(BOARD_TALLIES, boardInstanceId)) ?? emptyTally(boardInstanceId);
  const counted = countChange(tally, [before, after], at);
  put(BOARD_TALLIES, counted.tally);
  return counted.post;
}

/** Counts the held ideas of an author: a merged one is not among them. */
export function* countHeld(
  { read, put }: ChangeTools,
  [before, after]: readonly [Post, Post | undefined],
): Reading<void> {
  const change = Number(isHeld(after)) - Number(isHeld(before));
  const author = change === 0 ? undefined : yield* read(PEOPLE, before.authorMailbox);
  if (author === undefined) return;
  put(PEOPLE, { ...author, heldIdeas: Math.max(0, author.heldIdeas + change) });
}

function tallyAfter(
  tally: BoardTally,
  [before, after]: readonly [before: Post | undefined, after: Post | undefined],
  { isSeen, at }: { readonly isSeen: boolean; readonly at: string },
): BoardTally {
  return {
    ...tally,
    open: Math.max(0, tally.open - Number(isOpen(before)) + Number(isOpen(after))),
    publicOpen: Math.max(
      0,
      tally.publicOpen - Number(isPublicOpen(before)) + Number(isPublicOpen(after)),
    ),
    held: Math.max(0, tally.held - Number(isHeld(before)) + Number(isHeld(after))),
    version: tally.version + Number(isSeen),
    updatedAt: isSeen && at > tally.updatedAt ? at : tally.updatedAt,
  };
}

/** Tells whether a post counts as held: a merged one does not. */
export function isHeld(post: Post | undefined): boolean {
  return post !== undefined && post.mergedInto === null && post.state === "held";
}

function isPublicOpen(post: Post | undefined): boolean {
  return isOpen(post) && post?.state === "public";
}

function isOpen(post: Post | undefined): boolean {
  return post !== undefined && post.mergedInto === null && post.entryId === null &&
    !isClosing(post.status);
}
