import type { Storage } from "../../adapters/storage.ts";
import type { Board } from "../../model/board.ts";
import { BOARDS, ERASURES, POSTS, SETTINGS, VOTES } from "../../model/kinds.ts";
import { addToScore, NO_VOTES_SCORE } from "../../model/posts/hot_score.ts";
import { addVoteDay, NO_VOTE_DAYS } from "../../model/posts/vote_days.ts";
import { placed } from "../../model/posts/place.ts";
import { MAX_OPEN_POSTS, POST, type Post, type PostSource } from "../../model/posts/post.ts";
import { BOARD_TALLIES, PEOPLE, type Person } from "../../model/posts/records.ts";
import { createVotePlace, mailboxOf, VOTE, type Vote, voteIdOf } from "../../model/posts/vote.ts";
import { addMs } from "../../model/values/time.ts";
import { fillRecord, type GivenValues, type SentValues } from "../../model/resource.ts";
import { withAsks } from "../../model/posts/vote_origins.ts";
import { generateId } from "../../model/values/record_id.ts";
import { all } from "../change.ts";
import { meterOf } from "../shared.ts";
import { ERASURE_COUNT, erasureCountOf, openAddressHash } from "../privacy/erased.ts";
import { changeWithEvents } from "../webhooks/events.ts";
import { findPost, postEvent } from "./posts.ts";
import { removePost } from "./removal.ts";
import { countChange, emptyTally } from "./tally.ts";

/** Limit of held ideas of one mailbox. */
export const MAX_HELD_IDEAS = 3;
/** Limit of ideas that a mailbox may send by forms in a day. */
export const MAX_IDEAS_A_DAY = 10;

/** A new post: the values of its fields, of which absent ones get their defaults. */
export interface PostRequest extends GivenValues<SentValues<typeof POST.fields>> {
  readonly boardId: string;
  /** Absent: a new identifier is generated. */
  readonly postId?: string | undefined;
  readonly title: string;
  readonly body: string | null;
  /** The person whose idea it is; it gets their vote. Absent: the post is the team's own. */
  readonly author?: {
    /** The normal form of the address. */
    readonly userEmail: string;
    readonly userName: string | null;
    /** Whether they want to be told about the post. */
    readonly notify: boolean;
  } | undefined;
  /** A post from a `form` may be held, and needs a public board. */
  readonly source: PostSource;
  /** The API key that created the post; `null` if none was used. */
  readonly keyId: string | null;
  /** The name of the key that posts for the author; absent: they post it themselves. */
  readonly addedBy?: string | undefined;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /**
   * The value of {@linkcode ERASURE_COUNT} at which the author was not erased; absent: not checked.
   */
  readonly erasures?: string | undefined;
  /**
   * The last erasure of the author's mailbox that the proof of the address came after; `null`:
   * none. Absent: not checked.
   */
  readonly erasedAt?: string | null | undefined;
}

/**
 * The reason why a post was not created; `erased`: an erasure happened since the proof of the
 * address.
 */
export type CreationFault =
  | "board_not_found"
  | "post_exists"
  | "board_full"
  | "too_many_held"
  | "too_many_today"
  | "erased";

const GENERATED_LENGTH = 8;
const DAY_MS = 86_400_000;

/**
 * Creates a post and its author's vote in one step, and tells webhooks. A post from a form is held
 * if its board's moderation requires that. Any other is public at once.
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
    if (outcome === "too_many_today") meterOf(storage).count("boardcast_sign_ups_total", "dropped");
    if (outcome !== "post_exists") return outcome;
    if (request.postId === undefined) continue;
    if (await findPost(storage, { postId }) !== undefined) return outcome;
    // The post belongs to a deleted board whose removal has not finished.
    const left = await storage.get(POSTS, postId);
    if (left !== undefined) await removePost(storage, left);
  }
}

/**
 * Creates the idea that a known person sends by a form. The same words sent again, or twice at
 * once, are one idea.
 */
export async function createIdea(
  storage: Storage,
  { postId: _, ...request }: PostRequest & { readonly author: NonNullable<PostRequest["author"]> },
): Promise<Post | CreationFault> {
  const { boardId, title, body } = request;
  const mailbox = mailboxOf(request.author.userEmail);
  const hash = await openAddressHash(storage);
  const postId = hash(JSON.stringify([mailbox, boardId, title, body]))
    .toLowerCase().replace(/[^a-z0-9]/g, "").slice(0, GENERATED_LENGTH);
  const created = await createPost(storage, { ...request, postId });
  if (created !== "post_exists") return created;
  const known = (await findPost(storage, { postId, boardId }))?.post;
  return known?.authorMailbox === mailbox ? known : await createPost(storage, request);
}

async function insertPost(
  storage: Storage,
  request: PostRequest & { readonly postId: string },
  seen: Board,
): Promise<Post | CreationFault> {
  const { boardId, postId, author, source, at, erasures, erasedAt } = request;
  const instanceId = generateId();
  const votePlace = createVotePlace({ instanceId });
  const mailbox = author === undefined ? null : mailboxOf(author.userEmail);
  const erasureId = mailbox === null || erasedAt === undefined
    ? null
    : (await openAddressHash(storage))(mailbox);
  type Created = Post | CreationFault;
  return await changeWithEvents<Created>(storage, function* ({ read, put, create, tell }) {
    const [board, known, author, erasure, count] = yield* all(
      read(BOARDS, boardId),
      read(POSTS, postId),
      read(PEOPLE, mailbox),
      read(ERASURES, erasureId),
      read(SETTINGS, erasures === undefined ? null : ERASURE_COUNT.key),
      read(BOARD_TALLIES, seen.instanceId),
    );
    if (board === undefined) return "board_not_found";
    if (source === "form" && board.visibility !== "public") return "board_not_found";
    const { instanceId: boardInstanceId } = board;
    const tally = (yield* read(BOARD_TALLIES, boardInstanceId)) ?? emptyTally(boardInstanceId);
    if (known !== undefined) return "post_exists";
    if (tally.open >= MAX_OPEN_POSTS) return "board_full";
    const isErased = (erasures !== undefined && erasureCountOf(count) !== erasures) ||
      (erasureId !== null && (erasure?.erasedAt ?? null) !== erasedAt);
    if (isErased) return "erased";
    const person = mailbox === null ? undefined : author ?? newPerson(mailbox);
    const isHeld = source === "form" && needsApproval(board, person);
    if (isHeld && person !== undefined && person.heldIdeas >= MAX_HELD_IDEAS) {
      return "too_many_held";
    }
    if (source === "form" && person !== undefined && formIdeasOf(person, at) >= MAX_IDEAS_A_DAY) {
      return "too_many_today";
    }
    const created = newPost(request, { instanceId, boardInstanceId, isHeld });
    const counted = countChange(tally, [undefined, created], at);
    put(BOARD_TALLIES, counted.tally);
    put(POSTS, counted.post);
    // The words of an idea that waits go nowhere.
    tell(
      isHeld
        ? { type: "post.held", at, data: { postId, boardId } }
        : postEvent("post.created", { post: counted.post, at }),
    );
    if (request.author !== undefined && person !== undefined) {
      const isApproved = person.isApproved || source === "api";
      const heldIdeas = person.heldIdeas + Number(isHeld);
      put(PEOPLE, { ...addOne(countIdea(person, source, at)), isApproved, heldIdeas });
      create(
        VOTES,
        firstVote(request, request.author, { post: created, person, place: votePlace }),
      );
    }
    return counted.post;
  }, { types: ["post.created", "post.held"], at });
}

function newPost(
  { author, at, erasures: _, erasedAt: __, ...values }: PostRequest,
  { isHeld, ...instances }: Pick<Post, "instanceId" | "boardInstanceId"> & {
    readonly isHeld: boolean;
  },
): Post {
  const isByPerson = author !== undefined;
  return placed(fillRecord<Post>(POST, {
    ...values,
    votes: Number(isByPerson),
    state: isHeld ? "held" : "public",
    history: [{ at, status: "open" }],
    createdAt: at,
    updatedAt: at,
    ...instances,
    authorEmail: author?.userEmail,
    authorMailbox: author && mailboxOf(author.userEmail),
    hotScore: isByPerson ? addToScore(NO_VOTES_SCORE, at) : NO_VOTES_SCORE,
    voteDays: isByPerson ? addVoteDay(NO_VOTE_DAYS, at) : NO_VOTE_DAYS,
  }));
}

/** Creates the vote of the author of a new post. */
function firstVote(
  { keyId, addedBy, at, ...request }: PostRequest,
  author: NonNullable<PostRequest["author"]>,
  { post, person, place }: {
    readonly post: Post;
    readonly person: Person;
    readonly place: string;
  },
): Vote {
  // A form on a page that an app has opened needs no proof by mail: the key vouches for the
  // address.
  const source = keyId === null ? request.source : "api";
  const { optOuts } = person;
  const vote = fillRecord<Vote>(VOTE, {
    voteId: voteIdOf(person.mailbox, post),
    postId: post.postId,
    postInstanceId: post.instanceId,
    ...author,
    source,
    keyId,
    addedBy,
    at,
    optOuts,
    place,
  });
  return withAsks(vote, author.notify ? [{ from: null, at, source, optOuts }] : []);
}

function needsApproval({ moderation }: Board, person: Person | undefined): boolean {
  return moderation === "all" || (moderation === "first" && person?.isApproved !== true);
}

/** Creates the record of a mailbox that votes for the first time. */
export function newPerson(mailbox: string): Person {
  return {
    mailbox,
    optOuts: 0,
    isApproved: false,
    heldIdeas: 0,
    told: [],
    formIdeas: 0,
    formIdeasSince: null,
    // A record that goes and comes back between two reads must not look the same.
    additions: Math.floor(Math.random() * 2 ** 30),
    isLeaving: false,
  };
}

/** Returns a person with one more vote or idea. */
export function addOne(person: Person): Person {
  return { ...person, additions: person.additions + 1, isLeaving: false };
}

/** Returns the number of a person's ideas by forms in the day that lasts at a time. */
function formIdeasOf({ formIdeas, formIdeasSince }: Person, at: string): number {
  // The clock may have been set back since the day began.
  const isOn = formIdeasSince !== null && at < addMs(formIdeasSince, DAY_MS) &&
    formIdeasSince < addMs(at, DAY_MS);
  return isOn ? formIdeas : 0;
}

function countIdea(person: Person, source: PostSource, at: string): Person {
  if (source !== "form") return person;
  const before = formIdeasOf(person, at);
  const formIdeasSince = before === 0 ? at : person.formIdeasSince;
  return { ...person, formIdeas: before + 1, formIdeasSince };
}
