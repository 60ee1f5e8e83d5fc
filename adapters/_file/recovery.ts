import { randomText } from "../../model/crypto/random.ts";
import { missingIn, refusalOfOlder } from "../../model/steps.ts";
import { FIRST } from "../../model/version_1.ts";
import type { Tables } from "../_shared/tables.ts";
import { type Item, StorageError } from "../storage.ts";
import { fileName, type FileType, type Folder, type ReadableFolder } from "./folder.ts";
import type { JournalFile } from "./journal.ts";
import { checkMark, type HighWaterMark, readMark, writeMark } from "./mark.ts";
import { createJournalFile, type JournalContent, readJournal } from "./journal_file.ts";
import { damaged, type RecordSink } from "./lines.ts";
import { readSnapshot } from "./snapshot.ts";

/** The content of a folder, and the journal in which to continue. */
export interface Recovered extends JournalFile {
  /** A random text that all files of the folder share. */
  readonly store: string;
  /** The number of the journal. */
  readonly number: number;
  /** The number of the last transaction. */
  readonly seq: number;
  /** The number of the transaction in the high-water mark. */
  readonly markedSeq: number;
  /** The length of the snapshot, in bytes; 0 if there is none. */
  readonly snapshotBytes: number;
  /** The length of all journals that continue it, in bytes. */
  readonly journalBytes: number;
  /** Whether the journals remove a record that must leave no trace. */
  readonly erases: boolean;
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}

/** Receives the records of a folder. */
interface RecoveryTarget {
  readonly sink: RecordSink;
  /** The tables that the sink fills. */
  readonly tables: Pick<Tables, "all">;
}

/** Returns the header of a file; throws if the file belongs under another name. */
function checkName<H extends { readonly number: number }>(
  path: string,
  number: number,
  header: H,
): H {
  if (header.number === number) return header;
  if (header.number === undefined) {
    throw new StorageError("incompatible", refusalOfOlder("data folder", `${path} has no number`));
  }
  throw new StorageError(
    "damaged",
    `Cannot read ${path}: it is a copy of number ${header.number} under another name; remove it, or, ` +
      "if that number is missing, give it its name back",
  );
}

/** The content of the files of a folder. */
interface FolderContent
  extends Omit<Recovered, "store" | "file" | "bytes" | "markedSeq" | "journalBytes"> {
  /** `undefined` if there are no files. */
  readonly store: string | undefined;
  readonly journalBytes: number;
  readonly mark: HighWaterMark | undefined;
  /** The last journal, if there is one. */
  readonly last: JournalContent | undefined;
}

/** Reads the newest snapshot and the journals that continue it. Changes nothing. */
export async function readFolder(
  folder: ReadableFolder,
  sink: RecordSink,
): Promise<FolderContent> {
  const files = await folder.list();
  const numbersOf = (type: FileType) =>
    files.filter((file) => file.type === type && !file.isMisnamed).map(({ number }) => number);
  const snapshots = numbersOf("snapshot");
  const newest = snapshots.at(-1);
  const snapshot = newest === undefined
    ? undefined
    : await folder.read(fileName("snapshot", newest), async (file, path) =>
      checkName(path, newest, await readSnapshot(file, path, sink)));
  const first = newest ?? 0;
  const allJournals = numbersOf("journal");
  const journals = allJournals.filter((found) => found >= first);
  for (const { name, type, number, isMisnamed } of files) {
    if (!isMisnamed || number < first || numbersOf(type).includes(number)) continue;
    throw new StorageError(
      "damaged",
      `Cannot go on without ${fileName(type, number)}, as ${name} looks like it: give it that ` +
        "name, unpacked, or move it to another folder",
    );
  }
  let store = snapshot?.store;
  let seq = snapshot?.seq ?? 0;
  let number = first;
  let journalBytes = 0;
  // Files that an interrupted compaction did not remove may have such traces.
  let erases = snapshots.length > 1 || journals.length < allJournals.length;
  let last: JournalContent | undefined;
  const warnings: string[] = [];
  for (const found of journals) {
    const isNext = found === (last === undefined ? first : number + 1);
    number = found;
    last = await folder.read(fileName("journal", number), async (file, path) => {
      if (!isNext) throw damaged(path, "what it continues is missing");
      const content = await readJournal(file, path, sink);
      store ??= content.header.store;
      if (content.header.store !== store) throw damaged(path, "it belongs to another folder");
      if (content.header.after !== seq) {
        throw damaged(path, "it does not continue what is before it");
      }
      checkName(path, number, content.header);
      if (content.tornBytes > 0) {
        warnings.push(
          `${path} had a torn tail of ${content.tornBytes} bytes, of changes that were never ` +
            "acknowledged",
        );
      }
      return content;
    });
    seq = last.lastSeq;
    journalBytes += last.end;
    erases ||= last.erases;
  }
  // Compaction puts a journal in place before the snapshot that it continues.
  if (newest !== undefined && !journals.includes(newest)) {
    const snapshotName = fileName("snapshot", newest);
    throw damaged(
      fileName("journal", newest),
      `it is missing, and has what changed after ${snapshotName}`,
    );
  }
  const mark = await readMark(folder);
  checkMark({ store, seq }, mark);
  const snapshotBytes = snapshot?.bytes ?? 0;
  return { store, number, seq, snapshotBytes, journalBytes, erases, warnings, mark, last };
}

/** Throws for records from before version 1, which call themselves version 1, too. */
function refuseOlder(tables: Pick<Tables, "all">): void {
  const all = tables.all();
  if (!all.get("settings")?.some(isFirstVersion)) return;
  for (const [name, records] of all) {
    for (const record of records) {
      const sign = missingIn(FIRST, { name }, record);
      if (sign === undefined) continue;
      const message = refusalOfOlder("data folder", `${name} without ${sign}`);
      throw new StorageError("incompatible", message);
    }
  }
}

function isFirstVersion({ settingId, value }: Item): boolean {
  return settingId === "version" && value === "1";
}

/**
 * Reads a folder, and copies the intact part of the last journal to a new file. The old file may
 * have a torn tail, a process that lost its lock may still write to it, and after a failed sync its
 * content may not be on the disk. No other file that may hold an acknowledged change is replaced or
 * removed.
 */
export async function recover(
  folder: Folder,
  { sink, tables }: RecoveryTarget,
): Promise<Recovered> {
  // This comes first, so that no earlier owner of the lock can publish one of them.
  await folder.removeTemporary();
  const { store = randomText(16), mark, last, ...content } = await readFolder(folder, sink);
  refuseOlder(tables);
  const { number, seq } = content;
  const after = last?.header.after ?? seq;
  const journal = await createJournalFile(folder, number, { store, after, durable: seq }, last);
  await journal.publish();
  // Without a mark, a folder whose only journal is removed would be taken for a new one.
  if (mark === undefined) {
    await writeMark(folder, { store, seq }).catch(async (error) => {
      await journal.file.close().catch(() => {});
      throw error;
    });
  }
  const warnings = content.warnings.map((warning) => `${warning}, which was cut off`);
  return { ...content, ...journal, store, markedSeq: mark?.seq ?? seq, warnings };
}
