import type { ListQuery, Position, Storage } from "../../adapters/storage.ts";
import { CHANGELOGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import {
  applySubscriptionChange,
  endSubscription,
  showSubscription,
  type SUBSCRIPTION,
  type Subscription,
  type SubscriptionChange,
  type SubscriptionRequest,
  type SubscriptionSource,
  toSubscriptionChange,
} from "../../model/subscriptions/subscription.ts";
import { changePace, type Pace } from "../../model/subscriptions/choices.ts";
import { applyChange, type SentValues } from "../../model/resource.ts";
import { hasAllWords, queryWords } from "../../model/values/found_words.ts";
import type { EventType, WebhookEvent } from "../../model/webhooks/webhook_event.ts";
import { endAsks } from "../posts/votes/asks.ts";
import {
  ERASURE_COUNT,
  erasureCountOf,
  findErased,
  prepareErasureCount,
} from "../privacy/erased.ts";
import { changeWithEvents, transactWithEvents } from "../webhooks/events.ts";
import {
  type Listed,
  listMatching,
  type ReadOptions,
  readPages,
  type Selection,
  transactUnlessDry,
} from "../records.ts";
import { CHANGELOG_ID, getChangelog } from "../changelog.ts";

/** The outcome of a change of a subscription. */
export interface SubscriptionOutcome {
  /** The state after the change. */
  readonly subscription: Subscription;
  /** The state before the change; `undefined` if the address was new. */
  readonly previous: Subscription | undefined;
  /** Whether the address was new, or `subscribed` or `userName` changed. */
  readonly changed: boolean;
}

export interface SubscriptionFilter {
  /** The state to select; absent for all. */
  readonly subscribed?: boolean | undefined;
  /** The source of the state to select; absent for all. */
  readonly source?: SubscriptionSource | undefined;
  /** The pace to select; absent for all. */
  readonly pace?: Pace | undefined;
  /** The start of the addresses to select; absent for all. */
  readonly prefix?: string | undefined;
  /** Words that must all be in the address or the name; absent for all subscribers. */
  readonly q?: string | undefined;
}

/** The subscriptions to list, and the page of them. */
export type SubscriptionQuery =
  & SubscriptionFilter
  & Pick<ReadOptions, "after" | "limit" | "isGone">;

/** Creates or updates the subscription of one address, in one atomic step. */
export function changeSubscription(
  storage: Storage,
  request: SubscriptionRequest,
): Promise<SubscriptionOutcome> {
  const change = toSubscriptionChange(request);
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: change.userEmail } };
  const { at, subscribe } = change;
  const changed = subscribe ? "subscriber.subscribed" : "subscriber.unsubscribed";
  const renamed = "subscriber.updated";
  return transactWithEvents(storage, refs, ({ subscription: previous }) => {
    const result = applyTo(previous, change);
    const { subscription } = result;
    const type = subscription.subscribed === previous?.subscribed ? renamed : changed;
    const events = () => result.changed ? [eventOf(type, subscription, at)] : [];
    return { answer: result, put: { subscription }, events };
  }, { types: [changed, renamed], at });
}

/** A caller's change of a subscriber; absent fields stay as they are. */
export type SubscriberChange = Omit<SentValues<typeof SUBSCRIPTION.fields>, "userEmail">;

/**
 * Changes a subscription's fields other than `subscribed`. Returns the changed record; `undefined`
 * if there is none.
 */
export function updateSubscription(
  storage: Storage,
  userEmail: string,
  { change, at }: { readonly change: SubscriberChange; readonly at: string },
): Promise<Subscription | undefined> {
  const type = "subscriber.updated";
  return changeWithEvents(storage, function* ({ read, put, tell }) {
    const current = yield* read(SUBSCRIPTIONS, userEmail);
    if (current === undefined) return undefined;
    const isPaced = change.pace !== undefined && change.pace !== current.pace;
    // A new pace takes effect at a version of the changelog.
    const changelog = yield* read(CHANGELOGS, isPaced ? CHANGELOG_ID : null);
    const paceChanges = isPaced
      ? changePace(current.paceChanges, changelog?.version ?? 0)
      : undefined;
    const subscription = applyChange<Subscription>(current, { ...change, paceChanges }, at);
    if (subscription === current) return current;
    put(SUBSCRIPTIONS, subscription);
    tell(eventOf(type, subscription, at));
    return subscription;
  }, { types: [type], at });
}

/**
 * Imports changes of up to 99 addresses in order and in one atomic step, without telling webhooks.
 * A dry run only returns the outcomes. The outcome is `undefined` for a person who was erased or
 * wants no mail, and stays away unless the change subscribes them again.
 */
export async function importChanges(
  storage: Storage,
  requests: readonly SubscriptionRequest[],
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<readonly (SubscriptionOutcome | undefined)[]> {
  // A version that is too great does no harm: a delivery that begins meanwhile uses the previous
  // pace.
  const version = ((await getChangelog(storage))?.version ?? 0) + 1;
  const changes = requests.map((request) => ({ ...toSubscriptionChange(request), version }));
  const emails = [...new Set(changes.map(({ userEmail }) => userEmail))];
  if (!isDryRun) await prepareErasureCount(storage);
  const refs = {
    ...Object.fromEntries(emails.map((key) => [key, { kind: SUBSCRIPTIONS, key }] as const)),
    erasures: ERASURE_COUNT,
  };
  type Outcomes = ReturnType<typeof applyAll> | undefined;
  for (;;) {
    const erased = await findErased(storage, emails);
    const away = new Set([...erased.addresses, ...erased.closed]);
    const outcomes = await transactUnlessDry<typeof refs, Outcomes>(
      storage,
      refs,
      ({ erasures, ...found }) => {
        if (erasureCountOf(erasures) !== erased.count) return { answer: undefined };
        const next = { ...found } as Record<string, Subscription | undefined>;
        return { answer: applyAll(next, changes, away), put: next };
      },
      { isDryRun },
    );
    if (outcomes !== undefined) return outcomes;
  }
}

/** Applies changes to the stored subscriptions of their addresses. */
function applyAll(
  stored: Record<string, Subscription | undefined>,
  changes: readonly SubscriptionChange[],
  away: ReadonlySet<string>,
): readonly (SubscriptionOutcome | undefined)[] {
  return changes.map((change) => {
    const { userEmail, subscribe, keepUnsubscribed } = change;
    const isKept = away.has(userEmail) && (keepUnsubscribed || !subscribe);
    if (isKept && stored[userEmail] === undefined) return undefined;
    const outcome = applyTo(stored[userEmail], change);
    stored[userEmail] = outcome.subscription;
    return outcome;
  });
}

function applyTo(
  previous: Subscription | undefined,
  change: SubscriptionChange,
): SubscriptionOutcome {
  const subscription = applySubscriptionChange(previous, change);
  return { subscription, previous, changed: subscription !== previous };
}

/**
 * Unsubscribes an address for any reason but an API request, at a time (RFC 3339, UTC,
 * milliseconds), and ends the person's requests about posts. An erased person stays erased.
 */
export async function unsubscribe(
  storage: Storage,
  userEmail: string,
  { source, at }: Pick<SubscriptionRequest, "source" | "at">,
): Promise<void> {
  await endAsks(storage, userEmail);
  const refs = { subscription: { kind: SUBSCRIPTIONS, key: userEmail } };
  const type = "subscriber.unsubscribed";
  await transactWithEvents(storage, refs, ({ subscription: current }) => {
    if (current === undefined || !current.subscribed) return { answer: undefined };
    const subscription = endSubscription(current, { source, at });
    const events = [eventOf(type, subscription, at)];
    return { answer: undefined, put: { subscription }, events };
  }, { types: [type], at });
}

/** Creates the event of a subscription's change at a time (RFC 3339, UTC, milliseconds). */
export function eventOf(type: EventType, subscription: Subscription, at: string): WebhookEvent {
  return { type, at, data: showSubscription(subscription), userEmail: subscription.userEmail };
}

/** Lists subscriptions; the filter determines their order. */
export function listSubscriptions(
  storage: Storage,
  { limit, after, isGone, ...filter }: SubscriptionQuery,
): Promise<Listed<Subscription>> {
  const { query, selection } = followFilter(filter);
  return listMatching(storage, SUBSCRIPTIONS, { ...query, after, limit, isGone }, selection);
}

/** Reads all subscriptions, or those that match a filter, with at most one page in memory. */
export function readSubscriptions(
  storage: Storage,
  filter: SubscriptionFilter,
): AsyncGenerator<readonly Subscription[]> {
  const { query, selection } = followFilter(filter);
  return readPages(storage, SUBSCRIPTIONS, query, selection);
}

/** Tells whether the list for a filter is in the order of ids. */
function isById({ subscribed, prefix }: SubscriptionFilter): boolean {
  return subscribed === true && prefix === undefined;
}

function followFilter(filter: SubscriptionFilter): {
  readonly query: Pick<ListQuery, "index" | "within">;
  readonly selection: Selection<Subscription>;
} {
  const { subscribed, source, pace, prefix, q = "" } = filter;
  const words = queryWords(q);
  const index = subscribed === false ? "unsubscribed" : isById(filter) ? "subscribed" : undefined;
  return {
    query: { index, within: prefix },
    selection: {
      matches: (record) =>
        (subscribed ?? record.subscribed) === record.subscribed &&
        (source ?? record.source) === record.source &&
        (pace ?? record.pace) === record.pace &&
        hasAllWords(`${record.userEmail}\n${record.userName ?? ""}`, words),
    },
  };
}

/** Returns the position of a subscription in the list for a filter. */
export function positionOf(
  { userEmail, subscriberId }: Subscription,
  filter: SubscriptionFilter,
): Position {
  return isById(filter) ? { key: userEmail, by: subscriberId } : { key: userEmail };
}
