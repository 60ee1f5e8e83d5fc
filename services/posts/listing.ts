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
import { matchShown } from "../../model/entries/shown_text.ts";
import { hasWords, type WordQuery } from "../../model/posts/words.ts";
import { createYielder, type InLimit } from "../../model/turns.ts";
import type { Listed } from "../records.ts";
import { readEntriesOf, statusAt } from "./posts.ts";
import { readReported } from "./reports.ts";

/** Selects and orders the posts of a list. */
export interface PostFilter {
  /** Only posts of these boards. */
  readonly boards: readonly Board[];
  readonly sort: PostSort;
  readonly state: PostState;
  /** The status that the posts must have, if any. */
  readonly status?: PostStatus | undefined;
  /** Whether the posts must have an answer of the team, or must have none. */
  readonly isAnswered?: boolean | undefined;
  /** Words that title, body or answer must contain, if any. */
  readonly words?: WordQuery | undefined;
  /** Selects posts; without it, all are listed. */
  readonly matches?: ((post: Post) => boolean) | undefined;
}

export interface PostPage {
  readonly limit: number;
  /** The position of the last post of the previous page: its rank and id. */
  readonly after?: Position | undefined;
  /**
   * The present time (RFC 3339, UTC, milliseconds); it decides which entries are public and have
   * shipped their posts.
   */
  readonly now: string;
  /** Tells whether the client has disconnected. */
  readonly isGone?: (() => boolean) | undefined;
  /** Runs the rest of a long search when its turn has come. Absent: at once. */
  readonly inTurn?: InLimit | undefined;
}

// A post may have some 20 KiB, so pages are smaller than those of other listings.
const MAX_PAGE_SIZE = Math.min(500, MAX_LIST_LIMIT);
// A database reads so many pages of a range in a second or two, and all ranges at the same time.
const MAX_ROUNDS = 100;
// The first pages of all ranges have so many times the posts of a page of the list, so that many
// boards cost little more than one.
const READ_AHEAD = 8;
const LEAST_PAGE_SIZE = 5;
// A search that has read this many posts is long: it may have to wait for others.
const MAX_READ_AT_ONCE = 2_000;

/** One range of an index, and the posts read from it. */
interface Range {
  readonly prefix: string;
  /** Matching posts that were read and not yet returned, in order. */
  found: Post[];
  /** The position up to which the range was read; `undefined` at its start and end. */
  position: Position | undefined;
  /** Whether the range was read to its end. */
  isRead: boolean;
  pageSize: number;
}

/** Lists posts of boards by descending rank, and by descending id within a rank. */
export async function listPosts(
  storage: Storage,
  filter: PostFilter,
  { limit, after, now, isGone = () => false, inTurn }: PostPage,
): Promise<Listed<Post>> {
  const index = filter.isAnswered === false && filter.sort === "votes"
    ? "unanswered"
    : PLACES[filter.sort].index;
  const yieldIfBusy = createYielder();
  let rounds = 0;
  let read = 0;
  const groups = groupsOf(filter);
  const share = Math.ceil(READ_AHEAD * limit / (groups.length * filter.boards.length));
  const firstSize = Math.min(limit, Math.max(LEAST_PAGE_SIZE, share));
  const ranges = filter.boards.flatMap(({ instanceId }) =>
    groups.map((group): Range => {
      const prefix = placePrefix(instanceId, group);
      const position = after && { by: `${prefix}${after.by}`, key: after.key };
      return { prefix, found: [], position, isRead: false, pageSize: firstSize };
    })
  );

  async function readOn(range: Range): Promise<void> {
    const { prefix, position, pageSize } = range;
    const query = { index, within: prefix, after: position, limit: pageSize, reverse: true };
    const own = await storage.list(POSTS, query);
    const last = own[pageSize - 1];
    range.isRead = last === undefined;
    range.position = last && { by: placeOf(last, filter.sort), key: last.postId };
    range.pageSize = Math.min(4 * pageSize, Math.max(limit, MAX_PAGE_SIZE));
    read += own.length;
    const entries = await readEntriesOf(storage, own);
    for (const post of own) {
      const wait = filter.words && yieldIfBusy();
      if (wait !== undefined) await wait;
      if (isListed(post, statusAt(post, entries.get(`${post.entryId}`), now), filter)) {
        range.found.push(post);
      }
    }
  }

  const records: Post[] = [];

  /** Reads on until the list is complete. */
  async function fill(inTurn?: InLimit): Promise<Listed<Post>> {
    while (records.length < limit) {
      const unread = ranges.filter(({ found, isRead }) => found.length === 0 && !isRead);
      if (unread.length > 0) {
        if (rounds >= MAX_ROUNDS || (rounds > 0 && isGone())) {
          return stopAt(records, ranges, filter.sort);
        }
        if (inTurn !== undefined && read >= MAX_READ_AT_ONCE) return await inTurn(() => fill());
        // The first page is read without a pause.
        if (rounds > 0) await yieldIfBusy();
        rounds++;
        await Promise.all(unread.map(readOn));
        continue;
      }
      const next = firstOf(ranges, filter.sort);
      if (next === undefined) break;
      records.push(next.found.shift()!);
    }
    return { records };
  }

  return await fill(filter.words === undefined ? undefined : inTurn);
}

/** Lists the posts of boards that visitors reported, in the order of other lists. */
export async function listReported(
  storage: Storage,
  filter: PostFilter,
  { limit, after, now }: PostPage,
): Promise<Listed<Post>> {
  const boards = new Set(filter.boards.map(({ instanceId }) => instanceId));
  const posts = await readReported(storage, now);
  const entries = await readEntriesOf(storage, posts);
  const records = posts.filter((post) =>
    boards.has(post.boardInstanceId) && post.state === filter.state &&
    isListed(post, statusAt(post, entries.get(`${post.entryId}`), now), filter) &&
    (after === undefined || isBefore(after, postPosition(post, filter.sort)))
  );
  const { sort } = filter;
  records.sort((a, b) => isBefore(postPosition(a, sort), postPosition(b, sort)) ? -1 : 1);
  return { records: records.slice(0, limit) };
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
    (words === undefined || isFound(post, words));
}

function isFound({ title, body, answer }: Post, query: WordQuery): boolean {
  const { whole, start } = query;
  const words = start === undefined ? whole : [...whole, start];
  const bodies = [body ?? "", answer ?? ""];
  return matchShown({ title, bodies }, words, (text) => hasWords(text, query));
}

/**
 * Ends a listing at the position of the range that has been read least; the list is complete up to
 * there.
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
