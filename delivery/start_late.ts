import type { Loop } from "./loop.ts";

/** A loop whose modules are being loaded. */
export interface LateLoop<L extends Loop> extends Loop {
  /** Rejects where they can't be loaded. */
  readonly started: Promise<L>;
  /** Does something with the loop once it is there; nothing where it can't be loaded. */
  use(action: (loop: L) => void): void;
}

/** Starts a loop once its modules are loaded; reports where they can't be. */
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
