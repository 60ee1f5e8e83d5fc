import type { RefusedRow } from "../../../model/import_reports.ts";
import type { Ref, Storage } from "../../../adapters/storage.ts";
import { BOARDS, POSTS, type SETTINGS, VOTES } from "../../../model/kinds.ts";
import { BOARD_TALLIES, FORMER_VOTES, PEOPLE } from "../../../model/posts/records.ts";
import type { FilePost, FileVote, PostFileRow } from "../../../model/posts/files/file_row.ts";
import { placed } from "../../../model/posts/place.ts";
import { isClosing, MAX_OPEN_POSTS } from "../../../model/posts/post.ts";
import { mailboxOf, voteIdOf } from "../../../model/posts/vote.ts";
import { generateId } from "../../../model/values/record_id.ts";
import { replaceRecord } from "../../records.ts";
import {
  type Erased,
  ERASURE_COUNT,
  erasureCountOf,
  findErased,
  openAddressHash,
} from "../../subscriptions/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost, followMerges } from "../posts.ts";
import { removePost } from "../removal.ts";
import { countChange, emptyTally } from "../tally.ts";
import { countVote } from "../votes/vote_counts.ts";
import { newPost, newVote, withAside } from "./imported_records.ts";
import { createMergeCheck } from "./merge_check.ts";
import {
  FULL,
  GONE,
  NO_POST,
  OTHER_BOARD,
  type PostImportOptions,
  type RowOutcome,
} from "./row_outcomes.ts";

// Concurrent changes share one sync to disk.
const POSTS_AT_ONCE = 200;
type PostRefs = {
  readonly board: Ref<typeof BOARDS>;
  readonly tally: Ref<typeof BOARD_TALLIES>;
  readonly post: Ref<typeof POSTS>;
  readonly erasures: Ref<typeof SETTINGS>;
  readonly person?: Ref<typeof PEOPLE>;
};

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
  { board, isDryRun, now, counts }: PostImportOptions,
): Importer {
  const { boardId, instanceId: boardInstanceId } = board;
  let hash: ReturnType<typeof openAddressHash> | undefined;
  // Number of votes without a line so far, by post that lacks them.
  const without = new Map<string, number>();
  // Posts of an unfinished import that lack votes.
  const resumed = new Set<string>();
  // Posts that a dry run would have created.
  const added = new Set<string>();
  const late: PostFileRow[] = [];
  let areMergesDone = false;
  const merges = createMergeCheck(storage, {
    boardInstanceId,
    isDryRun,
    isAdded: (postId) => added.has(postId),
    now,
  });

  async function addPost(file: FilePost, erased: Erased): Promise<RowOutcome | "retry"> {
    const { postId } = file;
    const found = await storage.get(POSTS, postId);
    if (found !== undefined) {
      if (await findPost(storage, { postId }) !== undefined) {
        if (found.boardId !== boardId) return OTHER_BOARD;
        if (found.lacksFormerVotes) resumed.add(postId);
        return "unchanged";
      }
      // The post belongs to a deleted board whose removal has not finished.
      if (!isDryRun) await removePost(storage, found);
    }
    const isErased = isGone(file.authorEmail, erased);
    // Nobody else is known to have asked for the erased person's idea.
    if (isErased && !file.hasOthers) return "keptUnsubscribed";
    if (isDryRun) {
      if (added.has(postId)) return "unchanged";
      added.add(postId);
      return "added";
    }
    const at = now();
    const post = newPost(isErased ? { ...file, authorEmail: null } : file, {
      board,
      instanceId: generateId(),
      at,
    });
    const mailbox = post.authorMailbox;
    const refs: PostRefs = {
      board: { kind: BOARDS, key: boardId },
      tally: { kind: BOARD_TALLIES, key: boardInstanceId },
      post: { kind: POSTS, key: postId },
      erasures: ERASURE_COUNT,
      ...mailbox !== null && { person: { kind: PEOPLE, key: mailbox } },
    };
    return await storage.transact<PostRefs, RowOutcome | "retry">(refs, (current) => {
      if (current.board?.instanceId !== boardInstanceId) return { answer: GONE };
      if (current.post !== undefined) return { answer: "retry" };
      if (erasureCountOf(current.erasures) !== erased.count) return { answer: "retry" };
      const tally = current.tally ?? emptyTally(boardInstanceId);
      const isOpen = post.mergedInto === null && !isClosing(post.status);
      if (isOpen && tally.open >= MAX_OPEN_POSTS) return { answer: FULL };
      const put = countChange(tally, [undefined, post], at);
      if (mailbox === null) return { answer: "added", put };
      const person = current.person ?? newPerson(mailbox);
      const isApproved = person.isApproved || post.state === "public";
      const heldIdeas = person.heldIdeas + Number(post.state === "held");
      return {
        answer: "added",
        put: { ...put, person: { ...addOne(person), isApproved, heldIdeas } },
      };
    });
  }

  async function addVote(
    file: FileVote,
    line: number,
    erased: Erased,
  ): Promise<RowOutcome | "retry"> {
    if (isGone(file.userEmail, erased)) return "keptUnsubscribed";
    const found = await findPost(storage, { postId: file.postId, boardId });
    if (found === undefined) return isDryRun && added.has(file.postId) ? "votesAdded" : NO_POST;
    const target = await followMerges(storage, found.post);
    // Our own export has a line for the merged post's vote, and one for its copy at the target.
    const seen = found.post.mergedInto === file.mergedInto ? found.post : target;
    if (seen === undefined) return areMergesDone ? NO_POST : "late";
    const mailbox = mailboxOf(file.userEmail);
    const voteId = voteIdOf(mailbox, seen);
    if (await storage.get(VOTES, voteId) !== undefined) return "unchanged";
    // The vote was withdrawn here, or counts without its address.
    for (const post of new Set([seen, target ?? seen])) {
      const formerId = await (await (hash ??= openAddressHash(storage)))(voteIdOf(mailbox, post));
      if (await storage.get(FORMER_VOTES, formerId) !== undefined) return "keptUnsubscribed";
    }
    if (isDryRun) return "votesAdded";
    const refs = {
      post: { kind: POSTS, key: seen.postId },
      vote: { kind: VOTES, key: voteId },
      person: { kind: PEOPLE, key: mailbox },
      erasures: ERASURE_COUNT,
    };
    const at = now();
    return await storage.transact<typeof refs, RowOutcome | "retry">(refs, (current) => {
      const { post } = current;
      if (post?.instanceId !== seen.instanceId || post.mergedInto !== seen.mergedInto) {
        return { answer: "retry" };
      }
      if (erasureCountOf(current.erasures) !== erased.count) return { answer: "retry" };
      if (current.vote !== undefined) return { answer: "unchanged" };
      const person = current.person ?? newPerson(mailbox);
      const { asideDomains } = withAside(post, file);
      const isSilent = person.optOuts > 0 || erased.closed.has(file.userEmail);
      const { optOuts } = person;
      const vote = newVote(file, { post, voteId, line, at, optOuts, isSilent, asideDomains });
      const counted = countVote({ ...post, asideDomains }, vote);
      const importedVotes = post.importedVotes - Number(file.isInNumber && post.importedVotes > 0);
      return {
        answer: "votesAdded",
        put: { post: placed({ ...counted, importedVotes }), vote, person: addOne(person) },
      };
    });
  }

  async function addRow(
    { post, vote, line, row }: PostFileRow,
    erased: Erased,
  ): Promise<RowOutcome | "retry"> {
    const outcome = post === undefined ? undefined : await addPost(post, erased);
    if (post !== undefined && (outcome === "added" || outcome === "unchanged")) {
      merges.add(post, { line, isNew: outcome === "added" });
    }
    if (outcome === "retry" || vote === undefined) return outcome ?? "unchanged";
    if (outcome !== undefined && outcome !== "added" && outcome !== "unchanged") return outcome;
    const voted = await addVote(vote, line, erased);
    if (voted === "late") late.push({ line, row, vote });
    if (outcome === undefined || voted === "retry") return voted;
    // A row counts once; the outcome of its vote counts separately if the post is new.
    if (outcome === "unchanged") return voted;
    if (voted === "votesAdded") counts.votesAdded++;
    return outcome;
  }

  async function importOnce(
    rows: readonly PostFileRow[],
  ): Promise<readonly (RowOutcome | "retry")[]> {
    const emails = rows.flatMap(({ post, vote }) => [post?.authorEmail, vote?.userEmail])
      .filter((email) => typeof email === "string");
    const people = [...new Set(emails.flatMap((email) => [email, mailboxOf(email)]))];
    const erased = await findErased(storage, people);
    const withPosts = rows.filter(({ post }) => post !== undefined);
    const byRow = new Map<PostFileRow, RowOutcome | "retry">();
    const run = async (some: readonly PostFileRow[]) => {
      await Promise.all(some.map(async (row) => byRow.set(row, await addRow(row, erased))));
    };
    await run(withPosts);
    await run(rows.filter(({ post }) => post === undefined));
    return rows.map((row) => byRow.get(row)!);
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

function isGone(userEmail: string | null, { addresses }: Erased): boolean {
  return userEmail !== null &&
    (addresses.has(userEmail) || addresses.has(mailboxOf(userEmail)));
}
