import { assert } from "@std/assert";
import process from "node:process";

const DEADLINE_MS = 30_000;

/**
 * Returns the processor time that this thread has used, in milliseconds. Other threads and
 * processes don't change it, but it moves in steps of 10 ms on some systems.
 */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Runs the microtask queue until it is empty. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 500; i++) await Promise.resolve();
}

/** Runs microtasks until a condition holds. */
export async function untilTurned(condition: () => boolean): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    assert(turn < 10_000, "what was awaited never happened");
    await Promise.resolve();
  }
}

/** Resolves once a condition holds, within 30 s unless told otherwise. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  deadlineMs: number = DEADLINE_MS,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!await condition()) {
    assert(performance.now() < deadline, "what was awaited never happened");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Calls a function while the monotonic clock moves only through `advance`. */
export async function withMonotonicClock(
  run: (advance: (durationMs: number) => void) => Promise<void>,
): Promise<void> {
  const now = performance.now.bind(performance);
  let nowMs = now();
  Object.assign(performance, { now: () => nowMs });
  try {
    await run((durationMs) => nowMs += durationMs);
  } finally {
    Object.assign(performance, { now });
  }
}

/**
 * Calls a function while timers of a given duration fire never or at once; the monotonic clock
 * agrees.
 */
export async function withTimersOf(
  ms: number,
  when: "never" | "at once",
  run: () => Promise<void>,
): Promise<void> {
  const { setTimeout } = globalThis;
  let passedMs = 0;
  function start(...args: Parameters<typeof setTimeout>): unknown {
    if (args[1] !== ms) return setTimeout(...args);
    if (when === "at once") {
      queueMicrotask(() => {
        passedMs += ms;
        (args[0] as () => void)();
      });
    }
    return 0;
  }
  const now = performance.now.bind(performance);
  Object.assign(globalThis, { setTimeout: start });
  Object.assign(performance, { now: () => now() + passedMs });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { setTimeout });
    Object.assign(performance, { now });
  }
}

/** Calls a function, and returns the errors and rejections that nothing handled meanwhile. */
export async function unhandledDuring(run: () => Promise<void>): Promise<readonly unknown[]> {
  const reasons: unknown[] = [];
  function note(event: PromiseRejectionEvent | ErrorEvent): void {
    event.preventDefault();
    reasons.push("reason" in event ? event.reason : event.error);
  }
  addEventListener("unhandledrejection", note);
  addEventListener("error", note);
  try {
    await run();
    // The runtime reports an unhandled rejection in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    removeEventListener("unhandledrejection", note);
    removeEventListener("error", note);
  }
  return reasons;
}
