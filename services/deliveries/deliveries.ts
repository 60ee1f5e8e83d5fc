import type { Storage } from "../../adapters/storage.ts";
import {
  cancelDelivery,
  isDue,
  pauseDelivery,
  resumeDelivery,
  retryDelivery,
  startDelivery,
} from "../../model/deliveries/delivery_steps.ts";
import type { Delivery, DeliveryState } from "../../model/deliveries/delivery.ts";
import { CHANGELOGS, DELIVERIES, ENTRIES } from "../../model/kinds.ts";
import { CHANGELOG_ID } from "../entries/entries.ts";
import type { FencedTransact } from "../leases.ts";
import { type Listed, listMatching, type ReadOptions } from "../records.ts";
import type { RecipientCounts } from "./counts.ts";
import { weekKey } from "./weekly.ts";

// The form of a week in responses. An entry's identifier may have the same form.
const WEEK = /^\d{4}-W\d{2}$/;

/** The ways to steer a delivery. */
export type DeliveryAction = "pause" | "resume" | "cancel" | "retry";

const ACTIONS: Readonly<Record<DeliveryAction, (current: Delivery, now: string) => Delivery>> = {
  pause: pauseDelivery,
  resume: resumeDelivery,
  cancel: cancelDelivery,
  retry: retryDelivery,
};

/**
 * Returns the delivery of an entry. If there is no such entry, returns that of a week, whose key
 * may omit `week:`; `undefined` if there is neither.
 */
export async function getDelivery(storage: Storage, key: string): Promise<Delivery | undefined> {
  return await storage.get(DELIVERIES, await keyOf(storage, key));
}

/** Lists deliveries, ordered by the publication time of their entries, newest first. */
export function listDeliveries(
  storage: Storage,
  { state, ...page }: Pick<ReadOptions, "after" | "limit" | "isGone"> & {
    /** The state to select; absent for all. */
    readonly state?: DeliveryState | undefined;
  },
): Promise<Listed<Delivery>> {
  return listMatching(storage, DELIVERIES, { ...page, index: "byDue", reverse: true }, {
    matches: (delivery) => delivery.state === (state ?? delivery.state),
  });
}

/**
 * Pauses, resumes, cancels or retries a delivery that {@linkcode getDelivery} finds, at a time (RFC
 * 3339, UTC, milliseconds). Returns the result, or `undefined` if there is no such delivery. An
 * ended delivery can only be retried, and only while its entry is published.
 */
export async function controlDelivery(
  storage: Storage,
  key: string,
  { action, at }: { readonly action: DeliveryAction; readonly at: string },
): Promise<Delivery | undefined> {
  const refs = {
    delivery: { kind: DELIVERIES, key: await keyOf(storage, key) },
    entry: { kind: ENTRIES, key },
  };
  return await storage.transact<typeof refs, Delivery | undefined>(refs, (found) => {
    const { delivery: current, entry } = found;
    if (current === undefined) return { answer: undefined };
    const isOfEntry = current.week === null && current.postId === null;
    const isGone = isOfEntry && (entry?.publishedAt ?? null) === null;
    if (action === "retry" && isGone) return { answer: current };
    const delivery = ACTIONS[action](current, at);
    return { answer: delivery, put: delivery === current ? {} : { delivery } };
  });
}

// Few deliveries are scheduled or waiting for a retry at the same time.
const MAX_WAITING = 100;

/** Lists deliveries that are due at a time, the longest overdue first. */
export async function listDue(storage: Storage, now: string): Promise<readonly Delivery[]> {
  const found = await storage.list(DELIVERIES, { index: "byNext", limit: MAX_WAITING });
  return found.filter((delivery) => isDue(delivery, now));
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

async function keyOf(storage: Storage, key: string): Promise<string> {
  const isWeek = WEEK.test(key) && await storage.get(ENTRIES, key) === undefined;
  return isWeek ? weekKey(key) : key;
}
