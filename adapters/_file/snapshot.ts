import { Buffer } from "node:buffer";
import type { Clock } from "./clock.ts";
import { crc32c, formatCrc } from "./crc32c.ts";
import type { DiskFile } from "./disk.ts";
import { damaged, FORMAT_VERSION, otherVersion, unknownTable } from "./format.ts";
import { eachLine, readLines, writeFully } from "./io.ts";
import { isTableName, TABLE_NAMES, type TableName, toStoreChange } from "./records.ts";
import type { RecordChange } from "../_tables.ts";
import { StorageError } from "../storage.ts";

/** The first line of a snapshot. */
export interface SnapshotHeader {
  /** Always `snapshot`. */
  readonly boardcast: "snapshot";
  /** The version of the format. */
  readonly version: number;
  /** What both files of one folder have in common. */
  readonly store: string;
  /** How many snapshots there have been. */
  readonly generation: number;
  /** The number of the last journal record that is part of it. */
  readonly seq: number;
}

/** Records of one table, some at a time: the source of a snapshot. */
export type RecordSlices = (table: TableName) => Iterable<readonly object[]>;

// How long a turn may take, unless the turns of others take long as well: then it is a share of
// theirs, so that a busy process does not put the end off for ever.
const TURN_MS = 2;
const TURN_SHARE = 1 / 3;
const WRITE_MAX_CHARACTERS = 1 << 20;
// Small enough that a sync of the journal never waits for much.
const SYNC_EVERY_BYTES = 2 << 20;

/** Where the records of a snapshot come from, and the clock that tells how long turns take. */
export interface SnapshotSource {
  readonly slices: RecordSlices;
  readonly clock: Clock;
}

/**
 * Writes a snapshot, some slices of records a turn of the event loop, and makes it durable.
 * Returns its length in bytes.
 */
export async function writeSnapshot(
  file: DiskFile,
  header: Omit<SnapshotHeader, "boardcast" | "version">,
  { slices, clock }: SnapshotSource,
): Promise<number> {
  const counts: Partial<Record<TableName, number>> = {};
  let crc = 0;
  let offset = 0;
  let synced = 0;

  /** Returns how long it was the turn of others, in milliseconds. */
  async function write(text: string): Promise<number> {
    const bytes = Buffer.from(text);
    crc = crc32c(bytes, 0, { previous: crc });
    const startedMs = clock.elapsedMs();
    await writeFully(file, bytes, offset);
    const othersMs = clock.elapsedMs() - startedMs;
    offset += bytes.length;
    if (offset - synced >= SYNC_EVERY_BYTES) {
      await file.sync();
      synced = offset;
    }
    return othersMs;
  }

  const first = { boardcast: "snapshot", version: FORMAT_VERSION, ...header };
  await write(`${JSON.stringify(first).slice(0, -1)},\n`);
  for (const table of TABLE_NAMES) {
    await write(`"${table}":[`);
    let count = 0;
    let text = "";
    let startedMs = clock.elapsedMs();
    let turnMs = TURN_MS;
    for (const slice of slices(table)) {
      for (const record of slice) {
        text += `${count++ === 0 ? "\n" : ",\n"}${JSON.stringify(record)}`;
      }
      const elapsedMs = clock.elapsedMs() - startedMs;
      if (elapsedMs < turnMs && text.length < WRITE_MAX_CHARACTERS) continue;
      turnMs = Math.max(TURN_MS, await write(text) * TURN_SHARE);
      text = "";
      startedMs = clock.elapsedMs();
    }
    await write(`${text}\n],\n`);
    counts[table] = count;
  }
  await write(`"counts":${JSON.stringify(counts)},\n`);
  const last = Buffer.from(`"crc32c":"${formatCrc(crc)}"}\n`);
  await writeFully(file, last, offset);
  await file.sync();
  return offset + last.length;
}

/** What was read from a snapshot. */
export interface SnapshotContent {
  readonly header: SnapshotHeader;
  /** How many bytes were read. */
  readonly bytes: number;
}

/** Options of {@linkcode readSnapshot}. */
export interface SnapshotReading {
  /** How the file is called in messages. */
  readonly name: string;
  /** Takes each record. */
  readonly apply: (change: RecordChange) => void;
}

/** Reads a snapshot, and rejects with `damaged` or `incompatible` where it can't. */
export async function readSnapshot(
  file: DiskFile,
  { name, apply }: SnapshotReading,
): Promise<SnapshotContent> {
  let header: SnapshotHeader | undefined;
  let table: TableName | undefined;
  // What a later version wrote, unless the checksum tells that it is damage.
  let foreign: StorageError | undefined;
  let crc = 0;
  let offset = 0;
  let bytesRead = 0;
  let complete = false;

  function readLine(text: string): void {
    if (header === undefined) {
      header = JSON.parse(`${text.slice(0, -1)}}`) as SnapshotHeader;
      const { boardcast, version } = header;
      if (version !== FORMAT_VERSION) foreign = otherVersion(name, version);
      // It may have another kind of checksum.
      if (foreign !== undefined && Number.isInteger(version)) throw foreign;
      if (boardcast !== "snapshot") throw new Error("not a snapshot");
    } else if (text.startsWith("{")) {
      if (table === undefined) throw new Error("a record outside a table");
      apply(toStoreChange(table, JSON.parse(text.endsWith(",") ? text.slice(0, -1) : text)));
    } else if (text === "],") {
      table = undefined;
    } else if (text.startsWith('"counts":')) {
      // For people: the checksum tells whether all is there.
    } else {
      const named = /^"(\w+)":\[$/.exec(text)?.[1];
      if (named === undefined) throw new Error("an unknown line");
      if (isTableName(named)) table = named;
      else foreign = unknownTable(name, named);
    }
  }

  for await (const { bytes, offset: chunkOffset } of readLines(file)) {
    if (complete) throw damaged(name, offset);
    bytesRead = chunkOffset + bytes.length;
    eachLine(bytes, (start, stop) => {
      if (foreign === undefined) offset = chunkOffset + start;
      const text = bytes.toString("utf8", start, stop);
      if (text.startsWith('"crc32c":')) {
        const expected = formatCrc(crc32c(bytes, 0, { end: start, previous: crc }));
        complete = stop + 1 === bytes.length && text === `"crc32c":"${expected}"}`;
        if (!complete) throw damaged(name, offset);
        return;
      }
      if (foreign !== undefined) return;
      try {
        readLine(text);
      } catch (cause) {
        throw cause instanceof StorageError ? cause : damaged(name, offset, { cause });
      }
    });
    crc = crc32c(bytes, 0, { previous: crc });
  }
  if (header === undefined || !complete) throw damaged(name, offset);
  if (foreign !== undefined) throw foreign;
  return { header, bytes: bytesRead };
}
