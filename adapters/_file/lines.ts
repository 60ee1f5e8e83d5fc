import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";
import { type Change, freeze } from "../records.ts";
import { type Item, StorageError } from "../storage.ts";
import type { DiskFile } from "./disk.ts";

/** The version of the format of all files in a data folder; see docs/file-storage.md. */
export const FORMAT_VERSION = 1;

const CHECKSUM_START = ',"crc32":"';
// How many bytes of a line, its newline left out, follow what the checksum covers.
const CHECKSUM_LENGTH = CHECKSUM_START.length + 8 + '"}'.length;
const READ_BYTES = 256 << 10;
const NEWLINE = 10;

/** Encodes a line: a JSON object and its checksum. */
export function encodeLine(value: object): Buffer {
  return encodeLines([JSON.stringify(value).slice(0, -1)]);
}

/** Encodes lines, each from the text of a JSON object that lacks its closing brace. */
export function encodeLines(texts: readonly string[]): Buffer {
  const bytes = Buffer.from(texts.map((text) => `${text}${CHECKSUM_START}00000000"}\n`).join(""));
  eachLine(bytes, (start, end) => {
    const covered = end - CHECKSUM_LENGTH;
    const checksum = formatChecksum(crc32(bytes.subarray(start, covered)));
    const at = covered + CHECKSUM_START.length;
    // By hand, as a call of Buffer.write takes as long as all else here.
    for (let i = 0; i < checksum.length; i++) bytes[at + i] = checksum.charCodeAt(i);
  });
  return bytes;
}

/** Tells whether the bytes from `start` to `end`, the newline left out, have the right checksum. */
export function isSound(bytes: Buffer, start: number, end: number): boolean {
  const covered = end - CHECKSUM_LENGTH;
  if (covered <= start) return false;
  const checksum = formatChecksum(crc32(bytes.subarray(start, covered)));
  return bytes.toString("latin1", covered, end) === `${CHECKSUM_START}${checksum}"}`;
}

/** Writes a CRC-32 as eight lower-case hexadecimal digits. */
export function formatChecksum(checksum: number): string {
  return checksum.toString(16).padStart(8, "0");
}

/** One change as it stands in a journal. */
export interface ChangeEntry {
  /** The name of the kind. */
  readonly kind: string;
  /** The field that is the key of its records. */
  readonly by: string;
  /** The record stored. */
  readonly put?: Item;
  /** The key of the record removed. */
  readonly remove?: string;
  /** Whether the record removed must leave no trace. */
  readonly personal?: true;
}

/** Formats a change as JSON. */
export function formatChange({ kind, key, next }: Change): string {
  const start = `{"kind":${JSON.stringify(kind.name)},"by":${JSON.stringify(kind.key)}`;
  if (next !== undefined) return `${start},"put":${JSON.stringify(next)}}`;
  return `${start},"remove":${JSON.stringify(key)}${kind.personal ? ',"personal":true' : ""}}`;
}

/** Receives the records that are read from files. */
export interface RecordSink {
  /** The field that is the key of a record, by the name of its kind. */
  readonly keyFields: Map<string, string>;
  /** Stores or removes a frozen record. */
  assign(kindName: string, key: string, next: Item | undefined): void;
}

/** Makes a change that was read. */
export function applyChange(sink: RecordSink, { kind, by, put, remove }: ChangeEntry): void {
  sink.keyFields.set(kind, by);
  if (put === undefined) sink.assign(kind, String(remove), undefined);
  else sink.assign(kind, String(put[by]), freeze(put));
}

/** Bytes of a file: whole lines with their newlines, or what is left at its end without one. */
export interface LineChunk {
  /** The bytes, valid until the next chunk is asked for. */
  readonly bytes: Buffer;
  /** Where in the file they start. */
  readonly offset: number;
}

/** Reads a file in chunks of whole lines. */
export async function* readChunks(file: DiskFile): AsyncGenerator<LineChunk> {
  let buffer = Buffer.allocUnsafe(READ_BYTES);
  let length = 0;
  let offset = 0;
  while (true) {
    const count = await file.read(buffer.subarray(length), offset + length);
    length += count;
    if (count === 0) {
      if (length > 0) yield { bytes: buffer.subarray(0, length), offset };
      return;
    }
    const end = buffer.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    if (end > 0) yield { bytes: buffer.subarray(0, end), offset };
    buffer.copyWithin(0, end, length);
    length -= end;
    offset += end;
    if (length === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
  }
}

/** Calls `visit` with the bounds of each whole line of a chunk, the newline left out. */
export function eachLine(bytes: Buffer, visit: (start: number, end: number) => void): void {
  let start = 0;
  for (let end; (end = bytes.indexOf(NEWLINE, start)) >= 0; start = end + 1) visit(start, end);
}

/** Checks the version in the first line of a file, which a later version may go on differently. */
export function checkVersion(path: string, version: unknown): void {
  if (version === FORMAT_VERSION || !Number.isInteger(version)) return;
  throw new StorageError(
    "incompatible",
    `Cannot read ${path}: it has format version ${version}, and this program knows ` +
      `${FORMAT_VERSION}: use the program that wrote it, or a later one`,
  );
}

/** Creates the error for a file that can't be read back. */
export function damaged(path: string, what: string, options?: ErrorOptions): StorageError {
  return new StorageError(
    "damaged",
    `Cannot read ${path}: ${what}; restore the folder from a backup (docs/file-storage.md)`,
    options,
  );
}
