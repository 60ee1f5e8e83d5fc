// A request that comes while pieces of long work are done waits for a few of them, not for all.
const BUSY_MS = 10;

// Each of those that wait goes on in a turn of its own, in the order in which they asked.
let last: Promise<void> = Promise.resolve();

/** Resolves in a later turn of the event loop, which it shares with no other that was asked for. */
export function nextTurn(): Promise<void> {
  // A timer, as Deno looks for requests between timers, but not between immediates.
  return last = last.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
}

/**
 * Creates what long work in pieces awaits between these: a turn of the event loop at first, and whenever
 * the present one has been busy for some milliseconds; `undefined` otherwise. Where storage is in memory,
 * awaiting it gives nobody else a turn.
 */
export function createPace(): () => Promise<void> | undefined {
  let startedMs = -Infinity;
  return function pace() {
    if (performance.now() - startedMs < BUSY_MS) return undefined;
    return nextTurn().then(() => {
      startedMs = performance.now();
    });
  };
}

/**
 * Does work that pauses between its pieces, each of a millisecond or so, with turns of the event loop at
 * its pauses. What has no pause is done at once.
 */
export function inPieces<T>(work: Iterator<void, T>): T | Promise<T> {
  const first = work.next();
  return first.done ? first.value : continueWork(work);
}

async function continueWork<T>(work: Iterator<void, T>): Promise<T> {
  const pace = createPace();
  while (true) {
    await pace();
    const next = work.next();
    if (next.done) return next.value;
  }
}

/** Does such work at once, where it is known to be little. */
export function atOnce<T>(work: Iterator<void, T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}
