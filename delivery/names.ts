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

/** How names are looked up. */
export interface NamesOptions {
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed?: () => number;
}

/** Looks names up, few at a time. */
export interface Names {
  /** Resolves a name, at once with the last failure if that was within the last 4 s. */
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
// Below the first pause between two attempts, each of which is to ask again.
const FAILURE_MS = 4_000;
const MAX_KNOWN = 1_000;

/** Creates what looks names up: each once at a time, and at most eight together. */
export function createNames(
  { resolve = resolveAll, elapsed = () => performance.now() }: NamesOptions = {},
): Names {
  const underWay = new Map<string, Promise<readonly ResolvedAddress[]>>();
  const ended = new Map<string, { readonly atMs: number; readonly error?: unknown }>();
  let waiting: readonly Waiting[] = [];
  let running = 0;

  function placesFor(name: string): number {
    const last = ended.get(name);
    if (last === undefined) return PLACES - 1;
    return "error" in last ? PLACES_AFTER_FAILURE : PLACES;
  }

  function startNext(): void {
    const first = waiting.find(({ places }) => running < places);
    if (first === undefined) return;
    waiting = waiting.filter((other) => other !== first);
    running++;
    first.start();
  }

  function keep(name: string, outcome: { readonly error?: unknown }): void {
    ended.delete(name);
    ended.set(name, { ...outcome, atMs: elapsed() });
    for (const oldest of ended.keys()) if (ended.size > MAX_KNOWN) ended.delete(oldest);
  }

  async function run(name: string, places: number): Promise<readonly ResolvedAddress[]> {
    await new Promise<void>((start) => {
      waiting = [...waiting, { places, start }];
      startNext();
    });
    try {
      const addresses = await resolve(name);
      if (addresses.length === 0) throw new Error(`${name} has no address`);
      keep(name, {});
      return addresses;
    } catch (error) {
      keep(name, { error });
      throw error;
    } finally {
      underWay.delete(name);
      running--;
      startNext();
    }
  }

  async function find(name: string, places: number): Promise<readonly ResolvedAddress[]> {
    const last = ended.get(name);
    if (last !== undefined && "error" in last && elapsed() - last.atMs < FAILURE_MS) {
      throw last.error;
    }
    let found = underWay.get(name);
    if (found === undefined) underWay.set(name, found = run(name, places));
    return await found;
  }

  return {
    resolve: (name) => find(name, placesFor(name)),
    resolveRelay: (name) => find(name, PLACES),
  };
}

/** How this process looks names up: its threads are there once, however many workers it has. */
export const { resolve: resolveName, resolveRelay } = createNames();

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

function resolveAll(name: string): Promise<readonly ResolvedAddress[]> {
  return lookup(name, { all: true });
}
