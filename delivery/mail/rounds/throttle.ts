import type { Clock } from "../../loop.ts";

/** Delays its only caller to an evenly spread rate. */
export interface Throttle {
  /** Resolves when the next mail may start, or as soon as the signal is aborted. */
  pass(signal: AbortSignal): Promise<void>;
  /** The wait of the next mail, in milliseconds. */
  readonly waitMs: number;
  /** Halves the rate, because the relay asked for it. */
  slowDown(): void;
  /**
   * Called when the relay names a limit to a recipient. Returns whether it does so often; the rate
   * is then halved, once until the relay accepts a mail.
   */
  limit(): boolean;
  /** Raises a reduced rate a little, because the relay has accepted a mail. */
  speedUp(): void;
  /**
   * Makes the next mail wait as if one had just started, because another process may have started
   * one.
   */
  restart(): void;
}

// Timers fire some milliseconds late; the next call compensates for that.
const LAG_MS = 20;
const MIN_SLOW_MS = 100;
const MAX_SLOW_MS = 10_000;
const RECOVERY = 0.95;
// One recipient must not slow down the others.
const MIN_PRESSURE = 2.5;
const RELIEF = 1 / 3;

/** Creates a throttle at a rate per second; `false` for no limit. */
export function createThrottle(
  ratePerSecond: number | false,
  { elapsed, sleep }: Pick<Clock, "elapsed" | "sleep">,
): Throttle {
  const usualMs = ratePerSecond === false ? 0 : 1_000 / ratePerSecond;
  let intervalMs = usualMs;
  let nextMs = -Infinity;
  // The start of the mail that waits now.
  let waitingMs: number | undefined;
  let pressure = 0;
  let isTooFast = false;
  function slowDown(): void {
    const slowMs = Math.max(2 * intervalMs, MIN_SLOW_MS);
    intervalMs = Math.max(usualMs, Math.min(slowMs, MAX_SLOW_MS));
  }
  return {
    async pass(signal) {
      const waitMs = this.waitMs;
      nextMs = Math.max(nextMs, elapsed() - LAG_MS) + intervalMs;
      if (waitMs === 0) return;
      waitingMs = elapsed() + waitMs;
      await sleep(waitMs, signal, "rate");
      waitingMs = undefined;
    },
    get waitMs() {
      return Math.max(0, (waitingMs ?? nextMs) - elapsed());
    },
    slowDown,
    limit() {
      pressure++;
      if (pressure < MIN_PRESSURE) return false;
      if (isTooFast) slowDown();
      isTooFast = false;
      return true;
    },
    speedUp() {
      isTooFast = true;
      pressure = Math.max(0, Math.min(pressure, MIN_PRESSURE) - RELIEF);
      const nextMs = intervalMs * RECOVERY;
      intervalMs = nextMs < MIN_SLOW_MS ? usualMs : Math.max(usualMs, nextMs);
    },
    restart() {
      nextMs = elapsed() + intervalMs;
    },
  };
}
