import { Buffer } from "node:buffer";
import { type DiskFile, writeFully } from "./disk.ts";
import { type Folder, journalName } from "./folder.ts";
import type { NextJournalFile } from "./journal.ts";
import {
  applyChange,
  type ChangeEntry,
  checkVersion,
  damaged,
  eachLine,
  encodeLine,
  FORMAT_VERSION,
  isSound,
  readChunks,
  type RecordSink,
} from "./lines.ts";

/** The first line of a journal. */
export interface JournalHeader {
  /** What all files of one folder have in common. */
  readonly store: string;
  /** The number of the transaction after which the journal starts. */
  readonly after: number;
  /** All transactions up to this number were durable when the file was put in place. */
  readonly durable: number;
}

/** Each other line: a transaction, or only the proof that those before it were durable. */
interface JournalLine {
  /** All transactions up to this number were durable when the line was written. */
  readonly durable: number;
  /** The number of the transaction, one higher than that before it. */
  readonly seq?: number;
  /** What it changed. */
  readonly changes?: readonly ChangeEntry[];
}

/** What was read from a journal. */
export interface JournalContent {
  /** The first line. */
  readonly header: JournalHeader;
  /** The number of the last transaction, or of that after which the journal starts. */
  readonly lastSeq: number;
  /** Where the transactions start and end, in bytes. */
  readonly start: number;
  readonly end: number;
  /** How many bytes at the end of the file are the remains of a write that was cut short. */
  readonly tornBytes: number;
  /** Whether a record was removed that must leave no trace. */
  readonly erases: boolean;
}

const COPY_BYTES = 1 << 20;
const LINE_START = '{"durable":';

/**
 * Reads a journal, and passes its changes on. What follows a broken line is a torn tail, the remains
 * of a write that was never acknowledged, unless another line proves that it was durable.
 */
export async function readJournal(
  file: DiskFile,
  path: string,
  sink: RecordSink,
): Promise<JournalContent> {
  let header: JournalHeader | undefined;
  let line = 0;
  let lastSeq = 0;
  let provenSeq = 0;
  let start = 0;
  let end = 0;
  let length = 0;
  let soundEnd = 0;
  let brokenLine: number | undefined;
  let erases = false;

  function readLine({ durable, seq, changes }: JournalLine, stop: number): void {
    provenSeq = Math.max(provenSeq, durable);
    if (brokenLine !== undefined) return;
    soundEnd = stop;
    if (changes === undefined) return;
    if (seq !== lastSeq + 1) throw damaged(path, `lines are missing before line ${line}`);
    lastSeq = seq;
    end = stop;
    for (const change of changes) {
      applyChange(sink, change);
      erases ||= change.personal === true;
    }
  }

  for await (const { bytes, offset } of readChunks(file)) {
    length = offset + bytes.length;
    eachLine(bytes, (from, stop) => {
      line++;
      if (header === undefined) {
        header = readHeader(path, bytes.subarray(from, stop));
        lastSeq = header.after;
        provenSeq = header.durable;
        start = end = soundEnd = stop + 1;
        return;
      }
      let at = from;
      if (!isSound(bytes, from, stop)) {
        brokenLine ??= line;
        // What lost only the newline before it still proves what came first.
        at = bytes.lastIndexOf(LINE_START, stop);
        if (at <= from || !isSound(bytes, at, stop)) return;
      }
      readLine(JSON.parse(bytes.toString("utf8", at, stop)), offset + stop + 1);
    });
  }
  if (header === undefined) throw damaged(path, "line 1 is damaged");
  if (provenSeq > lastSeq) {
    const what = brokenLine === undefined ? "its end is missing" : `line ${brokenLine} is damaged`;
    throw damaged(path, what);
  }
  return { header, lastSeq, start, end, tornBytes: length - soundEnd, erases };
}

/** Prepares a journal, empty or with the transactions of the one that it replaces. */
export async function createJournalFile(
  folder: Folder,
  number: number,
  header: JournalHeader,
  replaced?: JournalContent,
): Promise<NextJournalFile> {
  const name = journalName(number);
  const first = encodeLine({ boardcast: "journal", version: FORMAT_VERSION, ...header });
  let bytes = first.length;
  const prepared = await folder.prepare(name, async (file) => {
    await writeFully(file, first);
    if (replaced === undefined) return;
    await folder.read(name, (source) => copyTransactions(source, file, replaced));
    bytes += replaced.end - replaced.start;
  });
  return { ...prepared, bytes };
}

async function copyTransactions(
  source: DiskFile,
  target: DiskFile,
  { start, end }: JournalContent,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(Math.min(COPY_BYTES, end - start));
  for (let at = start; at < end;) {
    const count = await source.read(buffer.subarray(0, end - at), at);
    if (count === 0) throw new Error("another process has cut the journal");
    await writeFully(target, buffer.subarray(0, count));
    at += count;
  }
}

function readHeader(path: string, bytes: Buffer): JournalHeader {
  let header;
  try {
    header = JSON.parse(bytes.toString("utf8"));
  } catch (cause) {
    throw damaged(path, "line 1 is damaged", { cause });
  }
  checkVersion(path, header?.version);
  if (header?.boardcast === "journal" && isSound(bytes, 0, bytes.length)) return header;
  throw damaged(path, "line 1 is damaged");
}
