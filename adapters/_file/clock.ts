import { performance } from "node:perf_hooks";
import { clearTimeout, setTimeout } from "node:timers";
import { StorageError } from "../storage.ts";

/** How long a call waits for the disk, its time in the queue included. */
export const DEADLINE_MS = 10_000;

/** Time, as file storage needs it. Tests put a clock of their own in its place. */
export interface Clock {
  /** The time of day (RFC 3339, UTC, milliseconds). */
  now(): string;
  /** Milliseconds since some moment, never set back. */
  elapsedMs(): number;
  /** Resolves after a delay. */
  wait(delayMs: number): Promise<void>;
  /** Calls `run` once after a delay that keeps no process alive; returns how to cancel that. */
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

/** Has a promise rejected with `unavailable` at the deadline; returns how to cancel that. */
export function rejectLate(clock: Clock, reject: (error: StorageError) => void): () => void {
  const message = `The disk has not answered for ${DEADLINE_MS / 1_000} s`;
  return clock.schedule(DEADLINE_MS, () => reject(new StorageError("unavailable", message)));
}

/** Resolves or rejects as a promise does, but no later than the deadline. */
export function withDeadline<T>(clock: Clock, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = rejectLate(clock, reject);
    promise.then(resolve, reject).finally(cancel);
  });
}
