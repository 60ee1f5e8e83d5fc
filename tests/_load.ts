import { assert, assertEquals } from "@std/assert";
import { setImmediate } from "node:timers";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";

/**
 * What callers are promised: an answer, good or bad, in two seconds, and service again two seconds
 * after the server is back.
 */
export const LIMIT_MS = 2_000;

/** How a call failed, and when. */
export interface Failure {
  readonly error: unknown;
  readonly afterMs: number;
}

/** Changes that are made without end. */
export interface Load {
  /** Resolves once so many more changes were acknowledged. */
  progress(count: number): Promise<void>;
  /** Resolves once one more call has failed. */
  failure(): Promise<void>;
  /** Ends the load; resolves when all calls have settled. */
  stop(): Promise<{ acknowledged: readonly string[]; failures: readonly Failure[] }>;
}

/** Records one new address after the other, several at a time. */
export function startLoad(storage: Storage): Load {
  const acknowledged: string[] = [];
  const failures: Failure[] = [];
  const watchers = new Set<() => void>();
  let stopped = false;

  async function work(worker: number): Promise<void> {
    for (let i = 0; !stopped; i++) {
      const email = `user${worker}.${i}@example.com`;
      const start = performance.now();
      try {
        await storage.subscriptions.put(sampleChange(email, { subscribe: false }));
        acknowledged.push(email);
      } catch (error) {
        failures.push({ error, afterMs: performance.now() - start });
        // Without a turn of the event loop, a server that is down would starve everything.
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const watcher of watchers) watcher();
    }
  }
  const workers = Array.from({ length: 16 }, (_, i) => work(i));

  function until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = () => {
        if (!condition()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
    });
  }

  return {
    progress(count) {
      const goal = acknowledged.length + count;
      return until(() => acknowledged.length >= goal);
    },
    failure() {
      const goal = failures.length + 1;
      return until(() => failures.length >= goal);
    },
    async stop() {
      stopped = true;
      await Promise.all(workers);
      return { acknowledged, failures };
    },
  };
}

/** Returns the failure of a call that is to fail. */
export async function failureOf(operation: () => Promise<unknown>): Promise<Failure> {
  const start = performance.now();
  const error = await operation().then(() => "no failure", (error) => error);
  return { error, afterMs: performance.now() - start };
}

/** Checks that calls were rejected in time, as ones may be that storage can't carry out. */
export function assertUnavailable(failures: readonly Failure[]): void {
  for (const { error, afterMs } of failures) {
    if (!(error instanceof StorageError)) throw error;
    assertEquals(error.code, "unavailable");
    assert(afterMs < LIMIT_MS, `failed after ${afterMs} ms`);
  }
}

/** Makes a call until it works, in time. */
export async function untilItWorks(operation: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (true) {
    try {
      await operation();
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
