import { StorageError } from "../storage.ts";
import { tooSlow } from "./errors.ts";

/** A call of a storage method. */
export interface Call {
  /** Tells whether it has settled, or its time is over: then nothing more is begun for it. */
  isOver(): boolean;
}

/** The calls under way: each settles in time, and none is taken after `close`. */
export interface Calls {
  /** Makes a call; it rejects with `unavailable` when it has not settled in time. */
  run<T>(operation: (call: Call) => Promise<T>): Promise<T>;
  /** Refuses further calls, and resolves once those under way have settled. */
  close(): Promise<void>;
}

interface Pending extends Call {
  readonly endMs: number;
  readonly reject: (error: StorageError) => void;
}

/** Creates the calls of one storage. `now` is a monotonic clock, in milliseconds. */
export function createCalls(timeoutMs: number, now: () => number): Calls {
  // In the order of their ends, so that one timer serves all: one for each would cost as much as the
  // rest of a call that is answered from a batch.
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
      settle(call);
    }
  }

  function settle(call: Pending): void {
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
        operation(call).then((value) => {
          settle(call);
          resolve(value);
        }, (error) => {
          settle(call);
          reject(error);
        });
      });
    },
    async close() {
      isClosed = true;
      if (pending.size > 0) await new Promise<void>((resolve) => onDrained = resolve);
    },
  };
}
