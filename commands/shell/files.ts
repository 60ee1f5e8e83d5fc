import { concat } from "../../std.ts";
import { UsageError } from "./options.ts";

/**
 * Reads a file, or standard input for `-`, and returns at most slightly more than `maxBytes`. Stops
 * reading a file there, because a device may be endless; reads standard input to its end, because
 * its writer may wait. Throws a {@linkcode UsageError} if reading fails.
 */
export async function readFile(
  path: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    const { readable } = path === "-" ? Deno.stdin : await Deno.open(path);
    for await (const chunk of readable) {
      if (length <= maxBytes) chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes && path !== "-") break;
    }
  } catch (error) {
    throw unreadable(path, error);
  }
  return concat(chunks);
}

/** Opens a file, or standard input for `-`. Throws a {@linkcode UsageError} if that fails. */
export async function openFile(path: string): Promise<ReadableStream<Uint8Array>> {
  if (path === "-") return Deno.stdin.readable;
  try {
    // Opening a folder succeeds, but reading it fails.
    if ((await Deno.stat(path)).isDirectory) throw new Deno.errors.IsADirectory();
    return (await Deno.open(path)).readable;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** Returns the error of a file that can't be read. */
export function unreadable(path: string, error: unknown): UsageError {
  if (error instanceof Deno.errors.NotFound) return new UsageError(`there is no file "${path}"`);
  if (error instanceof Deno.errors.IsADirectory) {
    return new UsageError(`"${path}" is a folder, not a file`);
  }
  const hint = error instanceof Deno.errors.NotCapable
    ? "; give - as FILE, and pipe it to standard input"
    : "";
  return new UsageError(`cannot read "${path}": ${(error as Error).message}${hint}`);
}
