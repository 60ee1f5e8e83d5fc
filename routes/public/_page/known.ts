import type { Storage } from "../../../adapters/storage.ts";
import { VOTES } from "../../../model/kinds.ts";
import { PEOPLE } from "../../../model/posts/records.ts";
import type { Post } from "../../../model/posts/post.ts";
import { mailboxOf, voteIdOf } from "../../../model/posts/vote.ts";
import { isTold } from "../../../services/posts/votes/vote_counts.ts";
import { renderPerson } from "./address_field.ts";
import type { KnownViewer } from "../boards/parts.ts";
import type { Viewer } from "./viewer.ts";

/** Finds the posts on a page that a known person has voted for. */
export async function readKnownViewer(
  storage: Storage,
  { userEmail, person }: Viewer & {
    /**
     * The sealed identity in forms on an app's page; absent if the cookie identifies the person.
     */
    readonly person?: string | undefined;
  },
  posts: readonly Post[],
): Promise<KnownViewer> {
  const mailbox = mailboxOf(userEmail);
  const [self, ...votes] = await Promise.all([
    storage.get(PEOPLE, mailbox),
    ...posts.map((post) => storage.get(VOTES, voteIdOf(mailbox, post))),
  ]);
  const voted = posts.filter((_, index) => votes[index] !== undefined);
  const told = posts.filter((_, index) => votes[index] && isTold(votes[index], self));
  const ids = (some: readonly Post[]) => new Set(some.map(({ postId }) => postId));
  const fields = person === undefined ? undefined : renderPerson({ person });
  return { fields, votedFor: ids(voted), toldOf: ids(told) };
}
