/** Runs a task once fewer than `most` others run, in the order of the calls. */
export type InLane = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a function that runs at most `most` tasks at once; further tasks wait. */
export function createLanes(most: number): InLane {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async function inLane(task) {
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
