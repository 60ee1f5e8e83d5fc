import type { Loop } from "./loop.ts";

/** A loop whose modules are still loading. */
export interface LateLoop<L extends Loop> extends Loop {
  /** Rejects if the modules can't be loaded. */
  readonly started: Promise<L>;
  /** Calls a function with the loop once it has loaded, or never if loading failed. */
  use(action: (loop: L) => void): void;
}

/** Starts a loop once its modules are loaded, and reports a failure to load them. */
export function startLate<L extends Loop>(
  onError: (error: unknown) => void,
  start: () => Promise<L>,
): LateLoop<L> {
  const started = start();
  started.catch(onError);
  const use = (action: (loop: L) => void) => void started.then(action, () => {});
  return {
    started,
    use,
    wake: () => use((loop) => loop.wake()),
    close: async () => (await started.catch(() => undefined))?.close(),
  };
}
