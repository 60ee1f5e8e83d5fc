import type { Ref, Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import { isClosing, type Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, type FormerVote } from "../../../model/posts/records.ts";
import { mailboxOf, type Vote, voterPrefix } from "../../../model/posts/vote.ts";
import { addMs } from "../../../model/values/time.ts";
import { readPages } from "../../records.ts";
import { followMerges, readEntriesOf, showPostWith } from "../posts.ts";
import type { WorkInParts } from "../../removals.ts";
import { removeIdlePerson } from "./idle_people.ts";
import { formerVoteIdOf } from "./vote_counts.ts";

/** The options of retention. */
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

type BatchRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly [vote: `vote ${number}`]: Ref<typeof VOTES>;
  readonly [former: `former ${number}`]: Ref<typeof FORMER_VOTES>;
};

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
  while (!isStopped() && await forgetBatch(storage, post));
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
  const prefix = voterPrefix(seen.instanceId);
  const after = { by: prefix, key: "" };
  const page = await storage.list(VOTES, { index: "byPost", after, limit: BATCH_SIZE });
  const votes = page.filter(({ place }) => place.startsWith(prefix));
  if (votes.length === 0 && seen.authorEmail === null) return false;
  const mailboxes = votes.map(({ userEmail }) => mailboxOf(userEmail));
  const formerIds = await Promise.all(
    mailboxes.map((mailbox) => formerVoteIdOf(storage, mailbox, seen)),
  );
  const refs: BatchRefs = {
    post: { kind: POSTS, key: seen.postId },
    ...Object.fromEntries(
      votes.flatMap(({ voteId }, at) => [
        [`vote ${at}`, { kind: VOTES, key: voteId }],
        [`former ${at}`, { kind: FORMER_VOTES, key: formerIds[at] }],
      ]),
    ),
  };
  const isDone = await storage.transact<BatchRefs, boolean>(refs, ({ post, ...found }) => {
    // A reopened post keeps its voters.
    const isSame = post?.instanceId === seen.instanceId && post.status === seen.status &&
      post.entryId === seen.entryId && post.mergedInto === seen.mergedInto;
    if (!isSame) return { answer: false };
    const standing = votes.flatMap((_, at) => {
      const vote = found[`vote ${at}`];
      return vote === undefined ? [] : [{ at, vote }];
    });
    const former = standing.map(({ at, vote }) =>
      [`former ${at}`, formerOf(vote, formerIds[at])] as const
    );
    const count = former.filter(([, { stands }]) => stands).length;
    return {
      answer: true,
      put: {
        ...Object.fromEntries(former),
        post: {
          ...post,
          formerVotes: post.formerVotes + count,
          authorEmail: null,
          authorMailbox: null,
        },
      },
      remove: standing.map(({ at }) => `vote ${at}` as const),
    };
  });
  if (!isDone) return false;
  for (const mailbox of new Set([...mailboxes, ...authorOf(seen)])) {
    await removeIdlePerson(storage, mailbox);
  }
  return votes.length === BATCH_SIZE;
}

function formerOf(vote: Vote, formerVoteId: string): FormerVote {
  const { postInstanceId, counts: stands, source, at } = vote;
  return { formerVoteId, postInstanceId, stands, source, at };
}

function authorOf({ authorMailbox }: Post): readonly string[] {
  return authorMailbox === null ? [] : [authorMailbox];
}
