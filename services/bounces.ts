import type { Storage } from "../adapters/storage.ts";
import { type BounceDecision, decideBounce } from "../model/bounce_count.ts";
import type { BounceEvent } from "../model/bounce_event.ts";
import { parseEmailAddress } from "../model/email_address.ts";
import { type Delivery, reportToDelivery } from "../model/delivery.ts";
import { BOUNCE_COUNTS, DELIVERIES, SUBSCRIPTIONS } from "../model/kinds.ts";
import { findMailHash, mailHash } from "../model/message_id.ts";
import { endSubscription } from "../model/subscription.ts";
import { addMs } from "../model/time.ts";
import { eventOf, getSubscription } from "./subscriptions.ts";
import { getEntry } from "./entries.ts";
import { transactWithEvents } from "./events.ts";
import { meterOf } from "./meter.ts";
import { openLinkSealer } from "./unsubscribe_links.ts";

/** What the events of a report came to. */
export interface BounceSummary {
  /** How many events it has. */
  readonly read: number;
  /** How many of them unsubscribed somebody. */
  readonly unsubscribed: number;
  /** How many were counted as failures. */
  readonly counted: number;
  /** How many changed nothing. */
  readonly ignored: number;
}

// Changes that are under way at once share the cost of being made durable.
const AT_ONCE = 20;
// Those that are under way are among the newest.
const MAX_DELIVERIES = 50;
// Few providers tell times more exactly than to the second.
const EXACTNESS_MS = 1_000;
const UNSUBSCRIBE_TOKEN = /\/unsubscribe\/([\w-]+)>/;

/** How events are carried out. */
export interface BounceOptions {
  /** When (RFC 3339, UTC, milliseconds). */
  readonly now: string;
  /** Called with a delivery that is held because of them. */
  readonly onHeld?: ((delivery: Delivery) => void) | undefined;
}

/** Carries out what events ask for, and has deliveries held that do harm. */
export async function applyBounces(
  storage: Storage,
  events: readonly BounceEvent[],
  options: BounceOptions,
): Promise<BounceSummary> {
  const meter = meterOf(storage);
  const counts = { unsubscribed: 0, counted: 0, ignored: 0 };
  for (let start = 0; start < events.length; start += AT_ONCE) {
    const some = events.slice(start, start + AT_ONCE);
    const outcomes = await Promise.all(some.map((event) => applyBounce(storage, event, options)));
    for (const outcome of outcomes) {
      counts[outcome]++;
      meter.count("boardcast_bounces_total", outcome);
    }
  }
  return { read: events.length, ...counts };
}

async function applyBounce(
  storage: Storage,
  event: BounceEvent,
  { now, onHeld }: BounceOptions,
): Promise<BounceDecision["outcome"]> {
  if (event.type === "other") return "ignored";
  const userEmail = await findPerson(storage, event);
  if (userEmail === undefined) return "ignored";
  // Most mails arrive, and nothing was counted before.
  const isOfNoUse = event.type === "delivered" &&
    await storage.get(BOUNCE_COUNTS, userEmail) === undefined;
  if (isOfNoUse) return "ignored";
  const outcome = await changeByBounce(storage, { event, userEmail }, now);
  if (outcome === "unsubscribed") {
    const held = await holdIfHarmful(storage, { event, userEmail });
    if (held !== undefined) onHeld?.(held);
  }
  return outcome;
}

function changeByBounce(
  storage: Storage,
  { event, userEmail }: { readonly event: BounceEvent; readonly userEmail: string },
  now: string,
): Promise<BounceDecision["outcome"]> {
  const refs = {
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
    count: { kind: BOUNCE_COUNTS, key: userEmail },
  };
  const type = "subscriber.unsubscribed";
  return transactWithEvents(storage, refs, ({ subscription: current, count: known }) => {
    const decision = decideBounce(event, { subscription: current, count: known, now });
    const { outcome, source, count } = decision;
    const remove = count === null ? ["count"] as const : [];
    if (source === undefined) {
      return { answer: outcome, put: { count: count ?? undefined }, remove };
    }
    const subscription = endSubscription(current!, { source, at: now });
    const events = [eventOf(type, subscription, now)];
    return { answer: outcome, put: { subscription }, remove, events };
  }, { types: [type], at: now });
}

/** Finds the address, among those that a report names, of somebody who is here. */
async function findPerson(storage: Storage, event: BounceEvent): Promise<string | undefined> {
  const { address, otherAddresses = [], listUnsubscribe = "" } = event;
  for (const text of [address, ...otherAddresses]) {
    const userEmail = parseEmailAddress(text);
    const isKnown = typeof userEmail === "string" &&
      await getSubscription(storage, userEmail) !== undefined;
    if (isKnown) return userEmail;
  }
  const [, token] = UNSUBSCRIBE_TOKEN.exec(listUnsubscribe) ?? [];
  return token === undefined ? undefined : await (await openLinkSealer(storage)).open(token);
}

/** Counts a report that unsubscribed somebody; returns the delivery if it is held because of it. */
async function holdIfHarmful(
  storage: Storage,
  { event, userEmail }: { readonly event: BounceEvent; readonly userEmail: string },
): Promise<Delivery | undefined> {
  if (event.type !== "permanent" && event.type !== "complaint") return undefined;
  const entryId = await findDelivery(storage, event, userEmail);
  if (entryId === undefined) return undefined;
  const refs = { delivery: { kind: DELIVERIES, key: entryId } };
  return await storage.transact(refs, ({ delivery: current }) => {
    if (current === undefined) return { answer: undefined };
    const delivery = reportToDelivery(current, event.type);
    const isHeld = delivery.state === "held" && current.state !== "held";
    return { answer: isHeld ? delivery : undefined, put: { delivery } };
  });
}

/**
 * Finds the delivery under way that a report is about, by its `Message-ID`. Where a provider has
 * replaced that, it is the one that began last before.
 */
async function findDelivery(
  storage: Storage,
  { messageId = "", at }: BounceEvent,
  userEmail: string,
): Promise<string | undefined> {
  const query = { index: "byDue", limit: MAX_DELIVERIES, reverse: true };
  const begun = (await storage.list(DELIVERIES, query))
    .filter(({ startedAt, finishedAt }) => startedAt !== null && finishedAt === null)
    .sort((a, b) => a.startedAt! < b.startedAt! ? 1 : -1);
  const hash = findMailHash(messageId);
  for (const { entryId, startedAt } of begun) {
    const entry = hash === undefined ? undefined : await getEntry(storage, entryId);
    const isMeant = hash === undefined
      ? at === null || startedAt! <= addMs(at, EXACTNESS_MS)
      : entry !== undefined && await mailHash(entry, userEmail) === hash;
    if (isMeant) return entryId;
  }
}
