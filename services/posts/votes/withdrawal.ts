import type { Ref, Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, type FormerVote } from "../../../model/posts/records.ts";
import { mailboxOf, type Vote, voteIdOf } from "../../../model/posts/vote.ts";
import { listMergedInto } from "../merge_path.ts";
import { followMerges } from "../posts.ts";
import { formerVoteIdOf, isSame, uncountVote } from "./vote_counts.ts";
import type { VoteRequest, VoteStep } from "./vote_request.ts";

/** A transaction has at most 100 refs, and each of these votes takes two. */
const MAX_MERGED_VOTES = 48;

/** Withdraws the vote of a mailbox for a post, and the merged posts' votes that it is a copy of. */
export async function withdrawVote(
  storage: Storage,
  request: VoteRequest,
  seen: Post,
): Promise<VoteStep> {
  const mailbox = mailboxOf(request.userEmail);
  const voteId = voteIdOf(mailbox, seen);
  const formerVoteId = await formerVoteIdOf(storage, mailbox, seen);
  const unchanged = { post: seen, vote: false, notify: false, changed: false } as const;
  const [vote, former, merged] = await Promise.all([
    storage.get(VOTES, voteId),
    seen.formerVotes > 0 ? storage.get(FORMER_VOTES, formerVoteId) : undefined,
    listMergedVotes(storage, { post: seen, mailbox }),
  ]);
  if (merged.length > MAX_MERGED_VOTES) {
    await removeMergedVotes(storage, merged.slice(0, MAX_MERGED_VOTES));
    return "retry";
  }
  if (vote === undefined && former?.stands !== true && merged.length === 0) return unchanged;
  // While a merge has not copied any of the votes, no vote for the target follows from them.
  const hasVote = vote !== undefined || merged.some(({ isCopied }) => isCopied);
  const refs: WithdrawalRefs = {
    post: { kind: POSTS, key: seen.postId },
    ...hasVote && { "vote of mailbox": { kind: VOTES, key: voteId } },
    former: { kind: FORMER_VOTES, key: formerVoteId },
    ...Object.fromEntries(
      merged.flatMap(({ postId, voteId }) => [
        [`merged ${postId}`, { kind: POSTS, key: postId }],
        [`vote for ${postId}`, { kind: VOTES, key: voteId }],
      ]),
    ),
  };
  return await storage.transact<WithdrawalRefs, VoteStep>(refs, (found) => {
    const { post } = found;
    if (!isSame(post, seen)) return { answer: "retry" };
    // Votes at merged posts go too, so that undoing a merge does not restore them.
    const mergedPosts: Record<string, Post> = {};
    const mergedVotes: `vote ${string}`[] = [];
    for (const { postId, mergedInto } of merged) {
      const [from, gone] = [found[`merged ${postId}`], found[`vote for ${postId}`]];
      if (from === undefined || gone === undefined || from.mergedInto !== mergedInto) continue;
      if (!hasVote && isCopied(from, gone)) return { answer: "retry" };
      mergedPosts[`merged ${postId}`] = uncountVote(from, gone);
      mergedVotes.push(`vote for ${postId}`);
    }
    const standing = found["vote of mailbox"] ?? (found.former?.stands ? found.former : undefined);
    if (standing === undefined && mergedVotes.length === 0) {
      return { answer: { ...unchanged, post } };
    }
    const left = standing === undefined ? post : uncountVote(post, standing);
    const mark: FormerVote = {
      formerVoteId,
      postInstanceId: post.instanceId,
      stands: false,
      source: standing?.source ?? request.source,
      at: standing?.at ?? request.at,
    };
    return {
      answer: { post: left, vote: false, notify: false, changed: true },
      put: { ...mergedPosts, post: left, former: mark },
      remove: hasVote ? ["vote of mailbox", ...mergedVotes] : mergedVotes,
    };
  });
}

/** Tells whether the merge of a post has copied a vote to its target. */
function isCopied({ voteCursor }: Post, { place }: Vote): boolean {
  return voteCursor === null || voteCursor >= place;
}

type MergedRefs = {
  readonly [merged: `merged ${string}`]: Ref<typeof POSTS>;
  readonly [vote: `vote ${string}`]: Ref<typeof VOTES>;
};

type WithdrawalRefs = MergedRefs & {
  readonly post: Ref<typeof POSTS>;
  readonly former: Ref<typeof FORMER_VOTES>;
};

/** A mailbox's vote for a post that was merged into another. */
interface MergedVote extends Pick<Post, "postId" | "mergedInto"> {
  readonly voteId: string;
  /** Whether the merge has copied it to its target. */
  readonly isCopied: boolean;
}

/** Removes some of the votes that a withdrawal ends, before the last ones end with the target's. */
async function removeMergedVotes(
  storage: Storage,
  merged: readonly MergedVote[],
): Promise<void> {
  const refs: MergedRefs = Object.fromEntries(
    merged.flatMap(({ postId, voteId }) => [
      [`merged ${postId}`, { kind: POSTS, key: postId }],
      [`vote for ${postId}`, { kind: VOTES, key: voteId }],
    ]),
  );
  await storage.transact<MergedRefs, void>(refs, (found) => {
    const put: Record<`merged ${string}`, Post> = {};
    const remove: `vote ${string}`[] = [];
    for (const { postId, mergedInto } of merged) {
      const [from, gone] = [found[`merged ${postId}`], found[`vote for ${postId}`]];
      if (from === undefined || gone === undefined || from.mergedInto !== mergedInto) continue;
      put[`merged ${postId}`] = uncountVote(from, gone);
      remove.push(`vote for ${postId}`);
    }
    return { answer: undefined, put, remove };
  });
}

/** Lists the votes of a mailbox for posts that were merged into a post. */
async function listMergedVotes(
  storage: Storage,
  { post, mailbox }: { readonly post: Post; readonly mailbox: string },
): Promise<readonly MergedVote[]> {
  const posts = await listMergedInto(storage, post);
  const votes = await Promise.all(posts.map(async (merged) => {
    const { postId, mergedInto } = merged;
    const voteId = voteIdOf(mailbox, merged);
    const vote = await storage.get(VOTES, voteId);
    if (vote === undefined) return [];
    return [{ postId, mergedInto, voteId, isCopied: isCopied(merged, vote) }];
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
  const refs = {
    post: { kind: POSTS, key: seen.postId },
    vote: { kind: VOTES, key: seen.voteId },
  };
  return await storage.transact<typeof refs, boolean>(refs, (found) => {
    if (found.post === undefined || found.vote === undefined) return { answer: false };
    const left = uncountVote(found.post, found.vote);
    return { answer: true, put: { post: left }, remove: ["vote"] };
  });
}
