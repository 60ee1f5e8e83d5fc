import type { Clock } from "../../loop.ts";

/** Delays its one caller, so that at most so many a second go on, evenly spread. */
export interface Throttle {
  /** Resolves when the next may go on, or as soon as the signal is aborted. */
  pass(signal: AbortSignal): Promise<void>;
  /** How long the next one waits, in milliseconds. */
  readonly waitMs: number;
  /** Halves the rate, as the relay has asked for it. */
  slowDown(): void;
  /** Comes a bit nearer to the rate again, as the relay has taken a mail. */
  speedUp(): void;
  /** Has the next one wait as if one had gone on just now, as another process may have let one. */
  restart(): void;
}

// Timers end late by some milliseconds, which the next call makes up for.
const LAG_MS = 20;
const MIN_SLOW_MS = 100;
const MAX_SLOW_MS = 10_000;
const RECOVERY = 0.95;

/** Creates a throttle to so many a second, or `false` for none. */
export function createThrottle(
  ratePerSecond: number | false,
  { elapsed, sleep }: Pick<Clock, "elapsed" | "sleep">,
): Throttle {
  const usualMs = ratePerSecond === false ? 0 : 1_000 / ratePerSecond;
  let intervalMs = usualMs;
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
    slowDown() {
      const slowMs = Math.max(2 * intervalMs, MIN_SLOW_MS);
      intervalMs = Math.max(usualMs, Math.min(slowMs, MAX_SLOW_MS));
    },
    speedUp() {
      const nextMs = intervalMs * RECOVERY;
      intervalMs = nextMs < MIN_SLOW_MS ? usualMs : Math.max(usualMs, nextMs);
    },
    restart() {
      nextMs = elapsed() + intervalMs;
    },
  };
}
