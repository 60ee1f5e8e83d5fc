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

/**
 * The purpose of a wait: to renew a lease, to commit outcomes, to retry a write, to spare a relay
 * that is down, to keep the rate of mails, to limit the time of one mail, to hold a lease until the
 * worker closes, or to poll for work of a channel.
 */
export type SleepPurpose =
  | "renewal"
  | "commit"
  | "retry"
  | "pause"
  | "rate"
  | "limit"
  | "presence"
  | `poll ${string}`;

/** The clocks and the timer of a worker. */
export interface Clock {
  /** Returns the time in milliseconds since 1970, for times in records. */
  now(): number;
  /** Returns the milliseconds since an arbitrary moment, by a monotonic clock. */
  elapsed(): number;
  /** Resolves after some milliseconds, or as soon as the signal is aborted. */
  sleep(durationMs: number, signal: AbortSignal, purpose: SleepPurpose): Promise<void>;
}

/** Work that one process at a time does, under a lease of its name. */
export interface Channel {
  readonly name: string;
  /** Tells whether there is work. The result may change until the lease is acquired. */
  isDue(): Promise<boolean>;
  /** Does the work; ends early once its lease is over. */
  run(lease: HeldLease): Promise<void>;
}

/** The lease that this process holds. */
export interface HeldLease {
  /** The fencing token: 1 for the first lease on a storage, then 1 more for each. */
  readonly token: number;
  /** Changes storage while the lease is held; resolves to `undefined` once it is lost. */
  readonly transact: FencedTransact;
  /** Aborted when no more work may start: the worker closes, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Tells whether work may start now. */
  isOn(): boolean;
}

/** Options of {@linkcode startLoop}. */
export interface LoopOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** The time after which other processes take over from a crashed one, in milliseconds. */
  readonly leaseMs: number;
  /** The interval of checks for work, in milliseconds. */
  readonly pollMs: number;
  /** Called with an error; the loop tries again. */
  readonly onError: (error: unknown) => void;
}

/** A running channel. */
export interface Loop {
  /** Checks for work now. */
  wake(): void;
  /** Starts no more work, and resolves when the work in flight is finished and stored. */
  close(): Promise<void>;
}

/**
 * Runs a channel until it is closed, whenever there is work and no other process holds the lease.
 */
export function startLoop(channel: Channel, options: LoopOptions): Loop {
  const { storage, clock, leaseMs, pollMs, onError } = options;
  const owner = createOwner();
  const closing = new AbortController();
  let pause = new AbortController();

  const watch = createLeaseWatch(clock.elapsed);

  // On storage that only one process uses, a lease of another process is left over from a crash.
  function isDead(lease: Lease): boolean {
    return storage.isExclusive === true && !isOwn(lease) || watch(lease);
  }

  async function serveLease(): Promise<void> {
    // Counted from before the request, so that this work ends before another process takes over.
    let endMs = clock.elapsed() + leaseMs;
    const request = { owner, durationMs: leaseMs, isDead };
    const lease = await acquireLease(storage, channel.name, request);
    if (lease === undefined) return;
    const over = new AbortController();

    async function renew(): Promise<void> {
      while (!over.signal.aborted) {
        await clock.sleep(leaseMs / 4, over.signal, "renewal");
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
        token: lease.token,
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
        if (await channel.isDue()) await serveLease();
        isFailing = false;
      } catch (error) {
        // An outage is reported once.
        if (!isFailing) onError(error);
        isFailing = true;
      }
      if (closing.signal.aborted) return;
      await clock.sleep(pollMs, pause.signal, `poll ${channel.name}`);
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
