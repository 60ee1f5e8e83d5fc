import { MAX_REFS, type Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import { isClosing, type Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES } from "../../../model/posts/records.ts";
import { mailboxOf, voterPrefix } from "../../../model/posts/vote.ts";
import { addMs } from "../../../model/values/time.ts";
import { all, change } from "../../change.ts";
import { openAddressHash } from "../../privacy/erased.ts";
import { readPages } from "../../records.ts";
import { listMergePath } from "../merge_path.ts";
import { followMerges, readEntriesOf, showPostWith } from "../posts.ts";
import type { WorkInParts } from "../../removals.ts";
import { removeIdlePerson } from "./idle_people.ts";
import { findUnfinished, givenIdsOf, readFormer } from "./lent_votes.ts";
import { formerVoteIdOf } from "./vote_counts.ts";
import { finishVoteWork } from "./vote_work.ts";

export interface RetentionOptions extends WorkInParts {
  /**
   * The time for which addresses are kept after their post was shipped or declined, in
   * milliseconds.
   */
  readonly retentionMs: number;
  /** The present time (RFC 3339, UTC, milliseconds). */
  readonly now: string;
}

/**
 * Removes the addresses of voters and authors from posts that were shipped or declined some time
 * ago. Counts stay: each vote leaves its source, its time and the keyed hash of its mailbox and
 * post, so that nobody counts twice after the post opens again.
 */
export async function forgetVoters(storage: Storage, options: RetentionOptions): Promise<void> {
  const { isStopped = () => false, attempt = (part) => part() } = options;
  for await (const posts of readPages(storage, POSTS)) {
    for (const post of posts) {
      if (isStopped()) return;
      await attempt(() => forgetVotersOf(storage, post, options));
    }
  }
}

async function forgetVotersOf(
  storage: Storage,
  post: Post,
  { retentionMs, now, isStopped = () => false }: RetentionOptions,
): Promise<void> {
  const closedAt = await closedAtOf(storage, post, now);
  if (closedAt === undefined || addMs(closedAt, retentionMs) > now) return;
  // A vote that is taken back finds a copy without an address only by the address of its own.
  for (const one of [...await listMergePath(storage, post.postId)].reverse()) {
    while (!isStopped() && await forgetBatch(storage, one));
  }
}

/** Returns when a post, or its target, was shipped or declined; `undefined` if it is open. */
async function closedAtOf(
  storage: Storage,
  post: Post,
  now: string,
): Promise<string | undefined> {
  const last = await followMerges(storage, post);
  if (last === undefined) return undefined;
  const entries = await readEntriesOf(storage, [last]);
  const { status, history } = showPostWith(last, entries.get(`${last.entryId}`), now);
  return isClosing(status) ? history.at(-1)?.at ?? last.createdAt : undefined;
}

/** Removes addresses of some votes, unless the post has changed; tells whether more may follow. */
async function forgetBatch(storage: Storage, seen: Post): Promise<boolean> {
  const within = voterPrefix(seen.instanceId);
  const lenders = seen.lentFrom.length;
  const limit = Math.floor((MAX_REFS - 2) / (2 + lenders));
  const votes = await storage.list(VOTES, { index: "byPost", within, limit });
  if (votes.length === 0 && seen.authorEmail === null) return false;
  const target = seen.mergedInto === null ? undefined : await storage.get(POSTS, seen.mergedInto);
  const mailboxes = votes.map(({ userEmail }) => mailboxOf(userEmail));
  const hash = await openAddressHash(storage);
  const ids = mailboxes.map((mailbox) => ({
    formerVoteId: formerVoteIdOf(hash, mailbox, seen),
    copyId: target === undefined ? null : formerVoteIdOf(hash, mailbox, target),
  }));
  const given = mailboxes.map((mailbox) => givenIdsOf(hash, mailbox, seen));
  const step = await change<boolean | Post>(storage, function* (tools) {
    const { read, put, remove } = tools;
    const [[post], found] = yield* all(
      all(read(POSTS, seen.postId)),
      all(...votes.map(({ voteId }) => read(VOTES, voteId))),
      all(...ids.map(({ formerVoteId }) => read(FORMER_VOTES, formerVoteId))),
    );
    // A reopened post keeps its voters.
    const isSame = post?.instanceId === seen.instanceId && post.status === seen.status &&
      post.entryId === seen.entryId && post.mergedInto === seen.mergedInto &&
      post.lender === seen.lender;
    if (!isSame) return false;
    // Only while its mailbox is known, a vote can be copied, and compared with those that are lent.
    const unfinished = post.voteCursor === null ? yield* findUnfinished(tools, post) : post;
    if (unfinished !== undefined) return unfinished;
    const lent = yield* all(...given.map((ids) => readFormer(tools, ids)));
    let { formerVotes } = post;
    for (const [at, vote] of found.entries()) {
      if (vote === undefined) continue;
      const { postInstanceId, counts: stands, source, at: castAt, own } = vote;
      const giver = lent[at]?.stands ? lent[at] : undefined;
      const origins = [...new Set([...vote.origins, ...giver ? [`${post.lender}`] : []])];
      const rest = { postInstanceId, stands, source, at: castAt, own, origins };
      put(FORMER_VOTES, { ...ids[at], ...rest });
      if (giver !== undefined) put(FORMER_VOTES, { ...giver, copyId: ids[at].formerVoteId });
      remove(VOTES, vote.voteId);
      formerVotes += Number(stands);
    }
    put(POSTS, { ...post, formerVotes, authorEmail: null, authorMailbox: null });
    return true;
  });
  if (typeof step === "object") await finishVoteWork(storage, step);
  if (step !== true) return step !== false;
  for (const mailbox of new Set([...mailboxes, ...authorOf(seen)])) {
    await removeIdlePerson(storage, mailbox);
  }
  return votes.length === limit;
}

function authorOf({ authorMailbox }: Post): readonly string[] {
  return authorMailbox === null ? [] : [authorMailbox];
}
