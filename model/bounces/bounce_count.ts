import type { BounceEvent } from "./bounce_event.ts";
import { hash64 } from "../crypto/hash64.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { readHistory } from "../subscriptions/history.ts";
import { addMs } from "../values/time.ts";

/** The mails in a row that were not delivered to one person; removed some time after the last. */
export interface BounceCount {
  readonly userEmail: string;
  /** The failures, in their order of time. */
  readonly failures: readonly CountedFailure[];
  /** When a mail was last known to arrive since the first failure (RFC 3339, UTC, milliseconds). */
  readonly deliveredAt: string | null;
  /** When all of this may be forgotten. */
  readonly expiresAt: string;
}

/** A failure, and what a repetition of its report is known by. */
export interface CountedFailure {
  readonly id: string;
  readonly at: string;
}

/** What an event comes to. */
export interface BounceDecision {
  readonly outcome: "unsubscribed" | "counted" | "ignored";
  /** What unsubscribes, for `unsubscribed`. */
  readonly source?: "bounce" | "complaint" | "link";
  /** The count as it is then; `null` for none, absent where nothing changes. */
  readonly count?: BounceCount | null;
}

const DAY_MS = 86_400_000;
const MAX_IN_A_ROW = 5;
const MIN_SPAN_MS = 7 * DAY_MS;
// Between two mails of a changelog there may be months.
const KEPT_MS = 180 * DAY_MS;
const MAX_KEPT = 50;
const IGNORED: BounceDecision = { outcome: "ignored" };

/**
 * Decides what an event comes to for a person at a time (RFC 3339, UTC, milliseconds). An event that is
 * older than the subscription, or was counted before, changes nothing, in whatever order events come.
 */
export function decideBounce(
  event: BounceEvent,
  { subscription, count, now }: {
    readonly subscription: Subscription | undefined;
    readonly count: BounceCount | undefined;
    readonly now: string;
  },
): BounceDecision {
  if (!subscription?.subscribed) return IGNORED;
  const at = event.at !== null && event.at < now ? event.at : now;
  const since = subscribedSince(subscription);
  if (at < since) return IGNORED;
  const known = count === undefined || count.expiresAt <= now ? undefined : count;
  switch (event.type) {
    case "permanent":
      return { outcome: "unsubscribed", source: "bounce", count: null };
    case "complaint":
      return { outcome: "unsubscribed", source: "complaint", count: null };
    // The person followed a link of the provider in place of ours.
    case "unsubscribe":
      return { outcome: "unsubscribed", source: "link", count: null };
    case "delivered":
      return known === undefined ? IGNORED : { outcome: "ignored", count: endRow(known, at) };
    case "temporary":
      return countFailure(event, { userEmail: subscription.userEmail, known, at, since, now });
    default:
      return IGNORED;
  }
}

/** Returns what a repetition of an event has in common with it. */
function idOf({ type, at, code, text, messageId }: BounceEvent): string {
  return hash64(JSON.stringify([type, at, code, text, messageId]));
}

function endRow(count: BounceCount, at: string): BounceCount {
  if (count.deliveredAt !== null && count.deliveredAt >= at) return count;
  return { ...count, failures: count.failures.filter((one) => one.at > at), deliveredAt: at };
}

function countFailure(
  event: BounceEvent,
  { userEmail, known, at, since, now }: {
    readonly userEmail: string;
    readonly known: BounceCount | undefined;
    readonly at: string;
    readonly since: string;
    readonly now: string;
  },
): BounceDecision {
  const id = idOf(event);
  const deliveredAt = known?.deliveredAt ?? null;
  const before = known?.failures.filter((failure) => failure.at >= since) ?? [];
  const isOver = deliveredAt !== null && at <= deliveredAt;
  if (isOver || before.some((failure) => failure.id === id)) return IGNORED;
  const failures = [...before, { id, at }].sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
  const spanMs = Date.parse(failures.at(-1)!.at) - Date.parse(failures[0].at);
  if (failures.length >= MAX_IN_A_ROW && spanMs >= MIN_SPAN_MS) {
    return { outcome: "unsubscribed", source: "bounce", count: null };
  }
  // The first one tells since when.
  if (failures.length > MAX_KEPT) failures.splice(1, 1);
  const count = { userEmail, failures, deliveredAt, expiresAt: addMs(now, KEPT_MS) };
  return { outcome: "counted", count };
}

/** Returns since when a person is subscribed, to the second: few reports are more exact. */
function subscribedSince({ history, updatedAt }: Subscription): string {
  const last = readHistory(history)?.findLast(({ subscribed }) => subscribed);
  // A record of an older program has no history; its name may have changed since.
  return `${(last?.at ?? updatedAt).slice(0, -".000Z".length)}.000Z`;
}
