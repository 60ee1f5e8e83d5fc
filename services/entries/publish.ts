import type { Storage } from "../../adapters/storage.ts";
import { createDelivery, type Delivery } from "../../model/deliveries/delivery.ts";
import { cancelDelivery, pauseDelivery } from "../../model/deliveries/delivery_steps.ts";
import type { Entry } from "../../model/entries/entry.ts";
import {
  type Authorship,
  changeEntry,
  entryStateAt,
  publishEntry,
  unpublishEntry,
} from "../../model/entries/publication.ts";
import { ENTRIES } from "../../model/kinds.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { advance, transactEntry } from "./entries.ts";

/** A request to publish an entry. */
export interface Publication extends Authorship {
  /** The time at which the entry becomes public (RFC 3339, UTC, milliseconds). */
  readonly from: string;
  /** Whether to mail subscribers, if the entry was never public before. */
  readonly notify: boolean;
}

/** An entry after a request, and whether the request changed it. */
export interface EntryOutcome {
  readonly entry: Entry;
  readonly changed: boolean;
}

/**
 * Publishes an entry and, to mail subscribers, creates its delivery in the same step. Leaves a
 * public entry as it is; a scheduled entry may get another time. Returns `undefined` if there is
 * none.
 */
export function publish(
  storage: Storage,
  entryId: string,
  publication: Publication,
): Promise<EntryOutcome | undefined> {
  const { from, at } = publication;
  return transactEntry<EntryOutcome | undefined>(
    storage,
    { entryId, at },
    ({ entry: current, changelog, delivery: planned }) => {
      if (current === undefined) return { answer: undefined };
      if (entryStateAt(current, at) === "published") {
        // Once this clock has reached the publication time, storing that makes it true for all
        // clocks.
        const { current: entry, events } = changeEntry(current, at, (entry) => entry);
        return { answer: { entry, changed: false }, put: { entry }, events };
      }
      const apply = (entry: Entry) => publishEntry(entry, from, publication);
      const { next: entry = current, events } = changeEntry(current, at, apply);
      const delivery = planDelivery(entry, planned, publication);
      const changed = entry !== current || delivery !== planned;
      const answer = { entry, changed };
      if (!changed) return { answer };
      const put = { entry, delivery, changelog: advance(changelog, at, [current, entry]) };
      return { answer, put, remove: delivery === undefined ? ["delivery"] : [], events };
    },
  );
}

/**
 * Makes an entry a draft again and ends its delivery; a delivery that has not begun is removed.
 * Returns `undefined` if there is no entry.
 */
export function unpublish(
  storage: Storage,
  entryId: string,
  authorship: Authorship,
): Promise<EntryOutcome | undefined> {
  const { at } = authorship;
  return transactEntry<EntryOutcome | undefined>(
    storage,
    { entryId, at },
    ({ entry: current, changelog, delivery }) => {
      if (current === undefined) return { answer: undefined };
      const apply = (entry: Entry) => unpublishEntry(entry, authorship);
      const { next: entry = current, events } = changeEntry(current, at, apply);
      if (entry === current) return { answer: { entry, changed: false } };
      const answer = { entry, changed: true };
      const put = { entry, changelog: advance(changelog, at, [current]) };
      const hasBegun = delivery !== undefined && delivery.startedAt !== null;
      if (!hasBegun) return { answer, put, remove: ["delivery"], events };
      return { answer, put: { ...put, delivery: cancelDelivery(delivery, at) }, events };
    },
  );
}

/** Lists some entries that were public by a time and not yet announced to webhooks. */
export async function listUnannounced(storage: Storage, now: string): Promise<readonly Entry[]> {
  const found = await storage.list(ENTRIES, { index: "byAnnouncement", limit: 10 });
  return found.filter(({ announceAt }) => announceAt !== null && announceAt <= now);
}

/** Announces an entry to webhooks, if it is public by now. */
export function announceEntry(storage: Storage, entryId: string, now: string): Promise<void> {
  const refs = { entry: { kind: ENTRIES, key: entryId } };
  return transactWithEvents(storage, refs, ({ entry: stored }) => {
    if (stored === undefined) return { answer: undefined };
    const { current, events } = changeEntry(stored, now, (entry) => entry);
    return { answer: undefined, put: { entry: current }, events };
  }, { types: ["entry.published"], at: now });
}

/**
 * Returns the delivery for an entry that becomes public for the first time. A waiting delivery
 * moves to the new time and stays paused if it was; a cancelled one is planned anew.
 */
function planDelivery(
  { entryId, firstPublishedAt }: Entry,
  planned: Delivery | undefined,
  { from, notify, at }: Publication,
): Delivery | undefined {
  const isFirst = firstPublishedAt === from;
  if (!isFirst || (planned !== undefined && planned.startedAt !== null)) return planned;
  if (!notify) return undefined;
  const isWaiting = planned !== undefined && planned.finishedAt === null;
  if (isWaiting && planned.dueAt === from) return planned;
  const delivery = createDelivery(entryId, from, {
    isScheduled: from > at,
    createdAt: planned?.createdAt ?? at,
  });
  return isWaiting && planned.state === "paused" ? pauseDelivery(delivery) : delivery;
}
