import { isClosing, type Post, POST_STATUSES, type PostStatus } from "./post.ts";

/** The orders in which posts are listed, each from the greatest down. */
export const POST_SORTS = ["votes", "hot", "new"] as const;

/** One of the {@linkcode POST_SORTS}. */
export type PostSort = typeof POST_SORTS[number];

/**
 * The groups of posts that are listed together. A post that an entry ships is in `entry` whatever
 * its status, as it becomes shipped when the entry becomes public, without a write.
 */
export type PostGroup = PostStatus | "entry" | "held" | "hidden";

/** The groups of the posts that everybody sees. */
export const PUBLIC_GROUPS: readonly PostGroup[] = [...POST_STATUSES, "entry"];

/** The field that has the place of a post in each order, and the index by it. */
export const PLACES = {
  votes: { field: "votesPlace", index: "byVotes" },
  hot: { field: "hotPlace", index: "byHot" },
  new: { field: "newPlace", index: "byNew" },
} as const;

// No identifier has it, and it sorts before all characters of one.
const END = "!";
const VOTES_DIGITS = 10;
const SCORE_DIGITS = 15;

/** Returns what the places of a group of posts on a board begin with. */
export function placePrefix(boardInstanceId: string, group: PostGroup): string {
  return `${boardInstanceId}${END}${group}${END}`;
}

/** Returns the group of a post; `undefined` for one that was merged, which no list has. */
export function groupOf(
  { mergedInto, state, entryId, status }: Pick<Post, "mergedInto" | "state" | "entryId" | "status">,
): PostGroup | undefined {
  if (mergedInto !== null) return undefined;
  if (state !== "public") return state;
  return entryId === null ? status : "entry";
}

/** Returns what orders a post within its group. */
export function rankOf(post: Post, sort: PostSort): string {
  if (sort === "new") return post.createdAt;
  const [number, digits] = sort === "votes"
    ? [post.votes + post.importedVotes, VOTES_DIGITS]
    : [post.hotScore, SCORE_DIGITS];
  return `${number}`.padStart(digits, "0");
}

/** Returns a post with the places in lists that follow from its other fields. */
export function placed(post: Post): Post {
  const group = groupOf(post);
  const prefix = group && placePrefix(post.boardInstanceId, group);
  const placeIn = (sort: PostSort) => prefix === undefined ? null : prefix + rankOf(post, sort);
  const isClosed = post.state === "public" && post.entryId === null && isClosing(post.status);
  return {
    ...post,
    closedPlace: isClosed && prefix !== undefined ? prefix + closedAt(post) : null,
    votesPlace: placeIn("votes"),
    hotPlace: placeIn("hot"),
    newPlace: placeIn("new"),
  };
}

/** Returns when a post last took the status that it has (RFC 3339, UTC, milliseconds). */
function closedAt({ history, updatedAt }: Post): string {
  return history.at(-1)?.at ?? updatedAt;
}
