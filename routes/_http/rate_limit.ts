import { createLruCache } from "../../model/lru_cache.ts";
import type { Outcome } from "./operation.ts";
import { Problem, RETRY_SOON } from "./problem.ts";
import { isStream, onEnd } from "./reply.ts";

/** The number of requests that a key may make in a window of time. */
export interface RateLimit {
  /**
   * The average number of requests per window: a whole number from 1. A key that has not been used
   * for a while may make twice as many at once.
   */
  readonly requests: number;
  /** The length of the window in seconds: a whole number from 1. */
  readonly windowSeconds: number;
}

// A full bucket holds the requests of two windows.
const BURST_WINDOWS = 2;
const CALLERS = 10_000;

/**
 * Counts one request of a caller, at a time in milliseconds, and returns whether it is allowed. The
 * headers are `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers) and, for a
 * refusal, `Retry-After` (RFC 9110, section 10.2.3).
 */
export type RateLimiter = (keyId: string, nowMs: number) => {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

interface Bucket {
  /** The tokens left. A millisecond adds `requests`; a request takes `windowSeconds` * 1,000. */
  credit: number;
  filledMs: number;
}

/** Creates a rate limiter, a token bucket for each caller. */
export function createRateLimiter({ requests, windowSeconds }: RateLimit): RateLimiter {
  const capacity = requests * BURST_WINDOWS;
  // Tokens are whole numbers: rounding could refuse a request at the second that a response
  // announced.
  const cost = windowSeconds * 1_000;
  const full = capacity * cost;
  const policy = `"default";q=${capacity};w=${windowSeconds * BURST_WINDOWS}`;
  // An evicted caller gets a full bucket. After 10,000 other callers, its own has most likely
  // filled.
  const buckets = createLruCache<Bucket>(CALLERS);

  return (keyId, nowMs) => {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) buckets.set(keyId, bucket = { credit: full, filledMs: nowMs });
    // A clock that was set back neither adds nor takes tokens.
    const elapsedMs = Math.max(0, nowMs - bucket.filledMs);
    bucket.credit = Math.min(full, bucket.credit + elapsedMs * requests);
    bucket.filledMs = nowMs;
    const allowed = bucket.credit >= cost;
    if (allowed) bucket.credit -= cost;
    const secondsUntil = (credit: number) => Math.ceil((credit - bucket.credit) / requests / 1_000);
    const headers: Record<string, string> = {
      "RateLimit-Policy": policy,
      RateLimit: `"default";r=${Math.floor(bucket.credit / cost)};t=${secondsUntil(full)}`,
    };
    if (!allowed) headers["Retry-After"] = `${secondsUntil(cost)}`;
    return { allowed, headers };
  };
}

/**
 * Carries out a request, unless too many are under way: the caller should then try again later.
 *
 * @internal
 */
export type Limit = (run: () => Outcome | Promise<Outcome>) => Promise<Outcome>;

/**
 * Creates a limit of concurrent requests; `what` names them in messages. A request is under way
 * until its reply has been sent.
 *
 * @internal
 */
export function createLimit(most: number, what: string): Limit {
  const busy = new Problem("rate_limited", `${most} ${what} are under way; try again later`, {
    headers: RETRY_SOON,
  });
  let count = 0;

  function end(): void {
    count--;
  }

  return async (run) => {
    if (count === most) return busy;
    count++;
    let outcome: Outcome;
    try {
      outcome = await run();
    } catch (error) {
      end();
      throw error;
    }
    if (typeof outcome === "object" && !(outcome instanceof Problem) && isStream(outcome.body)) {
      return { ...outcome, body: onEnd(outcome.body, end) };
    }
    end();
    return outcome;
  };
}
