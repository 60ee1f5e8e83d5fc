/** The signals that ask a process to stop, and their numbers (POSIX). */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 2]]
  : [["SIGINT", 2], ["SIGTERM", 15]];

const SIGNAL_PATIENCE_MS = 1_000;
// A shell shows a process that a signal has ended as ended with this plus the signal's number.
const SIGNALLED_STATUS = 128;

let listening = 0;
// What a shell shows for the signal that has ended the command.
let signalledStatus: number | undefined;

/**
 * Calls `stop` at the first signal to stop, with the status that a shell shows for it, and `stopNow`
 * at each one after it. Returns a function that stops listening.
 */
export function onStopSignal(
  stop: (status: number) => void,
  stopNow: () => void = () => Deno.exit(1),
): () => void {
  let isStopping = false;
  const takers = SIGNALS.map(([signal, number]) => {
    function take(): void {
      if (isStopping) return stopNow();
      isStopping = true;
      stop(SIGNALLED_STATUS + number);
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
  const unlisten = onStopSignal((status) => {
    signalledStatus = status;
    controller.abort(new Error("interrupted"));
  }, () => {
    unlisten();
    void exit(signalledStatus!);
  });
  try {
    return await use();
  } finally {
    unlisten();
  }
}

/**
 * Ends the process: by the signal that was taken meanwhile, if permissions allow it, since only then
 * does a shell end the script that called the command; otherwise with a status.
 */
export async function exit(otherwise: number): Promise<never> {
  const status = signalledStatus ?? otherwise;
  const [signal] = SIGNALS.find(([, number]) => status === SIGNALLED_STATUS + number) ?? [];
  if (signal !== undefined && maySignalItself()) {
    Deno.kill(Deno.pid, signal);
    // The signal may reach another thread first, and this one runs on for a moment.
    await new Promise((resolve) => setTimeout(resolve, SIGNAL_PATIENCE_MS));
  }
  Deno.exit(status);
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
  for (const [signal, number] of SIGNALS) {
    Deno.addSignalListener(signal, () => {
      if (listening === 0) Deno.exit(SIGNALLED_STATUS + number);
    });
  }
}
