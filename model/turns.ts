// A request that arrives during long work waits for a few of its pieces, not for all.
const BUSY_MS = 4;

// Each waiting piece continues in a turn of its own, in the order of the calls.
let last: Promise<void> = Promise.resolve();

/** Resolves in a later turn of the event loop; no other call resolves in the same turn. */
export function nextTurn(): Promise<void> {
  // Uses a timer, because Deno handles requests between timers, but not between immediates.
  return last = last.then(() => new Promise((resolve) => setTimeout(resolve, 0)));
}

/**
 * Creates a function for long work to await between its pieces. It resolves in a new turn first,
 * and whenever the current turn has been busy for some milliseconds; otherwise it returns
 * `undefined`. With storage in memory, awaiting `undefined` gives others no turn.
 */
export function createYielder(): () => Promise<void> | undefined {
  let startedMs = -Infinity;
  return function yieldIfBusy() {
    if (performance.now() - startedMs < BUSY_MS) return undefined;
    return nextTurn().then(() => {
      startedMs = performance.now();
    });
  };
}

/**
 * Runs work that pauses between pieces of about a millisecond, and yields to the event loop at its
 * pauses. Finishes synchronously if there is no pause.
 */
export function inPieces<T>(work: Iterator<void, T>): T | Promise<T> {
  const first = work.next();
  return first.done ? first.value : continueWork(work);
}

async function continueWork<T>(work: Iterator<void, T>): Promise<T> {
  const yieldIfBusy = createYielder();
  while (true) {
    await yieldIfBusy();
    const next = work.next();
    if (next.done) return next.value;
  }
}

/** Runs such work synchronously; only for small work. */
export function runSynchronously<T>(work: Iterator<void, T>): T {
  for (;;) {
    const next = work.next();
    if (next.done) return next.value;
  }
}

/** Runs a task once fewer than `most` others run, in the order of the calls. */
export type InLimit = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a function that runs at most `most` tasks at once; further tasks wait. */
export function limitConcurrency(most: number): InLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function inLimit(task) {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
