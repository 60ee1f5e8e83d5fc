import type { Storage } from "../../adapters/storage.ts";
import { POSTS, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import type { Post } from "../../model/posts/post.ts";
import { mailboxOf, type Vote, voteIdOf, votesPrefix } from "../../model/posts/vote.ts";
import { findPost, followMerges, isShownTo, type PlacedPost } from "../posts/posts.ts";
import { isTold } from "../posts/votes/vote_counts.ts";
import { castVote } from "../posts/votes/votes.ts";
import { listMatching } from "../records.ts";
import { readSubscriptions, unsubscribe } from "../subscriptions/subscriptions.ts";

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
  /** Whether there are more votes or ideas than these. */
  readonly hasMore: boolean;
}

// Few people have more. The person's page does not use pagination.
const MAX_SHOWN = 1_000;

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
  // A merged post's vote has a copy at the post into which it was merged.
  const byPost = new Map<string, OwnVote>();
  for (const vote of own) {
    if (vote === undefined) continue;
    const { postId } = vote.post;
    byPost.set(postId, { ...vote, isTold: vote.isTold || byPost.get(postId)?.isTold === true });
  }
  return {
    hasMore: Math.max(votes.length, posts.length) === MAX_SHOWN,
    votes: [...byPost.values()],
    ideas: ideas.filter((idea) => idea !== undefined).map((idea) => ownPost(mailbox, idea)),
  };
}

function ownPost(mailbox: string, found: PlacedPost): OwnPost {
  return { ...found, isShown: isShownTo(mailbox, found) };
}

async function listVotes(storage: Storage, mailbox: string): Promise<readonly Vote[]> {
  return await storage.list(VOTES, { within: votesPrefix(mailbox), limit: MAX_SHOWN });
}

async function listIdeas(storage: Storage, mailbox: string): Promise<readonly Post[]> {
  const isOver = ({ authorMailbox }: Post) => authorMailbox !== mailbox;
  const query = { index: "byAuthor", after: { by: mailbox, key: "" }, limit: MAX_SHOWN };
  return (await listMatching(storage, POSTS, query, { isOver })).records;
}

/** Sets whether a voter is told about a post; ends that whatever the post's state. */
export async function changeAsk(
  storage: Storage,
  { userEmail, erasedAt, postId, notify }: {
    readonly userEmail: string;
    /** The last erasure of the mailbox that the proof of the address came after. */
    readonly erasedAt: string | null;
    readonly postId: string;
    readonly notify: boolean;
  },
  at: string,
): Promise<void> {
  const found = await findPost(storage, { postId });
  const post = found && await followMerges(storage, found.post);
  const voteId = post && voteIdOf(mailboxOf(userEmail), post);
  if (voteId === undefined || await storage.get(VOTES, voteId) === undefined) return;
  const request = { postId, userEmail, erasedAt, notify, onAnyBoard: !notify } as const;
  await castVote(storage, { ...request, vote: true, source: "form", keyId: null, at });
}

/** Withdraws the vote of a mailbox for a post, whatever the post's state. */
export async function withdrawOwnVote(
  storage: Storage,
  { userEmail, postId }: { readonly userEmail: string; readonly postId: string },
  at: string,
): Promise<void> {
  await castVote(storage, { postId, userEmail, vote: false, source: "form", keyId: null, at });
}

/** Ends all mail to a mailbox: its requests about posts, and the subscriptions of its addresses. */
export async function stopMail(storage: Storage, userEmail: string, at: string): Promise<void> {
  const mailbox = mailboxOf(userEmail);
  const reason = { source: "link", at } as const;
  for (const address of new Set([userEmail, mailbox])) await unsubscribe(storage, address, reason);
  const prefix = `${mailbox.slice(0, mailbox.lastIndexOf("@"))}+`;
  for await (const page of readSubscriptions(storage, { prefix, subscribed: true })) {
    const own = page.filter((one) => mailboxOf(one.userEmail) === mailbox);
    for (const one of own) await unsubscribe(storage, one.userEmail, reason);
  }
}
