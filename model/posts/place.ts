import type { Item } from "../kind.ts";
import type { Post, PostStatus } from "./post.ts";
import { NO_VOTE_DAYS, UNKNOWN_VOTE_DAYS } from "./vote_days.ts";

/** The orders of posts in lists, each descending. */
export const POST_SORTS = ["votes", "hot", "new"] as const;

/** One of the {@linkcode POST_SORTS}. */
export type PostSort = typeof POST_SORTS[number];

/**
 * The groups in which posts are listed. A post whose entry is not public yet is in `entry`,
 * whatever its status, because it is shipped from the second that the entry is public, before any
 * write.
 */
export type PostGroup = PostStatus | "entry" | "held" | "hidden";

/** For each order, the field with a post's position, and the index by that field. */
export const PLACES = {
  votes: { field: "votesPlace", index: "byVotes" },
  hot: { field: "hotPlace", index: "byHot" },
  new: { field: "newPlace", index: "byNew" },
} as const;

// Sorts before all characters of identifiers, none of which contain it.
const END = "!";
const VOTES_DIGITS = 10;
const SCORE_DIGITS = 15;

/** Returns the prefix of the positions of a board's posts. */
export function boardPrefix(boardInstanceId: string): string {
  return `${boardInstanceId}${END}`;
}

/** Returns the prefix of the positions of a board's posts in a group. */
export function placePrefix(boardInstanceId: string, group: PostGroup): string {
  return `${boardPrefix(boardInstanceId)}${group}${END}`;
}

/** Returns the group of a post; `undefined` for a merged post, which is in no list. */
export function groupOf(
  { mergedInto, state, entryId, shippedAt, status }: Pick<
    Post,
    "mergedInto" | "state" | "entryId" | "shippedAt" | "status"
  >,
): PostGroup | undefined {
  if (mergedInto !== null) return undefined;
  if (state !== "public") return state;
  if (entryId === null) return status;
  return shippedAt === null ? "entry" : "shipped";
}

/** Returns the text that orders a post within its group. */
export function rankOf(post: Post, sort: PostSort): string {
  if (sort === "new") return post.createdAt;
  const [number, digits] = sort === "votes"
    ? [post.votes + post.importedVotes, VOTES_DIGITS]
    : [post.hotScore, SCORE_DIGITS];
  return `${number}`.padStart(digits, "0");
}

/** Returns a post with its list positions, derived from its other fields. */
export function placed(post: Post): Post {
  const group = groupOf(post);
  const prefix = group && placePrefix(post.boardInstanceId, group);
  const placeIn = (sort: PostSort) => prefix === undefined ? null : prefix + rankOf(post, sort);
  return {
    ...post,
    roadmapPlace: roadmapPlaceOf(post, group),
    votesPlace: placeIn("votes"),
    hotPlace: placeIn("hot"),
    newPlace: placeIn("new"),
  };
}

/**
 * Returns a post of version 1 as version 2 has it: with its position in the roadmap, and with the
 * days of its votes, which are unknown.
 */
export function postOfVersion2(record: Item): Item {
  const voteDays = record.votes === 0 ? NO_VOTE_DAYS : UNKNOWN_VOTE_DAYS;
  return { ...placed({ shippedAt: null, ...record, voteDays } as unknown as Post) };
}

/** The columns of the roadmap, each over all boards. */
export const ROADMAP_STATUSES = ["considering", "planned", "started", "shipped"] as const;

/** Returns the prefix of the positions in a column of the roadmap. */
export function roadmapPrefix(status: typeof ROADMAP_STATUSES[number]): string {
  return `${status}${END}`;
}

/** Columns are ordered by votes, except the last one: by the time of shipping. */
function roadmapPlaceOf(post: Post, group: PostGroup | undefined): string | null {
  const shown = group === "entry" ? post.status : group;
  const status = ROADMAP_STATUSES.find((status) => status === shown);
  if (status === undefined) return null;
  return roadmapPrefix(status) + (status === "shipped" ? shippedAt(post) : rankOf(post, "votes"));
}

/** Returns the time at which a post was shipped (RFC 3339, UTC, milliseconds). */
function shippedAt({ shippedAt, history, updatedAt }: Post): string {
  return shippedAt ?? history.at(-1)?.at ?? updatedAt;
}
