import { MAX_REFS, type Storage } from "../../../adapters/storage.ts";
import { POSTS, VOTES } from "../../../model/kinds.ts";
import type { FileVote } from "../../../model/posts/files/file_row.ts";
import { placed } from "../../../model/posts/place.ts";
import type { Post } from "../../../model/posts/post.ts";
import { FORMER_VOTES, PEOPLE } from "../../../model/posts/records.ts";
import { mailboxOf, voteIdOf } from "../../../model/posts/vote.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import {
  type Erased,
  ERASURE_COUNT,
  erasureCountOf,
  openAddressHash,
} from "../../privacy/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost, followMerges } from "../posts.ts";
import { formerIdsOf } from "../votes/lent_votes.ts";
import { countVote } from "../votes/vote_counts.ts";
import { batchesOf, shareOfPost, shareOfVote } from "./batches.ts";
import { newVote, withAside } from "./imported_records.ts";
import {
  isGone,
  NO_POST,
  type PostImportOptions,
  type RowOutcome,
  type RowStep,
} from "./row_outcomes.ts";

/** Number of a vote's merged posts that are read again in the step that adds it. */
const MAX_GIVERS = 60;

/** A vote of a file, and its line there. */
export interface VoteLine {
  readonly vote: FileVote;
  readonly line: number;
}

/** A vote to store, and the post as it was read. */
interface PreparedVote extends VoteLine {
  readonly voteId: string;
  readonly mailbox: string;
  readonly seen: Post;
}

/** Creates a function that adds votes of a file to the posts of a board, many in each step. */
export function createVoteAdder(
  storage: Storage,
  { board: { boardId }, isDryRun, now }: Pick<PostImportOptions, "board" | "isDryRun" | "now">,
  { isAdded, areMergesDone }: {
    /** Tells whether a dry run would have created a post. */
    readonly isAdded: (postId: string) => boolean;
    /** Tells whether all posts of the file are here. */
    readonly areMergesDone: () => boolean;
  },
): (votes: readonly VoteLine[], erased: Erased) => Promise<readonly RowStep[]> {
  /** Returns what to store for a vote, or its outcome if there is nothing to store. */
  async function prepare(
    { vote, line }: VoteLine,
    erased: Erased,
  ): Promise<PreparedVote | { is: RowOutcome }> {
    if (isGone(vote.userEmail, erased)) return { is: "keptUnsubscribed" };
    const found = await findPost(storage, { postId: vote.postId, boardId });
    if (found === undefined) {
      return { is: isDryRun && isAdded(vote.postId) ? "votesAdded" : NO_POST };
    }
    const target = await followMerges(storage, found.post);
    // Our own export has a line for the merged post's vote, and one for its copy at the target.
    const seen = found.post.mergedInto === vote.mergedInto ? found.post : target;
    if (seen === undefined) return { is: areMergesDone() ? NO_POST : "late" };
    const mailbox = mailboxOf(vote.userEmail);
    const voteId = voteIdOf(mailbox, seen);
    if (await storage.get(VOTES, voteId) !== undefined) return { is: "unchanged" };
    const givers = await Promise.all(vote.via.map((postId) => storage.get(POSTS, postId)));
    const file = withoutUnmerged(vote, { post: seen, givers });
    if (file === undefined) return { is: "unchanged" };
    // The vote was withdrawn here, or counts without its address.
    const hash = await openAddressHash(storage);
    for (const post of new Set([seen, target ?? seen])) {
      for (const formerId of formerIdsOf(hash, mailbox, post)) {
        if (await storage.get(FORMER_VOTES, formerId) !== undefined) {
          return { is: "keptUnsubscribed" };
        }
      }
    }
    return isDryRun ? { is: "votesAdded" } : { vote: file, line, voteId, mailbox, seen };
  }

  function* addOneOf(
    { read, put }: ChangeTools,
    { vote, line, voteId, mailbox, seen }: PreparedVote,
    { erased, at }: { readonly erased: Erased; readonly at: string },
  ): Reading<RowStep> {
    const post = yield* read(POSTS, seen.postId);
    if (post?.instanceId !== seen.instanceId || post.mergedInto !== seen.mergedInto) return "retry";
    // A vote without an address may have been lent to the post meanwhile.
    if (post.lender !== null && post.formerVotes !== seen.formerVotes) return "retry";
    if ((yield* read(VOTES, voteId)) !== undefined) return "unchanged";
    const givers = yield* all(...giversOf(vote).map((postId) => read(POSTS, postId)));
    const file = withoutUnmerged(vote, { post, givers });
    if (file === undefined) return "unchanged";
    const person = (yield* read(PEOPLE, mailbox)) ?? newPerson(mailbox);
    const { asideDomains } = withAside(post, file);
    const isSilent = person.optOuts > 0 || erased.closed.has(file.userEmail);
    const { optOuts } = person;
    const added = newVote(file, { post, voteId, line, at, optOuts, isSilent, asideDomains });
    const counted = countVote({ ...post, asideDomains }, added);
    const importedVotes = post.importedVotes - Number(file.isInNumber && post.importedVotes > 0);
    put(POSTS, placed({ ...counted, importedVotes }));
    put(VOTES, added);
    put(PEOPLE, addOne(person));
    return "votesAdded";
  }

  function addBatch(votes: readonly PreparedVote[], erased: Erased): Promise<readonly RowStep[]> {
    const at = now();
    return change<readonly RowStep[]>(storage, function* (tools) {
      const { read } = tools;
      const [erasures] = yield* all(
        read(ERASURE_COUNT.kind, ERASURE_COUNT.key),
        ...votes.map(({ seen }) => read(POSTS, seen.postId)),
        ...votes.map(({ voteId }) => read(VOTES, voteId)),
        ...votes.map(({ mailbox }) => read(PEOPLE, mailbox)),
        ...votes.flatMap(({ vote }) => giversOf(vote).map((postId) => read(POSTS, postId))),
      );
      if (erasureCountOf(erasures) !== erased.count) return votes.map(() => "retry");
      const attempts: RowStep[] = [];
      for (const vote of votes) attempts.push(yield* addOneOf(tools, vote, { erased, at }));
      return attempts;
    });
  }

  /** The records of a post that several votes of a batch change are stored once. */
  function shareOf({ vote, seen }: PreparedVote, batch: readonly PreparedVote[]): number {
    const isKnown = batch.some((other) => other.seen.postId === seen.postId);
    const refs = 3 + giversOf(vote).length;
    return Math.max(shareOfVote(vote) + (isKnown ? 0 : shareOfPost(seen)), refs / (MAX_REFS - 1));
  }

  return async function add(votes, erased) {
    const prepared = await Promise.all(votes.map((vote) => prepare(vote, erased)));
    const attempts = new Map<PreparedVote, RowStep>();
    const ready = prepared.flatMap((vote) => "is" in vote ? [] : [vote]);
    await Promise.all([...batchesOf(ready, shareOf)].map(async (batch) => {
      const outcomes = await addBatch(batch, erased);
      for (const [at, vote] of batch.entries()) attempts.set(vote, outcomes[at]);
    }));
    return prepared.map((vote) => "is" in vote ? vote.is : attempts.get(vote)!);
  };
}

function giversOf({ via }: FileVote): readonly string[] {
  return via.slice(0, MAX_GIVERS);
}

/**
 * Returns a vote of a file without what came from posts that have been unmerged here; `undefined`
 * if nothing is left. A post that isn't here may have a later line in the file.
 */
function withoutUnmerged(
  file: FileVote,
  { post, givers }: { readonly post: Post; readonly givers: readonly (Post | undefined)[] },
): FileVote | undefined {
  const isUnmerged = (giver: Post | undefined) =>
    giver?.boardInstanceId === post.boardInstanceId && giver.mergedInto !== post.postId;
  const via = file.via.filter((_, at) => !isUnmerged(givers[at]));
  if (via.length === file.via.length) return file;
  if (!file.own && via.length === 0) return undefined;
  const asks = file.asks.filter((ask) => ask.via === null || via.includes(ask.via));
  return { ...file, via, asks };
}
