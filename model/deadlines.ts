/** The deadline of one operation. */
export interface Deadline {
  /**
   * Tells whether it has passed, or the operation has ended: then the operation must start no more
   * work.
   */
  isOver(): boolean;
}

/** Runs operations, each with a deadline. */
export interface Deadlines {
  /** Runs an operation; rejects if it has not ended in time. */
  run<T>(operation: (deadline: Deadline) => Promise<T>): Promise<T>;
  /** Resolves once no operation is in flight. */
  drain(): Promise<void>;
}

/** The parts that deadlines need. */
export interface DeadlineOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Returns the reason with which a late operation rejects. */
  readonly refuse: () => unknown;
  /**
   * Aborted when no more operations will come. Until then, an idle timer keeps running, because
   * setting one costs as much as the rest of a short operation. Absent: the timer stops when no
   * operation is in flight.
   */
  readonly signal?: AbortSignal | undefined;
}

interface Pending extends Deadline {
  readonly endMs: number;
  /**
   * Absent once the operation has ended: a changing set leaves old tables behind, whose entries
   * would keep whole requests in memory until the next full garbage collection.
   */
  reject: ((reason: unknown) => void) | undefined;
}

/** Creates the deadlines of operations with a time limit. */
export function createDeadlines(
  timeoutMs: number,
  { now, refuse, signal }: DeadlineOptions,
): Deadlines {
  // Ordered by deadline, so that one timer serves all: a timer per operation would cost as much as
  // the rest of a request.
  const pending = new Set<Pending>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onDrained: (() => void) | undefined;

  function expire(): void {
    timer = undefined;
    for (const operation of pending) {
      const leftMs = operation.endMs - now();
      if (leftMs > 0) {
        timer = setTimeout(expire, leftMs);
        return;
      }
      operation.reject?.(refuse());
      finish(operation);
    }
  }

  function begin(): Pending {
    const endMs = now() + timeoutMs;
    const isOver = () => entry.reject === undefined || now() >= endMs;
    const entry: Pending = { endMs, reject: undefined, isOver };
    return entry;
  }

  function finish(operation: Pending): void {
    operation.reject = undefined;
    if (!pending.delete(operation) || pending.size > 0) return;
    if (signal === undefined || signal.aborted) stopTimer();
    onDrained?.();
  }

  function stopTimer(): void {
    if (pending.size > 0) return;
    clearTimeout(timer);
    timer = undefined;
  }

  signal?.addEventListener("abort", stopTimer);

  return {
    run(operation) {
      return new Promise((resolve, reject) => {
        const entry = begin();
        entry.reject = reject;
        pending.add(entry);
        timer ??= setTimeout(expire, timeoutMs);
        operation(entry).then((result) => {
          finish(entry);
          resolve(result);
        }, (error) => {
          finish(entry);
          reject(error);
        });
      });
    },
    async drain() {
      if (pending.size > 0) await new Promise<void>((resolve) => onDrained = resolve);
    },
  };
}
