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
 * already told the same, it goes on with those whom it has not told; nobody is mailed again.
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
  const posts = [{ ...post, asked, told }];
  if (current.finishedAt === null) {
    // It may wait for the next attempt of a recipient who was put off.
    const nextAt = current.state === "running" ? EPOCH : current.nextAt;
    return { ...current, posts, rounds: current.round + 2, nextAt };
  }
  return {
    ...current,
    posts,
    round: 0,
    rounds: 1,
    cursor: null,
    state: "waiting",
    startedAt: null,
    finishedAt: null,
    failed: 0,
    retriedTo: null,
    problem: null,
    nextAt: EPOCH,
    advancedAt: now,
    breaker: NEW_BREAKER,
  };
}
