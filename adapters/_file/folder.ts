import { type Disk, type DiskFile, type FileStamp, ignore } from "./disk.ts";
import type { Lock } from "./lock.ts";

const NUMBERED = /^(snapshot|journal)-(\d{1,15})\.jsonl?$/;
const TEMPORARY = /^(?:snapshot|journal)-.*\.tmp$/;

/** A file that was written in full under another name, and is still open. */
export interface PreparedFile {
  readonly file: DiskFile;
  /**
   * Puts the file in place for good, and watches it from then on; a journal may grow until the next
   * is put in place. If this rejects, the file may or may not be found after a crash.
   */
  publish(): Promise<void>;
  /** Closes and removes the file, which was not put in place. */
  discard(): Promise<void>;
}

/** A data folder whose lock is held. */
export interface Folder {
  readonly lock: Lock;
  /** Removes the files that were to be put in place, whoever prepared them. */
  removeTemporary(): Promise<void>;
  /** Returns the numbers of the files of a type, in ascending order. */
  list(type: "snapshot" | "journal"): Promise<readonly number[]>;
  /** Reads a file, makes it durable, and watches it from then on. */
  read<T>(name: string, use: (file: DiskFile, path: string) => Promise<T>): Promise<T>;
  /** Writes a file under another name and makes it durable; if that fails, it is removed. */
  prepare(name: string, write: (file: DiskFile) => Promise<unknown>): Promise<PreparedFile>;
  /** Removes the files whose numbers are lower. */
  removeBelow(number: number): Promise<void>;
  /** Throws if the lock was lost, or the journal is not the file that is written, of this length. */
  verify(journalBytes?: number): void;
  /** Throws also if another file was changed. */
  verifyAll(journalBytes?: number): void;
  /** Releases the lock. */
  close(): Promise<void>;
}

/** Returns the name of a snapshot. */
export function snapshotName(number: number): string {
  return `snapshot-${number}.json`;
}

/** Returns the name of the journal that continues the snapshot of the same number. */
export function journalName(number: number): string {
  return `journal-${number}.jsonl`;
}

/** Opens a folder whose lock is held. */
export async function openFolder(disk: Disk, directory: string, lock: Lock): Promise<Folder> {
  // Kept open, as a process with too many open files could not open it when that is due.
  const names = await disk.openDirectory(directory);
  // The files that change no more, and the journal that is written.
  const watched = new Map<string, FileStamp>();
  let journal: { readonly name: string; readonly id: string } | undefined;

  function path(name: string): string {
    return `${directory}/${name}`;
  }

  async function remove(name: string): Promise<void> {
    watched.delete(name);
    await disk.remove(path(name)).catch(ignore("ENOENT"));
  }

  function stamp(name: string): FileStamp {
    const found = disk.statNow(path(name));
    if (found === undefined) throw changed(name);
    return found;
  }

  function changed(name: string): Error {
    return new Error(`another program has changed, replaced or removed ${path(name)}`);
  }

  function watch(name: string, found: FileStamp): void {
    if (!name.startsWith("journal-")) {
      watched.set(name, found);
      return;
    }
    if (journal !== undefined) watched.set(journal.name, stamp(journal.name));
    watched.delete(name);
    journal = { name, id: found.id };
  }

  function verify(journalBytes?: number): void {
    lock.verify();
    if (journal === undefined) return;
    const { id, bytes } = stamp(journal.name);
    if (id !== journal.id || bytes !== (journalBytes ?? bytes)) throw changed(journal.name);
  }

  return {
    lock,
    async removeTemporary() {
      for (const name of await disk.list(directory)) if (TEMPORARY.test(name)) await remove(name);
    },
    async list(type) {
      const found = (await disk.list(directory)).map((name) => NUMBERED.exec(name));
      return found.filter((match) => match?.[1] === type).map((match) => Number(match![2]))
        .sort((a, b) => a - b);
    },
    async read(name, use) {
      const file = await disk.open(path(name), "update");
      try {
        const content = await use(file, path(name));
        await file.sync();
        watched.set(name, stamp(name));
        return content;
      } finally {
        await file.close().catch(() => {});
      }
    },
    async prepare(name, write) {
      const temporary = `${name}.${lock.id}.tmp`;
      const file = await disk.open(path(temporary), "append");
      async function discard(): Promise<void> {
        await file.close().catch(() => {});
        await remove(temporary).catch(() => {});
      }
      async function orDiscard(run: () => Promise<void>): Promise<void> {
        try {
          await run();
        } catch (error) {
          await discard();
          throw error;
        }
      }
      async function publish(): Promise<void> {
        lock.verify();
        await disk.rename(path(temporary), path(name));
        await names.sync();
        watch(name, file.statNow());
      }
      await orDiscard(async () => {
        await write(file);
        await file.sync();
      });
      return { file, discard, publish: () => orDiscard(publish) };
    },
    async removeBelow(number) {
      // A name that replaces them may be in memory only.
      await names.sync();
      for (const name of await disk.list(directory)) {
        if (Number(NUMBERED.exec(name)?.[2]) < number) await remove(name);
      }
    },
    verify,
    verifyAll(journalBytes) {
      verify(journalBytes);
      for (const [name, expected] of watched) {
        const { id, bytes } = stamp(name);
        if (id !== expected.id || bytes !== expected.bytes) throw changed(name);
      }
    },
    async close() {
      await names.close().catch(() => {});
      await lock.close();
    },
  };
}
