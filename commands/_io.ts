/** Where a command writes: data on one side, messages on the other. */
export interface Terminal {
  /** Writes data, all of it. Throws {@linkcode ClosedOutput} where nobody reads any more. */
  readonly out: (text: string) => void;
  /** Writes messages; where nobody reads them (any more), they are dropped. */
  readonly err: (text: string) => void;
  /** The columns of the terminal that shows the data; absent where it is none. */
  readonly outColumns?: number;
  /** The columns of the terminal that shows the messages; absent where it is none. */
  readonly errColumns?: number;
}

/** The reader of standard output has gone, as `head` does when it has seen enough. */
export class ClosedOutput extends Error {
  /** Always `ClosedOutput`. */
  override readonly name = "ClosedOutput";
}

const encoder = new TextEncoder();

/** Writes data, all of it, to standard output. */
export function writeOut(text: string): void {
  try {
    writeAll(Deno.stdout, text);
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
    throw new ClosedOutput("Cannot write to standard output: its reader has gone");
  }
}

/** Writes messages to standard error; where nobody reads them (any more), they are dropped. */
export function writeErr(text: string): void {
  try {
    writeAll(Deno.stderr, text);
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** The terminal, files or pipes that the process was started with. */
export function processTerminal(): Terminal {
  return {
    out: writeOut,
    err: writeErr,
    outColumns: columnsOf(Deno.stdout),
    errColumns: columnsOf(Deno.stderr),
  };
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

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) {
    written += stream.writeSync(bytes.subarray(written));
  }
}
