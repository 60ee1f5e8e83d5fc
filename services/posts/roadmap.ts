import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { POSTS } from "../../model/kinds.ts";
import { ROADMAP_STATUSES, roadmapPrefix } from "../../model/posts/place.ts";
import type { Post, PostStatus } from "../../model/posts/post.ts";
import { addMs } from "../../model/values/time.ts";
import { listMatching, readPages, type Selection } from "../records.ts";
import { isShippedByEntry, readEntriesOf } from "./posts.ts";

/** The posts of a column, in order. */
export interface RoadmapPosts {
  readonly status: PostStatus;
  readonly posts: readonly Post[];
}

/** Limit of posts in a column. */
export const ROADMAP_LENGTH = 50;

const SHIPPED_FOR_MS = 90 * 24 * 3_600_000;
const SHIPPED = roadmapPrefix("shipped");

/**
 * Lists the posts that boards consider, plan and have started, by votes, and the posts that were
 * shipped in the last 90 days, newest first. Each column is read in one order over all boards.
 */
export async function readRoadmap(
  storage: Storage,
  boards: readonly Board[],
  now: string,
): Promise<readonly RoadmapPosts[]> {
  const since = addMs(now, -SHIPPED_FOR_MS);
  const instances = new Set(boards.map(({ instanceId }) => instanceId));
  const isOn = ({ boardInstanceId }: Post) => instances.has(boardInstanceId);
  const fresh = await listFresh(storage, now);
  const matches = (post: Post) => isOn(post) && !fresh.has(post.postId);

  async function listColumn(
    status: typeof ROADMAP_STATUSES[number],
    isOver?: Selection<Post>["isOver"],
  ): Promise<readonly Post[]> {
    const within = roadmapPrefix(status);
    const query = { index: "byRoadmap", within, reverse: true, limit: ROADMAP_LENGTH };
    return (await listMatching(storage, POSTS, query, { matches, isOver })).records;
  }

  return await Promise.all(ROADMAP_STATUSES.map(async (status) => {
    if (status !== "shipped") return { status, posts: await listColumn(status) };
    const moved = await listColumn(status, (post) => shippedAt(post) < since);
    const shipped = [...fresh.values()].filter((one) => isOn(one.post) && one.at >= since);
    shipped.push(...moved.map((post) => ({ post, at: shippedAt(post) })));
    shipped.sort((a, b) =>
      a.at > b.at ? -1 : a.at < b.at ? 1 : a.post.postId < b.post.postId ? -1 : 1
    );
    return { status, posts: shipped.slice(0, ROADMAP_LENGTH).map(({ post }) => post) };
  }));
}

interface Shipped {
  readonly post: Post;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
}

/** Lists the public posts whose entries are public and have not moved them yet, by id. */
async function listFresh(storage: Storage, now: string): Promise<ReadonlyMap<string, Shipped>> {
  const found = new Map<string, Shipped>();
  const matches = ({ state, mergedInto }: Post) => state === "public" && mergedInto === null;
  for await (const posts of readPages(storage, POSTS, { index: "unshipped" }, { matches })) {
    const entries = await readEntriesOf(storage, posts);
    for (const post of posts) {
      const entry = entries.get(`${post.entryId}`);
      if (!isShippedByEntry(post, entry, now)) continue;
      found.set(post.postId, { post, at: `${entry?.publishedAt}` });
    }
  }
  return found;
}

/** Returns when a post of the last column was shipped. */
function shippedAt({ roadmapPlace }: Post): string {
  return `${roadmapPlace}`.slice(SHIPPED.length);
}
