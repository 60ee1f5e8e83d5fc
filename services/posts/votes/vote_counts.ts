import type { KeyedHash } from "../../../model/crypto/cipher.ts";
import { addToScore, takeFromScore } from "../../../model/posts/hot_score.ts";
import { placed } from "../../../model/posts/place.ts";
import type { Post } from "../../../model/posts/post.ts";
import type { FormerVote } from "../../../model/posts/records.ts";
import { addVoteDay, takeVoteDay } from "../../../model/posts/vote_days.ts";
import { type Vote, voteIdOf } from "../../../model/posts/vote.ts";

/** Tells whether a post is unchanged since a step was prepared for it. */
export function isSame(post: Post | undefined, seen: Post): post is Post {
  return post !== undefined && post.instanceId === seen.instanceId &&
    post.mergedInto === null && post.unmergedFrom === null && post.entryId === seen.entryId &&
    post.lender === seen.lender;
}

/** Tells whether a voter asked to be told, and has not opted out since. */
export function isTold(vote: Vote, person: { readonly optOuts: number } | undefined): boolean {
  return vote.notify && vote.optOuts >= (person?.optOuts ?? 0);
}

/** Returns a post with one more vote. */
export function countVote(post: Post, { at, counts }: Pick<Vote, "at" | "counts">): Post {
  if (!counts) return post;
  return placed({
    ...post,
    votes: post.votes + 1,
    hotScore: addToScore(post.hotScore, at),
    voteDays: addVoteDay(post.voteDays, at),
  });
}

/** Returns a post without a vote, or without one whose address was removed. */
export function uncountVote(post: Post, vote: Vote | FormerVote | undefined): Post {
  const isFormer = vote !== undefined && "formerVoteId" in vote;
  if (vote === undefined || !(isFormer ? vote.stands : vote.counts)) return post;
  const formerVotes = post.formerVotes - Number(isFormer);
  const votes = Math.max(0, post.votes - 1);
  const { createdAt } = post;
  const hotScore = takeFromScore(post.hotScore, vote.at, { votes, createdAt });
  const voteDays = takeVoteDay(post.voteDays, vote.at);
  return placed({ ...post, votes, hotScore, voteDays, formerVotes });
}

/** Returns the key of the record that a mailbox's vote leaves when its address is removed. */
export function formerVoteIdOf(
  hash: KeyedHash,
  mailbox: string,
  post: Pick<Post, "instanceId">,
): string {
  return hash(voteIdOf(mailbox, post));
}
