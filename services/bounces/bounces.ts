import type { Storage } from "../../adapters/storage.ts";
import { type BounceDecision, decideBounce } from "../../model/bounces/bounce_count.ts";
import type { BounceEvent } from "../../model/bounces/bounce_event.ts";
import { parseEmailAddress } from "../../model/values/email_address.ts";
import type { Delivery } from "../../model/deliveries/delivery.ts";
import { BOUNCE_COUNTS, DELIVERY_FAILURES, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { createPace } from "../../model/turns.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { endSubscription, type Subscription } from "../../model/subscriptions/subscription.ts";
import { eventOf } from "../subscriptions/subscriptions.ts";
import type { BounceSummary } from "../../model/bounces/bounce_summary.ts";
import { reportToDelivery } from "../deliveries/reports.ts";
import { transactWithEvents } from "../webhooks/events.ts";
import { meterOf } from "../meter.ts";
import { openLinkCipher } from "../subscriptions/unsubscribe_links.ts";

// Changes that are under way at once share the cost of being made durable.
const AT_ONCE = 5;
const UNSUBSCRIBE_TOKEN = /\/unsubscribe\/([\w-]+)>/;

/** How events are carried out. */
export interface BounceOptions {
  /** When (RFC 3339, UTC, milliseconds). */
  readonly now: string;
  /** Called with a delivery that is held because of them. */
  readonly onHeld?: ((delivery: Delivery) => void) | undefined;
}

/** Carries out what events ask for, and has deliveries know of them, which are held if they do harm. */
export async function applyBounces(
  storage: Storage,
  events: readonly BounceEvent[],
  options: BounceOptions,
): Promise<BounceSummary> {
  const meter = meterOf(storage);
  const counts = { unsubscribed: 0, counted: 0, ignored: 0 };
  const pace = createPace();
  for (let start = 0; start < events.length; start += AT_ONCE) {
    await pace();
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
  const person = await findPerson(storage, event);
  if (!person?.subscribed) return "ignored";
  const { userEmail } = person;
  const isArrival = event.type === "delivered";
  // Most mails arrive, and nothing is known to the contrary.
  if (isArrival && !await hasFailures(storage, userEmail)) return "ignored";
  const outcome = await changeByBounce(storage, { event, userEmail }, now);
  if (outcome !== "ignored" || isArrival) {
    const held = await reportToDelivery(storage, { event, userEmail }, { outcome, now });
    if (held !== undefined) onHeld?.(held);
  }
  return outcome;
}

function changeByBounce(
  storage: Storage,
  { event, userEmail }: { readonly event: BounceEvent; readonly userEmail: string },
  now: string,
): Promise<BounceDecision["outcome"]> {
  // The count comes first: storage may have a queue by the first kind, where other changes of
  // subscriptions would wait for these.
  const refs = {
    count: { kind: BOUNCE_COUNTS, key: userEmail },
    subscription: { kind: SUBSCRIPTIONS, key: userEmail },
  };
  const type = "subscriber.unsubscribed";
  return transactWithEvents(storage, refs, ({ subscription: current, count: known }) => {
    const decision = decideBounce(event, { subscription: current, count: known, now });
    const { outcome, source, count } = decision;
    if (source === undefined) return { answer: outcome, put: { count } };
    const subscription = endSubscription(current!, { source, at: now });
    const events = [eventOf(type, subscription, now)];
    return { answer: outcome, put: { subscription, count }, events };
  }, { types: [type], at: now });
}

/** Tells whether any mail is known not to have reached a person. */
async function hasFailures(storage: Storage, userEmail: string): Promise<boolean> {
  const query = { index: "byPerson", after: { by: userEmail, key: "" }, limit: 1 };
  const [count, [missed]] = await Promise.all([
    storage.get(BOUNCE_COUNTS, userEmail),
    storage.list(DELIVERY_FAILURES, query),
  ]);
  return count !== undefined || missed?.userEmail === userEmail;
}

/** Finds somebody who is here by the addresses that a report names, or by the link in the mail. */
async function findPerson(
  storage: Storage,
  { address, otherAddresses = [], listUnsubscribe = "" }: BounceEvent,
): Promise<Subscription | undefined> {
  for (const text of [address, ...otherAddresses]) {
    const userEmail = parseEmailAddress(text);
    if (userEmail instanceof Refusal) continue;
    const person = await storage.get(SUBSCRIPTIONS, userEmail);
    if (person !== undefined) return person;
  }
  const [, token] = UNSUBSCRIBE_TOKEN.exec(listUnsubscribe) ?? [];
  if (token === undefined) return undefined;
  const userEmail = await (await openLinkCipher(storage)).decrypt(token);
  return userEmail === undefined ? undefined : await storage.get(SUBSCRIPTIONS, userEmail);
}
