import type { Storage } from "../../adapters/storage.ts";
import type { Delivery, ToldPost } from "../../model/deliveries/delivery.ts";
import type { Round } from "../../model/deliveries/rounds.ts";
import { failureIdOf } from "../../model/deliveries/delivery_failure.ts";
import { deferralIdOf } from "../../model/deliveries/mail_outcome.ts";
import { DEFERRALS, DELIVERY_FAILURES, POSTS, SUBSCRIPTIONS, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import { mailboxOf, voteIdOf, voterPrefix } from "../../model/posts/vote.ts";
import type { Subscription } from "../../model/subscriptions/subscription.ts";
import type { Ask } from "./ask.ts";
import { followMerges } from "../posts/posts.ts";
import { isTold } from "../posts/votes/vote_counts.ts";

/**
 * Whether a person gets this mail: it is `wanted`, their `labels` exclude it, or an `other` mail
 * reaches them.
 */
export type Verdict = "wanted" | "labels" | "other";

/** A person who may belong to a round. */
export interface Candidate {
  readonly userEmail: string;
  /** The position in the order of the round. */
  readonly place: string;
  readonly verdict: Verdict;
}

/**
 * Lists the candidates of a round after a position, in its order; fewer than the limit at its end.
 */
export type ListCandidates = (
  after: string | null,
  limit: number,
) => Promise<readonly Candidate[]>;

/** A round of a delivery, and the function that judges its subscribers. */
export interface RoundQuery {
  readonly delivery: Delivery;
  readonly round: Round;
  readonly judge: (subscription: Subscription) => Verdict;
}

/** Returns the function that lists the candidates of a round. */
export function candidatesOf(
  storage: Storage,
  { delivery, round, judge }: RoundQuery,
): ListCandidates {
  const wasTold = (userEmail: string) => wasToldBy(storage, delivery, userEmail);
  if (round.people === "asked") {
    const within = voterPrefix(round.post.instanceId);
    return async (after, limit) => {
      const by = after === null ? within : `${after}!`;
      const query = { index: "asked", within, after: { by, key: "" }, limit };
      const votes = await storage.list(VOTES, query);
      return await Promise.all(votes.map(async ({ userEmail, place }): Promise<Candidate> => {
        const verdict = await wasTold(userEmail) ? "other" : "wanted";
        return { userEmail, place, verdict };
      }));
    };
  }
  return async (after, limit) => {
    // `!` sorts after this id and before all that follow.
    const by = after === null ? "" : `${after}!`;
    const query = { index: round.people, after: { by, key: "" }, limit };
    const page = await storage.list(SUBSCRIPTIONS, query);
    return await Promise.all(page.map(async (subscription): Promise<Candidate> => {
      const { userEmail, subscriberId: place } = subscription;
      const verdict = judge(subscription);
      // The labels of a person whom an earlier round has mailed no longer matter.
      const isOther = verdict !== "other" && await wasTold(userEmail);
      return { userEmail, place, verdict: isOther ? "other" : verdict };
    }));
  };
}

/**
 * Tells whether a delivery has told a person about the posts that they asked for, or has tried to
 * reach this address. A person who could not be told at one address is told at another.
 */
async function wasToldBy(
  storage: Storage,
  delivery: Delivery,
  userEmail: string,
): Promise<boolean> {
  if (delivery.posts.length === 0) return false;
  const person = await storage.get(PEOPLE, mailboxOf(userEmail));
  if (person === undefined) return false;
  if (hasTold(delivery, person.told)) return true;
  const { entryId } = delivery;
  const [deferral, failure] = await Promise.all([
    storage.get(DEFERRALS, deferralIdOf(entryId, userEmail)),
    storage.get(DELIVERY_FAILURES, failureIdOf(entryId, userEmail)),
  ]);
  // A report that came before this mail is about an earlier one.
  return deferral !== undefined || failure?.isReported === false;
}

/** Tells whether a person whom these deliveries told needs no mail of a delivery any more. */
export function hasTold({ entryId, posts }: Delivery, told: readonly string[]): boolean {
  return told.includes(entryId) ||
    posts.some(({ toldBy }) => toldBy !== undefined && told.includes(toldBy));
}

/**
 * Returns the posts, among some, that a person asked about at any address of their mailbox and
 * still wants to hear about.
 */
export async function findAsks(
  storage: Storage,
  userEmail: string,
  posts: readonly ToldPost[],
): Promise<readonly Ask[]> {
  if (posts.length === 0) return [];
  const mailbox = mailboxOf(userEmail);
  const [person, ...votes] = await Promise.all([
    storage.get(PEOPLE, mailbox),
    ...posts.map((post) => storage.get(VOTES, voteIdOf(mailbox, post))),
  ]);
  const asked = votes.filter((vote) => vote !== undefined)
    .filter((vote) => isTold(vote, person));
  const asks = await Promise.all(asked.map(async ({ postId, notifyAt, at }) => {
    const post = await storage.get(POSTS, postId);
    const target = post && post.voteCursor === null && await followMerges(storage, post);
    // Since a post was merged, its voters end what they asked at the target.
    if (target && target.postId !== postId) {
      const vote = await storage.get(VOTES, voteIdOf(mailbox, target));
      if (vote === undefined || !isTold(vote, person)) return [];
    }
    return [{ postId, title: post?.title ?? postId, at: notifyAt ?? at }];
  }));
  return asks.flat();
}

/**
 * Returns the requests of a made-up person who asked about all posts that an entry ships, at a
 * time.
 */
export async function sampleAsks(
  storage: Storage,
  postIds: readonly string[],
  time: Date,
): Promise<readonly Ask[]> {
  const posts = await toldPosts(storage, postIds);
  return await Promise.all(posts.map(async ({ postId }) => {
    const post = await storage.get(POSTS, postId);
    return { postId, title: post?.title ?? postId, at: time.toISOString() };
  }));
}

/** Returns the posts that an entry ships, in the form in which a delivery announces them. */
export async function toldPosts(
  storage: Storage,
  postIds: readonly string[],
): Promise<readonly ToldPost[]> {
  const posts = await Promise.all(postIds.map((postId) => storage.get(POSTS, postId)));
  return posts.filter((post) => post !== undefined)
    .filter((post) => post.state === "public")
    .map(({ postId, instanceId }) => ({ postId, instanceId }));
}
