const encoder = new TextEncoder();

/** Writes data, all of it, to standard output. */
export function writeOut(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes messages to standard error; where nobody reads them (any more), they are dropped. */
export function writeErr(text: string): void {
  try {
    writeAll(Deno.stderr, text);
  } catch (error) {
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) {
    written += stream.writeSync(bytes.subarray(written));
  }
}
