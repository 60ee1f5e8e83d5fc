import type { Ref, Storage } from "../../adapters/storage.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { BOARD_TALLIES, ENTRIES, PEOPLE, POST_REMOVALS, POSTS } from "../../model/kinds.ts";
import { placed } from "../../model/posts/place.ts";
import { MAX_STATUS_CHANGES, type Post, type ShownPost } from "../../model/posts/post.ts";
import type { Person, PostRemoval } from "../../model/posts/records.ts";
import { applyChange } from "../../model/resource.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import type { ChangeFault, IsExpected } from "../conditional.ts";
import { type EventfulDecision, transactWithEvents } from "../webhooks/events.ts";
import { unmergeAll } from "./merge.ts";
import { findPost, isShippedByEntry, showPost, showPostWith } from "./posts.ts";
import { finishRemoval } from "./removal.ts";
import { emptyTally, tallyAfter } from "./tally.ts";

/** A change of a post by the team; absent fields stay as they are. */
export type PostChange = Partial<Pick<Post, "title" | "body" | "status" | "answer" | "state">>;

/** The post to change, the time, and the condition. */
export interface PostCondition {
  readonly boardId: string;
  readonly postId: string;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<ShownPost>;
}

/**
 * The reason why a post was not changed: declining requires an answer; a post is `shipped` while
 * its entry is public; an approved post can't be held again.
 */
export type PostFault = ChangeFault | "needs_answer" | "shipped_by_entry" | "not_held";

const POST_EVENTS = ["post.created", "post.updated", "post.deleted"] as const;

/** Webhooks are told about changes of these fields. */
const TOLD = ["title", "body", "status", "answer"] as const;

type ChangeRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly tally: Ref<typeof BOARD_TALLIES>;
  readonly [entry: `entry ${string}`]: Ref<typeof ENTRIES>;
  readonly [person: `person ${string}`]: Ref<typeof PEOPLE>;
  readonly [removal: `removal ${string}`]: Ref<typeof POST_REMOVALS>;
};

/** Changes a post if it is as expected; returns the changed post as the API shows it. */
export function updatePost(
  storage: Storage,
  { change, ...condition }: PostCondition & { readonly change: PostChange },
): Promise<ShownPost | PostFault> {
  type Answer = ShownPost | PostFault;
  return changePost<Answer>(storage, { ...condition, removes: false }, (post, entry) => {
    const next = applyPostChange(post, change, { entry, at: condition.at });
    if (typeof next === "string") return { answer: next, next: post };
    return { answer: showPostWith(next, entry, condition.at), next };
  });
}

/**
 * Removes a post with its votes and reports, if it is as expected. First undoes all merges into it.
 */
export async function deletePost(
  storage: Storage,
  condition: PostCondition,
): Promise<ChangeFault | undefined> {
  type Answer = PostRemoval | ChangeFault;
  const { at, isExpected } = condition;
  const seen = (await findPost(storage, condition))?.post;
  if (seen === undefined) return "not_found";
  if (!isExpected(await showPost(storage, seen, at))) return "precondition_failed";
  // Undoing merges changes the number of votes, and with it the version that the caller named.
  const hadMerged = await unmergeAll(storage, { post: seen, at });
  const removal = {
    ...condition,
    isExpected: hadMerged ? () => true : isExpected,
    removes: true,
  };
  const removed = await changePost<Answer>(storage, removal, (post) => {
    const answer = { instanceId: post.instanceId, what: "post" } as const;
    return { answer, next: undefined };
  });
  if (typeof removed === "string") return removed;
  // The removal finishes before the response; after a crash, the worker finishes it.
  await finishRemoval(storage, removed);
  return undefined;
}

/** Changes or removes a post, together with all records that depend on its state. */
async function changePost<A>(
  storage: Storage,
  { boardId, postId, at, isExpected, removes }: PostCondition & { readonly removes: boolean },
  decide: (post: Post, entry: Entry | undefined) => {
    readonly answer: A;
    readonly next: Post | undefined;
  },
): Promise<A | ChangeFault> {
  for (;;) {
    const seen = (await findPost(storage, { boardId, postId }))?.post;
    if (seen === undefined) return "not_found";
    type Outcome = { readonly answer: A | ChangeFault } | undefined;
    const outcome = await transactWithEvents<ChangeRefs, Outcome>(
      storage,
      refsTo(seen, removes),
      (found) => {
        const { post, tally = emptyTally(seen.boardInstanceId) } = found;
        const entry = found["entry of"];
        const isSame = post?.instanceId === seen.instanceId && post.entryId === seen.entryId &&
          post.authorMailbox === seen.authorMailbox;
        if (!isSame) return { answer: undefined };
        if (!isExpected(showPostWith(post, entry, at))) {
          return { answer: { answer: "precondition_failed" } };
        }
        const { answer, next } = decide(post, entry);
        if (next === post) return { answer: { answer } };
        const decision: EventfulDecision<ChangeRefs, Outcome> = {
          answer: { answer },
          put: {
            tally: tallyAfter(tally, [post, next], at),
            "person of": personAfter(found["person of"], post, next),
          },
          events: eventsOf([post, next], entry, at),
        };
        if (next !== undefined) return { ...decision, put: { ...decision.put, post: next } };
        const removal = { instanceId: post.instanceId, what: "post" } as const;
        return { ...decision, put: { ...decision.put, "removal of": removal }, remove: ["post"] };
      },
      { types: POST_EVENTS, at },
    );
    if (outcome !== undefined) return outcome.answer;
  }
}

function refsTo(seen: Post, removes: boolean): ChangeRefs {
  const { postId, instanceId, boardInstanceId, entryId, authorMailbox } = seen;
  return {
    post: { kind: POSTS, key: postId },
    tally: { kind: BOARD_TALLIES, key: boardInstanceId },
    ...removes && { "removal of": { kind: POST_REMOVALS, key: instanceId } },
    ...entryId !== null && { "entry of": { kind: ENTRIES, key: entryId } },
    ...authorMailbox !== null && { "person of": { kind: PEOPLE, key: authorMailbox } },
  };
}

function applyPostChange(
  post: Post,
  change: PostChange,
  { entry, at }: { readonly entry: Entry | undefined; readonly at: string },
): Post | PostFault {
  const { status = post.status, answer = post.answer } = change;
  if (change.status !== undefined && isShippedByEntry(post, entry, at)) return "shipped_by_entry";
  const isDecided = change.status !== undefined || change.answer !== undefined;
  if (status === "declined" && answer === null && isDecided) return "needs_answer";
  if (change.state === "held" && post.state !== "held") return "not_held";
  const isDeclined = post.state === "held" && change.status === "declined";
  const { state = isDeclined ? "hidden" : post.state } = change;
  const isWorded = [change.title, change.body, change.answer].some((text) => text !== undefined);
  const worded = applyChange<Post>(post, {
    // An editor who changes the words has read them, so the mark goes.
    namesErased: isWorded ? false : undefined,
    title: change.title,
    body: change.body,
    status: change.status,
    answer: change.answer,
    answeredAt: answer === post.answer ? post.answeredAt : answer === null ? null : at,
    history: status === post.status
      ? post.history
      : [...post.history, { at, status }].slice(-MAX_STATUS_CHANGES),
  }, at);
  if (worded === post && state === post.state) return post;
  return placed({ ...worded, state });
}

/** Returns the author after a change of a post that was held, or that the change approves. */
function personAfter(
  person: Person | undefined,
  before: Post,
  after: Post | undefined,
): Person | undefined {
  const isReleased = before.state === "held" && after?.state !== "held";
  const isShown = before.state !== "public" && after?.state === "public";
  if (person === undefined || (!isReleased && !isShown)) return person;
  return {
    ...person,
    isApproved: person.isApproved || isShown,
    heldIdeas: Math.max(0, person.heldIdeas - Number(isReleased)),
  };
}

function eventsOf(
  [before, after]: readonly [before: Post, after: Post | undefined],
  entry: Entry | undefined,
  at: string,
): readonly WebhookEvent[] {
  const wasPublic = before.state === "public";
  const isPublic = after?.state === "public";
  const event = (type: EventType, post: Post): readonly WebhookEvent[] => [
    { type, at, data: showPostWith(post, entry, at) },
  ];
  if (after !== undefined && isPublic) {
    if (!wasPublic) return event("post.created", after);
    return TOLD.every((field) => after[field] === before[field])
      ? []
      : event("post.updated", after);
  }
  return wasPublic ? event("post.deleted", after ?? before) : [];
}
