import { lookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";

/** An address that a name resolves to. */
export interface ResolvedAddress {
  /** The IP address. */
  readonly address: string;
  /** The version of IP, 4 or 6. */
  readonly family: number;
}

/** Returns all addresses of a name; rejects with the platform's error. */
export type Resolve = (name: string) => Promise<readonly ResolvedAddress[]>;

/** Looks names up, few at a time. */
export interface Names {
  readonly resolve: Resolve;
  /** Looks up the name of a mail relay, for which a place is kept. */
  readonly resolveRelay: Resolve;
}

/** A look-up that has not begun. */
interface Waiting {
  /** The most look-ups that may run beside it. */
  readonly places: number;
  readonly start: () => void;
}

/** Calls a function after some milliseconds; returns a function that cancels the call. */
export type Schedule = (call: () => void, delayMs: number) => () => void;

// The system's resolver takes a thread for as long as nobody answers, and Deno writes files in the
// same 32.
const PLACES = 8;
// A name whose last look-up failed may fail slowly again; names that resolved must not wait for it.
const PLACES_AFTER_FAILURE = 4;
// A look-up that takes longer gives its place to another, as most names resolve sooner. Together
// with those in places, slow look-ups leave eight threads free.
const SLOW_MS = 500;
const MAX_SLOW = 16;
const MAX_KNOWN = 1_000;

/**
 * Creates a resolver that looks each name up once at a time. At most 8 look-ups run at first;
 * silent ones let others pass after half a second, up to 24 in all.
 */
export function createNames(resolve: Resolve, schedule: Schedule = startTimer): Names {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  const wasFound = new Map<string, boolean>();
  let waiting: readonly Waiting[] = [];
  let running = 0;
  let slow = 0;

  function placesFor(name: string): number {
    const isKnown = wasFound.get(name);
    if (isKnown === undefined) return PLACES - 1;
    return isKnown ? PLACES : PLACES_AFTER_FAILURE;
  }

  function startNext(): void {
    const first = waiting.find(({ places }) => running < places);
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

  async function run(name: string, places: number): Promise<readonly ResolvedAddress[]> {
    await new Promise<void>((start) => {
      waiting = [...waiting, { places, start }];
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
      underWay.delete(name);
      if (isSlow) slow--;
      else running--;
      startNext();
    }
  }

  function find(name: string, places: number): Promise<readonly ResolvedAddress[]> {
    let found = underWay.get(name);
    if (found === undefined) underWay.set(name, found = run(name, places));
    return found;
  }

  return {
    resolve: (name) => find(name, placesFor(name)),
    resolveRelay: (name) => find(name, PLACES),
  };
}

function startTimer(call: () => void, delayMs: number): () => void {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
}

/** The resolvers of this process, whose workers share its threads. */
export const { resolve: resolveName, resolveRelay } = createNames((name) =>
  lookup(name, { all: true })
);

/** Returns a resolver in the form that connections take. */
export function lookupBy(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      ([first, ...rest]) =>
        all ? callback(null, [first, ...rest]) : callback(null, first.address, first.family),
      (error) => callback(error, ""),
    );
  };
}
