import { createRecentMap } from "./_recent_map.ts";

/** How many requests a key may make. */
export interface RateLimit {
  /**
   * How many requests are allowed per window on average: a whole number from 1. A key that has
   * not been used for a while may make twice as many at once.
   */
  readonly requests: number;
  /** The length of the window in seconds: a whole number from 1. */
  readonly windowSeconds: number;
}

/** The rate limit unless another is chosen: 100 requests/s with a burst of 200. */
export const DEFAULT_RATE_LIMIT: RateLimit = { requests: 100, windowSeconds: 1 };

// A bucket holds what two windows grant.
const BURST_WINDOWS = 2;
const CALLERS = 10_000;

/** The state of one caller's limit after a request. */
export interface RateState {
  /** Whether the request may go on. */
  readonly allowed: boolean;
  /**
   * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), and for one that may
   * not go on `Retry-After` (RFC 9110, section 10.2.3).
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** Takes one request of a caller, at a time in milliseconds. */
export type RateLimiter = (keyId: string, nowMs: number) => RateState;

interface Bucket {
  tokens: number;
  filledMs: number;
}

/** Creates a token bucket per caller. */
export function createRateLimiter({ requests, windowSeconds }: RateLimit): RateLimiter {
  const capacity = requests * BURST_WINDOWS;
  const perMs = requests / windowSeconds / 1_000;
  const policy = `"default";q=${capacity};w=${windowSeconds * BURST_WINDOWS}`;
  // A caller who is forgotten starts with a full bucket, which nearly all of them would have by then.
  const buckets = createRecentMap<Bucket>(CALLERS);

  function bucketOf(keyId: string, nowMs: number): Bucket {
    let bucket = buckets.get(keyId);
    if (bucket === undefined) {
      bucket = { tokens: capacity, filledMs: nowMs };
      buckets.set(keyId, bucket);
    }
    return bucket;
  }

  return (keyId, nowMs) => {
    const bucket = bucketOf(keyId, nowMs);
    // A clock that was set back grants nothing and takes nothing.
    const elapsedMs = Math.max(0, nowMs - bucket.filledMs);
    bucket.tokens = Math.min(capacity, bucket.tokens + elapsedMs * perMs);
    bucket.filledMs = nowMs;
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    const fullSeconds = Math.ceil((capacity - bucket.tokens) / perMs / 1_000);
    const headers: Record<string, string> = {
      "RateLimit-Policy": policy,
      RateLimit: `"default";r=${Math.floor(bucket.tokens)};t=${fullSeconds}`,
    };
    if (!allowed) headers["Retry-After"] = `${Math.ceil((1 - bucket.tokens) / perMs / 1_000)}`;
    return { allowed, headers };
  };
}
