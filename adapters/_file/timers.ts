import { clearTimeout, setTimeout } from "node:timers";
import { StorageError } from "../storage.ts";

const DEADLINE_MS = 10_000;

/** Time, as file storage needs it. Tests have timers of their own. */
export interface Timers {
  /** The time of day, in milliseconds since 1970. */
  now(): number;
  /** Resolves after a delay. */
  wait(delayMs: number): Promise<void>;
  /**
   * Calls `run` once after a delay, which keeps no process alive. Returns a function that cancels
   * the call.
   */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Creates the timers of this machine. */
export function createTimers(): Timers {
  return {
    now: Date.now,
    wait: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
    schedule(delayMs, run) {
      const timer = setTimeout(run, delayMs);
      timer.unref();
      return () => clearTimeout(timer);
    },
  };
}

/** Resolves or rejects as a promise does, but rejects with `unavailable` after 10 s. */
export function withDeadline<T>(timers: Timers, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.schedule(DEADLINE_MS, () => {
      const message = `The disk has not answered for ${DEADLINE_MS / 1_000} s`;
      reject(new StorageError("unavailable", message));
    });
    promise.then(resolve, reject).finally(cancel);
  });
}
