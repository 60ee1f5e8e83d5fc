import { Buffer } from "node:buffer";
import { freeze } from "../records.ts";
import type { Item } from "../storage.ts";
import { type DiskFile, writeFully } from "./disk.ts";
import {
  checkHeader,
  damaged,
  eachLine,
  fastCrc32,
  FORMAT_VERSION,
  formatChecksum,
  lineError,
  readChunks,
  type RecordSink,
} from "./lines.ts";

// The number of characters that are written in one turn of the event loop.
const SLICE_CHARACTERS = 128 << 10;
// Frequent syncs, so that a sync of the journal never waits for much.
const SYNC_BYTES = 2 << 20;

/** The first line of a snapshot. */
export interface SnapshotHeader {
  /** A random text that all files of one folder share. */
  readonly store: string;
  /** The number in the name of the file, by which a copy under another name is recognised. */
  readonly number: number;
  /** The number of the last transaction that is part of it. */
  readonly seq: number;
  /** The field that is the key of a record, by the name of its kind. */
  readonly keys: Readonly<Record<string, string>>;
}

/** Writes a snapshot, slice by slice. Returns its length in bytes. */
export async function writeSnapshot(
  file: DiskFile,
  { store, number, seq, keys }: SnapshotHeader,
  records: ReadonlyMap<string, readonly Item[]>,
): Promise<number> {
  let [checksum, length, syncedLength] = [0, 0, 0];
  const header = { boardcast: "snapshot", version: FORMAT_VERSION, store, number, seq, keys };
  let text = `${JSON.stringify(header).slice(0, -1)},"records":{\n`;

  async function write(): Promise<void> {
    const bytes = Buffer.from(text);
    text = "";
    checksum = fastCrc32(bytes, checksum);
    await writeFully(file, bytes);
    length += bytes.length;
    if (length - syncedLength < SYNC_BYTES) return;
    await file.sync();
    syncedLength = length;
  }

  let section = "";
  for (const [kind, items] of records) {
    if (items.length === 0) continue;
    text += `${section}${JSON.stringify(kind)}:[`;
    section = ",\n";
    let separator = "\n";
    for (const item of items) {
      text += `${separator}${JSON.stringify(item)}`;
      separator = ",\n";
      if (text.length >= SLICE_CHARACTERS) await write();
    }
    text += "\n]";
  }
  text += "\n";
  await write();
  text = `},"crc32":"${formatChecksum(checksum)}"}\n`;
  await write();
  return length;
}

/** Reads a snapshot, and passes its records on. Returns its header and its length in bytes. */
export async function readSnapshot(
  file: DiskFile,
  path: string,
  sink: RecordSink,
): Promise<SnapshotHeader & { readonly bytes: number }> {
  let header: SnapshotHeader | undefined;
  let kind = "";
  let keyField = "";
  let [checksum, line, length] = [0, 0, 0];
  let last: string | undefined;

  function readLine(text: string): void {
    if (header === undefined) {
      const parsed = JSON.parse(`${text}}}`);
      checkHeader(path, parsed, "snapshot");
      header = parsed as SnapshotHeader;
      for (const name in header.keys) sink.keyFields.set(name, header.keys[name]);
    } else if (text.startsWith("{")) {
      const item: Item = JSON.parse(text.endsWith(",") ? text.slice(0, -1) : text);
      sink.assign(kind, String(item[keyField]), freeze(item));
    } else if (text.startsWith('"')) {
      kind = JSON.parse(text.slice(0, -":[".length));
      keyField = header.keys[kind];
    }
  }

  for await (const bytes of readChunks(file)) {
    let end = bytes.length;
    eachLine(bytes, (start, stop) => {
      line++;
      if (last !== undefined) throw damaged(path, `line ${line} follows its last line`);
      const text = bytes.toString("utf8", start, stop);
      if (text.startsWith("}")) {
        last = text;
        end = start;
        return;
      }
      try {
        readLine(text);
      } catch (cause) {
        throw lineError(path, line, cause);
      }
    });
    checksum = fastCrc32(bytes.subarray(0, end), checksum);
    length += bytes.length;
  }
  if (header === undefined || last === undefined) throw damaged(path, "its end is missing");
  if (last !== `},"crc32":"${formatChecksum(checksum)}"}`) {
    throw damaged(path, "its checksum does not match");
  }
  return { ...header, bytes: length };
}
