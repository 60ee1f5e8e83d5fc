import type { BounceEvent, BounceType } from "./bounce_event.ts";
import { hash64 } from "../crypto/hash64.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import { subscribedSince } from "../subscriptions/history.ts";
import { addMs } from "../values/time.ts";

/** A person's consecutive undelivered mails; forgotten some time after the last one. */
export interface BounceCount {
  readonly userEmail: string;
  /** The failures, oldest first. */
  readonly failures: readonly CountedFailure[];
  /** The last known arrival of a mail since the first failure (RFC 3339, UTC, milliseconds). */
  readonly deliveredAt: string | null;
  /** The time after which the record may be forgotten. */
  readonly expiresAt: string;
}

/** A failure, and the id by which a repeated report is recognized. */
export interface CountedFailure {
  readonly id: string;
  readonly at: string;
  /**
   * Whether the failure has unsubscribed the person: it no longer counts, but stays recognizable.
   */
  readonly isOver?: true;
}

/** The consequence of an event. */
export interface BounceDecision {
  readonly outcome: "unsubscribed" | "counted" | "ignored";
  /** The reason for an opt-out, if the outcome is `unsubscribed`. */
  readonly source?: "bounce" | "complaint" | "link";
  /** The changed count; absent if nothing changes. */
  readonly count?: BounceCount;
}

const DAY_MS = 86_400_000;
const MAX_IN_A_ROW = 5;
const MIN_SPAN_MS = 7 * DAY_MS;
// Months may pass between two mails of a changelog.
const KEPT_MS = 180 * DAY_MS;
const MAX_KEPT = 50;
const IGNORED: BounceDecision = { outcome: "ignored" };
// Event types that unsubscribe at once. An opt-out at the provider counts as the person's own.
const SOURCES: ReadonlyMap<BounceType, NonNullable<BounceDecision["source"]>> = new Map([
  ["permanent", "bounce"],
  ["complaint", "complaint"],
  ["unsubscribe", "link"],
]);

/**
 * Decides the consequence of an event for a person at a time (RFC 3339, UTC, milliseconds). A
 * repeated event, or one from before the subscription, changes nothing, in any order of arrival. A
 * time in the future counts as now, because a wrong clock must have stored the subscription.
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
  // In whole seconds, because few reports are more precise.
  const since = subscribedSince(subscription).replace(/\.\d{3}Z$/, ".000Z");
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
  // The first failure stays, because it shows when the failures began.
  if (all.length > MAX_KEPT) all.splice(all.indexOf(row[0]) === 0 ? 1 : 0, 1);
  return { outcome: "counted", count: { ...kept, failures: all } };
}

function unsubscribe(
  source: NonNullable<BounceDecision["source"]>,
  { failures, ...count }: BounceCount,
): BounceDecision {
  // Known failures do not unsubscribe a person who has come back.
  const known = failures.slice(-MAX_KEPT).map(({ id, at }) => ({ id, at, isOver: true } as const));
  return { outcome: "unsubscribed", source, count: { ...count, failures: known } };
}

/** Returns a count that has not expired, without times in the future. */
function readCount(count: BounceCount | undefined, now: string): BounceCount | undefined {
  if (count === undefined || count.expiresAt <= now) return undefined;
  const { failures, deliveredAt, ...rest } = count;
  return {
    ...rest,
    failures: failures.map((failure) => failure.at > now ? { ...failure, at: now } : failure),
    deliveredAt: deliveredAt !== null && deliveredAt > now ? null : deliveredAt,
  };
}

/** Returns an id that an event and its repetitions share. */
function idOf({ type, at, code, text, messageId }: BounceEvent): string {
  return hash64(JSON.stringify([type, at, code, text, messageId]));
}

function endRow(count: BounceCount, at: string): BounceCount {
  if (count.deliveredAt !== null && count.deliveredAt >= at) return count;
  const failures = count.failures.filter((one) => one.isOver || one.at > at);
  return { ...count, failures, deliveredAt: at };
}
