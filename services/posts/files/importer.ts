import type { Storage } from "../../../adapters/storage.ts";
import type { RefusedRow } from "../../../model/imports/reports.ts";
import { POSTS } from "../../../model/kinds.ts";
import type { PostFileRow } from "../../../model/posts/files/file_row.ts";
import { placed } from "../../../model/posts/place.ts";
import { mailboxOf } from "../../../model/posts/vote.ts";
import { replaceRecord } from "../../records.ts";
import { findErased } from "../../privacy/erased.ts";
import { createMergeCheck } from "./merge_check.ts";
import { createPostAdder } from "./new_posts.ts";
import { createVoteAdder } from "./new_votes.ts";
import type { PostImportOptions, RowOutcome, RowStep } from "./row_outcomes.ts";

// Concurrent changes share one sync to disk.
const POSTS_AT_ONCE = 200;

/** Imports the rows of one file. */
export interface Importer {
  /** Imports some rows: first their posts, then their votes. */
  importRows(rows: readonly PostFileRow[]): Promise<readonly RowOutcome[]>;
  /**
   * Makes posts of their own of those whose originals are missing, once all of the file was read.
   * Returns a remark on each, and the late votes.
   */
  finishMerges(): Promise<{
    readonly remarks: readonly RefusedRow[];
    readonly late: readonly PostFileRow[];
  }>;
  /**
   * Adds the votes that have no line in the file, because their addresses were removed there. Call
   * it after the whole file was read. Also completes posts of an earlier, unfinished import.
   */
  addFormerVotes(): Promise<void>;
}

/** Creates the importer of a file's rows into a board. */
export function createImporter(
  storage: Storage,
  options: PostImportOptions,
): Importer {
  const { board: { instanceId: boardInstanceId }, isDryRun, now, counts } = options;
  // Number of votes without a line so far, by post that lacks them.
  const without = new Map<string, number>();
  const added = new Set<string>();
  const filled = new Set<string>();
  const resumed = new Set<string>();
  const late: PostFileRow[] = [];
  let areMergesDone = false;
  const isAdded = (postId: string) => added.has(postId);
  const merges = createMergeCheck(storage, { boardInstanceId, isDryRun, isAdded, now });

  const addPosts = createPostAdder(storage, options, { added, filled, resumed });
  const addVotes = createVoteAdder(storage, options, {
    isAdded,
    areMergesDone: () => areMergesDone,
  });

  async function importOnce(rows: readonly PostFileRow[]): Promise<readonly RowStep[]> {
    const emails = rows.flatMap(({ post, vote }) => [post?.authorEmail, vote?.userEmail])
      .filter((email) => typeof email === "string");
    const people = [...new Set(emails.flatMap((email) => [email, mailboxOf(email)]))];
    const erased = await findErased(storage, people);
    const attempts = new Map<PostFileRow, RowStep>();
    const withPosts = rows.flatMap((row) =>
      row.post === undefined ? [] : [{ row, post: row.post }]
    );
    const posted = await addPosts(withPosts.map(({ post }) => post), erased);
    for (const [at, { row, post }] of withPosts.entries()) {
      attempts.set(row, posted[at]);
      if (!isHere(posted[at])) continue;
      merges.add(post, { line: row.line, isNew: posted[at] === "added" });
    }
    const withVotes = rows.flatMap((row) => {
      const outcome = attempts.get(row);
      const isReady = outcome === undefined || isHere(outcome);
      return row.vote === undefined || !isReady ? [] : [{ ...row, vote: row.vote, outcome, row }];
    });
    const voted = await addVotes(withVotes, erased);
    for (const [at, { row, vote, line, outcome }] of withVotes.entries()) {
      if (voted[at] === "late") late.push({ line, row: row.row, vote });
      // A row counts once; the outcome of its vote counts separately if the post was stored.
      const isStored = outcome === "added" || outcome === "changed";
      if (isStored && voted[at] === "votesAdded") counts.votesAdded++;
      if (!isStored || voted[at] === "retry") attempts.set(row, voted[at]);
    }
    return rows.map((row) => attempts.get(row) ?? "unchanged");
  }

  async function importRows(rows: readonly PostFileRow[]): Promise<readonly RowOutcome[]> {
    const outcomes = [...await importOnce(rows)];
    for (;;) {
      const again = rows.filter((_, at) => outcomes[at] === "retry");
      if (again.length === 0) break;
      const next = await importOnce(again);
      for (const [at, row] of again.entries()) outcomes[rows.indexOf(row)] = next[at];
    }
    for (const [at, { post, vote }] of rows.entries()) {
      const lacksVotes = post !== undefined && !without.has(post.postId) &&
        post.votes > 0 && (outcomes[at] === "added" || resumed.has(post.postId));
      if (lacksVotes) without.set(post.postId, post.votes);
      const left = vote?.counts ? without.get(vote.postId) : undefined;
      if (vote !== undefined && left !== undefined) without.set(vote.postId, left - 1);
    }
    return outcomes.filter((outcome) => outcome !== "retry");
  }

  async function addFormerVotes(): Promise<void> {
    if (isDryRun) return;
    const posts = [...without];
    for (let at = 0; at < posts.length; at += POSTS_AT_ONCE) {
      await Promise.all(posts.slice(at, at + POSTS_AT_ONCE).map(addVotesWithoutLines));
    }
  }

  async function addVotesWithoutLines([postId, left]: readonly [string, number]): Promise<void> {
    const count = Math.max(0, left);
    await replaceRecord(storage, { kind: POSTS, key: postId }, (post) => {
      const { votes, formerVotes, lacksFormerVotes } = post;
      if (post.boardInstanceId !== boardInstanceId || !lacksFormerVotes) return undefined;
      return placed({
        ...post,
        votes: votes + count,
        formerVotes: formerVotes + count,
        lacksFormerVotes: false,
      });
    });
  }

  async function finishMerges() {
    const remarks = await merges.finish();
    areMergesDone = true;
    return { remarks, late };
  }

  return { importRows, finishMerges, addFormerVotes };
}

/** Tells whether a post of a row is on the board. */
function isHere(outcome: RowStep): boolean {
  return outcome === "added" || outcome === "changed" || outcome === "unchanged";
}
