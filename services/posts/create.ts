import type { Ref, Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARD_TALLIES, BOARDS, PEOPLE, POSTS, type SETTINGS, VOTES } from "../../model/kinds.ts";
import { addToScore, NO_VOTES_SCORE } from "../../model/posts/hot_score.ts";
import { placed } from "../../model/posts/place.ts";
import { POST, type Post, type PostSource } from "../../model/posts/post.ts";
import type { BoardTally, Person } from "../../model/posts/records.ts";
import { createVotePlace, mailboxOf, VOTE, type Vote, voteIdOf } from "../../model/posts/vote.ts";
import { fillRecord } from "../../model/resource.ts";
import { generateId } from "../../model/values/record_id.ts";
import { EPOCH } from "../../model/values/time.ts";
import { ERASURE_COUNT } from "../subscriptions/erased.ts";
import { findPost } from "./posts.ts";
import { finishRemoval, removePost } from "./removal.ts";

/** How many posts of a board may be open at once. */
export const MAX_OPEN_POSTS = 10_000;
/** How many ideas of one mailbox may be held at once. */
export const MAX_HELD_IDEAS = 3;

/** A new post. */
export interface PostRequest {
  readonly boardId: string;
  /** Absent: it is generated. */
  readonly postId?: string | undefined;
  readonly title: string;
  readonly body: string | null;
  /** Whose idea it is, who has the first vote for it; absent: the team's own. */
  readonly author?: {
    /** The normal form of the address. */
    readonly userEmail: string;
    readonly userName: string | null;
    /** Whether they asked to be told what becomes of it. */
    readonly notify: boolean;
  } | undefined;
  /** A post of a `form` may be held; it stands on public boards only. */
  readonly source: PostSource;
  /** The API key by which it came; `null` where none was used. */
  readonly keyId: string | null;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The value of {@linkcode ERASURE_COUNT} at which the author was not erased; absent: nobody asks. */
  readonly erasures?: string | undefined;
}

/** Why a post was not created; `erased`: somebody was erased since `erasures` was read. */
export type CreationFault =
  | "board_not_found"
  | "post_exists"
  | "board_full"
  | "too_many_held"
  | "erased";

const GENERATED_LENGTH = 8;

/**
 * Creates a post with its author's vote, in one step. One of a form is held where the moderation of its
 * board says so; all others are public at once.
 */
export async function createPost(
  storage: Storage,
  request: PostRequest,
): Promise<Post | CreationFault> {
  for (;;) {
    const board = await storage.get(BOARDS, request.boardId);
    if (board === undefined) return "board_not_found";
    const postId = request.postId ?? generateId(GENERATED_LENGTH);
    const outcome = await insertPost(storage, { ...request, postId }, board);
    if (outcome === "retry") continue;
    if (outcome !== "post_exists") return outcome;
    if (request.postId === undefined) continue;
    if (await findPost(storage, { postId }) !== undefined) return outcome;
    // It is left of a deleted board, whose removal is under way.
    const left = await storage.get(POSTS, postId);
    if (left !== undefined) await finishRemoval(storage, await removePost(storage, left));
  }
}

type CreationRefs = {
  readonly board: Ref<typeof BOARDS>;
  readonly tally: Ref<typeof BOARD_TALLIES>;
  readonly post: Ref<typeof POSTS>;
  readonly [vote: `vote ${string}`]: Ref<typeof VOTES>;
  readonly [person: `person ${string}`]: Ref<typeof PEOPLE>;
  readonly [count: `erasures ${string}`]: Ref<typeof SETTINGS>;
};

function insertPost(
  storage: Storage,
  request: PostRequest & { readonly postId: string },
  { boardId, instanceId: boardInstanceId }: Board,
): Promise<Post | CreationFault | "retry"> {
  const { postId, author, source, at, erasures } = request;
  const instanceId = generateId();
  const mailbox = author === undefined ? undefined : mailboxOf(author.userEmail);
  const voteId = mailbox === undefined ? "" : voteIdOf(mailbox, { instanceId });
  const votePlace = createVotePlace({ instanceId });
  const refs: CreationRefs = {
    board: { kind: BOARDS, key: boardId },
    tally: { kind: BOARD_TALLIES, key: boardInstanceId },
    post: { kind: POSTS, key: postId },
    ...mailbox !== undefined && {
      "vote of": { kind: VOTES, key: voteId },
      "person of": { kind: PEOPLE, key: mailbox },
    },
    ...erasures !== undefined && { "erasures of": ERASURE_COUNT },
  };
  return storage.transact<CreationRefs, Post | CreationFault | "retry">(
    refs,
    (found) => {
      const { board } = found;
      const tally = found.tally ?? emptyTally(boardInstanceId);
      if (board?.instanceId !== boardInstanceId) return { answer: "retry" };
      if (source === "form" && board.visibility !== "public") return { answer: "board_not_found" };
      if (found.post !== undefined) return { answer: "post_exists" };
      if (tally.open >= MAX_OPEN_POSTS) return { answer: "board_full" };
      if (erasures !== undefined && (found["erasures of"]?.value ?? "0") !== erasures) {
        return { answer: "erased" };
      }
      const person = mailbox === undefined ? undefined : found["person of"] ?? newPerson(mailbox);
      const isHeld = source === "form" && needsApproval(board, person);
      if (isHeld && person !== undefined && person.heldIdeas >= MAX_HELD_IDEAS) {
        return { answer: "too_many_held" };
      }
      const post = placed(fillRecord<Post>(POST, {
        postId,
        boardId,
        title: request.title,
        body: request.body,
        votes: author === undefined ? 0 : 1,
        state: isHeld ? "held" : "public",
        source,
        history: [{ at, status: "open" }],
        createdAt: at,
        updatedAt: at,
        instanceId,
        boardInstanceId,
        authorEmail: author?.userEmail,
        authorMailbox: mailbox,
        keyId: request.keyId,
        hotScore: author === undefined ? NO_VOTES_SCORE : addToScore(NO_VOTES_SCORE, at),
      }));
      const vote = author && fillRecord<Vote>(VOTE, {
        voteId,
        postId,
        postInstanceId: instanceId,
        ...author,
        notifyAt: author.notify ? at : null,
        notifySource: author.notify ? source : null,
        source,
        keyId: request.keyId,
        at,
        optOuts: person?.optOuts,
        place: votePlace,
      });
      return {
        answer: post,
        put: {
          post,
          tally: tallyAfter(tally, [undefined, post], at),
          ...vote !== undefined && { "vote of": vote },
          ...person !== undefined && {
            "person of": {
              ...person,
              isApproved: person.isApproved || source === "api",
              heldIdeas: person.heldIdeas + Number(isHeld),
            },
          },
        },
      };
    },
  );
}

function needsApproval({ moderation }: Board, person: Person | undefined): boolean {
  return moderation === "all" || (moderation === "first" && person?.isApproved !== true);
}

/** Creates the record of a mailbox that votes for the first time. */
export function newPerson(mailbox: string): Person {
  return { mailbox, optOuts: 0, isApproved: false, heldIdeas: 0 };
}

/** Creates the tally of a new board. */
export function emptyTally(instanceId: string): BoardTally {
  return { instanceId, open: 0, held: 0, version: 0, updatedAt: EPOCH };
}

/** Returns the tally of a board after one of its posts has changed, been created or removed. */
export function tallyAfter(
  tally: BoardTally,
  [before, after]: readonly [before: Post | undefined, after: Post | undefined],
  at: string,
): BoardTally {
  const isSeen = before?.state === "public" || after?.state === "public";
  return {
    ...tally,
    open: Math.max(0, tally.open - Number(isOpen(before)) + Number(isOpen(after))),
    held: Math.max(0, tally.held - Number(isHeld(before)) + Number(isHeld(after))),
    version: tally.version + Number(isSeen),
    updatedAt: isSeen && at > tally.updatedAt ? at : tally.updatedAt,
  };
}

function isHeld(post: Post | undefined): boolean {
  return post !== undefined && post.mergedInto === null && post.state === "held";
}

function isOpen(post: Post | undefined): boolean {
  return post !== undefined && post.mergedInto === null && post.entryId === null &&
    post.status !== "shipped" && post.status !== "declined";
}
