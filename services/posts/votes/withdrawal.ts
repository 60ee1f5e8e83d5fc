import type { Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES } from "../../../model/posts/records.ts";
import { mailboxOf, type Vote, voteIdOf } from "../../../model/posts/vote.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import { openAddressHash } from "../../privacy/erased.ts";
import { listMergedInto } from "../merge_path.ts";
import { followMerges } from "../posts.ts";
import { leave, prepareLeaving, readLeaving, removeIdlePerson } from "./idle_people.ts";
import { findFormer, formerIdsOf, readFormer } from "./lent_votes.ts";
import { isSame, uncountVote } from "./vote_counts.ts";
import type { VoteRequest, VoteStep } from "./vote_request.ts";

/** A transaction has at most 100 refs: two for each of these votes, and up to 14 for others. */
const MAX_MERGED_VOTES = 43;

/** Withdraws the vote of a mailbox for a post, and the merged posts' votes that it is a copy of. */
export async function withdrawVote(
  storage: Storage,
  request: VoteRequest,
  seen: Post,
): Promise<VoteStep> {
  const mailbox = mailboxOf(request.userEmail);
  const voteId = voteIdOf(mailbox, seen);
  const hash = await openAddressHash(storage);
  const formerIds = formerIdsOf(hash, mailbox, seen);
  const [formerVoteId] = formerIds;
  const merged = await listMergedVotes(storage, seen, mailbox);
  const removed = merged.slice(0, MAX_MERGED_VOTES);
  const voteIds = [voteId, ...removed.map(({ post }) => voteIdOf(mailbox, post))];
  const leaving = await prepareLeaving(storage, mailbox, voteIds);
  let isUncertain = false;
  const step = await change<VoteStep>(storage, function* (tools) {
    const { read, put, remove } = tools;
    isUncertain = false;
    const [[post, vote, former]] = yield* all(
      all(read(POSTS, seen.postId), read(VOTES, voteId), readFormer(tools, formerIds)),
      readLeaving(tools, mailbox, leaving),
      all(...removed.map(({ post }) => read(POSTS, post.postId))),
      all(
        ...removed.map(({ post, formerVoteId }) =>
          formerVoteId === null
            ? read(VOTES, voteIdOf(mailbox, post))
            : read(FORMER_VOTES, formerVoteId)
        ),
      ),
    );
    if (!isSame(post, seen)) return "retry";
    // Votes at merged posts go first, so that undoing a merge does not restore them.
    const count = yield* removeMerged(tools, removed, mailbox);
    if (removed.length < merged.length) return "retry";
    const standing = vote ?? (former?.stands ? former : undefined);
    if (standing === undefined && count === 0) {
      return { post, vote: false, notify: false, changed: false };
    }
    const left = uncountVote(uncountVote(post, vote), former);
    put(POSTS, left);
    put(FORMER_VOTES, {
      formerVoteId,
      postInstanceId: post.instanceId,
      stands: false,
      source: standing?.source ?? request.source,
      at: standing?.at ?? request.at,
      own: true,
      origins: [],
      copyId: null,
    });
    if (vote !== undefined) remove(VOTES, vote.voteId);
    const isLent = former !== undefined && former.formerVoteId !== formerVoteId;
    if (isLent) remove(FORMER_VOTES, former.formerVoteId);
    isUncertain = yield* leave(tools, mailbox, leaving);
    return { post: left, vote: false, notify: false, changed: true };
  });
  if (isUncertain) await removeIdlePerson(storage, mailbox);
  return step;
}

/** A merged post with a vote of a mailbox. */
interface MergedVote {
  readonly post: Post;
  /** The key of the vote if its address was removed. */
  readonly formerVoteId: string | null;
}

/** Removes the votes of a mailbox for posts that are still merged; returns their number. */
function* removeMerged(
  { read, put, remove }: ChangeTools,
  votes: readonly MergedVote[],
  mailbox: string,
): Reading<number> {
  let count = 0;
  for (const { post: seen, formerVoteId } of votes) {
    const post = yield* read(POSTS, seen.postId);
    if (post === undefined || post.mergedInto !== seen.mergedInto) continue;
    const former = yield* read(FORMER_VOTES, formerVoteId);
    const vote = former ?? (yield* read(VOTES, voteIdOf(mailbox, seen)));
    if (vote === undefined) continue;
    put(POSTS, uncountVote(post, vote));
    if (former !== undefined) put(FORMER_VOTES, { ...former, stands: false });
    else remove(VOTES, voteIdOf(mailbox, seen));
    count++;
  }
  return count;
}

/** Lists the posts that were merged into a post and have a vote of a mailbox. */
async function listMergedVotes(
  storage: Storage,
  post: Post,
  mailbox: string,
): Promise<readonly MergedVote[]> {
  const posts = await listMergedInto(storage, post);
  const hash = await openAddressHash(storage);
  const votes = await Promise.all(posts.map(async (post) => {
    if (await storage.get(VOTES, voteIdOf(mailbox, post)) !== undefined) {
      return [{ post, formerVoteId: null }];
    }
    if (post.formerVotes === 0) return [];
    const former = await findFormer(storage, formerIdsOf(hash, mailbox, post));
    return former === undefined ? [] : [{ post, formerVoteId: former.formerVoteId }];
  }));
  return votes.flat();
}

/**
 * Removes a vote for a merged post. Removes the vote for the target only if it is a copy of that
 * vote. Returns whether the vote was there.
 */
export async function removeMergedVote(storage: Storage, seen: Vote): Promise<boolean> {
  const post = await storage.get(POSTS, seen.postId);
  const target = post?.mergedInto === null || post === undefined
    ? undefined
    : await followMerges(storage, post);
  const copyId = target && voteIdOf(mailboxOf(seen.userEmail), target);
  const copy = copyId === undefined ? undefined : await storage.get(VOTES, copyId);
  // The same key's copy has its own withdrawal, which covers the votes behind it.
  if (copy !== undefined && copy.origins.length > 0 && copy.keyId === seen.keyId) return false;
  return await change<boolean>(storage, function* ({ read, put, remove }) {
    const [post, vote] = yield* all(read(POSTS, seen.postId), read(VOTES, seen.voteId));
    if (post === undefined || vote === undefined) return false;
    put(POSTS, uncountVote(post, vote));
    remove(VOTES, vote.voteId);
    return true;
  });
}
