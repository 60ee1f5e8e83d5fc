import { type ListQuery, MAX_LIST_LIMIT, type Storage } from "../adapters/storage.ts";
import { SUBSCRIPTIONS } from "../model/kinds.ts";
import {
  applySubscriptionChange,
  type Subscription,
  type SubscriptionChange,
} from "../model/subscription.ts";
import type { EventType, WebhookEvent } from "../model/webhook.ts";
import { transactWithEvents } from "./events.ts";

/** The outcome of a change of a subscription. */
export interface SubscriptionOutcome {
  /** The state after the change. */
  readonly subscription: Subscription;
  /** The state before the change; `undefined` if the address was new. */
  readonly previous: Subscription | undefined;
  /** Whether the address was new, or `subscribed` or `userName` changed. */
  readonly changed: boolean;
}

export interface SubscriptionQuery extends Omit<ListQuery, "index"> {
  /** Only those in this state; absent: all. */
  readonly subscribed?: boolean | undefined;
}

/**
 * Creates or updates the subscription of one address, in one atomic step; in a dry run, only tells
 * what that would come to.
 */
export function changeSubscription(
  storage: Storage,
  change: SubscriptionChange,
  { isDryRun = false }: { readonly isDryRun?: boolean } = {},
): Promise<SubscriptionOutcome> {
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: change.userEmail } };
  const { at, source, subscribe } = change;
  const type = subscribe ? "subscriber.subscribed" : "subscriber.unsubscribed";
  const types: readonly EventType[] = source === "import" ? [] : [type];
  return transactWithEvents(storage, refs, ({ subscription: previous }) => {
    const subscription = applySubscriptionChange(previous, change);
    const answer = { subscription, previous, changed: subscription !== previous };
    if (isDryRun) return { answer };
    const isEvent = subscription.subscribed !== previous?.subscribed;
    const events = isEvent ? [eventOf(type, subscription, at)] : [];
    return { answer, put: { subscription }, events };
  }, { types, at });
}

/**
 * Unsubscribes an address other than by a request of the API, at a time (RFC 3339, UTC, milliseconds).
 * One that was erased stays erased.
 */
export function unsubscribe(
  storage: Storage,
  userEmail: string,
  { source, at }: Pick<SubscriptionChange, "source" | "at">,
): Promise<void> {
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: userEmail } };
  const type = "subscriber.unsubscribed";
  return transactWithEvents(storage, refs, ({ subscription: current }) => {
    if (current === undefined || !current.subscribed) return { answer: undefined };
    const change = { userEmail, userName: null, subscribe: false, source, at };
    const subscription = applySubscriptionChange(current, change);
    const events = [eventOf(type, subscription, at)];
    return { answer: undefined, put: { subscription }, events };
  }, { types: [type], at });
}

function eventOf(type: EventType, subscription: Subscription, at: string): WebhookEvent {
  return { type, at, data: subscription, userEmail: subscription.userEmail };
}

export function getSubscription(
  storage: Storage,
  userEmail: string,
): Promise<Subscription | undefined> {
  return storage.get(SUBSCRIPTIONS, userEmail);
}

export function listSubscriptions(
  storage: Storage,
  { subscribed, ...query }: SubscriptionQuery,
): Promise<readonly Subscription[]> {
  const index = subscribed === undefined ? undefined : subscribed ? "subscribed" : "unsubscribed";
  return storage.list(SUBSCRIPTIONS, { ...query, index });
}

/** Lists all subscriptions, or all in one state, page by page, and never holds more than one. */
export async function* readSubscriptions(
  storage: Storage,
  query: Pick<SubscriptionQuery, "subscribed">,
): AsyncGenerator<readonly Subscription[]> {
  const limit = MAX_LIST_LIMIT;
  for (let after: ListQuery["after"], isLast = false; !isLast;) {
    const page = await listSubscriptions(storage, { ...query, after, limit });
    if (page.length > 0) yield page;
    isLast = page.length < limit;
    after = { key: page.at(-1)?.userEmail ?? "" };
  }
}

/** Returns the greatest stored address below one: as a cursor of a delivery, it means the same. */
export async function previousAddress(
  storage: Storage,
  userEmail: string,
): Promise<string | undefined> {
  const query = { after: { key: userEmail }, limit: 1, reverse: true };
  const [previous] = await storage.list(SUBSCRIPTIONS, query);
  return previous?.userEmail;
}
