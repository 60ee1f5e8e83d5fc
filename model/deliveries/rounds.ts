import type { Delivery, ToldPost } from "./delivery.ts";

/**
 * A part of a delivery: the people of one index, in its order. The round of people who asked about
 * a post comes first, so that they are mailed before the subscribers, and only once.
 */
export type Round =
  | { readonly people: "subscribed" | "weekly" }
  | { readonly people: "asked"; readonly post: ToldPost };

export function roundsOf({ week, postId, posts, rounds }: Delivery): readonly Round[] {
  if (week !== null) return [{ people: "weekly" }];
  const asked = posts.map((post): Round => ({ people: "asked", post }));
  return postId === null
    ? [...asked, { people: "subscribed" }]
    : Array.from({ length: rounds }, () => asked[0]);
}

/** Returns the current round of a delivery. */
export function roundOf(delivery: Delivery): Round {
  const rounds = roundsOf(delivery);
  return rounds[Math.min(delivery.round, rounds.length - 1)];
}

/** Moves a delivery on to its next round; returns `current` itself in the last one. */
export function nextRound(current: Delivery): Delivery {
  if (current.round + 1 >= roundsOf(current).length) return current;
  return { ...current, round: current.round + 1, cursor: null };
}
