type StopSignal = "SIGINT" | "SIGTERM";

/** What a shell shows for a process that a signal has ended: 128 plus the signal's number (POSIX). */
const STATUSES: Readonly<Record<StopSignal, number>> = { SIGINT: 128 + 2, SIGTERM: 128 + 15 };
const SIGNALS: readonly StopSignal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

const SIGNAL_PATIENCE_MS = 1_000;
// One stop may arrive as two signals: `deno task` passes on a Ctrl-C that the terminal has sent too.
const SAME_STOP_MS = 500;

let listening = 0;
let interruptedBy: StopSignal | undefined;

/**
 * Calls `stop` at the first signal to stop, and `stopNow` at each one that comes half a second after it
 * or later. Returns a function that stops listening.
 */
export function onStopSignal(
  stop: (signal: StopSignal) => void,
  stopNow: () => void = () => Deno.exit(1),
): () => void {
  let stoppingSinceMs: number | undefined;
  const takers = SIGNALS.map((signal) => {
    function take(): void {
      const nowMs = performance.now();
      if (stoppingSinceMs === undefined) {
        stoppingSinceMs = nowMs;
        return stop(signal);
      }
      if (nowMs - stoppingSinceMs >= SAME_STOP_MS) stopNow();
    }
    return [signal, take] as const;
  });
  listening++;
  for (const [signal, take] of takers) Deno.addSignalListener(signal, take);
  return () => {
    listening--;
    for (const [signal, take] of takers) Deno.removeSignalListener(signal, take);
  };
}

/**
 * Aborts `controller` at a signal to stop while `use` is under way, whatever comes of it then; a second
 * signal ends the process at once.
 */
export async function interruptible<T>(
  controller: AbortController,
  use: () => Promise<T>,
): Promise<T> {
  const unlisten = onStopSignal((signal) => {
    interruptedBy = signal;
    controller.abort(new Error("interrupted"));
  }, () => {
    unlisten();
    void endBy(interruptedBy!);
  });
  try {
    return await use();
  } finally {
    unlisten();
  }
}

/** Ends the process: by the signal that interrupted it, or without one with a status. */
export async function exit(status: number): Promise<never> {
  if (interruptedBy !== undefined) await endBy(interruptedBy);
  Deno.exit(status);
}

// Only where a signal has ended a command does a shell end the script that called it.
async function endBy(signal: StopSignal): Promise<never> {
  if (maySignalItself()) {
    Deno.kill(Deno.pid, signal);
    // The signal may reach another thread first, and this one runs on for a moment.
    await new Promise((resolve) => setTimeout(resolve, SIGNAL_PATIENCE_MS));
  }
  Deno.exit(STATUSES[signal]);
}

function maySignalItself(): boolean {
  // From 2.9 on, Deno asks for no permission where a process signals itself.
  const [major, minor] = Deno.version.deno.split(".").map(Number);
  return major > 2 || minor >= 9 || Deno.permissions.querySync({ name: "run" }).state === "granted";
}

/**
 * Ends the process at a signal to stop that nobody listens to, as the system does by itself unless
 * the process is the first one of a container.
 */
export function endAtStopSignals(): void {
  if (Deno.pid !== 1) return;
  for (const signal of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (listening === 0) Deno.exit(STATUSES[signal]);
    });
  }
}
