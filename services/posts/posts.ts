import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { entryStateAt } from "../../model/entries/publication.ts";
import { BOARDS, ENTRIES, POSTS } from "../../model/kinds.ts";
import { POST, type Post, type PostStatus, type ShownPost } from "../../model/posts/post.ts";
import { showRecord } from "../../model/resource.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";

/** A post, and its board. */
export interface PlacedPost {
  readonly board: Board;
  readonly post: Post;
}

/**
 * Returns a post of a board, or of any board; `undefined` if there is none, or if its board was
 * deleted and the post's removal is pending.
 */
export async function findPost(
  storage: Storage,
  { postId, boardId }: { readonly postId: string; readonly boardId?: string | undefined },
): Promise<PlacedPost | undefined> {
  const [post, named] = await Promise.all([
    storage.get(POSTS, postId),
    boardId === undefined ? undefined : storage.get(BOARDS, boardId),
  ]);
  if (post === undefined || (boardId !== undefined && post.boardId !== boardId)) return undefined;
  const board = named ?? await storage.get(BOARDS, post.boardId);
  return board?.instanceId === post.boardInstanceId ? { board, post } : undefined;
}

/** Returns the final target of a merged post; returns any other post itself. */
export async function followMerges(storage: Storage, post: Post): Promise<Post | undefined> {
  const passed = new Set<string>();
  let last: Post | undefined = post;
  while (last !== undefined && last.mergedInto !== null && !passed.has(last.postId)) {
    passed.add(last.postId);
    last = await storage.get(POSTS, last.mergedInto);
  }
  return last?.mergedInto === null ? last : undefined;
}

/** Tells whether a mailbox may read a post: it is public or their own, on a public board. */
export function isShownTo(mailbox: string, { board, post }: PlacedPost): boolean {
  return board.visibility === "public" &&
    (post.state === "public" || post.authorMailbox === mailbox);
}

/** Tells whether the entry that ships a post is public at a time (RFC 3339). */
export function isShippedByEntry(post: Post, entry: Entry | undefined, now: string): boolean {
  return post.entryId !== null && entry !== undefined &&
    entryStateAt(entry, now) === "published";
}

/**
 * Returns the status of a post at a time (RFC 3339): `shipped` while the entry that ships it is
 * public.
 */
export function statusAt(post: Post, entry: Entry | undefined, now: string): PostStatus {
  return isShippedByEntry(post, entry, now) ? "shipped" : post.status;
}

/** Returns a post as the API shows it at a time (RFC 3339). */
export function showPostWith(post: Post, entry: Entry | undefined, now: string): ShownPost {
  const status = statusAt(post, entry, now);
  const isByEntry = entry !== undefined && entry.publishedAt !== null && status !== post.status;
  const history = isByEntry
    ? [...post.history, { at: `${entry.publishedAt}`, status }]
    : post.history;
  const votes = post.mergedInto === null ? post.votes : 0;
  // The second from which an entry ships the post changes its status without a write.
  const shippedAt = isByEntry ? `${entry.publishedAt}` : "";
  const updatedAt = shippedAt > post.updatedAt ? shippedAt : post.updatedAt;
  return showRecord<Post, ShownPost>(POST, { ...post, status, history, votes, updatedAt }, {});
}

/** Creates the event that tells webhooks about a post; an erasure of its author removes it. */
export function postEvent(
  type: EventType,
  { post, entry, at }: {
    readonly post: Post;
    readonly entry?: Entry | undefined;
    readonly at: string;
  },
): WebhookEvent {
  return { type, at, data: showPostWith(post, entry, at), userEmail: post.authorMailbox };
}

/** Returns posts as the API shows them at a time (RFC 3339), in their order. */
export async function showPosts(
  storage: Storage,
  posts: readonly Post[],
  now: string,
): Promise<readonly ShownPost[]> {
  const entries = await readEntriesOf(storage, posts);
  return posts.map((post) => showPostWith(post, entries.get(`${post.entryId}`), now));
}

/** Returns one post as the API shows it at a time (RFC 3339). */
export async function showPost(storage: Storage, post: Post, now: string): Promise<ShownPost> {
  const [shown] = await showPosts(storage, [post], now);
  return shown;
}

/** Returns the entries that ship posts, by their id. */
export async function readEntriesOf(
  storage: Storage,
  posts: readonly Pick<Post, "entryId">[],
): Promise<ReadonlyMap<string, Entry>> {
  const ids = [...new Set(posts.map(({ entryId }) => entryId).filter((id) => id !== null))];
  const found = await Promise.all(ids.map((id) => storage.get(ENTRIES, id)));
  return new Map(
    found.filter((entry) => entry !== undefined).map((entry) => [
      entry.entryId,
      entry,
    ]),
  );
}
