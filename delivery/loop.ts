import type { Storage } from "../adapters/storage.ts";
import { acquireLease, fence, type FencedTransact, renewLease } from "../services/leases.ts";

/** The time, and how it is waited for. */
export interface Clock {
  /** Returns the time, in milliseconds since 1970. */
  now(): number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** Something that one process at a time delivers, under a lease of its name. */
export interface Channel {
  readonly name: string;
  /** Tells whether there is something to do now. */
  isDue(): Promise<boolean>;
  /** Does what there is to do; ends early once its turn is over. */
  run(turn: Turn): Promise<void>;
}

/** The time in which a process may deliver: while it has the lease. */
export interface Turn {
  /** Changes storage, unless the lease is lost; then resolves to `undefined`. */
  readonly transact: FencedTransact;
  /** Aborted when nothing more must be started: the worker closes, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Tells, at once, whether something may be started now. */
  isOn(): boolean;
}

/** How channels are run. */
export interface LoopOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The name under which this process acquires leases. */
  readonly owner: string;
  /** How long another process waits after this one crashed, in milliseconds. */
  readonly leaseMs: number;
  /** How often it is checked what is due, in milliseconds. */
  readonly pollMs: number;
  /** Called with what failed; it is tried again. */
  readonly onError: (error: unknown) => void;
}

/** A channel that is being run. */
export interface Loop {
  /** Checks at once what is due. */
  wake(): void;
  /** Starts nothing more, and resolves when what was started is finished and stored. */
  close(): Promise<void>;
}

/** Runs a channel whenever something is due and no other process runs it, until it is closed. */
export function startLoop(channel: Channel, options: LoopOptions): Loop {
  const { storage, clock, owner, leaseMs, pollMs, onError } = options;
  const closing = new AbortController();
  let pause = new AbortController();

  const timeAfter = (durationMs: number) => new Date(clock.now() + durationMs).toISOString();

  async function takeTurn(): Promise<void> {
    // Counted from before the request, so that it ends no later than in storage.
    let endMs = clock.now() + leaseMs;
    const request = { owner, now: timeAfter(0), durationMs: leaseMs };
    const lease = await acquireLease(storage, channel.name, request);
    if (lease === undefined) return;
    const over = new AbortController();

    async function renew(): Promise<void> {
      while (!over.signal.aborted) {
        await clock.sleep(leaseMs / 4, over.signal);
        if (over.signal.aborted) return;
        const nextMs = clock.now() + leaseMs;
        try {
          if (await renewLease(storage, lease!, timeAfter(leaseMs))) endMs = nextMs;
          else over.abort();
        } catch (error) {
          onError(error);
        }
      }
    }

    const signal = AbortSignal.any([closing.signal, over.signal]);
    const renewed = renew();
    try {
      await channel.run({
        transact: fence(storage, lease, () => over.abort()),
        signal,
        isOn: () => !signal.aborted && clock.now() < endMs,
      });
    } finally {
      over.abort();
      await renewed;
      await renewLease(storage, lease, timeAfter(0));
    }
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!closing.signal.aborted) {
      pause = new AbortController();
      try {
        if (await channel.isDue()) await takeTurn();
        isFailing = false;
      } catch (error) {
        // An outage is reported once.
        if (!isFailing) onError(error);
        isFailing = true;
      }
      if (!closing.signal.aborted) await clock.sleep(pollMs, pause.signal);
    }
  }

  const ended = run();
  return {
    wake: () => pause.abort(),
    close() {
      closing.abort();
      pause.abort();
      return ended;
    },
  };
}
