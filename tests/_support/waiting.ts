import { assert } from "@std/assert";

const DEADLINE_MS = 30_000;

/** Lets everything happen that waits for nothing but its turn of the microtask queue. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 500; i++) await Promise.resolve();
}

/** Resolves once a condition holds that needs turns of the microtask queue alone. */
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

/**
 * Runs something while the monotonic clock stands still, but for the moves that `advance` makes.
 */
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
 * Runs something while timers of so many milliseconds go off never, or at once, as the monotonic
 * clock then shows.
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

/**
 * Runs something, and returns what was thrown or rejected by the end of it and handled by nobody.
 */
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
    // A rejection that nobody handles is told of in a turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    removeEventListener("unhandledrejection", note);
    removeEventListener("error", note);
  }
  return reasons;
}
