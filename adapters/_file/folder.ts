import { type Disk, type DiskFile, type FileStamp, ignore } from "./disk.ts";
import type { Lock } from "./lock.ts";

const NUMBERED = /^(snapshot|journal)-(\d{1,15})/;
const TEMPORARY = /^(?:snapshot-|journal-|high-water-mark\.).*\.tmp$/;

/** The files that have a number. */
export type FileType = "snapshot" | "journal";

/** A file that was written in full under a temporary name, and is still open. */
export interface PreparedFile {
  readonly file: DiskFile;
  /**
   * Renames the file to its name, and watches it from then on; a journal may grow until the next
   * one is published. If this rejects, a crash may or may not undo the renaming.
   */
  publish(): Promise<void>;
  /** Closes and removes the file, which was not published. */
  discard(): Promise<void>;
}

/** A file whose name begins with its type and a number. */
export interface NumberedFile {
  readonly name: string;
  readonly type: FileType;
  readonly number: number;
  /**
   * Whether its name has more characters or another ending than the file of this number should
   * have.
   */
  readonly isMisnamed: boolean;
}

/** A data folder whose lock this process owns. */
export interface Folder {
  readonly lock: Lock;
  /** Removes all files with temporary names, of any process. */
  removeTemporary(): Promise<void>;
  /** Returns the numbered files in ascending order, including misnamed ones. */
  list(): Promise<readonly NumberedFile[]>;
  /** Reads a file, makes it durable, and watches it from then on. */
  read<T>(name: string, use: (file: DiskFile, path: string) => Promise<T>): Promise<T>;
  /** Writes a file under a temporary name and makes it durable; removes it if that fails. */
  prepare(name: string, write: (file: DiskFile) => Promise<unknown>): Promise<PreparedFile>;
  /** Prepares a file, and publishes it. */
  replace(name: string, write: (file: DiskFile) => Promise<unknown>): Promise<void>;
  /** Removes the files whose numbers are lower than this one. */
  removeBelow(number: number): Promise<void>;
  /** Throws if the lock was lost, or if the journal was replaced or has another length. */
  verify(journalBytes?: number): void;
  /** Does the same as `verify`, and also throws if another watched file was changed. */
  verifyAll(journalBytes?: number): void;
  /** Releases the lock. */
  close(): Promise<void>;
}

/** The methods that reading a folder needs. */
export type ReadableFolder = Pick<Folder, "list" | "read">;

/** Returns the name of a snapshot, or of the journal that continues the snapshot of this number. */
export function fileName(type: FileType, number: number): string {
  return `${type}-${number}.${type === "journal" ? "jsonl" : "json"}`;
}

function readName(name: string): NumberedFile | undefined {
  const [, found, digits] = NUMBERED.exec(name) ?? [];
  if (found === undefined || TEMPORARY.test(name)) return undefined;
  const [type, number] = [found as FileType, Number(digits)];
  return { name, type, number, isMisnamed: name !== fileName(type, number) };
}

/** Returns a folder for reading only; another process may own its lock. */
export function viewFolder(disk: Disk, directory: string): ReadableFolder {
  return {
    async list() {
      const files = (await disk.list(directory)).map(readName);
      return files.filter((file) => file !== undefined).sort((a, b) => a.number - b.number);
    },
    async read(name, use) {
      const path = `${directory}/${name}`;
      const file = await disk.open(path, "read");
      try {
        return await use(file, path);
      } finally {
        await file.close().catch(() => {});
      }
    },
  };
}

/** Opens a folder whose lock this process owns. */
export async function openFolder(disk: Disk, directory: string, lock: Lock): Promise<Folder> {
  const path = (name: string) => `${directory}/${name}`;
  // The directory stays open, because a process with too many open files could not open it later.
  const names = await disk.openDirectory(directory);
  // The numbered files that must not change any more. The open journal is separate.
  const watched = new Map<string, FileStamp>();
  let journal: { readonly name: string; readonly id: string } | undefined;

  async function removeAll(isRemoved: (name: string) => boolean): Promise<void> {
    for (const name of (await disk.list(directory)).filter(isRemoved)) {
      watched.delete(name);
      await disk.remove(path(name)).catch(ignore("ENOENT"));
    }
  }

  function stamp(name: string, expected?: Partial<FileStamp>): FileStamp {
    const found = disk.statNow(path(name));
    const { id = found?.id, bytes = found?.bytes } = expected ?? {};
    if (found !== undefined && found.id === id && found.bytes === bytes) return found;
    throw new Error(`another program has changed, replaced or removed ${path(name)}`);
  }

  function verify(journalBytes?: number): void {
    lock.verify();
    if (journal !== undefined) stamp(journal.name, { id: journal.id, bytes: journalBytes });
  }

  async function prepare(
    name: string,
    write: (file: DiskFile) => Promise<unknown>,
  ): Promise<PreparedFile> {
    const temporary = path(`${name}.${lock.id}.tmp`);
    const file = await disk.open(temporary, "append");

    async function discard(): Promise<void> {
      await file.close().catch(() => {});
      await disk.remove(temporary).catch(() => {});
    }

    async function orDiscard(done: Promise<void>): Promise<void> {
      await done.catch(async (error) => {
        await discard();
        throw error;
      });
    }

    async function publish(): Promise<void> {
      lock.verify();
      await disk.rename(temporary, path(name));
      await names.sync();
      const found = file.statNow();
      if (name.startsWith("journal-")) {
        if (journal !== undefined) watched.set(journal.name, stamp(journal.name));
        watched.delete(name);
        journal = { name, id: found.id };
      } else if (readName(name) !== undefined) watched.set(name, found);
    }

    await orDiscard(write(file).then(() => file.sync()));
    return { file, discard, publish: () => orDiscard(publish()) };
  }

  return {
    lock,
    removeTemporary: () => removeAll((name) => TEMPORARY.test(name)),
    list: viewFolder(disk, directory).list,
    async read(name, use) {
      const file = await disk.open(path(name), "update");
      try {
        const content = await use(file, path(name));
        await file.sync();
        if (readName(name) !== undefined) watched.set(name, stamp(name));
        return content;
      } finally {
        await file.close().catch(() => {});
      }
    },
    prepare,
    async replace(name, write) {
      const { file, publish } = await prepare(name, write);
      await publish();
      await file.close().catch(() => {});
    },
    async removeBelow(number) {
      // The names of the newer files may not be durable yet.
      await names.sync();
      await removeAll((name) => {
        const file = readName(name);
        return file?.isMisnamed === false && file.number < number;
      });
    },
    verify,
    verifyAll(journalBytes) {
      verify(journalBytes);
      for (const [name, expected] of watched) stamp(name, expected);
    },
    async close() {
      await names.close().catch(() => {});
      await lock.close();
    },
  };
}
