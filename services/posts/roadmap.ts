import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { POSTS } from "../../model/kinds.ts";
import { placePrefix, PLACES } from "../../model/posts/place.ts";
import type { Post, PostStatus } from "../../model/posts/post.ts";
import { addMs } from "../../model/values/time.ts";
import { listMatching, readPages } from "../records.ts";
import { listPosts } from "./listing.ts";
import { isShippedByEntry, readEntriesOf } from "./posts.ts";

/** The posts of a column, in order. */
export interface RoadmapPosts {
  readonly status: PostStatus;
  readonly posts: readonly Post[];
}

/** Limit of posts in a column. */
export const ROADMAP_LENGTH = 50;

const SHIPPED_FOR_MS = 90 * 24 * 3_600_000;
const AFTER_TIMES = "~";
const COMING = ["considering", "planned", "started"] as const;

/**
 * Lists the posts that boards consider, plan and have started, by votes, and the recently shipped
 * posts.
 */
export async function readRoadmap(
  storage: Storage,
  boards: readonly Board[],
  now: string,
): Promise<readonly RoadmapPosts[]> {
  const coming = COMING.map(async (status) => {
    const filter = { boards, sort: "votes", state: "public", status } as const;
    const { records } = await listPosts(storage, filter, { limit: ROADMAP_LENGTH, now });
    return { status, posts: records };
  });
  const shipped = { status: "shipped", posts: await listShipped(storage, boards, now) } as const;
  return [...await Promise.all(coming), shipped];
}

interface Shipped {
  readonly post: Post;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** Lists the posts that were shipped in the last 90 days, newest first. */
async function listShipped(
  storage: Storage,
  boards: readonly Board[],
  now: string,
): Promise<readonly Post[]> {
  const since = addMs(now, -SHIPPED_FOR_MS);
  const found: Shipped[] = [];
  for (const { instanceId } of boards) {
    found.push(...await listShippedByHand(storage, instanceId, since));
    found.push(...await listShippedByEntries(storage, instanceId, { since, now }));
  }
  found.sort((a, b) => a.at > b.at ? -1 : a.at < b.at ? 1 : a.post.postId < b.post.postId ? -1 : 1);
  return found.slice(0, ROADMAP_LENGTH).map(({ post }) => post);
}

async function listShippedByHand(
  storage: Storage,
  boardInstanceId: string,
  since: string,
): Promise<readonly Shipped[]> {
  const prefix = placePrefix(boardInstanceId, "shipped");
  const after = { by: `${prefix}${AFTER_TIMES}`, key: "" };
  const query = { index: "byClosing", reverse: true, after, limit: ROADMAP_LENGTH };
  // A position without the group's prefix sorts before the group or belongs to the next one.
  const isOver = ({ closedPlace }: Post) =>
    !`${closedPlace}`.startsWith(prefix) || `${closedPlace}` < prefix + since;
  const { records } = await listMatching(storage, POSTS, query, { isOver });
  return records.map((post) => ({ post, at: `${post.closedPlace}`.slice(prefix.length) }));
}

async function listShippedByEntries(
  storage: Storage,
  boardInstanceId: string,
  { since, now }: { readonly since: string; readonly now: string },
): Promise<readonly Shipped[]> {
  const prefix = placePrefix(boardInstanceId, "entry");
  const query = { index: PLACES.new.index, after: { by: prefix, key: "" } };
  const isOver = ({ newPlace }: Post) => !`${newPlace}`.startsWith(prefix);
  const found: Shipped[] = [];
  for await (const page of readPages(storage, POSTS, query, { isOver })) {
    const entries = await readEntriesOf(storage, page);
    for (const post of page) {
      const entry = entries.get(`${post.entryId}`);
      const at = `${entry?.publishedAt}`;
      if (isShippedByEntry(post, entry, now) && at >= since) found.push({ post, at });
    }
  }
  return found;
}
