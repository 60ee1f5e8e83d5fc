import type { Storage } from "../../../adapters/storage.ts";
import type { Board } from "../../../model/board.ts";
import { withSchema } from "../../../model/declare.ts";
import { deliveryIdOf } from "../../../model/deliveries/delivery.ts";
import { grantsScope } from "../../../model/keys/api_key.ts";
import { BOARDS } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { VOTE } from "../../../model/posts/vote.ts";
import { findOwnVotes } from "../../../services/people/own_votes.ts";
import { findPost, followMerges } from "../../../services/posts/posts.ts";
import type { Caller } from "../../_http/credentials.ts";
import type { ProblemCode } from "../../_http/problem.ts";

export const POSTS_PATH = "/api/v1/boards/:boardId/posts";
export const POST_PATH = `${POSTS_PATH}/:postId`;

/** The scope for seeing all posts, including held and hidden ones. */
export const TEAM_SCOPE = "posts:publish";

/** The board and post that a request is about. */
export interface PostTarget {
  readonly storage: Storage;
  readonly params: readonly string[];
  readonly caller: Caller;
}

/** Returns the board and the post in a path, or a problem if the caller may not see them. */
export async function readPost(
  { storage, params: [boardId, postId], caller }: PostTarget,
): Promise<{ readonly board: Board; readonly post: Post } | ProblemCode> {
  const found = await findPost(storage, { boardId, postId });
  if (found !== undefined) {
    const isSeen = found.post.state === "public" || grantsScope(caller.scopes, TEAM_SCOPE);
    return isSeen ? found : "post_not_found";
  }
  const board = await storage.get(BOARDS, boardId);
  return board === undefined ? "board_not_found" : "post_not_found";
}

/** The query that tells of each post whether a person voted for it. */
export const VOTER_QUERY = {
  voter: withSchema(VOTE.fields.userEmail, {
    description:
      "The address of a person: each post tells with `voted` whether their vote stands. " +
      "Needs `posts:write`, too.",
  }),
} as const;

/** Adds whether a person's vote stands to posts as responses show them. */
export async function withVoted<T extends object>(
  storage: Storage,
  voter: string | null | undefined,
  posts: readonly { readonly post: Post; readonly shown: T }[],
): Promise<readonly (T & { readonly voted?: boolean })[]> {
  if (!voter) return posts.map(({ shown }) => shown);
  const counting = await Promise.all(
    posts.map(async ({ post }) => await followMerges(storage, post) ?? post),
  );
  const { votedFor } = await findOwnVotes(storage, voter, counting);
  return posts.map(({ shown }, at) => ({ ...shown, voted: votedFor.has(counting[at].postId) }));
}

/** Returns the newest delivery of a post, as responses show it. */
export function deliveryOf(
  { deliveryKey }: Pick<Post, "deliveryKey">,
): { readonly deliveryId: string | null } {
  return { deliveryId: deliveryKey === null ? null : deliveryIdOf(deliveryKey) };
}

/** Does the same as {@linkcode deliveryOf} for a caller who may read posts. */
export function deliveryFor(
  { scopes }: Caller,
  post: Pick<Post, "deliveryKey">,
): { readonly deliveryId: string | null } | undefined {
  return grantsScope(scopes, "posts:read") ? deliveryOf(post) : undefined;
}
