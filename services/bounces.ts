import type { Storage } from "../adapters/storage.ts";
import { type BounceDecision, decideBounce } from "../model/bounces/bounce_count.ts";
import { equalSecrets } from "../model/crypto/key_secret.ts";
import { randomText } from "../model/crypto/random.ts";
import { count, object } from "../model/declare.ts";
import type { ShownOf } from "../model/resource.ts";
import { getSetting } from "./records.ts";
import type { BounceEvent, BounceEvidence, BounceType } from "../model/bounces/bounce_event.ts";
import { parseEmailAddress } from "../model/values/email_address.ts";
import type { Delivery } from "../model/deliveries/delivery.ts";
import { BOUNCE_COUNTS, DELIVERY_FAILURES, SETTINGS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { PEOPLE } from "../model/posts/records.ts";
import { mailboxOf } from "../model/posts/vote.ts";
import { createYielder } from "../model/turns.ts";
import { Refusal } from "../model/values/refusal.ts";
import { endSubscription, type Subscription } from "../model/subscriptions/subscription.ts";
import { eventOf } from "./subscriptions/subscriptions.ts";
import { type MailIds, openMailIds } from "./deliveries/mail_ids.ts";
import { reportToDelivery } from "./deliveries/reports.ts";
import { endAsksBefore } from "./posts/votes/asks.ts";
import { transactWithEvents } from "./webhooks/events.ts";
import { meterOf } from "./shared.ts";
import { openUnsubscribeToken } from "./subscriptions/unsubscribe_links.ts";
import { openCipher } from "./privacy/sealed.ts";

const SECRET = { kind: SETTINGS, key: "bounceSecret" } as const;
const SECRET_LENGTH = 32;

// The types of events that end what a person asked for at once.
const ENDS_ASKS: readonly BounceType[] = ["permanent", "complaint", "unsubscribe"];
// Concurrent changes share one sync to disk.
const AT_ONCE = 5;

/** The response to a report: the number of events by their consequence. */
export const BOUNCE_SUMMARY = object("BounceSummary", "The outcomes of the reported events.", {
  read: count("How many events were read.", 1),
  unsubscribed: count("How many of them unsubscribed somebody.", 1),
  counted: count("How many were counted, and unsubscribe if more follow.", 0),
  ignored: count("How many changed nothing.", 0),
});

/** The {@linkcode BOUNCE_SUMMARY} of a report. */
export type BounceSummary = ShownOf<typeof BOUNCE_SUMMARY.fields>;

/** The options for carrying out events. */
export interface BounceOptions {
  /** When (RFC 3339, UTC, milliseconds). */
  readonly now: string;
  /** Called with each delivery that these events put on hold. */
  readonly onHeld?: ((delivery: Delivery) => void) | undefined;
}

/** Applies events to people and to their deliveries, and holds a delivery that does harm. */
export async function applyBounces(
  storage: Storage,
  events: readonly BounceEvent[],
  options: BounceOptions,
): Promise<BounceSummary> {
  const meter = meterOf(storage);
  const counts = { unsubscribed: 0, counted: 0, ignored: 0 };
  const yieldIfBusy = createYielder();
  for (let start = 0; start < events.length; start += AT_ONCE) {
    await yieldIfBusy();
    const some = events.slice(start, start + AT_ONCE);
    const outcomes = await Promise.all(some.map((event) => applyBounce(storage, event, options)));
    for (const outcome of outcomes) {
      counts[outcome === "unproven" ? "ignored" : outcome]++;
      meter.count("boardcast_bounces_total", outcome);
    }
  }
  return { read: events.length, ...counts };
}

async function applyBounce(
  storage: Storage,
  event: BounceEvent,
  { now, onHeld }: BounceOptions,
): Promise<BounceDecision["outcome"] | "unproven"> {
  const isOther = event.type === "other";
  // Providers report much that needs no reads. A mail is counted by whether it proves anything.
  if (isOther && event.evidence === undefined) return "ignored";
  const person = await findPerson(storage, event);
  if (person === "unproven") return person;
  if (person === undefined || isOther) return "ignored";
  const { userEmail } = person;
  const isArrival = event.type === "delivered";
  // Most mails arrive. Arrival matters only for somebody with an earlier failure.
  if (isArrival && !await hasFailures(storage, userEmail)) return "ignored";
  const outcome = await changePerson(storage, { event, person }, now);
  if (outcome !== "ignored" || isArrival) {
    const held = await reportToDelivery(storage, { event, userEmail }, { outcome, now });
    if (held !== undefined) onHeld?.(held);
  }
  return outcome;
}

/** Applies an event to a person's subscription, and to their requests to be told about posts. */
async function changePerson(
  storage: Storage,
  { event, person }: { readonly event: BounceEvent; readonly person: BouncedPerson },
  now: string,
): Promise<BounceDecision["outcome"]> {
  const { userEmail, subscribed } = person;
  const isFinal = ENDS_ASKS.includes(event.type);
  const outcome = subscribed
    ? await changeByBounce(storage, { event, userEmail }, now)
    : isFinal
    ? "unsubscribed"
    : "ignored";
  if (outcome !== "unsubscribed") return outcome;
  const at = event.at !== null && event.at < now ? event.at : now;
  const isEnded = await endAsksBefore(storage, userEmail, { at, now });
  return subscribed || isEnded ? outcome : "ignored";
}

function changeByBounce(
  storage: Storage,
  { event, userEmail }: { readonly event: BounceEvent; readonly userEmail: string },
  now: string,
): Promise<BounceDecision["outcome"]> {
  // The count comes first, because storage may queue transactions by their first kind. Other
  // changes of subscriptions would then wait for these.
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

/**
 * Finds a stored person by the addresses in a report, or by the link in the returned mail. A report
 * that came by mail must prove that it is about a mail of ours to this person.
 */
async function findPerson(
  storage: Storage,
  { address, otherAddresses = [], evidence }: BounceEvent,
): Promise<BouncedPerson | "unproven" | undefined> {
  const named = [address, ...otherAddresses].map(parseEmailAddress)
    .filter((userEmail) => !(userEmail instanceof Refusal)) as readonly string[];
  if (evidence === undefined) return await findFirst(storage, named);
  const sealed = await openTokens(storage, evidence);
  const ids = await openMailIds(storage);
  const proven: string[] = [];
  for (const userEmail of named) {
    const isProven = sealed.includes(userEmail) ||
      evidence.tags.includes(await ids.tagOf(userEmail)) ||
      await isAnyTo(ids, evidence.messageIds, userEmail);
    if (isProven) proven.push(userEmail);
  }
  // The recipient may have forwarded the mail to the address that the report names.
  if (evidence.isAboutOne) proven.push(...sealed);
  return proven.length === 0 ? "unproven" : await findFirst(storage, proven);
}

/** A person with a subscription, former subscription or vote. */
type BouncedPerson = Pick<Subscription, "userEmail" | "subscribed">;

/** Finds the first of some addresses that storage knows. */
async function findFirst(
  storage: Storage,
  addresses: readonly string[],
): Promise<BouncedPerson | undefined> {
  for (const userEmail of addresses) {
    const subscription = await storage.get(SUBSCRIPTIONS, userEmail);
    if (subscription !== undefined) return subscription;
    const person = await storage.get(PEOPLE, mailboxOf(userEmail));
    if (person !== undefined) return { userEmail, subscribed: false };
  }
}

/** Returns the addresses that are sealed in the links of a returned mail. */
async function openTokens(
  storage: Storage,
  { tokens }: BounceEvidence,
): Promise<readonly string[]> {
  if (tokens.length === 0) return [];
  const cipher = await openCipher(storage, "unsubscribe");
  const owners = tokens.map((token) => openUnsubscribeToken(cipher, token));
  return owners.filter((owner) => owner !== undefined).map(({ userEmail }) => userEmail);
}

async function isAnyTo(
  ids: MailIds,
  messageIds: readonly string[],
  userEmail: string,
): Promise<boolean> {
  for (const id of messageIds) if (await ids.isTo(id, userEmail)) return true;
  return false;
}

/** Returns the secret in the path to which reports are posted; the first that asks creates it. */
export function getBounceSecret(storage: Storage): Promise<string> {
  return getSetting(storage, SECRET.key, createSecret);
}

/** Replaces the secret, which is refused from then on; returns the new one. */
export async function rotateBounceSecret(storage: Storage): Promise<string> {
  const value = createSecret();
  return await storage.transact({ secret: SECRET }, () => ({
    answer: value,
    put: { secret: { settingId: SECRET.key, value } },
  }));
}

export async function isBounceSecret(storage: Storage, text: string): Promise<boolean> {
  const { value = "" } = await storage.get(SECRET.kind, SECRET.key) ?? {};
  return value !== "" && await equalSecrets(text, value);
}

function createSecret(): string {
  return randomText(SECRET_LENGTH);
}
