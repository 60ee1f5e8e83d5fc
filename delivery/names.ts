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
  /** The same for a mail relay, for which a place is kept. */
  readonly resolveRelay: Resolve;
}

/** A look-up that has not begun. */
interface Waiting {
  /** How many places there are for its like. */
  readonly places: number;
  readonly start: () => void;
}

// The system's resolver takes a thread for as long as nobody answers, and Deno writes files in the same 32.
const PLACES = 8;
// What failed last may fail slowly again, and what answered last must not wait for it.
const PLACES_AFTER_FAILURE = 4;
const MAX_KNOWN = 1_000;

/** Creates what looks names up by a resolver: each once at a time, and at most eight together. */
export function createNames(resolve: Resolve): Names {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  const wasFound = new Map<string, boolean>();
  let waiting: readonly Waiting[] = [];
  let running = 0;

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
    try {
      const addresses = await resolve(name);
      isFound = addresses.length > 0;
      if (!isFound) throw new Error(`${name} has no address`);
      return addresses;
    } finally {
      keep(name, isFound);
      underWay.delete(name);
      running--;
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

/** How this process looks names up: its threads are there once, however many workers it has. */
export const { resolve: resolveName, resolveRelay } = createNames((name) =>
  lookup(name, { all: true })
);

/** Returns what connections take to find their address. */
export function lookupBy(resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      ([first, ...rest]) =>
        all ? callback(null, [first, ...rest]) : callback(null, first.address, first.family),
      (error) => callback(error, ""),
    );
  };
}
