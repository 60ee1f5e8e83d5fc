import type { Storage } from "../../adapters/storage.ts";
import { cancelDelivery } from "../../model/deliveries/delivery_steps.ts";
import { tell, tellingKey } from "../../model/deliveries/telling.ts";
import type { Entry } from "../../model/entries/entry.ts";
import { BOARDS, DELIVERIES, ENTRIES, POSTS } from "../../model/kinds.ts";
import type { Post, ShownPost } from "../../model/posts/post.ts";
import { PEOPLE, type PostRemoval } from "../../model/posts/records.ts";
import { all, type ChangeTools, type Reading } from "../change.ts";
import type { ChangeFault, IsExpected } from "../conditional.ts";
import { changeWithEvents } from "../webhooks/events.ts";
import { unmergeAll } from "./merge.ts";
import {
  applyPostChange,
  eventsOf,
  personAfter,
  type PostChange,
  type PostFault,
} from "./post_change.ts";
import { findPost, isShippedByEntry, showPost, showPostWith, statusAt } from "./posts.ts";
import { beginRemoval, finishRemoval } from "./removal.ts";
import { countPost, putPost } from "./tally.ts";
import { removeIdlePerson } from "./votes/idle_people.ts";
import { isAuthorWaiting, isTelling, toldPost } from "./telling.ts";

/** The post to change, the time, and the condition. */
export interface PostCondition {
  readonly boardId: string;
  readonly postId: string;
  /** When (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  readonly isExpected: IsExpected<ShownPost>;
}

const POST_EVENTS = ["post.created", "post.updated", "post.deleted"] as const;

/**
 * Whether to mail the people who asked and were not told about this status and answer yet.
 * `author`: only if this declines a held post whose author asked.
 */
export type Notified = boolean | "author";

/** Changes a post if it is as expected; returns the changed post as the API shows it. */
export async function updatePost(
  storage: Storage,
  { change: values, notify = false, ...condition }: PostCondition & {
    readonly change: PostChange;
    readonly notify?: Notified | undefined;
  },
): Promise<ShownPost | PostFault> {
  const { at } = condition;
  return await changeWithEvents<ShownPost | PostFault>(storage, function* (tools) {
    const found = yield* readExpected(tools, condition);
    if (typeof found === "string") return found;
    const { post, entry } = found;
    const changed = applyPostChange(post, values, { entry, at });
    if (typeof changed === "string") return changed;
    if (notify === true && !isTelling(changed, values, isShippedByEntry(changed, entry, at))) {
      return "nothing_to_tell";
    }
    const isTold = notify === "author"
      ? values.status === "declined" && (yield* isAuthorWaiting(tools, post))
      : notify;
    const shown = showPostWith(changed, entry, at);
    if (changed === post && !isTold) return shown;
    const deliveryKey = isTold
      ? tellingKey(changed, statusAt(changed, entry, at))
      : post.deliveryKey;
    if (deliveryKey !== post.deliveryKey || (!isTold && changed.status !== post.status)) {
      yield* cancelTelling(tools, post, at);
    }
    if (isTold && deliveryKey !== null) {
      const current = yield* tools.read(DELIVERIES, deliveryKey);
      const told = toldPost(changed, entry, at);
      tools.put(DELIVERIES, tell(current, told, { key: deliveryKey, now: at }));
    }
    const next = yield* putPost(tools, [post, { ...changed, deliveryKey }], at);
    yield* putAuthor(tools, [post, next]);
    eventsOf([post, next], { entry, at, erases: false }).forEach(tools.tell);
    return shown;
  }, { types: POST_EVENTS, at });
}

/**
 * Removes a post with its votes and reports, if it is as expected. First undoes all merges into it.
 * `erases` takes the words of its author out of all that is stored.
 */
export async function deletePost(
  storage: Storage,
  { erases = false, ...condition }: PostCondition & { readonly erases?: boolean },
): Promise<ChangeFault | undefined> {
  const { at } = condition;
  let { isExpected } = condition;
  for (;;) {
    const seen = (await findPost(storage, condition))?.post;
    if (seen === undefined) return "not_found";
    if (!isExpected(await showPost(storage, seen, at))) return "precondition_failed";
    // Undoing merges changes the number of votes, and with it the version that the caller named.
    if (await unmergeAll(storage, { post: seen, at })) isExpected = () => true;
    type Outcome = PostRemoval | ChangeFault | "merged_meanwhile";
    const removed = await changeWithEvents<Outcome>(storage, function* (tools) {
      const found = yield* readExpected(tools, { ...condition, isExpected });
      if (typeof found === "string") return found;
      const { post, entry } = found;
      if (post.mergeCount !== seen.mergeCount) return "merged_meanwhile";
      yield* cancelTelling(tools, post, at);
      yield* countPost(tools, [post, undefined], at);
      yield* putAuthor(tools, [post, undefined]);
      eventsOf([post, undefined], { entry, at, erases }).forEach(tools.tell);
      return yield* beginRemoval(tools, post);
    }, { types: POST_EVENTS, at });
    if (removed === "merged_meanwhile") continue;
    if (typeof removed === "string") return removed;
    // The removal finishes before the response; after a crash, the worker finishes it.
    await finishRemoval(storage, removed);
    if (seen.authorMailbox !== null) await removeIdlePerson(storage, seen.authorMailbox);
    return undefined;
  }
}

/** Reads a post and the entry that ships it, if the post is as expected. */
function* readExpected(
  { read }: ChangeTools,
  { boardId, postId, at, isExpected }: PostCondition,
): Reading<{ readonly post: Post; readonly entry: Entry | undefined } | ChangeFault> {
  const post = yield* read(POSTS, postId);
  if (post?.boardId !== boardId) return "not_found";
  const [board, entry] = yield* all(read(BOARDS, boardId), read(ENTRIES, post.entryId));
  if (board?.instanceId !== post.boardInstanceId) return "not_found";
  return isExpected(showPostWith(post, entry, at)) ? { post, entry } : "precondition_failed";
}

/** Ends the delivery that tells people of a post. */
function* cancelTelling({ read, put }: ChangeTools, post: Post, at: string): Reading<void> {
  const delivery = yield* read(DELIVERIES, post.deliveryKey);
  if (delivery !== undefined) put(DELIVERIES, cancelDelivery(delivery, at));
}

/** Stores the author of a post after its change. */
function* putAuthor(
  { read, put }: ChangeTools,
  [before, after]: readonly [Post, Post | undefined],
): Reading<void> {
  const author = personAfter(yield* read(PEOPLE, before.authorMailbox), before, after);
  if (author !== undefined) put(PEOPLE, author);
}
