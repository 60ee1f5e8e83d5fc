import type { Storage } from "../../adapters/storage.ts";
import type { ToldPost } from "../../model/deliveries/delivery.ts";
import { tellingKey } from "../../model/deliveries/telling.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { ENTRIES, VOTES } from "../../model/kinds.ts";
import { PEOPLE } from "../../model/posts/records.ts";
import type { Post } from "../../model/posts/post.ts";
import { voteIdOf } from "../../model/posts/vote.ts";
import { all, type ChangeTools, type Reading } from "../change.ts";
import { isShippedByEntry, statusAt } from "./posts.ts";
import { isTold } from "./votes/vote_counts.ts";

/** The change of a post that people may be told about. */
export type ToldChange = Partial<Pick<Post, "status" | "answer">>;

/** Tells whether the author of a held post asked to be told about its decision. */
export function* isAuthorWaiting({ read }: ChangeTools, post: Post): Reading<boolean> {
  const { authorMailbox, state } = post;
  if (state !== "held" || authorMailbox === null) return false;
  const [vote, person] = yield* all(
    read(VOTES, voteIdOf(authorMailbox, post)),
    read(PEOPLE, authorMailbox),
  );
  return vote !== undefined && isTold(vote, person);
}

/** Tells whether the team has said something about a post that people may be told. */
export function isTelling(post: Post, change: ToldChange, isShipped: boolean): boolean {
  if (post.state === "held" || post.mergedInto !== null) return false;
  return isShipped || post.answer !== null || post.status !== "open" || change.status !== undefined;
}

/** Returns the expected key of the delivery that tells about a post after a change. */
export async function keyAfter(
  storage: Storage,
  post: Post,
  { answer = post.answer, status = post.status }: ToldChange,
  at: string,
): Promise<string> {
  const entry = post.entryId === null ? undefined : await storage.get(ENTRIES, post.entryId);
  return tellingKey({ ...post, answer }, statusAt({ ...post, status }, entry, at));
}

/**
 * Returns a post in the form that a delivery stores. Names the entry that has already shipped the
 * post and, if there is no answer to tell besides, its delivery.
 */
export function toldPost(post: Post, entry: Entry | undefined, at: string): ToldPost {
  const { postId, instanceId, answer } = post;
  const words = { status: statusAt(post, entry, at), answer };
  if (entry === undefined || !isShippedByEntry(post, entry, at)) {
    return { postId, instanceId, words };
  }
  const { entryId } = entry;
  const told = { postId, instanceId, words, afterEntry: entryId };
  return answer === null ? { ...told, toldBy: entryId } : told;
}
