import type { Storage } from "../../adapters/storage.ts";
import { VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import type { Post } from "../../model/posts/post.ts";
import { mailboxOf, voteIdOf } from "../../model/posts/vote.ts";
import { isTold } from "../posts/votes/vote_counts.ts";

/** The posts among some that a person voted for, by `postId`. */
export interface OwnVotes {
  readonly votedFor: ReadonlySet<string>;
  /** The posts among them that the person wants mail about. */
  readonly toldOf: ReadonlySet<string>;
}

/** Finds the posts among some that a person's vote stands for. */
export async function findOwnVotes(
  storage: Storage,
  userEmail: string,
  posts: readonly Post[],
): Promise<OwnVotes> {
  const mailbox = mailboxOf(userEmail);
  const [self, ...votes] = await Promise.all([
    storage.get(PEOPLE, mailbox),
    ...posts.map((post) => storage.get(VOTES, voteIdOf(mailbox, post))),
  ]);
  const voted = posts.filter((_, index) => votes[index] !== undefined);
  const told = posts.filter((_, index) => votes[index] && isTold(votes[index], self));
  const ids = (some: readonly Post[]) => new Set(some.map(({ postId }) => postId));
  return { votedFor: ids(voted), toldOf: ids(told) };
}
