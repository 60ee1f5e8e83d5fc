import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { DELIVERIES, ENTRIES } from "../../model/kinds.ts";
import type { ShownPost } from "../../model/posts/post.ts";
import { findPost, isShippedByEntry, showPostWith } from "../posts/posts.ts";

/** A post as those who asked are told of it. */
export interface PostNews {
  readonly post: ShownPost;
  readonly board: Board;
  /** The public entry that ships it. */
  readonly entry: Entry | undefined;
}

/**
 * Returns the post of a delivery at a time (RFC 3339, UTC, milliseconds), with the words that the
 * team has told; `undefined` if nobody may be told about it any more: it is removed, merged or
 * hidden, its status has changed, or the mail of the entry that ships it tells people. A declined
 * idea is hidden, but its author is told.
 */
export async function findToldPost(
  storage: Storage,
  { entryId: key, postId, posts }: Delivery,
  now: string,
): Promise<PostNews | undefined> {
  const found = await findPost(storage, { postId: `${postId}` });
  if (found === undefined || found.post.deliveryKey !== key) return undefined;
  const { post, board } = found;
  const mayTell = post.state === "public" ||
    (post.state === "hidden" && post.status === "declined");
  if (!mayTell || post.mergedInto !== null) return undefined;
  const known = post.entryId === null ? undefined : await storage.get(ENTRIES, post.entryId);
  const entry = isShippedByEntry(post, known, now) ? known : undefined;
  // The mail of the entry reaches everybody who asked, unless the team told about the post later.
  if (entry !== undefined && posts.every(({ afterEntry }) => afterEntry !== entry.entryId)) {
    const mailing = await storage.get(DELIVERIES, entry.entryId);
    if (mailing !== undefined && mailing.state !== "cancelled") return undefined;
  }
  const shown = showPostWith(post, known, now);
  const words = posts[0]?.words ?? shown;
  if (words.status !== shown.status) return undefined;
  return { board, entry, post: { ...shown, answer: words.answer } };
}
