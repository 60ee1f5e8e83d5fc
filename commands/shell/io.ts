/** Standard output, for data, and standard error, for messages. */
export interface Terminal {
  /** Writes all of the data. Throws {@linkcode ClosedOutput} if nobody reads any more. */
  readonly out: (data: string | Uint8Array) => void;
  /** Writes a message; drops it if that fails. */
  readonly err: (text: string) => void;
  /** The width of the terminal; absent if standard error is not a terminal. */
  readonly errColumns?: number;
}

/** The reader of standard output has closed it, such as `head` after enough lines. */
export class ClosedOutput extends Error {
  override readonly name = "ClosedOutput";
}

const RETRY_MS = 5;
// POSIX, PIPE_BUF: at least 512.
const PIPE_BUF_BYTES = Deno.build.os === "linux" ? 4_096 : 512;
const encoder = new TextEncoder();

/** Returns the standard streams of the process. */
export function processTerminal(): Terminal {
  return {
    out: writeOut,
    err: writeErr,
    errColumns: Deno.stderr.isTerminal() ? readColumns() : undefined,
  };
}

function writeOut(data: string | Uint8Array): void {
  try {
    writeAll(Deno.stdout, typeof data === "string" ? encoder.encode(data) : data);
  } catch (cause) {
    const failure = "cannot write to standard output:";
    if (cause instanceof Deno.errors.BrokenPipe) {
      throw new ClosedOutput(`${failure} its reader has gone`, { cause });
    }
    throw new Error(`${failure} ${(cause as Error).message}`, { cause });
  }
}

function writeErr(text: string): void {
  try {
    writeAll(Deno.stderr, encoder.encode(text));
  } catch {
    // The reader has gone or the disk is full, and no other place is left for a message.
  }
}

function readColumns(): number {
  // A pseudo-terminal of continuous integration may have no size.
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}

/**
 * Writes in pieces that a pipe takes whole or not at all. The parent process may have made the pipe
 * non-blocking, and a longer write that fails does not report how much of it was written.
 */
function writeAll(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    try {
      written += stream.writeSync(bytes.subarray(written, written + PIPE_BUF_BYTES));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}
