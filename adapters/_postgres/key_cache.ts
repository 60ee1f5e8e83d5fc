import type { ApiKey } from "../../model/api_key.ts";

/** Keys that were looked up a moment ago. */
export interface KeyCache {
  /** Returns the key of a hash, if it is remembered and still to be trusted. */
  get(hash: string): ApiKey | undefined;
  /** Notes that a look-up begins; what it finds is as old as that. */
  begin(): LookUp;
  /** Remembers a key that the look-up found. */
  add(key: ApiKey, lookUp: LookUp): void;
  /** Forgets all keys, and remembers none until `operation` has settled. */
  whileWriting<T>(operation: () => Promise<T>): Promise<T>;
}

/** A look-up under way. */
export interface LookUp {
  /** When it began. */
  readonly atMs: number;
  /** How many writes had begun or ended by then. */
  readonly writes: number;
}

interface Remembered {
  readonly key: ApiKey;
  readonly untilMs: number;
}

const MAX_AGE_MS = 500;
const MAX_KEYS = 10_000;

/** Creates a cache of keys by hash. `now` is a monotonic clock, in milliseconds. */
export function createKeyCache(now: () => number): KeyCache {
  const keys = new Map<string, Remembered>();
  let writing = 0;
  let writes = 0;

  function turn(): void {
    writes++;
    keys.clear();
  }

  return {
    get(hash) {
      const remembered = keys.get(hash);
      if (remembered === undefined) return undefined;
      return now() < remembered.untilMs ? remembered.key : undefined;
    },
    begin: () => ({ atMs: now(), writes }),
    add(key, { atMs, writes: before }) {
      if (writing > 0 || before !== writes) return;
      if (keys.size >= MAX_KEYS) keys.clear();
      keys.set(key.hash, { key, untilMs: atMs + MAX_AGE_MS });
    },
    async whileWriting(operation) {
      writing++;
      turn();
      try {
        return await operation();
      } finally {
        writing--;
        turn();
      }
    },
  };
}
