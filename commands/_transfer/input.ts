import { UsageError } from "../_options.ts";
import { concat } from "./records.ts";

/** A file that is read from its start to its end. */
export interface Input {
  /** Its name in messages. */
  readonly name: string;
  /** Its size in bytes; absent if that isn't known, as for a pipe. */
  readonly sizeBytes?: number;
  /** Its contents. */
  readonly chunks: ReadableStream<Uint8Array>;
}

/**
 * Opens a file, or standard input for `-`. Throws a {@linkcode UsageError} if there is no such
 * file, and an error with a message of one line if it can't be read.
 */
export async function openInput(path: string): Promise<Input> {
  if (path === "-") return { name: "standard input", chunks: Deno.stdin.readable };
  try {
    const { isDirectory, isFile, size } = await Deno.stat(path);
    if (isDirectory) throw new UsageError(`"${path}" is a folder, not a file`);
    const { readable } = await Deno.open(path);
    return { name: path, chunks: readable, sizeBytes: isFile ? size : undefined };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.NotFound) throw new UsageError(`there is no file "${path}"`);
    const isDenied = error instanceof Deno.errors.NotCapable;
    throw new Error(
      isDenied
        ? `no permission to read "${path}"; give - as FILE, and pipe it to standard input`
        : `cannot read "${path}": ${(error as Error).message}`,
    );
  }
}

/** Reads a stream until a signal, and then throws the reason of the signal. */
export async function* readUntil(
  signal: AbortSignal,
  { name, chunks }: Input,
): AsyncGenerator<Uint8Array> {
  const reader = chunks.getReader();
  // Cancelling ends a read that is under way; the stream's own close may take for ever.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch((error) => {
        throw new Error(`cannot read on in "${name}": ${error.message}`);
      });
      if (done) break;
      yield value;
    }
    signal.throwIfAborted();
  } finally {
    cancel();
  }
}

const MAX_BLANK_LENGTH = 65_536;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Reads a stream up to its first text that is not blank; returns that and all of the stream, without
 * the byte order mark that spreadsheets put at the start.
 */
export async function readFirst(
  chunks: AsyncGenerator<Uint8Array>,
): Promise<{ readonly first: string; readonly all: AsyncIterable<Uint8Array> }> {
  const decoder = new TextDecoder();
  let start: Uint8Array = new Uint8Array();
  let first = "";
  while (first.trim() === "" && first.length < MAX_BLANK_LENGTH) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = concat(start, value);
    first += decoder.decode(value, { stream: true });
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield start.subarray(BOM.every((byte, at) => start[at] === byte) ? BOM.length : 0);
    yield* chunks;
  }
  return { first, all: all() };
}
