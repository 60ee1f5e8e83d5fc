import type { Clock } from "./loop.ts";

/** Makes callers wait so that no more go on than so many a second, evenly spread. */
export type Pace = (signal: AbortSignal) => Promise<void>;

// Timers end late by some milliseconds: what was lost to them is made up for.
const LAG_MS = 20;
// As many as wait at a time, at most.
const MAX_WAITING = 10;

/**
 * Creates a pace of so many a second, or `false` for none: a token bucket that is empty at first, as
 * somebody else may have just emptied it. A call resolves early when its signal is aborted.
 */
export function createPace(ratePerSecond: number | false, clock: Clock): Pace {
  if (ratePerSecond === false) return () => Promise.resolve();
  const intervalMs = 1_000 / ratePerSecond;
  let lastMs = clock.now();
  return function pace(signal) {
    const now = clock.now();
    // Not too far ahead, as where the clock was set back.
    const nextMs = Math.min(
      Math.max(lastMs + intervalMs, now - LAG_MS),
      now + MAX_WAITING * intervalMs,
    );
    lastMs = nextMs;
    return nextMs > now ? clock.sleep(nextMs - now, signal) : Promise.resolve();
  };
}
