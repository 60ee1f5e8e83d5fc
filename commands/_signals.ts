/** The signals that ask a process to stop, and their numbers (POSIX). */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 2]]
  : [["SIGINT", 2], ["SIGTERM", 15]];

let listening = 0;

/**
 * Calls `stop` at the first signal to stop; the second one ends the process at once, with status
 * 1. Returns how to listen no more.
 */
export function onStopSignal(stop: () => void): () => void {
  let isStopping = false;
  function take(): void {
    if (isStopping) Deno.exit(1);
    isStopping = true;
    stop();
  }
  listening++;
  for (const [signal] of SIGNALS) Deno.addSignalListener(signal, take);
  return () => {
    listening--;
    for (const [signal] of SIGNALS) Deno.removeSignalListener(signal, take);
  };
}

/**
 * Ends the process at a signal to stop that nobody listens to, as the system does by itself unless
 * the process is the first one of a container.
 */
export function endAtStopSignals(): void {
  if (Deno.pid !== 1) return;
  for (const [signal, number] of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (listening === 0) Deno.exit(128 + number);
    });
  }
}
