import { createWorker, type Mailer, type Storage, type Worker } from "../../../mod.ts";
import { PUBLIC_URL } from "../mailing.ts";
import { isSealing } from "../sealing.ts";
import { turns } from "../waiting.ts";

/**
 * A process that delivers, and that may end or stand still at any call of storage and at any mail.
 */
export interface Process {
  readonly number: number;
  readonly worker: Worker;
  /** `paused`: it goes on later, as if nothing had happened. */
  state: "alive" | "paused" | "killed";
  /** Has a process that was paused go on. */
  resume(): void;
  /** Resolves once the process lives, perhaps never. */
  alive(): Promise<void>;
}

/** Processes on one storage, and their clock, which stands still while anything is under way. */
export interface World {
  now(): number;
  /** Starts a process. */
  start(storage: Storage): Process;
  /** Waits for a time by the clock. */
  sleep(durationMs: number): Promise<void>;
  /** Has the world wait for something before its clock moves on. */
  hold<T>(operation: Promise<T>): Promise<T>;
  /** Moves the clock on so far, once all is done that can be. */
  step(durationMs: number): Promise<void>;
}

const LEASE_MS = 25_000;

/** The callbacks and start of a world. */
export interface WorldOptions {
  readonly startMs: number;
  /** Takes the mail of a process; `isWanted` is asked as the SMTP mailer asks. */
  readonly relay: (
    process: Process,
    ...sent: Parameters<Mailer["send"]>
  ) => ReturnType<Mailer["send"]>;
  /** Called at each change of storage and at each mail: a process may end here. */
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

  /** Resolves once nothing is left to do at this time. */
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

    /** Calls storage, unless the process has ended or stands still, before the call or after it. */
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
