import { setTimeout as delay } from "node:timers/promises";

/** The signals that ask a process to stop, and their numbers (POSIX). */
const SIGNALS: readonly (readonly [Deno.Signal, number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 2]]
  : [["SIGINT", 2], ["SIGTERM", 15]];

const SIGNAL_PATIENCE_MS = 1_000;
// A shell shows a process that a signal has ended as ended with this plus the signal's number.
const SIGNALLED_STATUS = 128;

let listening = 0;

/** What a command rejects with when it was ended by a signal, and has put everything in order. */
export class Interruption extends Error {
  /** Always `Interruption`. */
  override readonly name = "Interruption";

  /** Says what came of it; `status` is what a shell shows for the signal. */
  constructor(message: string, readonly status: number) {
    super(message);
  }
}

/**
 * Calls `stop` at the first signal to stop, with the status that a shell shows for it. A second signal
 * ends the process at once, with status 1. Returns a function that stops listening.
 */
export function onStopSignal(stop: (status: number) => void): () => void {
  let isStopping = false;
  const takers = SIGNALS.map(([signal, number]) => {
    function take(): void {
      if (isStopping) Deno.exit(1);
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
 * Aborts `controller` at a signal to stop while `use` is under way. If that then rejects, rejects
 * with an {@linkcode Interruption} with its message.
 */
export async function interruptible<T>(
  controller: AbortController,
  use: () => Promise<T>,
): Promise<T> {
  let status: number | undefined;
  const unlisten = onStopSignal((signalled) => {
    status = signalled;
    controller.abort(new Error("interrupted"));
  });
  try {
    return await use();
  } catch (error) {
    throw status === undefined ? error : new Interruption((error as Error).message, status);
  } finally {
    unlisten();
  }
}

/**
 * Ends the process with a status. If that is the status of a signal and permissions allow it, the
 * process ends itself by that signal: only then does a shell end the script that called the command.
 */
export async function exit(status: number): Promise<never> {
  const [signal] = SIGNALS.find(([, number]) => status === SIGNALLED_STATUS + number) ?? [];
  if (signal !== undefined && Deno.permissions.querySync({ name: "run" }).state === "granted") {
    Deno.kill(Deno.pid, signal);
    // The signal may reach another thread first, and this one runs on for a moment.
    await delay(SIGNAL_PATIENCE_MS);
  }
  Deno.exit(status);
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
