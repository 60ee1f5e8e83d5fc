type StopSignal = "SIGINT" | "SIGTERM";

/**
 * The exit status of a process that a signal has ended, as shells report it: 128 + its number
 * (POSIX).
 */
const STATUSES: Readonly<Record<StopSignal, number>> = { SIGINT: 128 + 2, SIGTERM: 128 + 15 };
const SIGNALS: readonly StopSignal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

const DELIVERY_MS = 1_000;
// `deno task` repeats the SIGINT that a terminal sends to both processes for one Ctrl-C.
const SAME_STOP_MS = 100;

let listening = 0;
let interruptedBy: StopSignal | undefined;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. Ends the process at the next signal, unless that
 * comes within a tenth of a second. Returns a function that stops listening.
 */
export function onStopSignal(stop: (signal: StopSignal) => void): () => void {
  let stoppingSinceMs: number | undefined;
  function onSignal(signal: StopSignal): void {
    const nowMs = performance.now();
    if (stoppingSinceMs === undefined) {
      stoppingSinceMs = nowMs;
      stop(signal);
    } else if (nowMs - stoppingSinceMs >= SAME_STOP_MS) Deno.exit(1);
  }
  const listeners = SIGNALS.map((signal) => [signal, () => onSignal(signal)] as const);
  listening++;
  for (const [signal, listener] of listeners) Deno.addSignalListener(signal, listener);
  return () => {
    listening--;
    for (const [signal, listener] of listeners) Deno.removeSignalListener(signal, listener);
  };
}

/**
 * Aborts `controller` at a stop signal while `use` runs, and remembers the signal for `exit`. A
 * second signal ends the process at once.
 */
export async function interruptible<T>(
  controller: AbortController,
  use: () => Promise<T>,
): Promise<T> {
  const unlisten = onStopSignal((signal) => {
    interruptedBy = signal;
    controller.abort(new Error("interrupted"));
  });
  try {
    return await use();
  } finally {
    unlisten();
  }
}

/** Ends the process by the signal that interrupted it or, without one, with a status. */
export async function exit(status: number): Promise<never> {
  if (interruptedBy !== undefined) await endBy(interruptedBy);
  Deno.exit(status);
}

// A shell ends the script that called a command only if a signal ended the command.
async function endBy(signal: StopSignal): Promise<never> {
  try {
    Deno.kill(Deno.pid, signal);
    // The signal may be delivered to another thread, while this one runs on for a moment.
    await new Promise((resolve) => setTimeout(resolve, DELIVERY_MS));
  } catch {
    // Before 2.9, Deno needs a permission to signal its own process.
  }
  Deno.exit(STATUSES[signal]);
}

/**
 * Makes the process end at a stop signal while nothing listens for it. The system does that for all
 * processes but the first one of a container.
 */
export function endAtStopSignals(): void {
  if (Deno.pid !== 1) return;
  for (const signal of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (listening === 0) Deno.exit(STATUSES[signal]);
    });
  }
}
