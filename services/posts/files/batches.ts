import type { Post } from "../../../model/posts/post.ts";

// A step holds 100 records. With so many, each with two others, it also finishes early.
const MAX_ITEMS = 32;
// Lower than what the smallest transaction of a storage takes, since these are estimates.
const MAX_KEY_BYTES = 60_000;
const MAX_TEXT_BYTES = 600_000;
// The positions of a post in all its lists, before and after a change, without its id.
const POST_POSITIONS = 20;
const POSITION_BYTES = 90;
const POST_FIELDS_BYTES = 6_000;
const MAX_BYTES_PER_UNIT = 3;
// The positions of a vote have its voter's address, and so has the voter's record.
const VOTE_POSITIONS = 6;

/** Returns the share of the largest transaction that a change of a post may take. */
export function shareOfPost({ postId, title, body, answer }: Post): number {
  const units = title.length + (body?.length ?? 0) + (answer?.length ?? 0);
  return POST_POSITIONS * (POSITION_BYTES + postId.length) / MAX_KEY_BYTES +
    (POST_FIELDS_BYTES + MAX_BYTES_PER_UNIT * units) / MAX_TEXT_BYTES;
}

/** Returns the share of the largest transaction that a new vote may take. */
export function shareOfVote({ userEmail }: { readonly userEmail: string }): number {
  return VOTE_POSITIONS * (POSITION_BYTES + userEmail.length) / MAX_KEY_BYTES;
}

/**
 * Splits items into batches that fit into one transaction of any storage. `shareOf` returns the
 * share of it that an item takes beside those that its batch has already.
 */
export function* batchesOf<T>(
  items: readonly T[],
  shareOf: (item: T, batch: readonly T[]) => number,
): Generator<readonly T[], void> {
  let batch: T[] = [];
  let taken = 0;
  for (const item of items) {
    const share = shareOf(item, batch);
    if (batch.length === MAX_ITEMS || (batch.length > 0 && taken + share > 1)) {
      yield batch;
      batch = [];
      taken = 0;
    }
    taken += batch.length === 0 ? shareOf(item, []) : share;
    batch.push(item);
  }
  if (batch.length > 0) yield batch;
}
