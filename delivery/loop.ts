import type { Storage } from "../adapters/storage.ts";
import type { Lease } from "../model/kinds.ts";
import {
  acquireLease,
  createLeaseWatch,
  createOwner,
  fence,
  type FencedTransact,
  isOwn,
  releaseLease,
  renewLease,
} from "../services/leases.ts";

/** The time, and how it is waited for. */
export interface Clock {
  /** Returns the time, in milliseconds since 1970: to stamp records, and to compare with what they say. */
  now(): number;
  /** Returns the milliseconds since some moment, by a clock that is never set. */
  elapsed(): number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

/** Something that one process at a time delivers, under a lease of its name. */
export interface Channel {
  readonly name: string;
  /** Tells whether there is something to do: what that is may change until the lease is acquired. */
  isDue(): Promise<boolean>;
  /** Does what there is to do; ends early once its tenure is over. */
  run(tenure: Tenure): Promise<void>;
}

/** The time in which a process may deliver: while it has the lease. */
export interface Tenure {
  /** One more than that of the tenure before, in whichever process; the first is 1. */
  readonly number: number;
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
  const { storage, clock, leaseMs, pollMs, onError } = options;
  const owner = createOwner();
  const closing = new AbortController();
  let pause = new AbortController();

  const watch = createLeaseWatch(clock.elapsed);

  // On storage that one process alone uses, a lease of another process is dead.
  function isDead(lease: Lease): boolean {
    return storage.isExclusive === true && !isOwn(lease) || watch(lease);
  }

  async function serveTenure(): Promise<void> {
    // Counted from before the request, so that it ends before another process takes over.
    let endMs = clock.elapsed() + leaseMs;
    const request = { owner, durationMs: leaseMs, isDead };
    const lease = await acquireLease(storage, channel.name, request);
    if (lease === undefined) return;
    const over = new AbortController();

    async function renew(): Promise<void> {
      while (!over.signal.aborted) {
        await clock.sleep(leaseMs / 4, over.signal);
        if (over.signal.aborted) return;
        const nextMs = clock.elapsed() + leaseMs;
        try {
          if (await renewLease(storage, lease!)) endMs = nextMs;
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
        number: lease.token,
        transact: fence(storage, lease, () => over.abort()),
        signal,
        isOn: () => !signal.aborted && clock.elapsed() < endMs,
      });
    } finally {
      over.abort();
      await renewed;
      await releaseLease(storage, lease);
    }
  }

  async function run(): Promise<void> {
    let isFailing = false;
    while (!closing.signal.aborted) {
      pause = new AbortController();
      try {
        if (await channel.isDue()) await serveTenure();
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
