import { Buffer } from "node:buffer";
import type { Disk, DiskFile } from "./disk.ts";

const NEWLINE = 10;
const CHUNK_BYTES = 256 << 10;
const COPY_BYTES = 1 << 20;

/** Writes all of some bytes at a position, in as many steps as the disk takes. */
export async function writeFully(
  file: DiskFile,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(done === 0 ? bytes : bytes.subarray(done), position + done);
    if (written <= 0) throw new Error("the disk took no bytes");
    done += written;
  }
}

/** Bytes of a file: whole lines, with the last newline, or what is left at its end. */
export interface LineChunk {
  readonly bytes: Buffer;
  /** Where in the file the bytes start. */
  readonly offset: number;
}

/**
 * Reads a file as chunks of whole lines; the last chunk may lack the final newline. A chunk
 * is good until the next one is asked for.
 */
export async function* readLines(file: DiskFile): AsyncGenerator<LineChunk> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let length = 0;
  let offset = 0;
  while (true) {
    const count = await file.read(buffer.subarray(length), offset + length);
    length += count;
    if (count === 0) {
      if (length > 0) yield { bytes: buffer.subarray(0, length), offset };
      return;
    }
    const end = buffer.subarray(0, length).lastIndexOf("\n") + 1;
    if (end > 0) yield { bytes: buffer.subarray(0, end), offset };
    buffer.copyWithin(0, end, length);
    length -= end;
    offset += end;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
  }
}

/** Calls `visit` with each whole line of a chunk, its newline left out. */
export function eachLine(bytes: Buffer, visit: (start: number, end: number) => void): void {
  let start = 0;
  for (let end; (end = bytes.indexOf(NEWLINE, start)) >= 0; start = end + 1) visit(start, end);
}

/** The part of a file to copy. */
export interface CopyRange {
  readonly start: number;
  readonly end: number;
  /** Where in the target the part goes. */
  readonly to: number;
}

/** Copies part of a file into another. */
export async function copyRange(
  source: DiskFile,
  target: DiskFile,
  { start, end, to }: CopyRange,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
  for (let at = start; at < end;) {
    const count = await source.read(buffer.subarray(0, Math.min(buffer.length, end - at)), at);
    if (count === 0) throw new Error("the file ends too soon: another process has cut it");
    await writeFully(target, buffer.subarray(0, count), to + at - start);
    at += count;
  }
}

/** Runs `use` with a file that is open for reading, and closes it. */
export async function withFile<T>(
  disk: Disk,
  path: string,
  use: (file: DiskFile) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, "read");
  try {
    return await use(file);
  } finally {
    // What was read is as good.
    await file.close().catch(() => {});
  }
}
