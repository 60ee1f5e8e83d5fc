import type { Storage } from "../../../adapters/storage.ts";
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
import { formerVoteIdOf } from "./vote_counts.ts";

export interface RetentionOptions extends WorkInParts {
  /**
   * The time for which addresses are kept after their post was shipped or declined, in
   * milliseconds.
   */
  readonly retentionMs: number;
  /** The present time (RFC 3339, UTC, milliseconds). */
  readonly now: string;
}

/** Number of votes per transaction: each takes two of 100 refs. */
const BATCH_SIZE = 48;

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
  const votes = await storage.list(VOTES, { index: "byPost", within, limit: BATCH_SIZE });
  if (votes.length === 0 && seen.authorEmail === null) return false;
  const target = seen.mergedInto === null ? undefined : await storage.get(POSTS, seen.mergedInto);
  const mailboxes = votes.map(({ userEmail }) => mailboxOf(userEmail));
  const hash = await openAddressHash(storage);
  const ids = mailboxes.map((mailbox) => ({
    formerVoteId: formerVoteIdOf(hash, mailbox, seen),
    copyId: target === undefined ? null : formerVoteIdOf(hash, mailbox, target),
  }));
  const isDone = await change<boolean>(storage, function* ({ read, put, remove }) {
    const [[post], found] = yield* all(
      all(read(POSTS, seen.postId)),
      all(...votes.map(({ voteId }) => read(VOTES, voteId))),
      all(...ids.map(({ formerVoteId }) => read(FORMER_VOTES, formerVoteId))),
    );
    // A reopened post keeps its voters.
    const isSame = post?.instanceId === seen.instanceId && post.status === seen.status &&
      post.entryId === seen.entryId && post.mergedInto === seen.mergedInto;
    if (!isSame) return false;
    let { formerVotes } = post;
    for (const [at, vote] of found.entries()) {
      if (vote === undefined) continue;
      const { postInstanceId, counts: stands, source, at: castAt, own, origins } = vote;
      const rest = { postInstanceId, stands, source, at: castAt, own, origins };
      put(FORMER_VOTES, { ...ids[at], ...rest });
      remove(VOTES, vote.voteId);
      formerVotes += Number(stands);
    }
    put(POSTS, { ...post, formerVotes, authorEmail: null, authorMailbox: null });
    return true;
  });
  if (!isDone) return false;
  for (const mailbox of new Set([...mailboxes, ...authorOf(seen)])) {
    await removeIdlePerson(storage, mailbox);
  }
  return votes.length === BATCH_SIZE;
}

function authorOf({ authorMailbox }: Post): readonly string[] {
  return authorMailbox === null ? [] : [authorMailbox];
}
