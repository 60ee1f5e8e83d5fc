/** Waits for a promise, but not longer than a time. */
export async function within(timeoutMs: number, promise: Promise<unknown>): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, timeoutMs);
  try {
    await Promise.race([promise, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
