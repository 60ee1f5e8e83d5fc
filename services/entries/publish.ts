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
import { DELIVERIES, ENTRIES } from "../../model/kinds.ts";
import { all, type ChangeTools, type Reading } from "../change.ts";
import { changeWithEvents, type EventfulTools } from "../webhooks/events.ts";
import { advanceChangelog, ENTRY_EVENTS } from "./entries.ts";
import { movePosts } from "./shipped_posts.ts";

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
  return changeWithEvents<EntryOutcome | undefined>(storage, function* (tools) {
    const [stored, planned] = yield* readEntry(tools, entryId);
    if (stored === undefined) return undefined;
    if (entryStateAt(stored, at) === "published") {
      // Once this clock has reached the publication time, storing that makes it true for all
      // clocks.
      return { entry: yield* announce(tools, stored, at), changed: false };
    }
    const apply = (entry: Entry) => publishEntry(entry, from, publication);
    const { next: entry = stored, events } = changeEntry(stored, at, apply);
    const delivery = planDelivery(entry, planned, publication);
    if (entry === stored && delivery === planned) return { entry, changed: false };
    tools.put(ENTRIES, entry);
    if (delivery === undefined) tools.remove(DELIVERIES, entryId);
    else tools.put(DELIVERIES, delivery);
    yield* movePosts(tools, entry, at);
    yield* advanceChangelog(tools, at, [stored, entry]);
    events.forEach(tools.tell);
    return { entry, changed: true };
  }, { types: ENTRY_EVENTS, at });
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
  return changeWithEvents<EntryOutcome | undefined>(storage, function* (tools) {
    const [stored, delivery] = yield* readEntry(tools, entryId);
    if (stored === undefined) return undefined;
    const apply = (entry: Entry) => unpublishEntry(entry, authorship);
    const { next: entry = stored, events } = changeEntry(stored, at, apply);
    if (entry === stored) return { entry, changed: false };
    tools.put(ENTRIES, entry);
    const hasBegun = delivery !== undefined && delivery.startedAt !== null;
    if (hasBegun) tools.put(DELIVERIES, cancelDelivery(delivery, at));
    else tools.remove(DELIVERIES, entryId);
    yield* movePosts(tools, entry, at);
    yield* advanceChangelog(tools, at, [stored]);
    events.forEach(tools.tell);
    return { entry, changed: true };
  }, { types: ENTRY_EVENTS, at });
}

function readEntry(
  { read }: ChangeTools,
  entryId: string,
): Reading<[entry: Entry | undefined, delivery: Delivery | undefined]> {
  return all(read(ENTRIES, entryId), read(DELIVERIES, entryId));
}

/** Lists some entries that were public by a time and not yet announced to webhooks. */
export async function listUnannounced(storage: Storage, now: string): Promise<readonly Entry[]> {
  const found = await storage.list(ENTRIES, { index: "byAnnouncement", limit: 10 });
  return found.filter(({ announceAt }) => announceAt !== null && announceAt <= now);
}

/** If an entry is public, announces it to webhooks and moves its posts to the shipped ones. */
export function announceEntry(storage: Storage, entryId: string, now: string): Promise<void> {
  return changeWithEvents(storage, function* (tools) {
    const stored = yield* tools.read(ENTRIES, entryId);
    if (stored !== undefined) yield* announce(tools, stored, now);
  }, { types: ["entry.published"], at: now });
}

function* announce(tools: EventfulTools, stored: Entry, now: string): Reading<Entry> {
  const { current, events } = changeEntry(stored, now, (entry) => entry);
  if (current !== stored) tools.put(ENTRIES, current);
  yield* movePosts(tools, current, now);
  events.forEach(tools.tell);
  return current;
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
