/** The mails of all deliveries whose outcomes are not stored yet: a crash repeats them. */
export interface InFlight {
  readonly size: number;
  has(key: string): boolean;
  /** Adds a mail that was begun at a time by the monotonic clock. */
  add(key: string, begunMs: number): Place;
  /** Gives up the mail that was begun first, if that was by a time. */
  giveUp(latestMs: number): void;
  /** Tells the one who waits that something has changed. */
  notify(): void;
  /** Resolves when something has changed. */
  changed(): Promise<void>;
  /** Resolves when there is none left. */
  drained(): Promise<void>;
}

/** The place of a mail that is in flight. */
export interface Place {
  /** Takes the mail out, once its outcome is stored. */
  readonly release: () => void;
  /** Aborted once the outcome is awaited no longer. */
  readonly givenUp: AbortSignal;
}

/** Creates the list of mails in flight, on which one at a time waits for changes. */
export function createInFlight(): InFlight {
  const mails = new Map<string, {
    readonly begunMs: number;
    readonly controller: AbortController;
    readonly stored: Promise<void>;
  }>();
  let notify = () => {};
  return {
    get size() {
      return mails.size;
    },
    has: (key) => mails.has(key),
    add(key, begunMs) {
      const controller = new AbortController();
      let setStored = () => {};
      const stored = new Promise<void>((resolve) => setStored = resolve);
      mails.set(key, { begunMs, controller, stored });
      return {
        release() {
          mails.delete(key);
          setStored();
          notify();
        },
        givenUp: controller.signal,
      };
    },
    giveUp(latestMs) {
      // Maps keep the order in which mails were begun.
      for (const { begunMs, controller } of mails.values()) {
        if (begunMs > latestMs) return;
        if (controller.signal.aborted) continue;
        controller.abort();
        return;
      }
    },
    notify: () => notify(),
    changed: () => new Promise((resolve) => notify = resolve),
    drained: async () => void await Promise.all([...mails.values()].map(({ stored }) => stored)),
  };
}
