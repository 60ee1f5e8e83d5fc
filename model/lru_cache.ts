/** A cache of bounded size that evicts the least recently used values. */
export interface LruCache<V> {
  readonly size: number;
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
}

/**
 * Creates a cache of at least the `capacity` most recently used keys, and at most twice as many. It
 * has two generations: when the young one is full, the old one is dropped. With `weigh`, the
 * capacity limits the total weight; each generation may exceed it by one value.
 */
export function createLruCache<V>(
  capacity: number,
  weigh: (value: V) => number = () => 1,
): LruCache<V> {
  let young = new Map<string, V>();
  let old = new Map<string, V>();
  let weight = 0;

  function set(key: string, value: V): void {
    old.delete(key);
    const replaced = young.get(key);
    if (replaced !== undefined) weight -= weigh(replaced);
    else if (weight >= capacity) {
      old = young;
      young = new Map();
      weight = 0;
    }
    young.set(key, value);
    weight += weigh(value);
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
      const value = young.get(key);
      if (value !== undefined) weight -= weigh(value);
      young.delete(key);
      old.delete(key);
    },
  };
}
