import { assert, assertEquals } from "@std/assert";
import { setImmediate } from "node:timers";
import { type Storage, StorageError } from "../../adapters/storage.ts";
import { SUBSCRIPTIONS } from "../../model/kinds.ts";
import { put } from "../_contract/calls.ts";
import { sampleSubscription } from "./samples.ts";

/**
 * The promised limit, in milliseconds: each call ends in this time, and calls work again this long
 * after the server is back.
 */
export const LIMIT_MS = 2_000;

/** The error and the time of a failed call. */
export interface Failure {
  readonly error: unknown;
  readonly afterMs: number;
}

/** A running sequence of changes. */
export interface Load {
  /** Resolves once `count` further changes were acknowledged. */
  progress(count: number): Promise<void>;
  /** Resolves once one more call has failed. */
  failure(): Promise<void>;
  /** Ends the load; resolves when all calls are over. */
  stop(): Promise<{ acknowledged: readonly string[]; failures: readonly Failure[] }>;
}

/** Stores new subscriptions without end, several at a time. */
export function startLoad(storage: Storage): Load {
  const acknowledged: string[] = [];
  const failures: Failure[] = [];
  let changed = Promise.withResolvers<void>();
  let stopped = false;

  async function work(worker: number): Promise<void> {
    for (let i = 0; !stopped; i++) {
      const email = `user${worker}.${i}@example.com`;
      const failure = await failureOf(() => put(storage, SUBSCRIPTIONS, sampleSubscription(email)));
      if (failure === undefined) acknowledged.push(email);
      else {
        failures.push(failure);
        // This turn of the event loop lets others run while a server that is down fails every call
        // at once.
        await new Promise((resolve) => setImmediate(resolve));
      }
      changed.resolve();
      changed = Promise.withResolvers();
    }
  }
  const workers = Array.from({ length: 16 }, (_, i) => work(i));

  async function until(list: readonly unknown[], count: number): Promise<void> {
    const goal = list.length + count;
    while (list.length < goal) await changed.promise;
  }

  return {
    progress: (count) => until(acknowledged, count),
    failure: () => until(failures, 1),
    async stop() {
      stopped = true;
      await Promise.all(workers);
      return { acknowledged, failures };
    },
  };
}

/** Returns the failure of a call; `undefined` if it succeeds. */
export async function failureOf(call: () => Promise<unknown>): Promise<Failure | undefined> {
  const start = performance.now();
  return await call().then(
    () => undefined,
    (error) => ({ error, afterMs: performance.now() - start }),
  );
}

/** Checks that calls were rejected in time with the code for unavailable storage. */
export function assertUnavailable(failures: readonly (Failure | undefined)[]): void {
  for (const failure of failures) {
    if (failure === undefined) throw new Error("A call did not fail");
    if (!(failure.error instanceof StorageError)) throw failure.error;
    assertEquals(failure.error.code, "unavailable");
    assert(failure.afterMs < LIMIT_MS, `failed after ${failure.afterMs} ms`);
  }
}

/** Repeats a call until it succeeds, and fails at the promised limit. */
export async function untilItWorks(call: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  for (let failure; (failure = await failureOf(call)) !== undefined;) {
    if (performance.now() > deadline) throw failure.error;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
