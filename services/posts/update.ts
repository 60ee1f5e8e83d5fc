import type { Ref, Storage } from "../../adapters/storage.ts";
import { cancelDelivery } from "../../model/deliveries/delivery_steps.ts";
import { tell, tellingKey } from "../../model/deliveries/telling.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { DELIVERIES, ENTRIES, POSTS } from "../../model/kinds.ts";
import type { Post, ShownPost } from "../../model/posts/post.ts";
import {
  BOARD_TALLIES,
  PEOPLE,
  POST_REMOVALS,
  type PostRemoval,
} from "../../model/posts/records.ts";
import type { ChangeFault, IsExpected } from "../conditional.ts";
import { type EventfulDecision, transactWithEvents } from "../webhooks/events.ts";
import { unmergeAll } from "./merge.ts";
import {
  applyPostChange,
  eventsOf,
  personAfter,
  type PostChange,
  type PostFault,
} from "./post_change.ts";
import { findPost, isShippedByEntry, showPost, showPostWith, statusAt } from "./posts.ts";
import { finishRemoval } from "./removal.ts";
import { countChange, emptyTally } from "./tally.ts";
import { removeIdlePerson } from "./votes/idle_people.ts";
import { isAuthorWaiting, isTelling, keyAfter, toldPost } from "./telling.ts";

/** The post to change, the time, and the condition. */
export interface PostCondition {
  readonly boardId: string;
  readonly postId: string;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<ShownPost>;
}

const POST_EVENTS = ["post.created", "post.updated", "post.deleted"] as const;

type ChangeRefs = {
  readonly post: Ref<typeof POSTS>;
  readonly tally: Ref<typeof BOARD_TALLIES>;
  readonly entry?: Ref<typeof ENTRIES>;
  readonly person?: Ref<typeof PEOPLE>;
  readonly removal?: Ref<typeof POST_REMOVALS>;
  readonly [delivery: `delivery ${string}`]: Ref<typeof DELIVERIES>;
};

/** A step that changes or removes a post. */
interface Step {
  readonly removes?: boolean;
  /** Whether the removal erases the author's words everywhere. */
  readonly erases?: boolean | undefined;
  /** Returns the change that the people who asked are told about; `undefined` if nobody is told. */
  readonly tells?: ((seen: Post) => Promise<PostChange | undefined>) | undefined;
  /** The status that the change sets. Another one than before ends a delivery. */
  readonly status?: Post["status"] | undefined;
}

/**
 * Whether to mail the people who asked and were not told about this status and answer yet.
 * `author`: only if this declines a held post whose author asked.
 */
export type Notified = boolean | "author";

/**
 * Changes a post if it is as expected; returns the changed post as the API shows it.
 */
export function updatePost(
  storage: Storage,
  { change, notify = false, ...condition }: PostCondition & {
    readonly change: PostChange;
    readonly notify?: Notified | undefined;
  },
): Promise<ShownPost | PostFault> {
  type Answer = ShownPost | PostFault;
  const isNotified = async (seen: Post) =>
    notify === "author"
      ? change.status === "declined" && await isAuthorWaiting(storage, seen)
      : notify;
  const tells = async (seen: Post) => await isNotified(seen) ? change : undefined;
  const { status } = change;
  return changePost<Answer>(storage, { ...condition, tells, status }, (post, entry) => {
    const next = applyPostChange(post, change, { entry, at: condition.at });
    if (typeof next === "string") return { answer: next, next: post, isRefused: true };
    if (notify === true && !isTelling(next, change, isShippedByEntry(next, entry, condition.at))) {
      return { answer: "nothing_to_tell", next: post, isRefused: true };
    }
    return { answer: showPostWith(next, entry, condition.at), next };
  });
}

/**
 * Removes a post with its votes and reports, if it is as expected. First undoes all merges into it.
 */
export async function deletePost(
  storage: Storage,
  condition: PostCondition & Pick<Step, "erases">,
): Promise<ChangeFault | undefined> {
  type Answer = PostRemoval | ChangeFault | "merged_meanwhile";
  const { at } = condition;
  let { isExpected } = condition;
  for (;;) {
    const seen = (await findPost(storage, condition))?.post;
    if (seen === undefined) return "not_found";
    if (!isExpected(await showPost(storage, seen, at))) return "precondition_failed";
    // Undoing merges changes the number of votes, and with it the version that the caller named.
    if (await unmergeAll(storage, { post: seen, at })) isExpected = () => true;
    const removal = { ...condition, isExpected, removes: true };
    const removed = await changePost<Answer>(
      storage,
      removal,
      (post) =>
        post.mergeCount === seen.mergeCount
          ? { answer: { instanceId: post.instanceId, what: "post" }, next: undefined }
          : { answer: "merged_meanwhile", next: post },
    );
    if (removed === "merged_meanwhile") continue;
    if (typeof removed === "string") return removed;
    // The removal finishes before the response; after a crash, the worker finishes it.
    await finishRemoval(storage, removed);
    if (seen.authorMailbox !== null) await removeIdlePerson(storage, seen.authorMailbox);
    return undefined;
  }
}

/** Changes or removes a post, together with all records that depend on its state. */
async function changePost<A>(
  storage: Storage,
  { boardId, postId, at, isExpected, removes, erases, tells, status }: PostCondition & Step,
  decide: (post: Post, entry: Entry | undefined) => {
    readonly answer: A;
    readonly next: Post | undefined;
    readonly isRefused?: boolean;
  },
): Promise<A | ChangeFault> {
  for (;;) {
    const seen = (await findPost(storage, { boardId, postId }))?.post;
    if (seen === undefined) return "not_found";
    const told = await tells?.(seen);
    const key = told && await keyAfter(storage, seen, told, at);
    type Outcome = { readonly answer: A | ChangeFault } | undefined;
    const outcome = await transactWithEvents<ChangeRefs, Outcome>(
      storage,
      refsTo(seen, { removes, key, status }),
      (found) => {
        const { post, tally = emptyTally(seen.boardInstanceId) } = found;
        const entry = found.entry;
        const isSame = post?.instanceId === seen.instanceId && post.entryId === seen.entryId &&
          post.state === seen.state &&
          post.status === seen.status && post.authorMailbox === seen.authorMailbox &&
          post.deliveryKey === seen.deliveryKey;
        if (!isSame) return { answer: undefined };
        if (!isExpected(showPostWith(post, entry, at))) {
          return { answer: { answer: "precondition_failed" } };
        }
        const { answer, next: changed, isRefused } = decide(post, entry);
        const isAnnounced = key !== undefined && changed !== undefined && !isRefused;
        if (isAnnounced && key !== tellingKey(changed, statusAt(changed, entry, at))) {
          return { answer: undefined };
        }
        if (changed === post && !isAnnounced) return { answer: { answer } };
        const told = isAnnounced ? { ...changed, deliveryKey: key } : changed;
        const { tally: counted, post: next } = countChange(tally, [post, told], at);
        const former = found["delivery before"];
        const decision: EventfulDecision<ChangeRefs, Outcome> = {
          answer: { answer },
          put: {
            tally: counted,
            person: personAfter(found.person, post, next),
            ...(isAnnounced || next?.status !== post.status) && former !== undefined && {
              "delivery before": cancelDelivery(former, at),
            },
            ...isAnnounced && {
              "delivery now": tell(found["delivery now"], toldPost(changed, entry, at), {
                key,
                now: at,
              }),
            },
          },
          events: eventsOf([post, next], { entry, at, erases }),
        };
        if (next !== undefined) return { ...decision, put: { ...decision.put, post: next } };
        const removal = { instanceId: post.instanceId, what: "post" } as const;
        return { ...decision, put: { ...decision.put, removal }, remove: ["post"] };
      },
      { types: POST_EVENTS, at },
    );
    if (outcome !== undefined) return outcome.answer;
  }
}

function refsTo(
  seen: Post,
  { removes, key, status = seen.status }: Pick<Step, "removes" | "status"> & {
    readonly key: string | undefined;
  },
): ChangeRefs {
  const { postId, instanceId, boardInstanceId, entryId, authorMailbox, deliveryKey } = seen;
  const isEnded = deliveryKey !== null && deliveryKey !== key &&
    (removes === true || key !== undefined || status !== seen.status);
  return {
    post: { kind: POSTS, key: postId },
    tally: { kind: BOARD_TALLIES, key: boardInstanceId },
    ...isEnded && { "delivery before": { kind: DELIVERIES, key: deliveryKey } },
    ...key !== undefined && { "delivery now": { kind: DELIVERIES, key } },
    ...removes && { removal: { kind: POST_REMOVALS, key: instanceId } },
    ...entryId !== null && { entry: { kind: ENTRIES, key: entryId } },
    ...authorMailbox !== null && { person: { kind: PEOPLE, key: authorMailbox } },
  };
}
