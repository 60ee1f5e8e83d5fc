import type { Call } from "./calls.ts";
import { tooSlow } from "./errors.ts";

/** Collects calls of one kind and carries them out together. */
export interface Batcher<In, Out> {
  /** Adds a call to the next batch and resolves to its own answer. */
  add(call: Call, input: In): Promise<Out>;
}

/** How a batcher works. */
export interface BatcherOptions {
  /** The most calls in one batch. Default: 500. */
  readonly maxSize?: number;
  /** Tells whether an error means that one call of several was refused, and nothing was done. */
  readonly isRefusal?: (error: unknown) => boolean;
}

const MAX_SIZE = 500;

interface Entry<In, Out> {
  readonly call: Call;
  readonly input: In;
  readonly resolve: (output: Out) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a batcher around `send`, which gives one answer for each input, in their order. One
 * batch is under way at a time, which keeps the order of calls.
 *
 * When nothing is under way a call is sent at the end of the current microtask; the calls that
 * arrive while a batch is under way make up the next one. There is no other delay.
 */
export function createBatcher<In, Out>(
  send: (inputs: readonly In[]) => Promise<readonly Out[]>,
  { maxSize = MAX_SIZE, isRefusal }: BatcherOptions = {},
): Batcher<In, Out> {
  const queue: Entry<In, Out>[] = [];
  let isBusy = false;

  function schedule(): void {
    if (isBusy || queue.length === 0) return;
    isBusy = true;
    queueMicrotask(flush);
  }

  async function flush(): Promise<void> {
    await carryOut(queue.splice(0, maxSize));
    isBusy = false;
    schedule();
  }

  async function carryOut(calls: readonly Entry<In, Out>[]): Promise<void> {
    const batch = calls.filter(isWanted);
    if (batch.length === 0) return;
    try {
      const outputs = await send(batch.map((entry) => entry.input));
      for (const [i, entry] of batch.entries()) entry.resolve(outputs[i]);
    } catch (error) {
      if (batch.length > 1 && isRefusal?.(error)) {
        // Halving finds the refused call in few statements, and keeps the order.
        const middle = batch.length >>> 1;
        await carryOut(batch.slice(0, middle));
        await carryOut(batch.slice(middle));
      } else {
        for (const entry of batch) entry.reject(error);
      }
    }
  }

  return {
    add: (call, input) =>
      new Promise((resolve, reject) => {
        queue.push({ call, input, resolve, reject });
        schedule();
      }),
  };

  // What its caller has given up on must not be done later; its promise settles all the same.
  function isWanted({ call, reject }: Entry<In, Out>): boolean {
    if (!call.expired) return true;
    reject(tooSlow());
    return false;
  }
}

/** Creates a batcher that finds records by their keys, all of a batch at once. */
export function createFinder<T>(
  find: (keys: readonly string[]) => Promise<readonly T[]>,
  keyOf: (record: T) => string,
): Batcher<string, T | undefined> {
  return createBatcher(async (keys) => {
    const found = new Map<string, T>();
    for (const record of await find(keys)) found.set(keyOf(record), record);
    return keys.map((key) => found.get(key));
  });
}
