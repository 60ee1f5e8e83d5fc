import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";
import { crc32 as crc32InScript } from "../../model/crypto/crc32.ts";
import { type Item, StorageError } from "../storage.ts";
import type { DiskFile } from "./disk.ts";

/** The version of the format of all files in a data folder; see docs/file-storage.md. */
export const FORMAT_VERSION = 1;

/** The platform's function takes a hundredth of the time, but Node has it only from 20.15 on. */
export const fastCrc32: typeof crc32InScript = zlib.crc32 ?? crc32InScript;

const CHECKSUM_START = ',"crc32":"';
// The length of the end of a line that its checksum does not cover, without the newline.
const CHECKSUM_LENGTH = CHECKSUM_START.length + 8 + '"}'.length;
const READ_BYTES = 256 << 10;
const NEWLINE = 10;

type FileOfFolder = "snapshot" | "journal" | "high-water mark";

/** Receives the records that are read from files. */
export interface RecordSink {
  /** The field that is the key of a record, by the name of its kind. */
  readonly keyFields: Map<string, string>;
  /** Stores or removes a frozen record. */
  assign(kindName: string, key: string, next: Item | undefined): void;
}

/** Encodes a line: a JSON object and its checksum. */
export function encodeLine(value: object): Buffer {
  return encodeLines([JSON.stringify(value).slice(0, -1)]);
}

/** Encodes lines, each from the text of a JSON object that lacks its closing brace. */
export function encodeLines(texts: readonly string[]): Buffer {
  const bytes = Buffer.from(texts.map((text) => `${text}${CHECKSUM_START}00000000"}\n`).join(""));
  eachLine(bytes, (start, end) => {
    const covered = end - CHECKSUM_LENGTH;
    const checksum = formatChecksum(fastCrc32(bytes.subarray(start, covered)));
    const at = covered + CHECKSUM_START.length;
    // Buffer.write would take as long as everything else here, so a loop replaces it.
    for (let i = 0; i < checksum.length; i++) bytes[at + i] = checksum.charCodeAt(i);
  });
  return bytes;
}

/** Tells whether the bytes from `start` to `end`, the newline left out, have the right checksum. */
export function isIntact(bytes: Buffer, start: number, end: number): boolean {
  const covered = end - CHECKSUM_LENGTH;
  if (covered <= start) return false;
  const checksum = formatChecksum(fastCrc32(bytes.subarray(start, covered)));
  return bytes.toString("latin1", covered, end) === `${CHECKSUM_START}${checksum}"}`;
}

/** Writes a CRC-32 as eight lower-case hexadecimal digits. */
export function formatChecksum(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/**
 * Yields the content of a file in chunks, each valid until the next one is requested. A chunk
 * contains whole lines with their newlines; the last one may be a rest without a newline.
 */
export async function* readChunks(file: DiskFile): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  let length = 0;
  for (let position = 0;;) {
    const count = await file.read(buffer.subarray(length), position);
    position += count;
    length += count;
    const end = count === 0 ? length : buffer.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield buffer.subarray(0, end);
    if (count === 0) return;
    buffer.copyWithin(0, end, length);
    length -= end;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
  }
}

/** Calls `visit` with the bounds of each whole line of a chunk, the newline left out. */
export function eachLine(bytes: Buffer, visit: (start: number, end: number) => void): void {
  let start = 0;
  for (let end; (end = bytes.indexOf(NEWLINE, start)) >= 0; start = end + 1) visit(start, end);
}

/** Reads the first line of a file, which has a checksum of its own. */
export function readHeader<H>(path: string, line: Buffer, type: FileOfFolder): H {
  try {
    const header = JSON.parse(line.toString("utf8"));
    checkHeader(path, header, type);
    if (!isIntact(line, 0, line.length)) throw new Error("its checksum does not match");
    return header;
  } catch (cause) {
    throw lineError(path, 1, cause);
  }
}

/** Throws unless the parsed first line of a file names this type and the known version. */
export function checkHeader(
  path: string,
  header: { readonly boardcast?: unknown; readonly version?: unknown } | null,
  type: FileOfFolder,
): void {
  const version = header?.version;
  if (version !== FORMAT_VERSION && Number.isInteger(version)) {
    throw new StorageError(
      "incompatible",
      `Cannot read ${path}: it has format version ${version}, and this program knows ` +
        `${FORMAT_VERSION}: use the program that wrote it, or a later one`,
    );
  }
  if (header?.boardcast !== type) throw new Error(`it is no ${type}`);
}

/** Converts an error from reading a line to an error that names the line. */
export function lineError(path: string, line: number, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  return damaged(path, `line ${line} is damaged`, { cause });
}

/** Creates the error for a file that can't be read back. */
export function damaged(path: string, what: string, options?: ErrorOptions): StorageError {
  return new StorageError(
    "damaged",
    `Cannot read ${path}: ${what}; restore the folder from a backup (docs/file-storage.md)`,
    options,
  );
}
