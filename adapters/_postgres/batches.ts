/**
 * Creates a queue whose entries are carried out together: those that are added while one batch is under
 * way make up the next, of at most `maxSize`. `run` never rejects. Returns what adds an entry.
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
    // All that is asked for in one turn goes together.
    queueMicrotask(work);
  };
}
