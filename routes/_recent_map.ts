/** A map of bounded size, which forgets what was not used for long. */
export interface RecentMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/**
 * Creates a map that keeps at least the `capacity` keys that were used last, and at most twice as
 * many: it has two generations, and when the young one is full, the old one is forgotten.
 */
export function createRecentMap<V>(capacity: number): RecentMap<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();

  function set(key: string, value: V): void {
    old.delete(key);
    if (young.size >= capacity && !young.has(key)) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }

  return {
    get size() {
      return young.size + old.size;
    },
    get(key) {
      const value = young.get(key);
      if (value !== undefined) return value;
      const older = old.get(key);
      if (older !== undefined) set(key, older);
      return older;
    },
    set,
    delete(key) {
      young.delete(key);
      old.delete(key);
    },
  };
}
