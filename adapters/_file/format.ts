import { Buffer } from "node:buffer";
import { crc32c, formatCrc } from "./crc32c.ts";
import type { RecordChange } from "../_tables.ts";
import { StorageError } from "../storage.ts";

/**
 * The version of the format of both files. Each new field and each new table raises it, as an older
 * program must refuse what it would lose. The version of a header says nothing of the lines below it:
 * older ones are copied as they are, and `toStoreChange` fills in the fields that they lack.
 */
export const FORMAT_VERSION = 1;

/** The first line of a journal. */
export interface JournalHeader {
  /** Always `journal`. */
  readonly boardcast: "journal";
  /** The version of the format. */
  readonly version: number;
  /** What both files of one folder have in common. */
  readonly store: string;
  /** The generation of the snapshot that the journal continues; 0 where there is none. */
  readonly generation: number;
  /** The sequence number after which the journal starts. */
  readonly after: number;
}

/** One line of a journal but the first: changes that took effect together. */
export interface JournalRecord {
  /** The number of the record; each is one more than the one before. */
  readonly seq: number;
  /** All records up to this number were durable when this one was written. */
  readonly after: number;
  /** Records stored, by table. */
  readonly put?: { readonly [table: string]: readonly object[] };
  /** Keys of records removed, by table. */
  readonly delete?: { readonly [table: string]: readonly string[] };
  /** Present on a line that is no record: it repeats the number of the last one, and proves it. */
  readonly sealed?: true;
}

/** Changes under one sequence number. */
export interface JournalEntry {
  readonly seq: number;
  readonly changes: readonly RecordChange[];
}

const CRC_START = ',"crc32c":"';
// How many bytes of a line, its newline left out, follow what the checksum covers.
const CRC_SUFFIX_LENGTH = CRC_START.length + 8 + '"}'.length;

/** Encodes entries as lines, in one buffer; `after` is the last number that is durable. */
export function encodeEntries(entries: readonly JournalEntry[], after: number): Buffer {
  const lines = entries.map((entry) => formatEntry(entry, after));
  // UTF-8 takes at most three bytes for a UTF-16 unit.
  const units = lines.reduce((sum, line) => sum + line.length, 0);
  const buffer = Buffer.allocUnsafe(units * 3 + lines.length * (CRC_SUFFIX_LENGTH + 1));
  let end = 0;
  for (const line of lines) {
    const start = end;
    end += buffer.write(line, start, "utf8");
    const crc = formatCrc(crc32c(buffer, start, { end }));
    end += buffer.write(`${CRC_START}${crc}"}\n`, end, "latin1");
  }
  return buffer.subarray(0, end);
}

/** Encodes one line: an object and its checksum. */
export function encodeLine(line: JournalHeader | JournalRecord): Buffer {
  const bytes = Buffer.from(JSON.stringify(line).slice(0, -1));
  const crc = formatCrc(crc32c(bytes, 0));
  return Buffer.concat([bytes, Buffer.from(`${CRC_START}${crc}"}\n`)]);
}

/**
 * Encodes the line that proves the record of this number, which is durable: without a later
 * line, damage to it could not be told from a torn tail.
 */
export function encodeSeal(seq: number): Buffer {
  return encodeLine({ seq, after: seq, sealed: true });
}

/** Tells whether the bytes from `start` to `end`, the newline left out, have the right checksum. */
export function isSound(bytes: Buffer, start: number, end: number): boolean {
  const covered = end - CRC_SUFFIX_LENGTH;
  if (covered <= start) return false;
  const crc = formatCrc(crc32c(bytes, start, { end: covered }));
  return bytes.toString("latin1", covered, end) === `${CRC_START}${crc}"}`;
}

// By far the most entries are one subscription, which is worth a path of its own.
function formatEntry({ seq, changes }: JournalEntry, after: number): string {
  const [first] = changes;
  if (changes.length === 1 && first.next !== undefined) {
    return `{"seq":${seq},"after":${after},"put":{"${first.table}":[${
      JSON.stringify(first.next)
    }]}`;
  }
  const put: Record<string, object[]> = {};
  const removed: Record<string, string[]> = {};
  for (const { table, key, next } of changes) {
    if (next === undefined) (removed[table] ??= []).push(key);
    else (put[table] ??= []).push(next);
  }
  const record: JournalRecord = {
    seq,
    after,
    ...(Object.keys(put).length > 0 && { put }),
    ...(Object.keys(removed).length > 0 && { delete: removed }),
  };
  return JSON.stringify(record).slice(0, -1);
}

/** Makes the error for a file that only a later version can read. */
function incompatible(name: string, reason: string): StorageError {
  return new StorageError("incompatible", `Cannot read ${name}: ${reason}`);
}

/** Makes the error for a file of a version that this code does not know. */
export function otherVersion(name: string, version: unknown): StorageError {
  return incompatible(
    name,
    `it is of format version ${version}, and this program knows version ${FORMAT_VERSION}`,
  );
}

/** Makes the error for a file with records of a table that this version doesn't know. */
export function unknownTable(name: string, table: string): StorageError {
  return incompatible(name, `it has an unknown table "${table}"`);
}

/** Makes the error for a file that can't be read back from a byte on. */
export function damaged(name: string, offset: number, options?: ErrorOptions): StorageError {
  return new StorageError(
    "damaged",
    `Cannot read ${name}: it is damaged at byte ${offset}`,
    options,
  );
}
