import type { Storage } from "../../../adapters/storage.ts";
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
import { countVote } from "../votes/vote_counts.ts";
import { batchesOf, shareOfPost, shareOfVote } from "./batches.ts";
import { newVote, withAside } from "./imported_records.ts";
import {
  type Attempt,
  isGone,
  NO_POST,
  type PostImportOptions,
  type RowOutcome,
} from "./row_outcomes.ts";

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
): (votes: readonly VoteLine[], erased: Erased) => Promise<readonly Attempt[]> {
  let hash: ReturnType<typeof openAddressHash> | undefined;

  /** Returns what to store for a vote, or its outcome if there is nothing to store. */
  async function prepare(
    { vote: file, line }: VoteLine,
    erased: Erased,
  ): Promise<PreparedVote | { is: RowOutcome }> {
    if (isGone(file.userEmail, erased)) return { is: "keptUnsubscribed" };
    const found = await findPost(storage, { postId: file.postId, boardId });
    if (found === undefined) {
      return { is: isDryRun && isAdded(file.postId) ? "votesAdded" : NO_POST };
    }
    const target = await followMerges(storage, found.post);
    // Our own export has a line for the merged post's vote, and one for its copy at the target.
    const seen = found.post.mergedInto === file.mergedInto ? found.post : target;
    if (seen === undefined) return { is: areMergesDone() ? NO_POST : "late" };
    const mailbox = mailboxOf(file.userEmail);
    const voteId = voteIdOf(mailbox, seen);
    if (await storage.get(VOTES, voteId) !== undefined) return { is: "unchanged" };
    // The vote was withdrawn here, or counts without its address.
    for (const post of new Set([seen, target ?? seen])) {
      const formerId = await (await (hash ??= openAddressHash(storage)))(voteIdOf(mailbox, post));
      if (await storage.get(FORMER_VOTES, formerId) !== undefined) {
        return { is: "keptUnsubscribed" };
      }
    }
    return isDryRun ? { is: "votesAdded" } : { vote: file, line, voteId, mailbox, seen };
  }

  function* addOneOf(
    { read, put }: ChangeTools,
    { vote: file, line, voteId, mailbox, seen }: PreparedVote,
    { erased, at }: { readonly erased: Erased; readonly at: string },
  ): Reading<Attempt> {
    const post = yield* read(POSTS, seen.postId);
    if (post?.instanceId !== seen.instanceId || post.mergedInto !== seen.mergedInto) return "retry";
    if ((yield* read(VOTES, voteId)) !== undefined) return "unchanged";
    const person = (yield* read(PEOPLE, mailbox)) ?? newPerson(mailbox);
    const { asideDomains } = withAside(post, file);
    const isSilent = person.optOuts > 0 || erased.closed.has(file.userEmail);
    const { optOuts } = person;
    const vote = newVote(file, { post, voteId, line, at, optOuts, isSilent, asideDomains });
    const counted = countVote({ ...post, asideDomains }, vote);
    const importedVotes = post.importedVotes - Number(file.isInNumber && post.importedVotes > 0);
    put(POSTS, placed({ ...counted, importedVotes }));
    put(VOTES, vote);
    put(PEOPLE, addOne(person));
    return "votesAdded";
  }

  function addBatch(votes: readonly PreparedVote[], erased: Erased): Promise<readonly Attempt[]> {
    const at = now();
    return change<readonly Attempt[]>(storage, function* (tools) {
      const { read } = tools;
      const [erasures] = yield* all(
        read(ERASURE_COUNT.kind, ERASURE_COUNT.key),
        ...votes.map(({ seen }) => read(POSTS, seen.postId)),
        ...votes.map(({ voteId }) => read(VOTES, voteId)),
        ...votes.map(({ mailbox }) => read(PEOPLE, mailbox)),
      );
      if (erasureCountOf(erasures) !== erased.count) return votes.map(() => "retry");
      const attempts: Attempt[] = [];
      for (const vote of votes) attempts.push(yield* addOneOf(tools, vote, { erased, at }));
      return attempts;
    });
  }

  /** The records of a post that several votes of a batch change are stored once. */
  function shareOf({ vote, seen }: PreparedVote, batch: readonly PreparedVote[]): number {
    const isKnown = batch.some((other) => other.seen.postId === seen.postId);
    return shareOfVote(vote) + (isKnown ? 0 : shareOfPost(seen));
  }

  return async function add(votes, erased) {
    const prepared = await Promise.all(votes.map((vote) => prepare(vote, erased)));
    const attempts = new Map<PreparedVote, Attempt>();
    const ready = prepared.flatMap((vote) => "is" in vote ? [] : [vote]);
    await Promise.all([...batchesOf(ready, shareOf)].map(async (batch) => {
      const outcomes = await addBatch(batch, erased);
      for (const [at, vote] of batch.entries()) attempts.set(vote, outcomes[at]);
    }));
    return prepared.map((vote) => "is" in vote ? vote.is : attempts.get(vote)!);
  };
}
