/** Where a command writes: data on one side, messages on the other. */
export interface Terminal {
  /** Writes data, all of it. Throws {@linkcode ClosedOutput} where nobody reads any more. */
  readonly out: (data: string | Uint8Array) => void;
  /** Writes messages; where that can't be done (any more), they are dropped. */
  readonly err: (text: string) => void;
  /** The columns of the terminal that shows the data; absent where it is none. */
  readonly outColumns?: number;
  /** The columns of the terminal that shows the messages; absent where it is none. */
  readonly errColumns?: number;
  /** Asks who sits at the terminal; absent where nobody does. */
  readonly ask?: (question: string) => string;
}

/** The reader of standard output has gone, as `head` does when it has seen enough. */
export class ClosedOutput extends Error {
  /** Always `ClosedOutput`. */
  override readonly name = "ClosedOutput";
}

const RETRY_MS = 5;
const ANSWER_MAX_BYTES = 100;
// What POSIX calls PIPE_BUF; 512 is the least that it allows.
const PIPE_BUF_BYTES = Deno.build.os === "linux" ? 4_096 : 512;
const encoder = new TextEncoder();

/** The terminal, files or pipes that the process was started with. */
export function processTerminal(): Terminal {
  return {
    out: writeOut,
    err: writeErr,
    outColumns: columnsOf(Deno.stdout),
    errColumns: columnsOf(Deno.stderr),
    ask: Deno.stdin.isTerminal() && Deno.stderr.isTerminal() ? ask : undefined,
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
    // The reader has gone or the disk is full: there is no other place to tell it.
  }
}

// That of the platform would ask on standard output.
function ask(question: string): string {
  writeErr(question);
  const line = new Uint8Array(ANSWER_MAX_BYTES);
  return new TextDecoder().decode(line.subarray(0, Deno.stdin.readSync(line) ?? 0)).trim();
}

function columnsOf(stream: { isTerminal(): boolean }): number | undefined {
  if (!stream.isTerminal()) return undefined;
  // Terminals of scripts and continuous integration may have no size.
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}

/**
 * Writes in pieces that a pipe takes whole or not at all: whoever started the process may share
 * one that doesn't wait for its reader, and of a longer piece nobody could tell what it took.
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
