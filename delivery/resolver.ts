import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** An address that a name resolves to. */
export interface ResolvedAddress {
  readonly address: string;
  /** The version of IP, 4 or 6. */
  readonly family: number;
}

/** Returns all addresses of a host name; rejects with the platform's error. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

/** Resolves host names, a few at a time. */
export interface Resolvers {
  readonly resolve: Resolve;
  /** Resolves the host name of a mail relay, for which one slot is reserved. */
  readonly resolveRelay: Resolve;
}

/** A queued look-up. */
interface Waiting {
  /** The look-up starts when fewer than this many are running. */
  readonly slots: number;
  readonly start: () => void;
}

/** Calls a function after some milliseconds; returns a function that cancels the call. */
export type Schedule = (call: () => void, delayMs: number) => () => void;

// The system's resolver blocks a thread until the name server answers, and Deno writes files on the
// same 32 threads.
const SLOTS = 8;
// A name whose last look-up failed may fail slowly again, and must not delay names that resolve.
const SLOTS_AFTER_FAILURE = 4;
// A look-up that takes longer gives its slot to another, as most names resolve sooner. Even with
// all slots busy and all slow look-ups running, eight threads stay free.
const SLOW_MS = 500;
const MAX_SLOW = 16;
const MAX_KNOWN = 1_000;

/**
 * Creates a resolver that shares one look-up among simultaneous requests for a name. At most 8
 * look-ups run at first; each that is silent for half a second lets another start, up to 24 in all.
 */
export function createResolvers(resolve: Resolve, schedule: Schedule = startTimer): Resolvers {
  const inFlight = new Map<string, Promise<readonly ResolvedAddress[]>>();
  const wasFound = new Map<string, boolean>();
  let waiting: readonly Waiting[] = [];
  let running = 0;
  let slow = 0;

  function slotsFor(name: string): number {
    const isKnown = wasFound.get(name);
    if (isKnown === undefined) return SLOTS - 1;
    return isKnown ? SLOTS : SLOTS_AFTER_FAILURE;
  }

  function startNext(): void {
    const first = waiting.find(({ slots }) => running < slots);
    if (first === undefined) return;
    waiting = waiting.filter((other) => other !== first);
    running++;
    first.start();
  }

  function keep(name: string, isFound: boolean): void {
    wasFound.delete(name);
    wasFound.set(name, isFound);
    for (const oldest of wasFound.keys()) if (wasFound.size > MAX_KNOWN) wasFound.delete(oldest);
  }

  async function run(name: string, slots: number): Promise<readonly ResolvedAddress[]> {
    await new Promise<void>((start) => {
      waiting = [...waiting, { slots, start }];
      startNext();
    });
    let isFound = false;
    let isSlow = false;
    const cancel = schedule(() => {
      if (slow === MAX_SLOW) return;
      isSlow = true;
      slow++;
      running--;
      startNext();
    }, SLOW_MS);
    try {
      const addresses = await resolve(name);
      isFound = addresses.length > 0;
      if (!isFound) throw new Error(`${name} has no address`);
      return addresses;
    } finally {
      keep(name, isFound);
      cancel();
      inFlight.delete(name);
      if (isSlow) slow--;
      else running--;
      startNext();
    }
  }

  function find(name: string, slots: number): Promise<readonly ResolvedAddress[]> {
    let found = inFlight.get(name);
    if (found === undefined) inFlight.set(name, found = run(name, slots));
    return found;
  }

  return {
    resolve: (name) => find(name, slotsFor(name)),
    resolveRelay: (name) => find(name, SLOTS),
  };
}

function startTimer(call: () => void, delayMs: number): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

/** The resolvers of this process, which all workers share because they share its threads. */
export const { resolve: resolveName, resolveRelay } = createResolvers((name) =>
  lookup(name, { all: true })
);

/** Returns a resolver as the `lookup` function that sockets take. */
export function lookupBy(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      ([first, ...rest]) =>
        all ? callback(null, [first, ...rest]) : callback(null, first.address, first.family),
      (error) => callback(error, ""),
    );
  };
}
