import { Buffer } from "node:buffer";
import { freeze } from "../records.ts";
import type { Item } from "../storage.ts";
import { type DiskFile, writeFully } from "./disk.ts";
import { fileName, type Folder } from "./folder.ts";
import type { NextJournalFile } from "./journal.ts";
import {
  damaged,
  eachLine,
  encodeLine,
  FORMAT_VERSION,
  isIntact,
  readChunks,
  readHeader,
  type RecordSink,
} from "./lines.ts";

/** The first line of a journal. */
export interface JournalHeader {
  /** A random text that all files of one folder share. */
  readonly store: string;
  /** The number in the name of the file, by which a copy under another name is recognised. */
  readonly number: number;
  /** The number of the transaction after which the journal starts. */
  readonly after: number;
  /** All transactions up to this number were durable when the file was put in place. */
  readonly durable: number;
}

/** Any later line: a transaction, or the confirmation that the earlier ones are durable. */
interface JournalLine {
  /** All transactions up to this number were durable when the line was written. */
  readonly durable: number;
  /** The number of the transaction, one higher than that before it. */
  readonly seq?: number;
  readonly changes?: readonly ChangeEntry[];
}

/** One change as it stands in a journal. */
interface ChangeEntry {
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

export interface JournalContent {
  readonly header: JournalHeader;
  /** The number of the last transaction in the journal, or before it if it is empty. */
  readonly lastSeq: number;
  /** The start and end of the transactions, in bytes. */
  readonly start: number;
  readonly end: number;
  /** The number of bytes at the end of the file that an interrupted write left. */
  readonly tornBytes: number;
  /** Whether a record was removed that must leave no trace. */
  readonly erases: boolean;
}

const COPY_BYTES = 1 << 20;
const LINE_START = '{"durable":';

/**
 * Reads a journal, and passes its changes on. The bytes after a broken line are a torn tail, left
 * by a write that was never acknowledged, unless a later line says that they were durable.
 */
export async function readJournal(
  file: DiskFile,
  path: string,
  sink: RecordSink,
): Promise<JournalContent> {
  let header: JournalHeader | undefined;
  let [line, lastSeq, durableSeq] = [0, 0, 0];
  let [start, end, intactEnd, length] = [0, 0, 0, 0];
  let brokenLine: number | undefined;
  let erases = false;

  function readLine({ durable, seq, changes }: JournalLine, stop: number): void {
    durableSeq = Math.max(durableSeq, durable);
    if (brokenLine !== undefined) return;
    intactEnd = stop;
    if (changes === undefined) return;
    if (seq !== lastSeq + 1) throw damaged(path, `lines are missing before line ${line}`);
    lastSeq = seq;
    end = stop;
    for (const { kind, by, put, remove, personal } of changes) {
      sink.keyFields.set(kind, by);
      sink.assign(kind, String(put === undefined ? remove : put[by]), put && freeze(put));
      erases ||= personal === true;
    }
  }

  for await (const bytes of readChunks(file)) {
    eachLine(bytes, (from, stop) => {
      line++;
      if (header === undefined) {
        header = readHeader<JournalHeader>(path, bytes.subarray(from, stop), "journal");
        lastSeq = header.after;
        durableSeq = header.durable;
        start = end = intactEnd = stop + 1;
        return;
      }
      let at = from;
      if (!isIntact(bytes, from, stop)) {
        brokenLine ??= line;
        // A line that lost only the newline before it still tells which transactions were durable.
        at = bytes.lastIndexOf(LINE_START, stop);
        if (at <= from || !isIntact(bytes, at, stop)) return;
      }
      readLine(JSON.parse(bytes.toString("utf8", at, stop)), length + stop + 1);
    });
    length += bytes.length;
  }
  if (header === undefined) throw damaged(path, "line 1 is damaged");
  if (durableSeq > lastSeq) {
    const what = brokenLine === undefined ? "its end is missing" : `line ${brokenLine} is damaged`;
    throw damaged(path, what);
  }
  return { header, lastSeq, start, end, tornBytes: length - intactEnd, erases };
}

/** Prepares a journal that is empty or has the transactions of the journal that it replaces. */
export async function createJournalFile(
  folder: Folder,
  number: number,
  header: Omit<JournalHeader, "number">,
  replaced?: JournalContent,
): Promise<NextJournalFile> {
  const name = fileName("journal", number);
  const { store, ...rest } = header;
  const start = { boardcast: "journal", version: FORMAT_VERSION, store, number, ...rest };
  const first = encodeLine(start);
  const copied = replaced ?? { start: 0, end: 0 };
  const prepared = await folder.prepare(name, async (file) => {
    await writeFully(file, first);
    if (copied.end > copied.start) {
      await folder.read(name, (source) => copyBytes(source, file, copied));
    }
  });
  return { ...prepared, bytes: first.length + copied.end - copied.start };
}

async function copyBytes(
  from: DiskFile,
  to: DiskFile,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
  for (let at = start; at < end;) {
    const count = await from.read(buffer.subarray(0, end - at), at);
    if (count === 0) throw new Error("another process has cut the journal");
    await writeFully(to, buffer.subarray(0, count));
    at += count;
  }
}
