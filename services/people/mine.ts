import type { Storage } from "../../adapters/storage.ts";
import { POSTS, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import type { Post } from "../../model/posts/post.ts";
import { mailboxOf, type Vote, votesPrefix } from "../../model/posts/vote.ts";
import { findPost, followMerges, isShownTo, type PlacedPost } from "../posts/posts.ts";
import { isTold } from "../posts/votes/vote_counts.ts";
import { castVote } from "../posts/votes/votes.ts";
import { listMatching } from "../records.ts";
import { unsubscribe } from "../subscriptions/subscriptions.ts";

/** A post of a person, and its board. */
export interface OwnPost extends PlacedPost {
  /** Whether the person may read the post, which was hidden otherwise. */
  readonly isShown: boolean;
}

/** A vote of a person, and its post. */
export interface OwnVote extends OwnPost {
  /** Whether the person wants to be told about the post. */
  readonly isTold: boolean;
}

/** The ideas and votes of a person. */
export interface Mine {
  readonly votes: readonly OwnVote[];
  readonly ideas: readonly OwnPost[];
}

// Few people have more. The person's page does not use pagination.
const MAX_SHOWN = 200;

/** Lists the votes and ideas of a mailbox. */
export async function listMine(storage: Storage, userEmail: string): Promise<Mine> {
  const mailbox = mailboxOf(userEmail);
  const [votes, posts, person] = await Promise.all([
    listVotes(storage, mailbox),
    listIdeas(storage, mailbox),
    storage.get(PEOPLE, mailbox),
  ]);
  const own = await Promise.all(votes.map(async (vote) => {
    const found = await findPost(storage, vote);
    if (found === undefined) return undefined;
    const post = await followMerges(storage, found.post) ?? found.post;
    return { ...ownPost(mailbox, { ...found, post }), isTold: isTold(vote, person) };
  }));
  const ideas = await Promise.all(posts.map((post) => findPost(storage, post)));
  return {
    votes: own.filter((vote) => vote !== undefined),
    ideas: ideas.filter((idea) => idea !== undefined).map((idea) => ownPost(mailbox, idea)),
  };
}

function ownPost(mailbox: string, found: PlacedPost): OwnPost {
  return { ...found, isShown: isShownTo(mailbox, found) };
}

async function listVotes(storage: Storage, mailbox: string): Promise<readonly Vote[]> {
  const prefix = votesPrefix(mailbox);
  const isOver = ({ voteId }: Vote) => !voteId.startsWith(prefix);
  const query = { after: { key: prefix }, limit: MAX_SHOWN };
  return (await listMatching(storage, VOTES, query, { isOver })).records;
}

async function listIdeas(storage: Storage, mailbox: string): Promise<readonly Post[]> {
  const isOver = ({ authorMailbox }: Post) => authorMailbox !== mailbox;
  const query = { index: "byAuthor", after: { by: mailbox, key: "" }, limit: MAX_SHOWN };
  return (await listMatching(storage, POSTS, query, { isOver })).records;
}

/** Withdraws the vote of a mailbox for a post, whatever the post's state. */
export async function withdrawVote(
  storage: Storage,
  { userEmail, postId }: { readonly userEmail: string; readonly postId: string },
  at: string,
): Promise<void> {
  await castVote(storage, { postId, userEmail, vote: false, source: "api", keyId: null, at });
}

/** Ends all mail to a person: their requests about posts, and their subscription. */
export function stopMail(storage: Storage, userEmail: string, at: string): Promise<void> {
  return unsubscribe(storage, userEmail, { source: "link", at });
}
