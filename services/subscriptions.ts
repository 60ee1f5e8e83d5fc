import type { ListQuery, Storage } from "../adapters/storage.ts";
import { SUBSCRIPTIONS } from "../model/kinds.ts";
import {
  applySubscriptionChange,
  type Subscription,
  type SubscriptionChange,
} from "../model/subscription.ts";

/** The outcome of a change of a subscription. */
export interface SubscriptionOutcome {
  /** The state after the change. */
  readonly subscription: Subscription;
  /** The state before the change; `undefined` if the address was new. */
  readonly previous: Subscription | undefined;
  /** Whether the address was new, or `subscribed` or `userName` changed. */
  readonly changed: boolean;
}

/** Which subscriptions to list. */
export interface SubscriptionQuery extends Omit<ListQuery, "index"> {
  /** Only those in this state; absent: all. */
  readonly subscribed?: boolean | undefined;
}

/** Creates or updates the subscription of one address, in one atomic step. */
export function changeSubscription(
  storage: Storage,
  change: SubscriptionChange,
): Promise<SubscriptionOutcome> {
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: change.userEmail } };
  return storage.transact(refs, ({ subscription: previous }) => {
    const subscription = applySubscriptionChange(previous, change);
    const answer = { subscription, previous, changed: subscription !== previous };
    return { answer, put: { subscription } };
  });
}

/** Returns the subscription, or `undefined` if the address was never seen. */
export function getSubscription(
  storage: Storage,
  userEmail: string,
): Promise<Subscription | undefined> {
  return storage.get(SUBSCRIPTIONS, userEmail);
}

/** Lists subscriptions in ascending order of `userEmail`. */
export function listSubscriptions(
  storage: Storage,
  { subscribed, ...query }: SubscriptionQuery,
): Promise<readonly Subscription[]> {
  const index = subscribed === undefined ? undefined : subscribed ? "subscribed" : "unsubscribed";
  return storage.list(SUBSCRIPTIONS, { ...query, index });
}

/**
 * Removes everything stored about the address, including the opt-out; returns whether there was
 * anything.
 */
export function eraseSubscription(storage: Storage, userEmail: string): Promise<boolean> {
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: userEmail } };
  return storage.transact(refs, ({ subscription }) => ({
    answer: subscription !== undefined,
    remove: ["subscription"],
  }));
}
