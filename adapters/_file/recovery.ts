import { randomText } from "../../model/random.ts";
import { fileName, type Folder } from "./folder.ts";
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
 * Reads the newest snapshot and the journals that continue it, and copies the intact part of the last
 * one to a file of its own: the old one may have a torn tail; a process that lost its lock may be
 * about to write to it; and what was read of it may, after a failed sync, be in memory only.
 */
export async function recover(folder: Folder, sink: RecordSink): Promise<Recovered> {
  // First of all, so that no earlier owner of the lock can still put one in place.
  await folder.removeTemporary();
  const newest = (await folder.list("snapshot")).at(-1);
  const snapshot = newest === undefined
    ? undefined
    : await folder.read(fileName("snapshot", newest), (file, path) =>
      readSnapshot(file, path, sink));
  const first = newest ?? 0;
  const journals = (await folder.list("journal")).filter((found) => found >= first);
  let store = snapshot?.store;
  let seq = snapshot?.seq ?? 0;
  let number = first;
  let journalBytes = 0;
  let erases = false;
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
      if (content.tornBytes > 0) {
        warnings.push(
          `${path} had a torn tail of ${content.tornBytes} bytes, of changes that were never ` +
            "acknowledged, which was cut off",
        );
      }
      return content;
    });
    seq = last.lastSeq;
    journalBytes += last.end;
    erases ||= last.erases;
  }
  await folder.removeBelow(first);
  store ??= randomText(16);
  const after = last?.header.after ?? seq;
  const journal = await createJournalFile(folder, number, { store, after, durable: seq }, last);
  await journal.publish();
  return {
    ...journal,
    store,
    number,
    seq,
    snapshotBytes: snapshot?.bytes ?? 0,
    journalBytes,
    erases,
    warnings,
  };
}
