import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";

/** Time, as the file adapter needs it. Tests put a clock of their own in its place. */
export interface Clock {
  /** The time of day (RFC 3339, UTC, milliseconds). */
  now(): string;
  /** Milliseconds since some moment, never set back. */
  elapsedMs(): number;
  /** Resolves after a delay. */
  wait(delayMs: number): Promise<void>;
  /** Runs something once after a delay that keeps no process alive; returns how to call it off. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Creates the clock of this machine. */
export function createClock(): Clock {
  return {
    now: () => new Date().toISOString(),
    elapsedMs: () => performance.now(),
    wait: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}
