import { UsageError } from "../_options.ts";
import { createRecordFramer, type FramedRecord } from "./records.ts";
import type { Row, RowFormat } from "./rows.ts";

/** A row that can't be imported. */
export interface RefusedRow {
  /** The number of its first line in the file, from 1. */
  readonly line: number;
  /** The number of its last line. */
  readonly lastLine: number;
  /** Field and reason, or what is wrong with the whole row. */
  readonly reason: string;
}

/** Rows that follow each other in a file. */
export interface RowBatch {
  /** Those that can be imported, in order. */
  readonly rows: readonly Row[];
  /** Those that can't. */
  readonly refused: readonly RefusedRow[];
  /** How many bytes of the file have been read so far. */
  readonly bytesRead: number;
}

// Large enough to share a sync or a round trip, small enough to be done well within the time-out of a
// call to storage.
const BATCH_SIZE = 500;

/**
 * Reads a file of rows chunk by chunk, with at most one chunk and one record in memory. Resolves when
 * the header has been read, and rejects with a {@linkcode UsageError} if it is missing or can't be
 * used.
 */
export async function openRowBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: RowFormat,
): Promise<AsyncIterable<RowBatch>> {
  const batches = readRowBatches(chunks, format);
  let batch = await batches.next();
  // Before the header, there are no rows.
  while (!format.isReady()) batch = await batches.next();
  async function* all(): AsyncGenerator<RowBatch> {
    if (!batch.done) yield batch.value;
    yield* batches;
  }
  return all();
}

async function* readRowBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: RowFormat,
): AsyncGenerator<RowBatch> {
  const framer = createRecordFramer(format);
  let bytesRead = 0;
  for await (const chunk of chunks) {
    bytesRead += chunk.length;
    const records = framer.push(chunk);
    const fault = framer.fault();
    // Its end may be far away.
    if (records.length === 0 && fault !== undefined) requireReady(format, `the header ${fault}`);
    for (let at = 0; at < records.length; at += BATCH_SIZE) {
      yield { ...readRecords(records.slice(at, at + BATCH_SIZE), format), bytesRead };
    }
  }
  const last = readRecords(framer.end(), format);
  requireReady(format, "the file is empty; its first line must be a header");
  yield { ...last, bytesRead };
}

function requireReady(format: RowFormat, reason: string): void {
  if (!format.isReady()) throw new UsageError(reason);
}

function readRecords(records: readonly FramedRecord[], format: RowFormat) {
  const rows: Row[] = [];
  const refused: RefusedRow[] = [];
  for (const record of records) {
    const { line, lastLine } = record;
    const row = readRecord(record, format);
    if (typeof row === "string") {
      requireReady(format, row);
      refused.push({ line, lastLine, reason: row });
    } else if (row !== undefined) rows.push(row);
  }
  return { rows, refused };
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function readRecord({ line, bytes, fault }: FramedRecord, format: RowFormat) {
  const isHeader = !format.isReady();
  const subject = isHeader ? "the header" : "the row";
  if (fault !== undefined) return `${subject} ${fault}`;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return `${subject} is not valid UTF-8${
      isHeader ? "; the file must be uncompressed text in UTF-8" : ""
    }`;
  }
  return format.read(text, line);
}
