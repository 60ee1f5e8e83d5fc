import { randomText } from "../../model/random.ts";
import { type Folder, journalName, snapshotName } from "./folder.ts";
import type { JournalFile } from "./journal.ts";
import { createJournalFile, type JournalContent, readJournal } from "./journal_file.ts";
import { damaged, type RecordSink } from "./lines.ts";
import { readSnapshot } from "./snapshot.ts";

/** What was found in a folder, and the journal to go on with. */
export interface Recovered extends JournalFile {
  /** What all files of the folder have in common. */
  readonly store: string;
  /** The number of the journal. */
  readonly number: number;
  /** The number of the last transaction. */
  readonly seq: number;
  /** The length of the snapshot, in bytes; 0 if there is none. */
  readonly snapshotBytes: number;
  /** The length of all journals that continue it, in bytes. */
  readonly journalBytes: number;
  /** Whether the journals tell of a record that must leave no trace. */
  readonly erases: boolean;
  /** What an operator should know. */
  readonly warnings: readonly string[];
}

/**
 * Reads the newest snapshot and the journals that continue it, and copies the sound part of the last
 * one to a file of its own: the old one may have a torn tail; a process that lost its lock may be
 * about to write to it; and what was read of it may, after a failed sync, be in memory only.
 */
export async function recover(folder: Folder, sink: RecordSink): Promise<Recovered> {
  const { snapshots, journals } = await folder.tidy();
  const first = snapshots.at(-1) ?? 0;
  const snapshot = snapshots.length === 0
    ? undefined
    : await folder.read(snapshotName(first), (file, path) => readSnapshot(file, path, sink));
  const snapshotBytes = snapshot?.bytes ?? 0;
  let store = snapshot?.store;
  let seq = snapshot?.seq ?? 0;
  let number = first;
  let journalBytes = 0;
  let erases = false;
  let last: JournalContent | undefined;
  const warnings: string[] = [];
  for (const [index, found] of journals.filter((other) => other >= first).entries()) {
    number = first + index;
    const path = folder.path(journalName(found));
    if (number !== found) {
      const missing = index > 0 || snapshot !== undefined
        ? journalName(number)
        : snapshotName(found);
      throw damaged(path, `it continues ${missing}, which is missing`);
    }
    last = await folder.read(journalName(number), (file) => readJournal(file, path, sink));
    store ??= last.header.store;
    if (last.header.store !== store) throw damaged(path, "it belongs to another folder");
    if (last.header.after !== seq) throw damaged(path, "it does not continue the file before it");
    seq = last.lastSeq;
    journalBytes += last.end;
    erases ||= last.erases;
    if (last.tornBytes > 0) {
      warnings.push(
        `${path} had a torn tail of ${last.tornBytes} bytes, of changes that were never ` +
          "acknowledged, which was cut off",
      );
    }
  }
  await folder.removeBelow(first);
  store ??= randomText(16);
  const after = last?.header.after ?? seq;
  const journal = await createJournalFile(folder, { store, number, after, durable: seq }, last);
  await journal.publish();
  return { ...journal, store, number, seq, snapshotBytes, journalBytes, erases, warnings };
}
