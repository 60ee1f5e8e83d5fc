import type { BounceEvent, BounceType } from "./bounce_event.ts";
import { hash64 } from "../crypto/hash64.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { readHistory } from "../subscriptions/history.ts";
import { addMs } from "../values/time.ts";

/** The mails in a row that were not delivered to one person; forgotten some time after the last. */
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
  /** Whether it has unsubscribed the person: then it counts no more, but is known. */
  readonly isOver?: true;
}

/** What an event comes to. */
export interface BounceDecision {
  readonly outcome: "unsubscribed" | "counted" | "ignored";
  /** What unsubscribes, for `unsubscribed`. */
  readonly source?: "bounce" | "complaint" | "link";
  /** The count as it is then; absent where nothing changes. */
  readonly count?: BounceCount;
}

const DAY_MS = 86_400_000;
const MAX_IN_A_ROW = 5;
const MIN_SPAN_MS = 7 * DAY_MS;
// Between two mails of a changelog there may be months.
const KEPT_MS = 180 * DAY_MS;
const MAX_KEPT = 50;
const IGNORED: BounceDecision = { outcome: "ignored" };
// Of those that unsubscribe at once; an opt-out at the provider is the person's own.
const SOURCES: ReadonlyMap<BounceType, NonNullable<BounceDecision["source"]>> = new Map([
  ["permanent", "bounce"],
  ["complaint", "complaint"],
  ["unsubscribe", "link"],
]);

/**
 * Decides what an event comes to for a person at a time (RFC 3339, UTC, milliseconds). An event that is
 * older than the subscription, or has come before, changes nothing, in whatever order events come. What
 * lies ahead counts as of now: the subscription was then made under a clock that was wrong.
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
  const { userEmail } = subscription;
  const at = event.at !== null && event.at < now ? event.at : now;
  const since = subscribedSince(subscription);
  if (at < since && since <= now) return IGNORED;
  const known = readCount(count, now);
  if (event.type === "delivered") {
    return known === undefined ? IGNORED : { outcome: "ignored", count: endRow(known, at) };
  }
  const { failures = [], deliveredAt = null } = known ?? {};
  const id = idOf(event);
  if (failures.some((failure) => failure.id === id)) return IGNORED;
  const kept = { userEmail, deliveredAt, expiresAt: addMs(now, KEPT_MS) };
  const all = [...failures, { id, at }].sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : 0);
  const source = SOURCES.get(event.type);
  if (source !== undefined) return unsubscribe(source, { ...kept, failures: all });
  if (event.type !== "temporary" || deliveredAt !== null && at <= deliveredAt) return IGNORED;
  const isInRow = (failure: CountedFailure) =>
    !failure.isOver && (failure.at >= since || since > now);
  const row = all.filter(isInRow);
  const spanMs = Date.parse(row.at(-1)!.at) - Date.parse(row[0].at);
  if (row.length >= MAX_IN_A_ROW && spanMs >= MIN_SPAN_MS) {
    return unsubscribe("bounce", { ...kept, failures: all });
  }
  // The first one tells since when.
  if (all.length > MAX_KEPT) all.splice(all.indexOf(row[0]) === 0 ? 1 : 0, 1);
  return { outcome: "counted", count: { ...kept, failures: all } };
}

function unsubscribe(
  source: NonNullable<BounceDecision["source"]>,
  { failures, ...count }: BounceCount,
): BounceDecision {
  // Whoever comes back is not unsubscribed again by what has unsubscribed them.
  const known = failures.slice(-MAX_KEPT).map(({ id, at }) => ({ id, at, isOver: true } as const));
  return { outcome: "unsubscribed", source, count: { ...count, failures: known } };
}

/** Returns a count that has not expired, without times that lie ahead. */
function readCount(count: BounceCount | undefined, now: string): BounceCount | undefined {
  if (count === undefined || count.expiresAt <= now) return undefined;
  const { failures, deliveredAt, ...rest } = count;
  return {
    ...rest,
    failures: failures.map((failure) => failure.at > now ? { ...failure, at: now } : failure),
    deliveredAt: deliveredAt !== null && deliveredAt > now ? null : deliveredAt,
  };
}

/** Returns what a repetition of an event has in common with it. */
function idOf({ type, at, code, text, messageId }: BounceEvent): string {
  return hash64(JSON.stringify([type, at, code, text, messageId]));
}

function endRow(count: BounceCount, at: string): BounceCount {
  if (count.deliveredAt !== null && count.deliveredAt >= at) return count;
  const failures = count.failures.filter((one) => one.isOver || one.at > at);
  return { ...count, failures, deliveredAt: at };
}

/** Returns since when a person is subscribed, to the second: few reports are more exact. */
function subscribedSince({ history, updatedAt }: Subscription): string {
  const last = readHistory(history)?.findLast(({ subscribed }) => subscribed);
  // A record of an older program has no history; its name may have changed since.
  return `${(last?.at ?? updatedAt).slice(0, -".000Z".length)}.000Z`;
}
