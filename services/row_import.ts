import { createYielder } from "../model/turns.ts";
import { expectText } from "../model/values/file_kind.ts";
import {
  createRecordSplitter,
  type SplitterOptions,
  type TextRecord,
} from "../model/values/record_splitter.ts";
import { Refusal, UnusableFile } from "../model/values/refusal.ts";
import { KeyEnded } from "./keys/api_keys.ts";

/** A row of a file, and the number of its last line there. */
export interface Numbered<R> {
  readonly row: R;
  readonly lastLine: number;
}

/** Reads the records of one file, in order. */
export interface RecordReader<R> extends SplitterOptions {
  /** Returns nothing for a record without a row, and a refusal for an unusable file. */
  read(record: TextRecord): R | Refusal | undefined;
  /** Returns a refusal if the ended file is unusable. */
  end(): Refusal | undefined;
}

/** Reads the rows of a file while it arrives; throws {@linkcode UnusableFile}. */
export async function* readRows<R>(
  chunks: AsyncIterable<Uint8Array>,
  reader: RecordReader<R>,
): AsyncGenerator<readonly Numbered<R>[]> {
  const splitter = createRecordSplitter(reader);
  const yieldIfBusy = createYielder();
  async function readAll(records: readonly TextRecord[]): Promise<readonly Numbered<R>[]> {
    const rows: Numbered<R>[] = [];
    for (const record of records) {
      const row = reader.read(record);
      if (row instanceof Refusal) throw new UnusableFile(row.detail);
      if (row !== undefined) rows.push({ row, lastLine: record.lastLine });
      const wait = yieldIfBusy();
      if (wait !== undefined) await wait;
    }
    return rows;
  }
  for await (const chunk of expectText(chunks)) yield await readAll(splitter.push(chunk));
  yield await readAll(splitter.end());
  const fault = reader.end();
  if (fault !== undefined) throw new UnusableFile(fault.detail);
}

/** The steps of an import, and the limit of its batches. */
export interface RowImport<R, M> {
  /** Throws {@linkcode KeyEnded} once the API key has ended; called before each batch. */
  readonly checkKey?: () => Promise<void>;
  /** The size from which a batch is full. */
  readonly maxSize: number;
  /** Returns the size of a row. Default: 1. */
  readonly sizeOf?: (row: R) => number;
  /** Imports consecutive rows, and returns remarks on them. */
  readonly importBatch: (rows: readonly R[]) => Promise<readonly M[]>;
  /** Completes the import after the last row. */
  readonly finish?: () => AsyncIterable<readonly M[]>;
  /** Returns the remark on the first row that was not imported because the key ended. */
  readonly stopped: (message: string, line: number) => M;
}

/**
 * Imports the rows of a file in order while it arrives, in batches, and yields the remarks. Rows
 * that arrive during one batch form the next. If reading or a batch fails, finishes the batch in
 * flight and throws the error; if the key ends, the last remark tells where.
 */
export async function* importRows<R, M>(
  file: AsyncIterable<readonly Numbered<R>[]>,
  { checkKey, maxSize, sizeOf = () => 1, importBatch, finish, stopped }: RowImport<R, M>,
): AsyncGenerator<readonly M[]> {
  const yieldIfBusy = createYielder();
  let next: R[] = [];
  let size = 0;
  let lastLine = 0;
  let doneLine = 0;
  let isIdle = true;
  let batch: Promise<readonly M[]> = Promise.resolve([]);

  /** Returns the remarks of the batch in flight, once. */
  function take(): Promise<readonly M[]> {
    const taken = batch;
    batch = Promise.resolve([]);
    return taken;
  }

  async function start(): Promise<void> {
    await checkKey?.();
    await yieldIfBusy();
    isIdle = false;
    doneLine = lastLine;
    batch = importBatch(next).finally(() => isIdle = true);
    // This catch prevents an unhandled rejection; taking the batch handles the failure.
    batch.catch(() => {});
    next = [];
    size = 0;
  }

  try {
    for await (const rows of file) {
      for (const numbered of rows) {
        next.push(numbered.row);
        size += sizeOf(numbered.row);
        lastLine = Math.max(lastLine, numbered.lastLine);
        if (size < maxSize) continue;
        yield await take();
        await start();
      }
      if (!isIdle || next.length === 0) continue;
      yield await take();
      await start();
    }
    yield await take();
    if (next.length > 0) await start();
    yield await take();
    if (finish !== undefined) yield* finish();
  } catch (error) {
    if (!(error instanceof KeyEnded)) throw error;
    yield await take();
    yield [stopped(error.message, doneLine + 1)];
  } finally {
    await batch.catch(() => {});
  }
}
