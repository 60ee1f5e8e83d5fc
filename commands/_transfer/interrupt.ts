/** The signals that ask a process to stop. */
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM"];

/** Somebody asked the command to stop. */
export class Interruption extends Error {
  /** Always `Interruption`. */
  override readonly name = "Interruption";
}

/**
 * Runs a task with a signal that is aborted, with an {@linkcode Interruption}, when
 * somebody asks the process to stop. Asked a second time, it exits at once with status 1.
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) Deno.exit(1);
    controller.abort(new Interruption("interrupted; run it again to complete it"));
  };
  for (const signal of SIGNALS) Deno.addSignalListener(signal, stop);
  try {
    return await run(controller.signal);
  } finally {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, stop);
  }
}
