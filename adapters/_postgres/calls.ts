import { tooSlow, toStorageError } from "./errors.ts";
import { StorageError } from "../storage.ts";

/** One call of a storage method, as the modules that carry it out see it. */
export interface Call {
  /**
   * Whether the time for it is over: then nothing more is begun. The caller may not have been told
   * yet, where the process stood still.
   */
  readonly expired: boolean;
}

/** The calls under way: each settles in time, and none is taken after `close`. */
export interface Calls {
  /** Makes a call; it rejects with `unavailable` when it has not settled in time. */
  run<T>(operation: (call: Call) => Promise<T>): Promise<T>;
  /** Refuses further calls, and resolves once those under way have settled. */
  close(): Promise<void>;
}

interface Waiting extends Call {
  isTold: boolean;
  readonly reject: (error: StorageError) => void;
}

const TICKS_PER_TIMEOUT = 20;

/**
 * Creates the calls of one storage. One timer, which runs while there are calls, serves all of them:
 * a timer for each would cost more than the rest of a call that is answered from a batch.
 */
export function createCalls(timeoutMs: number): Calls {
  // The calls by the tick in which they were made, the oldest first.
  const ticks: Set<Waiting>[] = [new Set()];
  let count = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  let closed = false;
  let drained: (() => void) | undefined;

  function tick(): void {
    if (count === 0) return stop();
    ticks.push(new Set());
    if (ticks.length <= TICKS_PER_TIMEOUT) return;
    for (const waiting of ticks.shift()!) {
      waiting.isTold = true;
      waiting.reject(tooSlow());
      settle();
    }
  }

  function settle(): void {
    count--;
    if (count === 0) drained?.();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function run<T>(operation: (call: Call) => Promise<T>): Promise<T> {
    if (closed) {
      return Promise.reject(new StorageError("closed", "Cannot use storage that was closed"));
    }
    return new Promise((resolve, reject) => {
      const endMs = performance.now() + timeoutMs;
      const waiting: Waiting = {
        isTold: false,
        reject,
        get expired() {
          return waiting.isTold || performance.now() > endMs;
        },
      };
      const made = ticks[ticks.length - 1];
      made.add(waiting);
      count++;
      timer ??= setInterval(tick, timeoutMs / TICKS_PER_TIMEOUT);
      operation(waiting).then((value) => {
        if (made.delete(waiting) && !waiting.isTold) settle();
        resolve(value);
      }, (error) => {
        if (made.delete(waiting) && !waiting.isTold) settle();
        reject(toStorageError(error));
      });
    });
  }

  return {
    run,
    async close() {
      closed = true;
      if (count > 0) await new Promise<void>((resolve) => drained = resolve);
      stop();
    },
  };
}
