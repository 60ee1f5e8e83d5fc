import { StorageError } from "./storage.ts";

/** The deadline of one call of a storage method. */
export interface Deadline {
  /** Tells whether it has passed, or the call has ended: then nothing more is begun for it. */
  isOver(): boolean;
}

/** The calls in flight: each ends in time, and none begins after `close`. */
export interface Deadlines {
  /** Runs an operation; rejects with `unavailable` when it has not ended in time. */
  run<T>(operation: (deadline: Deadline) => Promise<T>): Promise<T>;
  /** Refuses further calls, and resolves once those in flight have ended. */
  close(): Promise<void>;
}

interface Pending extends Deadline {
  readonly endMs: number;
  readonly reject: (error: StorageError) => void;
}

/** Creates the deadlines of one storage. `now` is a monotonic clock, in milliseconds. */
export function createDeadlines(timeoutMs: number, now: () => number): Deadlines {
  // In the order of their deadlines, so that one timer serves all: a timer for each would cost as much
  // as the rest of a call that is answered from a batch.
  const pending = new Set<Pending>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let onDrained: (() => void) | undefined;

  function expire(): void {
    timer = undefined;
    for (const call of pending) {
      const leftMs = call.endMs - now();
      if (leftMs > 0) {
        timer = setTimeout(expire, leftMs);
        return;
      }
      call.reject(tooSlow());
      finish(call);
    }
  }

  function finish(call: Pending): void {
    if (!pending.delete(call) || pending.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
    onDrained?.();
  }

  return {
    run(operation) {
      if (isClosed) {
        return Promise.reject(new StorageError("closed", "Cannot use storage that was closed"));
      }
      return new Promise((resolve, reject) => {
        const endMs = now() + timeoutMs;
        const isOver = () => !pending.has(call) || now() >= endMs;
        const call: Pending = { endMs, reject, isOver };
        pending.add(call);
        timer ??= setTimeout(expire, timeoutMs);
        operation(call).then(resolve, reject).then(() => finish(call));
      });
    },
    async close() {
      isClosed = true;
      if (pending.size > 0) await new Promise<void>((resolve) => onDrained = resolve);
    },
  };
}

/** Returns the error of a call whose deadline has passed. */
export function tooSlow(): StorageError {
  return new StorageError("unavailable", "The database takes too long to answer");
}
