import { addMs, parseHttpDate } from "../values/time.ts";

/**
 * The outcome of an attempt to deliver a message: an HTTP response, or the reason for its absence.
 */
export type WebhookOutcome =
  | {
    readonly status: number;
    /** The wait that the endpoint asked for (`Retry-After`). */
    readonly retryAfterMs?: number;
  }
  | {
    /** The reason why there was no response, for people. */
    readonly problem: string;
  };

/** A finished attempt to deliver a message. */
export interface WebhookAttempt {
  /** Number of attempts at the message, including this one. */
  readonly attempts: number;
  /** The time at which the attempt ended (RFC 3339, UTC, milliseconds). */
  readonly at: string;
  /** The start of the failures before this attempt; `null` if the previous one succeeded. */
  readonly failingSince: string | null;
  readonly outcome: WebhookOutcome;
}

/** The decision after an attempt. */
export interface RetryDecision {
  readonly state: "delivered" | "waiting" | "failed";
  /**
   * The time of the next attempt (RFC 3339, UTC, milliseconds); `null` unless the message is
   * `waiting`.
   */
  readonly nextAttemptAt: string | null;
  /** The start of the endpoint's consecutive failures; `null` if this attempt succeeded. */
  readonly failingSince: string | null;
  /** The reason why the endpoint is disabled, for people; absent if it is not. */
  readonly disable?: string | undefined;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RETRY_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;
const FAILING_MAX_MS = 5 * 24 * HOUR_MS;
const GONE = 410;

/**
 * Decides the consequence of an attempt. Any 2xx is success. Failures are retried after 5 s, 5 m,
 * 30 m, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, give or take 10 % (`random` is from 0 to 1).
 * `Retry-After` extends a pause to at most 24 h. After the last failed attempt, the message has
 * failed. A 410, or 5 days of failures only, disables the endpoint.
 */
export function decideRetry(attempt: WebhookAttempt, random: () => number): RetryDecision {
  const { attempts, at, outcome, failingSince } = attempt;
  const { status = 0, retryAfterMs = 0 } = "status" in outcome ? outcome : {};
  if (status >= 200 && status <= 299) {
    return { state: "delivered", nextAttemptAt: null, failingSince: null };
  }
  // The clock may have been ahead.
  const since = failingSince !== null && failingSince < at ? failingSince : at;
  const isGone = status === GONE;
  const hasFailedLong = Date.parse(at) - Date.parse(since) >= FAILING_MAX_MS;
  const disable = isGone
    ? "The endpoint answered 410: it is gone"
    : hasFailedLong
    ? "Every attempt has failed for 5 days"
    : undefined;
  if (isGone || attempts > RETRY_MS.length) {
    return { state: "failed", nextAttemptAt: null, failingSince: since, disable };
  }
  const delayMs = RETRY_MS[attempts - 1] * (1 - JITTER + 2 * JITTER * random());
  const pauseMs = Math.max(delayMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
  return { state: "waiting", nextAttemptAt: addMs(at, pauseMs), failingSince: since, disable };
}

/**
 * Reads the header `Retry-After` (RFC 9110, section 10.2.3), seconds or a date, at a time in
 * milliseconds since 1970. Returns milliseconds, or `undefined` if it is neither.
 */
export function parseRetryAfter(text: string, nowMs: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  const dateMs = parseHttpDate(text);
  return dateMs === undefined ? undefined : Math.max(0, dateMs - nowMs);
}
