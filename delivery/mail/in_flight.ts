/** The mails of all deliveries whose outcome is not stored yet: those that a crash repeats. */
export interface InFlight {
  readonly size: number;
  has(key: string): boolean;
  /** Adds a mail; returns what takes it out again, once its outcome is stored. */
  add(key: string): () => void;
  /** Tells the one who waits that something has changed. */
  notify(): void;
  /** Resolves when something has changed. */
  changed(): Promise<void>;
  /** Resolves when there is none left. */
  drained(): Promise<void>;
}

/** Creates the list of mails in flight, on which one at a time waits for changes. */
export function createInFlight(): InFlight {
  const mails = new Map<string, Promise<void>>();
  let notify = () => {};
  return {
    get size() {
      return mails.size;
    },
    has: (key) => mails.has(key),
    add(key) {
      let setStored = () => {};
      mails.set(key, new Promise((resolve) => setStored = resolve));
      return () => {
        mails.delete(key);
        setStored();
        notify();
      };
    },
    notify: () => notify(),
    changed: () => new Promise((resolve) => notify = resolve),
    drained: async () => void await Promise.all(mails.values()),
  };
}
