const encoder = new TextEncoder();

/** Writes data, all of it, to standard output. */
export function writeOut(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes messages, all of them, to standard error. */
export function writeErr(text: string): void {
  writeAll(Deno.stderr, text);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  const bytes = encoder.encode(text);
  for (let written = 0; written < bytes.length;) {
    written += stream.writeSync(bytes.subarray(written));
  }
}
