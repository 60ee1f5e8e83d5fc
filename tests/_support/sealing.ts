const METHODS = ["encrypt", "decrypt", "digest", "importKey", "sign"] as const;
let watchers = 0;
let running = 0;

/**
 * Counts the operations of `crypto.subtle` in flight, which run on other threads, until it is
 * disposed. The last disposal restores the original methods.
 */
export function watchSealing(): Disposable {
  if (watchers++ === 0) METHODS.forEach(countCalls);
  let isOver = false;
  return {
    [Symbol.dispose]() {
      if (!isOver && --watchers === 0) METHODS.forEach(restore);
      isOver = true;
    },
  };
}

/** Tells whether a watched operation is in flight. */
export function isSealing(): boolean {
  return running > 0;
}

function countCalls(name: typeof METHODS[number]): void {
  const method = crypto.subtle[name].bind(crypto.subtle) as (
    ...args: unknown[]
  ) => Promise<unknown>;
  const value = (...args: unknown[]) => {
    running++;
    return method(...args).finally(() => running--);
  };
  Object.defineProperty(crypto.subtle, name, { value, configurable: true });
}

/** Removes the own property, so that the method of the prototype shows again. */
function restore(name: typeof METHODS[number]): void {
  Reflect.deleteProperty(crypto.subtle, name);
}
