import type { Clock } from "../loop.ts";

/** Delays its one caller, so that at most so many a second go on, evenly spread. */
export interface Throttle {
  /** Resolves when the next may go on, or as soon as the signal is aborted. */
  pass(signal: AbortSignal): Promise<void>;
  /** How long the next one waits, in milliseconds. */
  readonly waitMs: number;
  /** Has the next one wait as if one had gone on just now, as another process may have let one. */
  restart(): void;
}

// Timers end late by some milliseconds, which the next call makes up for.
const LAG_MS = 20;

/** Creates a throttle to so many a second, or `false` for none. */
export function createThrottle(
  ratePerSecond: number | false,
  { elapsed, sleep }: Pick<Clock, "elapsed" | "sleep">,
): Throttle {
  const intervalMs = ratePerSecond === false ? 0 : 1_000 / ratePerSecond;
  let nextMs = -Infinity;
  return {
    async pass(signal) {
      const waitMs = this.waitMs;
      nextMs = Math.max(nextMs, elapsed() - LAG_MS) + intervalMs;
      if (waitMs > 0) await sleep(waitMs, signal);
    },
    get waitMs() {
      return Math.max(0, nextMs - elapsed());
    },
    restart() {
      nextMs = elapsed() + intervalMs;
    },
  };
}
