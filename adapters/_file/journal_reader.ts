import type { Buffer } from "node:buffer";
import type { DiskFile } from "./disk.ts";
import {
  damaged,
  FORMAT_VERSION,
  isSound,
  type JournalHeader,
  type JournalRecord,
  otherVersion,
  unknownTable,
} from "./format.ts";
import { eachLine, readLines } from "./io.ts";
import { isTableName, toStoreChange } from "./records.ts";
import type { RecordChange } from "../_tables.ts";

const RECORD_START = '{"seq":';

/** What was read from a journal. */
export interface JournalContent {
  /** The first line; absent where the file ends within it. */
  readonly header?: JournalHeader;
  /** The number of the last whole record, or that after which the journal starts. */
  readonly lastSeq: number;
  /** Where the records that follow the snapshot start, in bytes. */
  readonly keepFrom: number;
  /** Where the last whole record ends, in bytes. */
  readonly end: number;
  /** How many bytes were read; those from `end` on are a torn tail. */
  readonly bytes: number;
  /** Where the last record ends, which a seal may follow, in bytes. */
  readonly recordsEnd: number;
  /** Whether records that follow the snapshot erase a subscription. */
  readonly erases: boolean;
}

/** Options of {@linkcode readJournal}. */
export interface JournalReading {
  /** How the file is called in messages. */
  readonly name: string;
  /** The number of the last record that the snapshot holds. */
  readonly snapshotSeq: number;
  /** Takes each change that the snapshot does not hold, in order. */
  readonly apply: (change: RecordChange) => void;
}

/**
 * Reads a journal. What follows its last whole record is a torn tail, the remains of a
 * write that was never acknowledged, unless a later line proves otherwise: each line names
 * the last number that was durable when it was written. Then rejects with `damaged`.
 */
export async function readJournal(
  file: DiskFile,
  { name, snapshotSeq, apply }: JournalReading,
): Promise<JournalContent> {
  let header: JournalHeader | undefined;
  let lastSeq = 0;
  let keepFrom = 0;
  let end = 0;
  let recordsEnd = 0;
  let bytesRead = 0;
  let erases = false;
  let isTorn = false;

  function readRecord(record: JournalRecord, position: number): boolean {
    if (record.sealed) return record.seq === lastSeq;
    if (record.seq !== lastSeq + 1) return false;
    lastSeq = record.seq;
    recordsEnd = position;
    if (lastSeq <= snapshotSeq) {
      keepFrom = position;
      return true;
    }
    for (const [table, records] of Object.entries(record.put ?? {})) {
      if (!isTableName(table)) throw unknownTable(name, table);
      for (const stored of records) apply(toStoreChange(table, stored));
    }
    for (const [table, keys] of Object.entries(record.delete ?? {})) {
      if (!isTableName(table)) throw unknownTable(name, table);
      for (const key of keys) apply({ table, key });
      erases ||= table === "subscriptions";
    }
    return true;
  }

  for await (const { bytes, offset } of readLines(file)) {
    bytesRead = offset + bytes.length;
    eachLine(bytes, (start, stop) => {
      const sound = isSound(bytes, start, stop);
      if (header === undefined) {
        header = parseHeader(bytes.subarray(start, stop), { name, sound });
        lastSeq = header.after;
        keepFrom = recordsEnd = end = stop + 1;
        return;
      }
      isTorn ||= !sound;
      // A line that lost its newline still proves what came before it.
      const from = sound ? start : bytes.lastIndexOf(RECORD_START, stop);
      if (!sound && (from <= start || !isSound(bytes, from, stop))) return;
      const record: JournalRecord = JSON.parse(bytes.toString("utf8", from, stop));
      const position = offset + stop + 1;
      if (readRecord(record, position)) end = position;
      // In a torn tail, some file systems show what was in the place before: records of old.
      else if (record.after > lastSeq || (!isTorn && record.seq <= lastSeq)) {
        throw damaged(name, end);
      }
    });
  }
  return { header, lastSeq, keepFrom, end, bytes: bytesRead, recordsEnd, erases };
}

function parseHeader(
  bytes: Buffer,
  { name, sound }: { readonly name: string; readonly sound: boolean },
): JournalHeader {
  let header: JournalHeader;
  try {
    header = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw damaged(name, 0, { cause });
  }
  const isJournal = sound && header?.boardcast === "journal";
  // A later version may have another kind of checksum.
  const isCertain = isJournal || Number.isInteger(header?.version);
  if (isCertain && header.version !== FORMAT_VERSION) throw otherVersion(name, header.version);
  if (!isJournal) throw damaged(name, 0);
  return header;
}
