import type { Storage } from "../../../adapters/storage.ts";
import { BOARDS, POSTS } from "../../../model/kinds.ts";
import type { FilePost } from "../../../model/posts/files/file_row.ts";
import { isClosing, MAX_OPEN_POSTS, type Post } from "../../../model/posts/post.ts";
import { BOARD_TALLIES, PEOPLE } from "../../../model/posts/records.ts";
import { generateId } from "../../../model/values/record_id.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import { type Erased, ERASURE_COUNT, erasureCountOf } from "../../privacy/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost } from "../posts.ts";
import { removePost } from "../removal.ts";
import { countChange, emptyTally, isHeld } from "../tally.ts";
import { batchesOf, shareOfPost } from "./batches.ts";
import { newPost } from "./imported_records.ts";
import {
  type Attempt,
  FULL,
  GONE,
  isGone,
  OTHER_BOARD,
  type PostImportOptions,
  type RowOutcome,
} from "./row_outcomes.ts";

/** The posts of one import. */
export interface ImportedPosts {
  /** Posts that a dry run would have created. */
  readonly added: Set<string>;
  /** Posts of an unfinished import that lack votes. */
  readonly resumed: Set<string>;
}

/** Creates a function that adds posts of a file to a board, many in each step. */
export function createPostAdder(
  storage: Storage,
  { board, isDryRun, now }: Pick<PostImportOptions, "board" | "isDryRun" | "now">,
  { added, resumed }: ImportedPosts,
): (files: readonly FilePost[], erased: Erased) => Promise<readonly Attempt[]> {
  const { boardId, instanceId: boardInstanceId } = board;

  /** Returns the record of a post, or its outcome if there is nothing to store. */
  async function prepare(file: FilePost, erased: Erased): Promise<Post | { is: RowOutcome }> {
    const { postId } = file;
    const found = await storage.get(POSTS, postId);
    if (found !== undefined) {
      if (await findPost(storage, { postId }) !== undefined) {
        if (found.boardId !== boardId) return { is: OTHER_BOARD };
        if (found.lacksFormerVotes) resumed.add(postId);
        return { is: "unchanged" };
      }
      // The post belongs to a deleted board whose removal has not finished.
      if (!isDryRun) await removePost(storage, found);
    }
    const isErased = isGone(file.authorEmail, erased);
    // Nobody else is known to have asked for the erased person's idea.
    if (isErased && !file.hasOthers) return { is: "keptUnsubscribed" };
    if (isDryRun) {
      if (added.has(postId)) return { is: "unchanged" };
      added.add(postId);
      return { is: "added" };
    }
    return newPost(isErased ? { ...file, authorEmail: null } : file, {
      board,
      instanceId: generateId(),
      at: now(),
    });
  }

  function* addOneOf(tools: ChangeTools, post: Post, at: string): Reading<Attempt> {
    if ((yield* tools.read(POSTS, post.postId)) !== undefined) return "retry";
    const tally = (yield* tools.read(BOARD_TALLIES, boardInstanceId)) ??
      emptyTally(boardInstanceId);
    const isOpen = post.mergedInto === null && !isClosing(post.status);
    if (isOpen && tally.open >= MAX_OPEN_POSTS) return FULL;
    const counted = countChange(tally, [undefined, post], at);
    tools.put(BOARD_TALLIES, counted.tally);
    tools.put(POSTS, counted.post);
    const { authorMailbox } = post;
    if (authorMailbox === null) return "added";
    const person = (yield* tools.read(PEOPLE, authorMailbox)) ?? newPerson(authorMailbox);
    const isApproved = person.isApproved || post.state === "public";
    const heldIdeas = person.heldIdeas + Number(isHeld(post));
    tools.put(PEOPLE, { ...addOne(person), isApproved, heldIdeas });
    return "added";
  }

  function addBatch(posts: readonly Post[], erased: Erased): Promise<readonly Attempt[]> {
    const at = now();
    return change<readonly Attempt[]>(storage, function* (tools) {
      const { read } = tools;
      const [current, erasures] = yield* all(
        read(BOARDS, boardId),
        read(ERASURE_COUNT.kind, ERASURE_COUNT.key),
        read(BOARD_TALLIES, boardInstanceId),
        ...posts.map(({ postId }) => read(POSTS, postId)),
        ...posts.map(({ authorMailbox }) => read(PEOPLE, authorMailbox)),
      );
      if (current?.instanceId !== boardInstanceId) return posts.map(() => GONE);
      if (erasureCountOf(erasures) !== erased.count) return posts.map(() => "retry");
      const attempts: Attempt[] = [];
      for (const post of posts) attempts.push(yield* addOneOf(tools, post, at));
      return attempts;
    });
  }

  return async function add(files, erased) {
    const prepared = await Promise.all(files.map((file) => prepare(file, erased)));
    const attempts = new Map<Post, Attempt>();
    // A post that the file has again is looked up again.
    const posts = new Map<string, Post>();
    for (const post of prepared) {
      if (!("is" in post) && !posts.has(post.postId)) posts.set(post.postId, post);
    }
    // All count in one record of the board, so that steps at the same time would delay each other.
    for (const batch of batchesOf([...posts.values()], shareOfPost)) {
      const outcomes = await addBatch(batch, erased);
      for (const [at, post] of batch.entries()) attempts.set(post, outcomes[at]);
    }
    return prepared.map((post) => "is" in post ? post.is : attempts.get(post) ?? "retry");
  };
}
