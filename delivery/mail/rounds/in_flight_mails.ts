/**
 * The mails of all deliveries whose outcomes are not stored yet; after a crash, they are sent
 * again.
 */
export interface InFlightMails {
  readonly size: number;
  has(key: string): boolean;
  /** Adds a mail that started at a time of the monotonic clock. */
  add(key: string, begunMs: number): MailSlot;
  /** Gives up the oldest mail, if it started by a time. */
  giveUp(latestMs: number): void;
  /** Wakes the caller of `changed`. */
  notify(): void;
  /** Resolves at the next change. */
  changed(): Promise<void>;
  /** Resolves when the list is empty. */
  drained(): Promise<void>;
}

/** The slot of a mail in flight. */
export interface MailSlot {
  /** Removes the mail from the list, once its outcome is stored. */
  readonly release: () => void;
  /** Aborted once nobody awaits the outcome any more. */
  readonly givenUp: AbortSignal;
}

/** Creates the list of mails in flight; one caller at a time may wait for changes. */
export function createInFlightMails(): InFlightMails {
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
          // A later attempt may have taken the key.
          if (mails.get(key)?.controller === controller) mails.delete(key);
          setStored();
          notify();
        },
        givenUp: controller.signal,
      };
    },
    giveUp(latestMs) {
      // A map keeps the order in which mails started.
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
