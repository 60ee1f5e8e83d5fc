import type { Storage } from "../../../adapters/storage.ts";
import { BOARDS, POSTS } from "../../../model/kinds.ts";
import type { FilePost } from "../../../model/posts/files/file_row.ts";
import { placed } from "../../../model/posts/place.ts";
import { isClosing, MAX_OPEN_POSTS, type Post } from "../../../model/posts/post.ts";
import { BOARD_TALLIES, FORMER_VOTES, PEOPLE } from "../../../model/posts/records.ts";
import { generateId } from "../../../model/values/record_id.ts";
import { all, change, type ChangeTools, type Reading } from "../../change.ts";
import { type Erased, ERASURE_COUNT, erasureCountOf } from "../../privacy/erased.ts";
import { addOne, newPerson } from "../create.ts";
import { findPost } from "../posts.ts";
import { removePost } from "../removal.ts";
import { countChange, emptyTally, isHeld, putPost } from "../tally.ts";
import { batchesOf, shareOfPost } from "./batches.ts";
import { fillPost, lacksVotes } from "./filling.ts";
import { newPost } from "./imported_records.ts";
import {
  FULL,
  GONE,
  isGone,
  OTHER_BOARD,
  type PostImportOptions,
  type RowOutcome,
  type RowStep,
} from "./row_outcomes.ts";

export interface ImportedPosts {
  /** Posts that a dry run would have created. */
  readonly added: Set<string>;
  /** Posts that a dry run would have filled. */
  readonly filled: Set<string>;
  /** Posts of an unfinished import that lack votes. */
  readonly resumed: Set<string>;
}

/** A post to store. */
interface PreparedPost {
  /** The new post, or a known one with what it lacks. */
  readonly post: Post;
  /** The values that fill a known post; absent if the post is new. */
  readonly filling?: FilePost;
}

/**
 * Creates a function that adds posts of a file to a board, or fills those that it has, many in each
 * step.
 */
export function createPostAdder(
  storage: Storage,
  { board, isDryRun, now }: Pick<PostImportOptions, "board" | "isDryRun" | "now">,
  { added, filled, resumed }: ImportedPosts,
): (files: readonly FilePost[], erased: Erased) => Promise<readonly RowStep[]> {
  const { boardId, instanceId: boardInstanceId } = board;

  /** Returns a post to store, or its outcome if there is nothing to store. */
  async function prepare(
    file: FilePost,
    erased: Erased,
  ): Promise<PreparedPost | { is: RowOutcome }> {
    const { postId } = file;
    const isErased = isGone(file.authorEmail, erased);
    const known = isErased ? { ...file, authorEmail: null } : file;
    const found = await storage.get(POSTS, postId);
    if (found !== undefined) {
      if (await findPost(storage, { postId }) !== undefined) {
        if (found.boardId !== boardId) return { is: OTHER_BOARD };
        if (found.lacksFormerVotes) resumed.add(postId);
        return await prepareFilling(found, known);
      }
      // The post belongs to a deleted board whose removal has not finished.
      if (!isDryRun) await removePost(storage, found);
    }
    // Nobody else is known to have asked for the erased person's idea.
    if (isErased && !file.hasOthers) return { is: "keptUnsubscribed" };
    if (isDryRun) {
      if (added.has(postId)) return { is: "unchanged" };
      added.add(postId);
      return { is: "added" };
    }
    return { post: newPost(known, { board, instanceId: generateId(), at: now() }) };
  }

  async function prepareFilling(
    found: Post,
    file: FilePost,
  ): Promise<PreparedPost | { is: RowOutcome }> {
    const query = { index: "byPost", within: found.instanceId, limit: 1 };
    // A vote that was withdrawn here does not come back as a number.
    const isUsed = lacksVotes(found) && file.importedVotes > 0 &&
      (await storage.list(FORMER_VOTES, query)).length > 0;
    const filling = isUsed ? { ...file, importedVotes: 0 } : file;
    const post = fillPost(found, filling, now());
    if (post === undefined || filled.has(found.postId)) return { is: "unchanged" };
    if (!isDryRun) return { post, filling };
    filled.add(found.postId);
    return { is: "changed" };
  }

  function* fillOne(
    tools: ChangeTools,
    { post: { postId, instanceId }, filling }: Required<PreparedPost>,
    at: string,
  ): Reading<RowStep> {
    const before = yield* tools.read(POSTS, postId);
    if (before?.instanceId !== instanceId) return "retry";
    const after = fillPost(before, filling, at);
    if (after === undefined) return "unchanged";
    yield* putPost(tools, [before, placed(after)], at);
    if (after.authorMailbox !== before.authorMailbox) yield* addAuthor(tools, after);
    return "changed";
  }

  function* addAuthor({ read, put }: ChangeTools, post: Post): Reading<void> {
    const { authorMailbox, state } = post;
    if (authorMailbox === null) return;
    const person = (yield* read(PEOPLE, authorMailbox)) ?? newPerson(authorMailbox);
    const isApproved = person.isApproved || state === "public";
    const heldIdeas = person.heldIdeas + Number(isHeld(post));
    put(PEOPLE, { ...addOne(person), isApproved, heldIdeas });
  }

  function* addOneOf(
    tools: ChangeTools,
    { post, filling }: PreparedPost,
    at: string,
  ): Reading<RowStep> {
    if (filling !== undefined) return yield* fillOne(tools, { post, filling }, at);
    if ((yield* tools.read(POSTS, post.postId)) !== undefined) return "retry";
    const tally = (yield* tools.read(BOARD_TALLIES, boardInstanceId)) ??
      emptyTally(boardInstanceId);
    const isOpen = post.mergedInto === null && !isClosing(post.status);
    if (isOpen && tally.open >= MAX_OPEN_POSTS) return FULL;
    const counted = countChange(tally, [undefined, post], at);
    tools.put(BOARD_TALLIES, counted.tally);
    tools.put(POSTS, counted.post);
    yield* addAuthor(tools, post);
    return "added";
  }

  function addBatch(posts: readonly PreparedPost[], erased: Erased): Promise<readonly RowStep[]> {
    const at = now();
    return change<readonly RowStep[]>(storage, function* (tools) {
      const { read } = tools;
      const [current, erasures] = yield* all(
        read(BOARDS, boardId),
        read(ERASURE_COUNT.kind, ERASURE_COUNT.key),
        read(BOARD_TALLIES, boardInstanceId),
        ...posts.map(({ post: { postId } }) => read(POSTS, postId)),
        ...posts.map(({ post: { authorMailbox } }) => read(PEOPLE, authorMailbox)),
      );
      if (current?.instanceId !== boardInstanceId) return posts.map(() => GONE);
      if (erasureCountOf(erasures) !== erased.count) return posts.map(() => "retry");
      const attempts: RowStep[] = [];
      for (const post of posts) attempts.push(yield* addOneOf(tools, post, at));
      return attempts;
    });
  }

  return async function add(files, erased) {
    const prepared = await Promise.all(files.map((file) => prepare(file, erased)));
    const attempts = new Map<PreparedPost, RowStep>();
    // A post that the file has again is looked up again.
    const posts = new Map<string, PreparedPost>();
    for (const one of prepared) {
      if (!("is" in one) && !posts.has(one.post.postId)) posts.set(one.post.postId, one);
    }
    // All count in one record of the board, so that steps at the same time would delay each other.
    for (const batch of batchesOf([...posts.values()], ({ post }) => shareOfPost(post))) {
      const outcomes = await addBatch(batch, erased);
      for (const [at, one] of batch.entries()) attempts.set(one, outcomes[at]);
    }
    return prepared.map((one) => "is" in one ? one.is : attempts.get(one) ?? "retry");
  };
}
