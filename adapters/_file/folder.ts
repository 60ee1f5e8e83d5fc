import { type Disk, type DiskDirectory, type DiskFile, ifPresent, ignore } from "./disk.ts";
import { damaged, encodeLine, encodeSeal, FORMAT_VERSION } from "./format.ts";
import { copyRange, withFile, writeFully } from "./io.ts";
import type { JournalFile } from "./journal.ts";
import { type JournalContent, readJournal } from "./journal_reader.ts";
import { type Lock, LOCK_NAME } from "./lock.ts";
import { readSnapshot, type SnapshotContent, type SnapshotHeader } from "./snapshot.ts";
import type { RecordChange } from "../_tables.ts";
import { randomText } from "../../model/random.ts";

/** The file with the records of one moment. */
export const SNAPSHOT_NAME = "snapshot.json";
/** The file with the changes since. */
export const JOURNAL_NAME = "journal.jsonl";

const TEMPORARY = ".tmp";
const BROKEN = ".broken";

/** Where the files of a data folder are. */
export interface FolderPlace {
  readonly disk: Disk;
  readonly directory: string;
}

/** The files of a data folder whose lock is held. */
export interface Folder extends FolderPlace {
  readonly lock: Lock;
  /** The folder itself, open as long as the lock is held. */
  readonly names: DiskDirectory;
}

/** What was read from a folder. */
interface FolderReading {
  /** Absent if there is none. */
  readonly snapshot?: SnapshotContent;
  /** Absent if there is none. */
  readonly journal?: JournalContent;
}

/** What was found in a folder, and the journal to go on with. */
export interface FolderContent extends JournalFile {
  /** What both files have in common. */
  readonly store: string;
  /** How many snapshots there have been. */
  readonly generation: number;
  /** The length of the snapshot, in bytes; 0 if there is none. */
  readonly snapshotBytes: number;
  /** The number of the last record. */
  readonly lastSeq: number;
  /** Whether an erased subscription may still be found in the files. */
  readonly erases: boolean;
  /** What was mended, for the operator. */
  readonly warnings: readonly string[];
}

/** Returns the path of a file in the folder. */
export function pathIn({ directory }: FolderPlace, name: string): string {
  return `${directory}/${name}`;
}

/** Returns the path of a temporary file that no other holder of the lock ever uses. */
function temporaryPathIn(folder: Folder, name: string): string {
  return pathIn(folder, `${name}.${folder.lock.holder}${TEMPORARY}`);
}

/** Creates the temporary file that is to be moved into place under a name. */
export async function createTemporary(folder: Folder, name: string): Promise<DiskFile> {
  const path = temporaryPathIn(folder, name);
  // One that was dropped and could not be removed may have failed to sync: no byte of it is used.
  await folder.disk.remove(path).catch(ignore("ENOENT"));
  return await folder.disk.open(path, "create");
}

/** Lets go of a temporary file that won't be moved into place, and removes it if it can. */
export async function dropTemporary(folder: Folder, name: string, file: DiskFile): Promise<void> {
  await file.close().catch(() => {});
  await folder.disk.remove(temporaryPathIn(folder, name)).catch(() => {});
}

/** Removes our files with an ending; rejects if one of them can't be removed. */
async function removeEndingWith(folder: Folder, ending: string): Promise<void> {
  const names = await folder.disk.list(folder.directory);
  // What was there while we held the lock is not our successor's.
  folder.lock.verify();
  for (const name of names) {
    const ours = [SNAPSHOT_NAME, JOURNAL_NAME, LOCK_NAME].some((own) => name.startsWith(`${own}.`));
    if (ours && name.endsWith(ending)) {
      await folder.disk.remove(pathIn(folder, name)).catch(ignore("ENOENT"));
    }
  }
}

/** Removes the copies of torn tails for good. */
export async function removeBroken(folder: Folder): Promise<void> {
  await removeEndingWith(folder, BROKEN);
  await folder.names.sync();
}

/** Moves the temporary file of a name into place for good, if the lock is still held. */
export async function publish(folder: Folder, name: string): Promise<void> {
  folder.lock.verify();
  await folder.disk.rename(temporaryPathIn(folder, name), pathIn(folder, name));
  await folder.names.sync();
}

/**
 * Reads a folder, which another process may be using. The journal is opened first and read last: it
 * may be older than the snapshot beside it, but never newer.
 */
export async function readFolder(
  place: FolderPlace,
  apply: (change: RecordChange) => void,
): Promise<FolderReading> {
  const { disk } = place;
  const path = pathIn(place, JOURNAL_NAME);
  const file = await disk.open(path, "read").catch(ignore("ENOENT"));
  try {
    const snapshotPath = pathIn(place, SNAPSHOT_NAME);
    const snapshot = await withFile(
      disk,
      snapshotPath,
      (file) => readSnapshot(file, { name: snapshotPath, apply }),
    ).catch(ignore("ENOENT"));
    if (file === undefined) return { snapshot };
    const snapshotSeq = snapshot?.header.seq ?? 0;
    const journal = await readJournal(file, { name: path, snapshotSeq, apply });
    checkFit(path, journal, snapshot?.header);
    return { snapshot, journal };
  } finally {
    // What was read is as good.
    await file?.close().catch(() => {});
  }
}

/**
 * Reads a folder, and moves the sound part of its journal to a new file. The old one may have a
 * torn tail, or be cut off from its snapshot; a holder whose lock was taken over may be about to
 * write to it; and what was read of it may, after a missing or failed sync, be in memory only.
 */
export async function openFolder(
  folder: Folder,
  apply: (change: RecordChange) => void,
): Promise<FolderContent> {
  // First of all, so that no holder before this one can still move one of them into place.
  await removeEndingWith(folder, TEMPORARY);
  const { snapshot, journal } = await readFolder(folder, apply);
  if (snapshot !== undefined) await settleSnapshot(folder);
  const warnings = journal === undefined ? [] : await keepTornTail(folder, journal);
  const { generation = 0, seq = 0 } = snapshot?.header ?? {};
  const store = snapshot?.header.store ?? journal?.header?.store ?? randomText(16);
  return {
    store,
    generation,
    snapshotBytes: snapshot?.bytes ?? 0,
    lastSeq: Math.max(seq, journal?.lastSeq ?? 0),
    ...await writeJournal(folder, { store, generation, seq, journal }),
    erases: journal?.erases ?? false,
    warnings,
  };
}

/**
 * Makes the snapshot durable, for a journal that relies on it: after a kill it may have its name, and
 * after a backup was put back its content, in memory only.
 */
async function settleSnapshot(folder: Folder): Promise<void> {
  await withFile(folder.disk, pathIn(folder, SNAPSHOT_NAME), (file) => file.sync());
  await folder.names.sync();
}

/** The header of a new journal. */
export interface NewJournal {
  readonly store: string;
  readonly generation: number;
  /** The number after which it starts. */
  readonly seq: number;
}

/** Starts a new journal in a temporary file. */
export async function startJournal(
  folder: Folder,
  { store, generation, seq }: NewJournal,
): Promise<JournalFile> {
  const line = encodeLine({
    boardcast: "journal",
    version: FORMAT_VERSION,
    store,
    generation,
    after: seq,
  });
  const file = await createTemporary(folder, JOURNAL_NAME);
  try {
    await writeFully(file, line, 0);
  } catch (error) {
    await dropTemporary(folder, JOURNAL_NAME, file);
    throw error;
  }
  return { file, offset: line.length };
}

/**
 * Returns what throws once the journal, written to a file, is no more the one that has its name: other
 * programs restore, synchronize or remove files, and what is written then is nobody's to find.
 */
export function createJournalCheck(folder: Folder): (file: DiskFile) => void {
  const path = pathIn(folder, JOURNAL_NAME);
  let written: DiskFile | undefined;
  let identity: string | undefined;
  return (file) => {
    if (written !== file) identity = file.identifyNow();
    written = file;
    if (ifPresent(() => folder.disk.identifyNow(path) ?? identity) !== identity) {
      throw new Error(`another program has removed or replaced ${JOURNAL_NAME}`);
    }
  };
}

async function writeJournal(
  folder: Folder,
  { journal, ...header }: NewJournal & { readonly journal?: JournalContent },
): Promise<JournalFile> {
  const { file, offset } = await startJournal(folder, header);
  let end = offset;
  try {
    if (journal !== undefined && journal.recordsEnd > journal.keepFrom) {
      const { keepFrom: start, recordsEnd, lastSeq } = journal;
      await withFile(
        folder.disk,
        pathIn(folder, JOURNAL_NAME),
        (source) => copyRange(source, file, { start, end: recordsEnd, to: offset }),
      );
      end += recordsEnd - start;
      const seal = encodeSeal(lastSeq);
      await writeFully(file, seal, end);
      end += seal.length;
    }
    await file.sync();
    await publish(folder, JOURNAL_NAME);
    return { file, offset: end };
  } catch (error) {
    await dropTemporary(folder, JOURNAL_NAME, file);
    throw error;
  }
}

function checkFit(
  path: string,
  { header }: JournalContent,
  snapshot: SnapshotHeader | undefined,
): void {
  // A journal is moved into place with its header synced: something else has cut this one.
  if (header === undefined) throw damaged(path, 0);
  if (snapshot !== undefined && header.store !== snapshot.store) {
    throw damaged(path, 0, { cause: new Error("it belongs to another snapshot") });
  }
  const { seq, generation } = snapshot ?? { seq: 0, generation: 0 };
  if (header.after > seq || header.generation > generation) {
    throw damaged(path, 0, { cause: new Error("it continues a later snapshot") });
  }
}

async function keepTornTail(
  folder: Folder,
  { bytes, end, lastSeq }: JournalContent,
): Promise<readonly string[]> {
  if (bytes === end) return [];
  const path = pathIn(folder, JOURNAL_NAME);
  const copyName = `${JOURNAL_NAME}.${lastSeq + 1}${BROKEN}`;
  const copy = await createTemporary(folder, copyName);
  try {
    const source = { start: end, end: bytes, to: 0 };
    await withFile(folder.disk, path, (file) => copyRange(file, copy, source));
    await copy.sync();
    // The tail is cut by another change of names, which may otherwise be kept without this one. If the
    // lock is lost by now, what has the name already is our successor's.
    await publish(folder, copyName);
  } catch (error) {
    await dropTemporary(folder, copyName, copy);
    throw error;
  }
  await copy.close().catch(() => {});
  return [
    `${path} had a torn tail of ${bytes - end} bytes from byte ${end} on, ` +
    `which was cut; a copy is kept in ${pathIn(folder, copyName)}`,
  ];
}
