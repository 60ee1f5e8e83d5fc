import type { Ref, Storage } from "../../adapters/storage.ts";
import {
  cancelDelivery,
  isDeliveryDue,
  pauseDelivery,
  resumeDelivery,
  retryDelivery,
  startDelivery,
} from "../../model/deliveries/delivery_steps.ts";
import type { Delivery, DeliveryState } from "../../model/deliveries/delivery.ts";
import { CHANGELOGS, DELIVERIES, ENTRIES, POSTS } from "../../model/kinds.ts";
import type { FencedTransact } from "../leases.ts";
import { type Listed, listMatching, type ReadOptions } from "../records.ts";
import type { RecipientCounts } from "./counts.ts";
import { CHANGELOG_ID } from "../changelog.ts";

/** The ways to control a delivery. */
export type DeliveryAction = "pause" | "resume" | "cancel" | "retry";

const ACTIONS: Readonly<Record<DeliveryAction, (current: Delivery, now: string) => Delivery>> = {
  pause: pauseDelivery,
  resume: resumeDelivery,
  cancel: cancelDelivery,
  retry: retryDelivery,
};

/** Returns a delivery by its identifier. */
export async function getDelivery(
  storage: Storage,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const after = { by: deliveryId, key: "" };
  const [found] = await storage.list(DELIVERIES, { index: "byId", after, limit: 1 });
  return found?.deliveryId === deliveryId ? found : undefined;
}

export interface DeliveryQuery extends Pick<ReadOptions, "after" | "limit" | "isGone"> {
  /** The state to select; absent for all. */
  readonly state?: DeliveryState | undefined;
  /** The entry whose delivery to select. */
  readonly entryId?: string | undefined;
  /** The post whose deliveries to select. */
  readonly postId?: string | undefined;
}

/** Lists deliveries, newest first. */
export function listDeliveries(
  storage: Storage,
  { state, entryId, postId, ...page }: DeliveryQuery,
): Promise<Listed<Delivery>> {
  const index = state === "held" || state === "paused" ? state : "byCreation";
  return listMatching(storage, DELIVERIES, { ...page, index, reverse: true }, {
    matches: (delivery) =>
      delivery.state === (state ?? delivery.state) &&
      (entryId === undefined || entryOf(delivery) === entryId) &&
      (postId === undefined || delivery.postId === postId),
  });
}

// Few deliveries are held or paused at the same time.
const MAX_STOPPED = 100;

/** Lists the newest deliveries, and whatever is held or paused, newest first. */
export async function listNotable(
  storage: Storage,
  newest: number,
): Promise<readonly Delivery[]> {
  const list = (index: string, limit: number) =>
    storage.list(DELIVERIES, { index, limit, reverse: true });
  const found = await Promise.all([
    list("byCreation", newest),
    list("held", MAX_STOPPED),
    list("paused", MAX_STOPPED),
  ]);
  const unique = new Map(found.flat().map((delivery) => [delivery.deliveryId, delivery]));
  return [...unique.values()].sort((a, b) => a.createdAt < b.createdAt ? 1 : -1);
}

/** Returns the entry that a delivery mails; `null` for a week or a post. */
export function entryOf({ entryId, week, postId }: Delivery): string | null {
  return week === null && postId === null ? entryId : null;
}

/**
 * Pauses, resumes, cancels or retries a delivery at a time (RFC 3339, UTC, milliseconds). Changes
 * nothing if it has ended or a newer one has taken over; an ended delivery can only be retried, and
 * that of an entry only while the entry is published.
 */
export async function controlDelivery(
  storage: Storage,
  { entryId: key, postId }: Delivery,
  { action, at }: { readonly action: DeliveryAction; readonly at: string },
): Promise<{ readonly delivery: Delivery; readonly changed: boolean } | undefined> {
  const refs = {
    delivery: { kind: DELIVERIES, key },
    ...postId === null ? { entry: { kind: ENTRIES, key } } : { post: { kind: POSTS, key: postId } },
  } as {
    readonly delivery: Ref<typeof DELIVERIES>;
    readonly entry?: Ref<typeof ENTRIES>;
    readonly post?: Ref<typeof POSTS>;
  };
  return await storage.transact<
    typeof refs,
    { readonly delivery: Delivery; readonly changed: boolean } | undefined
  >(refs, (found) => {
    const { delivery: current, entry, post } = found;
    if (current === undefined) return { answer: undefined };
    const isGone = action === "retry" && entryOf(current) !== null &&
      (entry?.publishedAt ?? null) === null;
    const isReplaced = postId !== null && post?.deliveryKey !== key;
    const delivery = isGone || isReplaced ? current : ACTIONS[action](current, at);
    const changed = delivery !== current;
    return { answer: { delivery, changed }, put: changed ? { delivery } : {} };
  });
}

// Few deliveries are scheduled or waiting for a retry at the same time.
const MAX_WAITING = 100;

/** Lists deliveries that are due at a time, the longest overdue first. */
export async function listDueDeliveries(
  storage: Storage,
  now: string,
): Promise<readonly Delivery[]> {
  const found = await storage.list(DELIVERIES, { index: "byNext", limit: MAX_WAITING });
  return found.filter((delivery) => isDeliveryDue(delivery, now));
}

/**
 * Begins a delivery at a time, as {@linkcode changeDelivery} does. The delivery's number decides
 * which pace of a person applies to it, independently of clocks.
 */
export function beginDelivery(
  transact: FencedTransact,
  { entryId }: Delivery,
  { recipients, asked, posts, now }: RecipientCounts & { readonly now: string },
): Promise<Delivery | undefined> {
  const refs = {
    delivery: { kind: DELIVERIES, key: entryId },
    changelog: { kind: CHANGELOGS, key: CHANGELOG_ID },
  };
  return transact(refs, ({ delivery: current, changelog: known }) => {
    const isOpen = current !== undefined && current.startedAt === null && current.nextAt !== null;
    if (!isOpen) return { answer: undefined };
    const number = (known?.version ?? 0) + 1;
    const delivery = { ...startDelivery(current, recipients, { now, number }), asked, posts };
    const changelog = { changelogId: CHANGELOG_ID, updatedAt: now, ...known, version: number };
    return { answer: delivery, put: { delivery, changelog } };
  });
}

/**
 * Changes a delivery, unless it was paused, cancelled or replaced by another since it was read.
 * Returns the changed delivery, or `undefined` if no work is left for it.
 */
export function changeDelivery(
  transact: FencedTransact,
  { entryId, startedAt }: Delivery,
  change: (current: Delivery) => Delivery,
): Promise<Delivery | undefined> {
  const refs = { delivery: { kind: DELIVERIES, key: entryId } };
  return transact(refs, ({ delivery: current }) => {
    const isSame = current !== undefined && current.startedAt === startedAt;
    if (!isSame || current.nextAt === null) return { answer: undefined };
    const delivery = change(current);
    return { answer: delivery, put: { delivery } };
  });
}
