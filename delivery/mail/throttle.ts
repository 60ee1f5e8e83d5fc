import type { Clock } from "../loop.ts";

/** Delays callers, so that at most so many a second go on, evenly spread. */
export type Throttle = (signal: AbortSignal) => Promise<void>;

// Timers end late by some milliseconds, which the next call makes up for.
const LAG_MS = 20;
// At most so many calls wait at a time.
const MAX_WAITING = 10;

/**
 * Creates a throttle to so many a second, or `false` for none: a token bucket that is empty at first, as
 * another process may have just emptied it. A call resolves early when its signal is aborted.
 */
export function createThrottle(ratePerSecond: number | false, clock: Clock): Throttle {
  if (ratePerSecond === false) return () => Promise.resolve();
  const intervalMs = 1_000 / ratePerSecond;
  let lastMs = clock.now();
  return function throttle(signal) {
    const now = clock.now();
    // The clock may have been set back since.
    const nextMs = Math.min(
      Math.max(lastMs + intervalMs, now - LAG_MS),
      now + MAX_WAITING * intervalMs,
    );
    lastMs = nextMs;
    return nextMs > now ? clock.sleep(nextMs - now, signal) : Promise.resolve();
  };
}
