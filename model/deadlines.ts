/** The deadline of one operation. */
export interface Deadline {
  /** Tells whether it has passed, or the operation has ended: then nothing more is begun for it. */
  isOver(): boolean;
}

/** The operations in flight, each of which ends in time. */
export interface Deadlines {
  /** Runs an operation; rejects when it has not ended in time. */
  run<T>(operation: (deadline: Deadline) => Promise<T>): Promise<T>;
  /** Resolves once none is in flight. */
  drain(): Promise<void>;
}

/** What deadlines are made of. */
export interface DeadlineOptions {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Returns what a late operation is rejected with. */
  readonly refuse: () => unknown;
  /**
   * Aborted when nothing more is to be expected. Until then the timer is kept while no operation is in
   * flight, as setting one costs as much as the rest of a short operation. Absent: it is never kept.
   */
  readonly signal?: AbortSignal | undefined;
}

interface Pending extends Deadline {
  readonly endMs: number;
  /**
   * Absent once the operation has ended: a set that changes leaves old tables behind, with entries that
   * would keep whole requests in memory until the next full garbage collection.
   */
  reject: ((reason: unknown) => void) | undefined;
}

/** Creates the deadlines of operations that may take so long each. */
export function createDeadlines(
  timeoutMs: number,
  { now, refuse, signal }: DeadlineOptions,
): Deadlines {
  // In the order of their deadlines, so that one timer serves all: a timer for each would cost as much
  // as the rest of a request.
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
