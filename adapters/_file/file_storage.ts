import { assignAll, createTables } from "../_shared/tables.ts";
import { type Refs, type Storage, StorageError } from "../storage.ts";
import { withDeadline } from "./timers.ts";
import { createCompaction } from "./compaction.ts";
import type { Disk } from "./disk.ts";
import { type Folder, openFolder } from "./folder.ts";
import { createJournal } from "./journal.ts";
import { acquireLock, type Lock } from "./lock.ts";
import type { WatchOptions } from "./lock_owner.ts";
import { writeMark } from "./mark.ts";
import { recover } from "./recovery.ts";

/** Storage in a folder; see `openFileStorage`. */
export interface FileStorage extends Storage {
  /**
   * Writes the URL of the server on this storage into the lock file, for commands that find the
   * folder locked. Throws a `TypeError` for text that is no URL.
   */
  announce(url: string): Promise<void>;
}

/** The tools and options of file storage; see `FileStorageOptions` for options of the same name. */
export interface FileStorageSettings extends WatchOptions {
  readonly disk: Disk;
  readonly journalBytes: number;
  readonly onWarning: (message: string) => void;
  readonly onLost: (message: string) => void;
}

/** Opens file storage on a given disk. */
export async function openFileStorageOn(
  directory: string,
  settings: FileStorageSettings,
): Promise<FileStorage> {
  const { disk, onWarning } = settings;
  let lock: Lock | undefined;
  let folder: Folder | undefined;
  try {
    await disk.makeDirectory(directory);
    lock = await acquireLock(disk, directory, settings);
    if (lock.tookOver) onWarning(`"${directory}" was held by a process that has ended or stopped`);
    folder = await openFolder(disk, directory, lock);
    return await openStorage(folder, settings);
  } catch (cause) {
    await (folder ?? lock)?.close();
    if (cause instanceof StorageError) throw cause;
    throw storageFailure(`Cannot open the data folder "${directory}"`, cause);
  }
}

async function openStorage(folder: Folder, settings: FileStorageSettings): Promise<FileStorage> {
  const { timers, onWarning, onLost } = settings;
  const { lock } = folder;
  const tables = createTables();
  const keyFields = new Map<string, string>();
  const recovered = await recover(folder, {
    sink: { keyFields, assign: tables.assign },
    tables,
  });
  for (const warning of recovered.warnings) onWarning(warning);
  let failure: StorageError | undefined;
  let closing: Promise<void> | undefined;
  let marking = Promise.resolve();

  const journal = createJournal({
    ...recovered,
    timers,
    verify: folder.verify,
    onDurable: (bytes) => compaction.grow(bytes),
    onFailure: fail,
  });
  const compaction = createCompaction({
    ...settings,
    folder,
    recovered,
    journal,
    keyFields,
    all: tables.all,
  });

  /** Makes all calls fail, as memory and disk may differ from now on. */
  function fail(cause: unknown): void {
    if (failure !== undefined) return;
    failure = storageFailure("The data folder can't be written any more", cause);
    journal.stop(failure);
    mark();
    onLost(`${failure.message}; mend the cause and restart`);
  }

  /**
   * Writes the number of the last acknowledged transaction, so that the next start notices if it is
   * missing.
   */
  function mark(): Promise<void> {
    return marking = marking.then(async () => {
      const seq = journal.durableSeq;
      // An older mark stays true if this one can't be written.
      if (seq > recovered.markedSeq) await writeMark(folder, { store: recovered.store, seq });
    }).catch(() => {});
  }

  function refuseIfOver(): void {
    if (closing !== undefined) {
      throw new StorageError("closed", "Cannot use storage that was closed");
    }
    if (failure !== undefined) throw failure;
  }

  function verify(): void {
    try {
      folder.verify(journal.idleBytes);
    } catch (cause) {
      fail(cause);
      throw failure;
    }
  }

  /**
   * A transaction without changes acknowledges the records that it found, so these must be durable.
   */
  async function unchanged(refs: Refs): Promise<void> {
    for (const name in refs) await journal.durable(refs[name].kind.name);
    verify();
  }

  async function write(what: string, writing: Promise<void>): Promise<void> {
    await withDeadline(timers, writing).catch((cause) => {
      throw storageFailure(what, cause);
    });
  }

  async function finish(): Promise<void> {
    await compaction.close();
    await journal.close();
    await mark();
    await folder.close();
  }

  lock.onBeat(() => {
    try {
      folder.verifyAll(journal.idleBytes);
    } catch (cause) {
      fail(cause);
    }
  });
  return {
    isExclusive: true,
    async get(kind, key) {
      refuseIfOver();
      const record = tables.get(kind, key);
      await journal.durable(kind.name);
      return record;
    },
    async list(kind, query) {
      refuseIfOver();
      const records = await tables.list(kind, query);
      await journal.durable(kind.name);
      return records;
    },
    async count(kind, index) {
      refuseIfOver();
      const count = await tables.count(kind, index);
      await journal.durable(kind.name);
      return count;
    },
    async transact(firstRefs, decide) {
      refuseIfOver();
      const { answer, changes, refs } = tables.decide(firstRefs, decide);
      if (changes.length === 0) {
        await unchanged(refs);
        return answer;
      }
      assignAll(tables, changes);
      for (const { kind, next } of changes) {
        keyFields.set(kind.name, kind.key);
        if (next === undefined && kind.personal) compaction.erase();
      }
      await journal.append(changes);
      return answer;
    },
    async ping() {
      refuseIfOver();
      verify();
      await journal.durable();
      await write("The disk takes no writes", lock.beat());
    },
    async announce(url) {
      refuseIfOver();
      await write("Cannot write the lock", lock.announce(new URL(url).href));
    },
    close: () => closing ??= withDeadline(timers, finish()),
  };
}

/** Creates a `StorageError` whose message has the reason of its cause. */
export function storageFailure(what: string, cause: unknown): StorageError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StorageError("unavailable", `${what}: ${reason}`, { cause });
}
