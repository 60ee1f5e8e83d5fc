import { createWorker, type Mailer, type Storage, type Worker } from "../../../mod.ts";
import { PUBLIC_URL } from "../mailing.ts";
import { isSealing } from "../sealing.ts";
import { turns } from "../waiting.ts";

/** A process that delivers. It may end or pause at any call of storage and at any mail. */
export interface Process {
  readonly number: number;
  readonly worker: Worker;
  /** A `paused` process goes on later as if nothing had happened. */
  state: "alive" | "paused" | "killed";
  /** Resumes a paused process. */
  resume(): void;
  /** Resolves once the process runs. Never resolves for a killed process. */
  alive(): Promise<void>;
}

/**
 * Processes on one storage, and their clock. The clock stands still while anything is in flight.
 */
export interface World {
  now(): number;
  /** Starts a process. */
  start(storage: Storage): Process;
  /** Waits for a time by the clock. */
  sleep(durationMs: number): Promise<void>;
  /** Keeps the clock from moving until an operation is over. */
  hold<T>(operation: Promise<T>): Promise<T>;
  /** Moves the clock by a duration, once nothing else is due. */
  step(durationMs: number): Promise<void>;
}

const LEASE_MS = 25_000;

/** The callbacks of a world, and its start time. */
export interface WorldOptions {
  readonly startMs: number;
  /** Receives the mail of a process. Calls `isWanted` when the SMTP mailer would. */
  readonly relay: (
    process: Process,
    ...sent: Parameters<Mailer["send"]>
  ) => ReturnType<Mailer["send"]>;
  /** Is called at each change of storage and at each mail. A process may end here. */
  readonly onStep: (process: Process) => void;
  readonly onError: (error: unknown) => unknown;
}

export function createWorld({ startMs, relay, onStep, onError }: WorldOptions): World {
  let nowMs = startMs;
  let held = 0;
  let processes = 0;
  const sleepers = new Set<{ readonly atMs: number; end(): void }>();
  const never = new Promise<never>(() => {});

  function sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      function end(): void {
        sleepers.delete(sleeper);
        signal?.removeEventListener("abort", end);
        resolve();
      }
      const sleeper = { atMs: nowMs + durationMs, end };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", end);
    });
  }

  function hold<T>(operation: Promise<T>): Promise<T> {
    held++;
    return operation.finally(() => held--);
  }

  /** Resolves once nothing is due at the current time. */
  async function quiet(): Promise<void> {
    for (let idle = 0; idle < 3; idle = held > 0 || isSealing() ? 0 : idle + 1) {
      await new Promise((resolve) => setTimeout(resolve));
      await turns();
    }
  }

  function start(storage: Storage): Process {
    let gate = Promise.resolve();
    let resume = () => {};
    let state: Process["state"] = "alive";
    const isKilled = () => state === "killed";
    const process: Process = {
      number: ++processes,
      get state() {
        return state;
      },
      set state(next) {
        state = next;
        if (next === "paused") gate = new Promise((resolve) => resume = resolve);
      },
      resume() {
        if (state === "paused") state = "alive";
        resume();
      },
      async alive() {
        while (state === "paused") await gate;
        if (isKilled()) await never;
      },
      get worker() {
        return worker;
      },
    };

    /** Calls storage. A process that has ended or is paused stops before or after the call. */
    async function call<T>(operation: () => Promise<T>): Promise<T> {
      await process.alive();
      const found = await hold(operation());
      return isKilled() ? never : found;
    }

    const worker = createWorker({
      storage: {
        ...storage,
        get: (kind, key) => call(() => storage.get(kind, key)),
        list: (kind, query) => call(() => storage.list(kind, query)),
        ...storage.count && { count: (kind, index) => call(() => storage.count!(kind, index)) },
        async transact(refs, decide) {
          onStep(process);
          const answer = await call(() => storage.transact(refs, decide));
          onStep(process);
          return await call(() => Promise.resolve(answer));
        },
      },
      publicUrl: PUBLIC_URL,
      from: "Acme <news@acme.example>",
      mailRatePerSecond: false,
      leaseMs: LEASE_MS,
      clock: () => nowMs,
      elapsed: () => nowMs,
      sleep,
      log: ({ error }) => error !== undefined && onError(error),
      mailer: {
        send: (mail, isWanted) => relay(process, mail, isWanted),
        close: () => Promise.resolve(),
      },
    });
    return process;
  }

  return {
    now: () => nowMs,
    start,
    sleep,
    hold,
    async step(durationMs) {
      await quiet();
      nowMs += durationMs;
      for (const sleeper of [...sleepers]) if (sleeper.atMs <= nowMs) sleeper.end();
    },
  };
}
