import { StorageError } from "../storage.ts";
import { tooSlow } from "./errors.ts";

/** A call of a storage method. */
export interface Call {
  /** Tells whether it has settled, as its time is over: then nothing more is begun for it. */
  isOver(): boolean;
}

/** The calls under way: each settles in time, and none is taken after `close`. */
export interface Calls {
  /** Makes a call; it rejects with `unavailable` when it has not settled in time. */
  run<T>(operation: (call: Call) => Promise<T>): Promise<T>;
  /** Refuses further calls, and resolves once those under way have settled. */
  close(): Promise<void>;
}

/** Creates the calls of one storage. */
export function createCalls(timeoutMs: number): Calls {
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  return {
    async run<T>(operation: (call: Call) => Promise<T>) {
      if (isClosed) throw new StorageError("closed", "Cannot use storage that was closed");
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isOver = false;
      const call = new Promise<T>((resolve, reject) => {
        timer = setTimeout(() => {
          isOver = true;
          reject(tooSlow());
        }, timeoutMs);
        operation({ isOver: () => isOver }).then(resolve, reject);
      });
      pending.add(call);
      try {
        return await call;
      } finally {
        clearTimeout(timer);
        pending.delete(call);
      }
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
    },
  };
}
