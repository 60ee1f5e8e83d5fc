import type { Storage } from "../../adapters/storage.ts";
import {
  cancelDelivery,
  isDue,
  pauseDelivery,
  resumeDelivery,
  retryDelivery,
  startDelivery,
} from "../../model/deliveries/delivery_steps.ts";
import type { Delivery, DeliveryState, ToldPost } from "../../model/deliveries/delivery.ts";
import { CHANGELOGS, DELIVERIES, ENTRIES } from "../../model/kinds.ts";
import { CHANGELOG_ID } from "../entries/entries.ts";
import type { FencedTransact } from "../leases.ts";
import { type Listed, listMatching, type ReadOptions } from "../records.ts";
import { weekKey } from "./weekly.ts";

// As answers have it. An entry may be called the same.
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
 * Returns the delivery of an entry or, where there is no such entry, that of a week, which the key names with
 * or without `week:`; `undefined` if there is none.
 */
export async function getDelivery(storage: Storage, key: string): Promise<Delivery | undefined> {
  return await storage.get(DELIVERIES, await keyOf(storage, key));
}

/** Lists deliveries, newest first: by when their entries became, or become, public. */
export function listDeliveries(
  storage: Storage,
  { state, ...page }: Pick<ReadOptions, "after" | "limit" | "isGone"> & {
    /** Only those in this state; absent: all. */
    readonly state?: DeliveryState | undefined;
  },
): Promise<Listed<Delivery>> {
  return listMatching(storage, DELIVERIES, { ...page, index: "byDue", reverse: true }, {
    matches: (delivery) => delivery.state === (state ?? delivery.state),
  });
}

/**
 * Pauses, resumes, cancels or retries a delivery that {@linkcode getDelivery} finds, at a time (RFC 3339,
 * UTC, milliseconds); returns the result, or `undefined` if there is none. One that has ended stays as it
 * is, but for a retry; that of an entry that is no longer published is not retried.
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
    const isGone = current.week === null && (entry?.publishedAt ?? null) === null;
    if (action === "retry" && isGone) return { answer: current };
    const delivery = ACTIONS[action](current, at);
    return { answer: delivery, put: delivery === current ? {} : { delivery } };
  });
}

// Few are scheduled, or wait for a retry, at a time.
const MAX_WAITING = 100;

/** Lists deliveries that are due at a time, first those that have been for longest. */
export async function listDue(storage: Storage, now: string): Promise<readonly Delivery[]> {
  const found = await storage.list(DELIVERIES, { index: "byNext", limit: MAX_WAITING });
  return found.filter((delivery) => isDue(delivery, now));
}

/**
 * Begins a delivery at a time, as {@linkcode changeDelivery} does: its number tells who had which pace then,
 * whatever clocks say.
 */
export function beginDelivery(
  transact: FencedTransact,
  { entryId }: Delivery,
  { recipients, posts, now }: {
    readonly recipients: number;
    /** The posts that those who asked are told of. */
    readonly posts: readonly ToldPost[];
    readonly now: string;
  },
): Promise<Delivery | undefined> {
  const refs = {
    delivery: { kind: DELIVERIES, key: entryId },
    changelog: { kind: CHANGELOGS, key: CHANGELOG_ID },
  };
  return transact(refs, ({ delivery: current, changelog: known }) => {
    const isOpen = current !== undefined && current.startedAt === null && current.nextAt !== null;
    if (!isOpen) return { answer: undefined };
    const number = (known?.version ?? 0) + 1;
    const delivery = { ...startDelivery(current, recipients, { now, number }), posts };
    const changelog = { changelogId: CHANGELOG_ID, updatedAt: now, ...known, version: number };
    return { answer: delivery, put: { delivery, changelog } };
  });
}

/**
 * Changes a delivery, unless it was paused, cancelled or replaced by another since it was read. Returns
 * it as it is then, or `undefined` if there is nothing more to do for it.
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
