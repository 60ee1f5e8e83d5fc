import { hash64 } from "../crypto/hash64.ts";
import type { Post, PostStatus } from "../posts/post.ts";
import { EPOCH } from "../values/time.ts";
import { NEW_BREAKER } from "./breaker.ts";
import { createDelivery, type Delivery, type ToldPost } from "./delivery.ts";

/** Returns the key of the delivery that tells of a status and an answer of a post. */
export function tellingKey(
  { instanceId, answer }: Pick<Post, "instanceId" | "answer">,
  status: PostStatus,
): string {
  return `post:${instanceId}:${hash64(JSON.stringify([status, answer]))}`;
}

/**
 * Returns the delivery that tells people who asked about a post, at a time. If a delivery has
 * already told the same, it continues with people who asked since; nobody is mailed again.
 */
export function tell(
  current: Delivery | undefined,
  post: ToldPost,
  { key, now }: { readonly key: string; readonly now: string },
): Delivery {
  if (current === undefined || (current.startedAt === null && current.finishedAt !== null)) {
    return createDelivery(key, now, { postId: post.postId, posts: [post] });
  }
  if (current.startedAt === null) return current;
  const [{ asked = 0, told = 0 }] = current.posts;
  const next = { ...current, posts: [{ ...post, asked, told }], rounds: current.round + 2 };
  if (current.finishedAt === null) return next;
  return {
    ...next,
    round: current.round + 1,
    cursor: null,
    state: "running",
    finishedAt: null,
    problem: null,
    nextAt: EPOCH,
    advancedAt: now,
    breaker: NEW_BREAKER,
  };
}
