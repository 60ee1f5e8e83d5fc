/**
 * Creates a queue. Entries that are added while a batch runs form the next batch, of at most
 * `maxSize`. `run` must never reject. Returns a function that adds an entry.
 */
export function createBatches<T>(
  run: (batch: T[]) => Promise<void>,
  maxSize: number,
): (entry: T) => void {
  const queue: T[] = [];
  let isBusy = false;

  async function work(): Promise<void> {
    while (queue.length > 0) await run(queue.splice(0, maxSize));
    isBusy = false;
  }

  return (entry) => {
    queue.push(entry);
    if (isBusy) return;
    isBusy = true;
    // Entries added in the same turn of the event loop form one batch.
    queueMicrotask(work);
  };
}
