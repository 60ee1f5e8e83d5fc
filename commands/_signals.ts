/** The signals that ask a process to stop. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

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
  for (const signal of SIGNALS) Deno.addSignalListener(signal, take);
  return () => {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, take);
  };
}
