import { type ListQuery, MAX_LIST_LIMIT, type Storage } from "../adapters/storage.ts";
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
  return storage.transact(refs, ({ subscription: previous }) => {
    const subscription = applySubscriptionChange(previous, change);
    const answer = { subscription, previous, changed: subscription !== previous };
    return isDryRun ? { answer } : { answer, put: { subscription } };
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
