import { type Storage, StorageError } from "../mod.ts";

const BEAT_MS = 250;
// Below the time after which clients and proxies give up, and above what a busy machine takes.
const STANDSTILL_MS = 3_000;
const LATE_MS = 1_000;

/** Two clocks: the monotonic one of Linux stands still while the machine is suspended. */
export interface StandstillClocks {
  /** Milliseconds since some moment, never set back. */
  readonly elapsedMs?: () => number;
  /** The time of day, in milliseconds since 1970; one step forward counts as a standstill. */
  readonly timeMs?: () => number;
}

/**
 * Refuses changes for a second after the process stood still, as in a virtual machine that was
 * suspended. What it then finds in its sockets may be outdated: whoever sent it has given up long
 * ago, and may have repeated it elsewhere, and somebody may have opted out since. A standstill before
 * the first change goes unnoticed.
 */
export function refuseAfterStandstill(
  storage: Storage,
  { elapsedMs = () => performance.now(), timeMs = Date.now }: StandstillClocks = {},
): Storage {
  const { boards, subscriptions, apiKeys } = storage;
  let beat = { elapsedMs: NaN, timeMs: NaN };
  let lateUntilMs = -Infinity;
  let timer: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    const nowMs = timeMs();
    // Under load many changes fall into one millisecond.
    if (nowMs === beat.timeMs) return;
    const seen = { elapsedMs: elapsedMs(), timeMs: nowMs };
    const passedMs = Math.max(seen.elapsedMs - beat.elapsedMs, seen.timeMs - beat.timeMs);
    if (passedMs > STANDSTILL_MS) lateUntilMs = seen.elapsedMs + LATE_MS;
    beat = seen;
  }

  function guard<In extends unknown[], Out>(
    change: (...input: In) => Promise<Out>,
  ): (...input: In) => Promise<Out> {
    return (...input) => {
      // Not before: the first timer of a process takes a sixth of the time of a start.
      timer ??= setInterval(look, BEAT_MS);
      // Sockets may be read before it goes off.
      look();
      if (beat.elapsedMs >= lateUntilMs) return change(...input);
      return Promise.reject(new StorageError("unavailable", "The process has been standing still"));
    };
  }

  return {
    ...storage,
    boards: {
      ...boards,
      create: guard(boards.create),
      replace: guard(boards.replace),
      delete: guard(boards.delete),
    },
    subscriptions: {
      ...subscriptions,
      put: guard(subscriptions.put),
      erase: guard(subscriptions.erase),
    },
    apiKeys: {
      ...apiKeys,
      create: guard(apiKeys.create),
      rotate: guard(apiKeys.rotate),
      revoke: guard(apiKeys.revoke),
    },
    close() {
      clearInterval(timer);
      return storage.close();
    },
  };
}
