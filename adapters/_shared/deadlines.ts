import { createDeadlines, type Deadlines } from "../../model/deadlines.ts";
import { StorageError } from "../storage.ts";

export type { Deadline } from "../../model/deadlines.ts";

/** Runs calls with a deadline, and none after `close`. */
export interface CallDeadlines {
  /** Runs a call; rejects with `unavailable` once its deadline has passed. */
  readonly run: Deadlines["run"];
  /** Refuses further calls, and resolves once all calls in flight have ended. */
  close(): Promise<void>;
}

/** Creates the deadlines of one storage. `now` is a monotonic clock, in milliseconds. */
export function createCallDeadlines(timeoutMs: number, now: () => number): CallDeadlines {
  const calls = createDeadlines(timeoutMs, { now, refuse: tooSlow });
  let isClosed = false;
  return {
    run(operation) {
      if (!isClosed) return calls.run(operation);
      return Promise.reject(new StorageError("closed", "Cannot use storage that was closed"));
    },
    close() {
      isClosed = true;
      return calls.drain();
    },
  };
}

/** Returns the error of a call whose deadline has passed. */
export function tooSlow(): StorageError {
  return new StorageError("unavailable", "The database takes too long to answer");
}
