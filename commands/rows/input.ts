import { concat } from "../../std.ts";
import { unreadable } from "../shell/files.ts";

/** A file that is read from its start to its end. */
export interface Input {
  /** Its name in messages. */
  readonly name: string;
  /** Absent if unknown, such as for a pipe. */
  readonly sizeBytes: number | undefined;
  /** The first chunk. */
  readonly start: Uint8Array;
  /** The first chunk as text, which tells the type of the file. */
  readonly startText: string;
  /** All other chunks. */
  readonly chunks: ReadableStream<Uint8Array>;
}

const LF = 0x0a;
// Longer than any row that the server accepts, so a longer line may be cut.
const MAX_LINE_BYTES = 256 * 1024;

/** Opens a file, or standard input for `-`. Throws a `UsageError` if it can't be read. */
export async function openInput(path: string): Promise<Input> {
  if (path === "-") return await start(Deno.stdin.readable, "standard input");
  try {
    const { isFile, size } = await Deno.stat(path);
    const { readable } = await Deno.open(path);
    return await start(readable, path, isFile ? size : undefined);
  } catch (error) {
    throw unreadable(path, error);
  }
}

async function start(
  chunks: ReadableStream<Uint8Array>,
  name: string,
  sizeBytes?: number,
): Promise<Input> {
  const reader = chunks.getReader();
  const { value: start = new Uint8Array() } = await reader.read();
  reader.releaseLock();
  return { name, sizeBytes, start, startText: new TextDecoder().decode(start), chunks };
}

/** The options of a line reader. */
export interface LineOptions {
  /** Ends the stream early, at the end of a line, so that no row is cut. */
  readonly signal: AbortSignal;
  /** Called with how many bytes were read so far, and the last of them. */
  readonly onRead: (bytes: number, chunk: Uint8Array) => void;
  /** Called with the error of a file that can't be read to its end. */
  readonly onFailure: (error: Error) => void;
}

/** Returns the content of a file in chunks of whole lines. */
export function readLines(
  { name, start, chunks }: Input,
  { signal, onRead, onFailure }: LineOptions,
): ReadableStream<Uint8Array> {
  const reader = chunks.getReader();
  // Cancels a pending read without awaiting it, because standard input might never end.
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);

  async function* lines(): AsyncGenerator<Uint8Array> {
    let tail = new Uint8Array();
    let bytesRead = 0;
    try {
      for (let chunk: Uint8Array | undefined = start; chunk; chunk = (await reader.read()).value) {
        onRead(bytesRead += chunk.length, chunk);
        const all = concat([tail, chunk]);
        const end = all.length > MAX_LINE_BYTES ? all.length : all.lastIndexOf(LF) + 1;
        tail = all.slice(end);
        if (end > 0) yield all.subarray(0, end);
      }
      if (!signal.aborted) yield tail;
    } catch (cause) {
      onFailure(new Error(`cannot read on in "${name}": ${(cause as Error).message}`, { cause }));
      throw cause;
    } finally {
      cancel();
    }
  }

  return ReadableStream.from(lines());
}
