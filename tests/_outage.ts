type Serve = typeof Deno.serve;

const { serve } = Deno;

/** Serves, and ends at once as where no connection can be taken. */
export function serveInVain(...args: Parameters<Serve>): unknown {
  const { addr, shutdown } = serve(...args);
  const ended = shutdown();
  const finished = ended.then(() => Promise.reject(new Error("too many files")));
  return { addr, finished, shutdown: () => ended };
}

/** Has each call of `Deno.serve` carried out by the next of `attempts` while something is used. */
export async function withAttempts(
  attempts: readonly ((...args: Parameters<Serve>) => unknown)[],
  use: (left: () => number) => Promise<void>,
): Promise<void> {
  const left = [...attempts];
  Object.assign(Deno, { serve: (...args: Parameters<Serve>) => left.shift()!(...args) });
  try {
    await use(() => left.length);
  } finally {
    Object.assign(Deno, { serve });
  }
}
