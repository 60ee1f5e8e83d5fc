import type { Entry } from "../../model/entries/entry.ts";
import { placed } from "../../model/posts/place.ts";
import { MAX_STATUS_CHANGES, POST, type Post } from "../../model/posts/post.ts";
import type { Person } from "../../model/posts/records.ts";
import { applyChange, sentNames, type SentValues } from "../../model/resource.ts";
import type { WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import type { ChangeFault } from "../conditional.ts";
import { isShippedByEntry, postEvent } from "./posts.ts";
import { isHeld } from "./tally.ts";

/** A change of a post by the team; absent fields stay as they are. */
export type PostChange = Omit<SentValues<typeof POST.fields>, "postId">;

/**
 * The reason why a post was not changed: declining requires an answer; a post is `shipped` while
 * its entry is public; only a public post that is neither merged nor shipped by an entry can be
 * held again; a post that is held, merged, or open without an answer has nothing to tell.
 */
export type PostFault =
  | ChangeFault
  | "needs_answer"
  | "shipped_by_entry"
  | "cant_hold"
  | "nothing_to_tell";

/** Tells whether webhooks are told about changes of a field: all that the team writes. */
const isReported = (field: string): boolean => field !== "state" && field !== "postId";

/** The words and author of an erased idea in the message that tells webhooks of its removal. */
const ERASED_WORDS = {
  title: "[erased]",
  body: null,
  authorEmail: null,
  authorMailbox: null,
} as const;

/** Returns a post after a change by the team, or why it can't be changed. */
export function applyPostChange(
  post: Post,
  change: PostChange,
  { entry, at }: { readonly entry: Entry | undefined; readonly at: string },
): Post | PostFault {
  const { status = post.status, answer = post.answer } = change;
  if (change.status !== undefined && isShippedByEntry(post, entry, at)) return "shipped_by_entry";
  const isDecided = change.status !== undefined || change.answer !== undefined;
  if (status === "declined" && answer === null && isDecided) return "needs_answer";
  if (change.state === "held" && !canHold(post)) return "cant_hold";
  const isDeclined = post.state === "held" && change.status === "declined";
  const { state = isDeclined ? "hidden" : post.state } = change;
  const isWorded = [change.title, change.body, change.answer].some((text) => text !== undefined);
  const worded = applyChange<Post>(post, {
    ...change,
    state: undefined,
    // An editor who changes the words has read them, so the mark goes.
    namesErased: isWorded ? false : undefined,
    answeredAt: answer === post.answer ? post.answeredAt : answer === null ? null : at,
    history: status === post.status
      ? post.history
      : [...post.history, { at, status }].slice(-MAX_STATUS_CHANGES),
  }, at);
  if (worded === post && state === post.state) return post;
  return placed({ ...worded, state });
}

function canHold({ state, mergedInto, entryId }: Post): boolean {
  return state === "held" || (state === "public" && mergedInto === null && entryId === null);
}

/**
 * Returns the author after a change of a post. Showing the post approves the author, and hiding or
 * holding it takes the approval back.
 */
export function personAfter(
  person: Person | undefined,
  before: Post,
  after: Post | undefined,
): Person | undefined {
  if (person === undefined || before.state === after?.state) return person;
  const isJudged = after !== undefined && [before.state, after.state].includes("public");
  const heldIdeas = person.heldIdeas - Number(isHeld(before)) + Number(isHeld(after));
  return {
    ...person,
    isApproved: isJudged ? after.state === "public" : person.isApproved,
    heldIdeas: Math.max(0, heldIdeas),
  };
}

/** Returns the event that tells webhooks of a change, if they see one. */
export function eventsOf(
  [before, after]: readonly [before: Post, after: Post | undefined],
  { entry, at, erases }: {
    readonly entry: Entry | undefined;
    readonly at: string;
    readonly erases: boolean | undefined;
  },
): readonly WebhookEvent[] {
  const wasPublic = before.state === "public";
  if (after?.state === "public") {
    if (!wasPublic) return [postEvent("post.created", { post: after, entry, at })];
    const isSame = sentNames(POST).filter(isReported).every((field) =>
      JSON.stringify(after[field as keyof Post]) === JSON.stringify(before[field as keyof Post])
    );
    return isSame ? [] : [postEvent("post.updated", { post: after, entry, at })];
  }
  if (!wasPublic) return [];
  const post = erases ? { ...before, ...ERASED_WORDS } : after ?? before;
  return [postEvent("post.deleted", { post, entry, at })];
}
