import type { Storage } from "../../../adapters/storage.ts";
import { VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { mailboxOf, voteIdOf } from "../../../model/posts/vote.ts";
import { renderPerson } from "../pages/forms/address_field.ts";
import type { KnownViewer } from "../pages/boards/parts.ts";
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
  const voted = await Promise.all(posts.map(async (post) => {
    const vote = await storage.get(VOTES, voteIdOf(mailbox, post));
    return vote === undefined ? [] : [post.postId];
  }));
  const fields = person === undefined ? undefined : renderPerson({ person });
  return { fields, votedFor: new Set(voted.flat()) };
}
