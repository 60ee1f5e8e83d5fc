import type { Storage } from "../../../adapters/storage.ts";
import type { Board } from "../../../model/board.ts";
import { answer, textOrNull } from "../../../model/declare.ts";
import { deliveryIdOf } from "../../../model/deliveries/delivery.ts";
import { grantsScope } from "../../../model/keys/api_key.ts";
import { BOARDS } from "../../../model/kinds.ts";
import { POST, type Post } from "../../../model/posts/post.ts";
import { findPost } from "../../../services/posts/posts.ts";
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

/** A post in an answer of the API. */
export const POST_SHOWN = answer("PostShown", POST.description, {
  ...POST.fields,
  deliveryId: {
    ...textOrNull(
      "The newest delivery that tells of it; `null`: there is none. Absent without `posts:read`.",
      null,
    ),
    optional: true,
  },
});

/** Returns the newest delivery of a post, as answers show it. */
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
