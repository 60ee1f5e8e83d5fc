import { MAX_LIST_LIMIT, type Position, type Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { POSTS } from "../../model/kinds.ts";
import {
  placePrefix,
  PLACES,
  type PostGroup,
  type PostSort,
  rankOf,
} from "../../model/posts/place.ts";
import {
  type Post,
  POST_STATUSES,
  type PostState,
  type PostStatus,
} from "../../model/posts/post.ts";
import { hasWords, type WordQuery } from "../../model/posts/words.ts";
import { createPace } from "../../model/turns.ts";
import type { Listed } from "../records.ts";
import { readEntriesOf, statusAt } from "./posts.ts";

/** Which posts to list, and in which order. */
export interface PostFilter {
  /** The boards that they stand on. */
  readonly boards: readonly Board[];
  readonly sort: PostSort;
  readonly state: PostState;
  /** Absent: any. */
  readonly status?: PostStatus | undefined;
  /** Whether the team has answered; absent: either. */
  readonly isAnswered?: boolean | undefined;
  /** Words that title, body or answer have; absent: any. */
  readonly words?: WordQuery | undefined;
  /** Absent: all. */
  readonly matches?: ((post: Post) => boolean) | undefined;
}

/** Which page of them. */
export interface PostPage {
  readonly limit: number;
  /** The position of the last post before them: its rank, and its id. */
  readonly after?: Position | undefined;
  /** When it is (RFC 3339, UTC, milliseconds), which decides what entries have shipped. */
  readonly now: string;
  /** Tells whether nobody waits for the result any more. */
  readonly isGone?: (() => boolean) | undefined;
}

// Each post may be some 20 KiB.
const MAX_PAGE_SIZE = Math.min(500, MAX_LIST_LIMIT);
// With pages of this size, a database reads them in a second or two.
const MAX_PAGES = 100;
// Above all characters of a rank.
const AFTER_RANKS = "~";

/** One range of an index, and what was read of it. */
interface Range {
  readonly prefix: string;
  /** Posts that were read, match and were not returned yet, in order. */
  found: Post[];
  /** Up to where it was read; `undefined` once nothing follows. */
  position: Position | undefined;
  pageSize: number;
}

/** Lists posts of boards, from the greatest rank down and, where it is equal, by descending id. */
export async function listPosts(
  storage: Storage,
  filter: PostFilter,
  { limit, after, now, isGone = () => false }: PostPage,
): Promise<Listed<Post>> {
  const { index } = PLACES[filter.sort];
  const pace = createPace();
  let pages = 0;
  const ranges = filter.boards.flatMap(({ instanceId }) =>
    groupsOf(filter).map((group): Range => {
      const prefix = placePrefix(instanceId, group);
      const position = { by: `${prefix}${after?.by ?? AFTER_RANKS}`, key: after?.key ?? "" };
      return { prefix, found: [], position, pageSize: limit };
    })
  );

  async function readOn(range: Range): Promise<void> {
    const { prefix, position, pageSize } = range;
    const query = { index, after: position, limit: pageSize, reverse: true };
    const page = await storage.list(POSTS, query);
    pages++;
    const own = page.filter((post) => placeOf(post, filter.sort).startsWith(prefix));
    const last = own[pageSize - 1];
    range.position = last && { by: placeOf(last, filter.sort), key: last.postId };
    range.pageSize = Math.min(4 * pageSize, Math.max(limit, MAX_PAGE_SIZE));
    const entries = await readEntriesOf(storage, own);
    for (const post of own) {
      if (filter.words !== undefined) await pace();
      if (isListed(post, statusAt(post, entries.get(`${post.entryId}`), now), filter)) {
        range.found.push(post);
      }
    }
  }

  const records: Post[] = [];
  while (records.length < limit) {
    const unread = ranges.filter(({ found, position }) =>
      found.length === 0 && position !== undefined
    );
    if (unread.length > 0) {
      if (pages >= MAX_PAGES || (pages > 0 && isGone())) {
        return stopAt(records, ranges, filter.sort);
      }
      // The first page of a list waits for nobody.
      if (pages > 0) await pace();
      await Promise.all(unread.map(readOn));
      continue;
    }
    const next = firstOf(ranges, filter.sort);
    if (next === undefined) break;
    records.push(next.found.shift()!);
  }
  return { records };
}

/** Returns the position of a post in a listing. */
export function postPosition(post: Post, sort: PostSort): Position {
  return { key: post.postId, by: rankOf(post, sort) };
}

function groupsOf({ state, status }: PostFilter): readonly PostGroup[] {
  if (state !== "public") return [state];
  return [...status === undefined ? POST_STATUSES : [status], "entry"];
}

function isListed(post: Post, status: PostStatus, filter: PostFilter): boolean {
  const { words, isAnswered, matches } = filter;
  return (filter.status === undefined || filter.status === status) &&
    (isAnswered === undefined || isAnswered === (post.answer !== null)) &&
    (matches === undefined || matches(post)) &&
    (words === undefined || hasWords([post.title, post.body, post.answer], words));
}

/**
 * Ends a listing where reading ended: what comes before the range that was read least is complete.
 */
function stopAt(records: Post[], ranges: readonly Range[], sort: PostSort): Listed<Post> {
  const ends = ranges.flatMap(({ found, position, prefix }) =>
    found.length > 0 || position === undefined
      ? []
      : [{ key: position.key, by: `${position.by}`.slice(prefix.length) }]
  );
  const stoppedAt = ends.reduce((first, end) => isBefore(end, first) ? end : first);
  for (;;) {
    const next = firstOf(ranges, sort);
    if (next === undefined || !isBefore(postPosition(next.found[0], sort), stoppedAt)) break;
    records.push(next.found.shift()!);
  }
  return { records, stoppedAt };
}

function firstOf(ranges: readonly Range[], sort: PostSort): Range | undefined {
  let first: Range | undefined;
  for (const range of ranges) {
    if (range.found.length === 0) continue;
    const isFirst = first === undefined ||
      isBefore(postPosition(range.found[0], sort), postPosition(first.found[0], sort));
    if (isFirst) first = range;
  }
  return first;
}

/** Tells whether a position comes before another in descending order. */
function isBefore(one: Position, other: Position): boolean {
  const [a, b] = [`${one.by}`, `${other.by}`];
  return a === b ? one.key > other.key : a > b;
}

function placeOf(post: Post, sort: PostSort): string {
  return `${post[PLACES[sort].field]}`;
}
