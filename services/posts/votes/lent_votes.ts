import type { Storage } from "../../../adapters/storage.ts";
import type { KeyedHash } from "../../../model/crypto/cipher.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, type FormerVote } from "../../../model/posts/records.ts";
import { originOf, postIdOfOrigin } from "../../../model/posts/vote_origins.ts";
import { all, type ChangeTools, type Reading } from "../../change.ts";
import { countVote, formerVoteIdOf } from "./vote_counts.ts";

/*
 * A vote without an address is known by the keyed hash of its mailbox and post. It can be compared
 * with a vote that has an address, but not with one of another post that has none either. So a
 * merged post lends such votes to a target that has none of its own: the target gets a copy of each
 * whose mailbox has no vote there. With `lentFrom`, the posts where these votes were cast, the
 * target finds the copy of a mailbox.
 */

const END = "!";

/** Each post where lent votes were cast costs one more read for each vote at the target. */
const MAX_LENT_FROM = 8;

type Lending = Pick<Post, "instanceId" | "lentFrom">;

/** Returns the key of the copy of a vote without an address, or of such a copy, at a target. */
export function lentIdOf(formerVoteId: string, { instanceId }: Pick<Post, "instanceId">): string {
  return `${formerVoteId.split(END)[0]}${END}${instanceId}`;
}

/** Returns the keys under which a mailbox's vote for a post may stand without its address. */
export function formerIdsOf(hash: KeyedHash, mailbox: string, post: Lending): readonly string[] {
  const cast = post.lentFrom.map((instanceId) => formerVoteIdOf(hash, mailbox, { instanceId }));
  return [formerVoteIdOf(hash, mailbox, post), ...cast.map((id) => lentIdOf(id, post))];
}

/** Returns the keys under which a mailbox's vote may stand at the post that lends to a target. */
export function givenIdsOf(hash: KeyedHash, mailbox: string, target: Post): readonly string[] {
  if (target.lender === null) return [];
  const instanceId = target.lender.split(END)[1];
  const lentFrom = target.lentFrom.filter((one) => one !== instanceId);
  return formerIdsOf(hash, mailbox, { instanceId, lentFrom });
}

/** Returns the vote that stands under one of some keys, if any. */
export async function findFormer(
  storage: Storage,
  ids: readonly string[],
): Promise<FormerVote | undefined> {
  const found = await Promise.all(ids.map((id) => storage.get(FORMER_VOTES, id)));
  return found.find((former) => former?.stands);
}

/** Like {@linkcode findFormer}, in a change; if none stands, returns the first key's record. */
export function* readFormer(
  { read }: Pick<ChangeTools, "read">,
  ids: readonly string[],
): Reading<FormerVote | undefined> {
  const found = yield* all(...ids.map((id) => read(FORMER_VOTES, id)));
  return found.find((former) => former?.stands) ?? found[0];
}

/** Returns the names that a new vote takes over from the one without an address in its place. */
export function originsOf(former: FormerVote | undefined): readonly string[] {
  return former?.stands && !former.formerVoteId.includes(END) ? former.origins : [];
}

/** Returns the target of a new merge, with the post as its lender if it can be that. */
export function withLender(target: Post, post: Post): Post {
  const lentFrom = [post.instanceId, ...post.lentFrom];
  const isLending = (post.formerVotes > 0 || post.lender !== null) &&
    target.formerVotes === 0 && target.lender === null && lentFrom.length <= MAX_LENT_FROM;
  return isLending ? { ...target, lender: originOf(post), lentFrom } : target;
}

/** Ends what a post lends to the targets of a merge that is undone. */
export function* endLending(
  { read, put }: ChangeTools,
  [post, ...targets]: readonly [Post, ...Post[]],
): Reading<void> {
  const ended = [post.instanceId, ...post.lentFrom];
  for (const { postId, lender } of targets) {
    if (lender === null) return;
    const target = (yield* read(POSTS, postId))!;
    const lentFrom = target.lentFrom.filter((one) => !ended.includes(one));
    put(POSTS, { ...target, lentFrom, lender: lentFrom.length === 0 ? null : lender });
  }
}

/** Returns a post that has not lent all of its votes to a target yet, if any. */
export function* findUnfinished(
  { read }: ChangeTools,
  { lender: name }: Post,
): Reading<Post | undefined> {
  const lender = yield* read(POSTS, name === null ? null : postIdOfOrigin(name));
  return lender?.voteCursor === null || lender?.mergedInto === null ? undefined : lender;
}

/** Lends the vote that stands under one of some keys, as its target has lost the mailbox's own. */
export function* lendAgain(
  tools: ChangeTools,
  { postId }: Post,
  given: readonly string[],
): Reading<void> {
  const target = yield* tools.read(POSTS, postId);
  const former = yield* readFormer(tools, given);
  if (target !== undefined) tools.put(POSTS, yield* lend(tools, former, target));
}

/** Stores the copy of a vote that stands. Returns the target with it, to be stored. */
export function* lend(
  { read, put }: ChangeTools,
  former: FormerVote | undefined,
  target: Post,
): Reading<Post> {
  if (!former?.stands) return target;
  const formerVoteId = lentIdOf(former.formerVoteId, target);
  if ((yield* read(FORMER_VOTES, formerVoteId))?.stands) return target;
  put(FORMER_VOTES, {
    ...former,
    formerVoteId,
    postInstanceId: target.instanceId,
    own: false,
    origins: [`${target.lender}`],
    copyId: null,
  });
  const { at } = former;
  return countVote({ ...target, formerVotes: target.formerVotes + 1 }, { at, counts: true });
}
