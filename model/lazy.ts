/** Returns a function that loads a value at its first call, and again only after a failure. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () =>
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
}

/** Returns a function that makes a value for each object, once unless that fails. */
export function remember<K extends object, T>(
  make: (key: K) => Promise<T>,
): (key: K) => Promise<T> {
  const made = new WeakMap<K, () => Promise<T>>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) made.set(key, value = lazy(() => make(key)));
    return value();
  };
}
