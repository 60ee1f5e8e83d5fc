import type { Clock } from "./clock.ts";
import { createCompaction } from "./compaction.ts";
import type { Disk, DiskDirectory } from "./disk.ts";
import { explainFailure, unavailable } from "./errors.ts";
import { createJournalCheck, type Folder, openFolder, removeBroken } from "./folder.ts";
import { createJournal } from "./journal.ts";
import { acquireLock } from "./lock.ts";
import { createTables, type RecordChange } from "../_tables.ts";
import type { TableName } from "./records.ts";
import { createUnsynced } from "./unsynced.ts";
import { type PageQuery, type Storage, StorageError } from "../storage.ts";

// Far longer than a disk under load takes: nothing is written any more, it seems.
const STALL_MS = 5_000;

/** What file storage stands on; see `FileStorageOptions` for those of the same name. */
export interface FileStorageSettings {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly host: string | null;
  readonly heartbeatMs: number;
  readonly journalBytes: number;
  readonly onWarning: (message: string) => void;
  readonly onLost: () => void;
}

/** Opens file storage on a given disk. */
export function openFileStorageOn(
  directory: string,
  settings: FileStorageSettings,
): Promise<Storage> {
  const { disk, onWarning } = settings;
  return explainFailure(directory, async () => {
    await disk.makeDirectory(directory);
    const lock = await acquireLock(disk, directory, {
      ...settings,
      onLost({ message }) {
        onWarning(`${message}; restart to use it again`);
        settings.onLost();
      },
    });
    let names: DiskDirectory | undefined;
    try {
      names = await disk.openDirectory(directory);
      if (lock.tookOver) {
        onWarning(`The lock of "${directory}" was taken over from a process that had stopped`);
      }
      const storage = await openLocked({ disk, directory, lock, names }, settings);
      await lock.settle();
      return storage;
    } catch (error) {
      await names?.close().catch(() => {});
      // What a successor has made of the files meanwhile is no cause of its own.
      throw await lock.release() ?? error;
    }
  });
}

async function openLocked(folder: Folder, settings: FileStorageSettings): Promise<Storage> {
  let changes: RecordChange[] = [];
  const tables = createTables(noteChange);
  const content = await openFolder(folder, tables.assign);
  for (const warning of content.warnings) settings.onWarning(warning);
  const unsynced = createUnsynced(tables);
  const verifyJournal = createJournalCheck(folder);
  const journal = createJournal({
    file: content.file,
    offset: content.offset,
    seq: content.lastSeq,
    elapsedMs: settings.clock.elapsedMs,
    verify(file) {
      folder.lock.verify();
      verifyJournal(file);
    },
    onDurable(entries) {
      if (isRefusing) settings.onWarning("The journal can be written again");
      isRefusing = false;
      unsynced.settle(entries);
      compaction.consider();
    },
    onRefused(error) {
      unsynced.takeBack();
      const wasRefusing = isRefusing;
      isRefusing = journal.failure === undefined;
      if (folder.lock.loss !== undefined || wasRefusing && isRefusing) return;
      const advice = isRefusing
        ? "changes are refused until the disk takes them again"
        : "mend the cause and restart";
      settings.onWarning(`${error.message}; ${advice}`);
    },
  });
  const compaction = createCompaction({ ...settings, folder, content, tables, journal });
  let closing: Promise<void> | undefined;
  let erasing = Promise.resolve();
  let isRefusing = false;

  function noteChange(change: RecordChange): void {
    compaction.note(change);
    unsynced.note(change);
    changes.push(change);
  }

  /** Answers from the tables as they are now, once what it relies on is durable. */
  async function read<T>(operation: () => T, awaitedSeq: (answer: T) => number): Promise<T> {
    refuseIfEnded();
    while (true) {
      const answer = operation();
      const durable = journal.durable(awaitedSeq(answer));
      try {
        await durable;
        return answer;
      } catch {
        // What was not durable has been taken back, and others may have changed the record since.
        refuseIfLost();
      }
    }
  }

  function listing<Query extends PageQuery, Listed>(
    list: (query: Query) => readonly Listed[],
  ): (query: Query) => Promise<readonly Listed[]> {
    return (query) => {
      // The caller may change it before it is looked at once more.
      const asked = { ...query };
      return read(() => list(asked), awaitedAll);
    };
  }

  /** Changes the tables now, and answers once that, or what it relies on, is durable. */
  async function write<T>(operation: () => T, awaitedSeq = awaitedAll): Promise<T> {
    refuseIfEnded();
    if (journal.failure !== undefined) throw journal.failure;
    let answer: T;
    try {
      answer = operation();
    } catch (error) {
      // Not to be written with the next change.
      unsynced.forget(changes);
      changes = [];
      await journal.durable(journal.lastSeq);
      throw error;
    }
    const seq = append();
    await journal.durable(seq ?? awaitedSeq());
    // The lock is looked at after each sync; that nothing had to change is an acknowledgement, too.
    if (seq === undefined) verifyLock();
    return answer;
  }

  function verifyLock(): void {
    try {
      folder.lock.verify();
    } catch (cause) {
      refuseIfLost();
      throw unavailable("Cannot read the lock of the data folder", cause);
    }
  }

  async function erase(userEmail: string): Promise<boolean> {
    const before = journal.lastSeq;
    const writing = write(() => tables.subscriptions.erase(userEmail));
    if (journal.lastSeq > before) compaction.erased(journal.lastSeq);
    const erased = await writing;
    if (!erased) await forgetTornTails();
    return erased;
  }

  /** They may name people who are not on record; after any other erasure, folding removes them. */
  async function forgetTornTails(): Promise<void> {
    try {
      await removeBroken(folder);
    } catch (cause) {
      refuseIfLost();
      throw unavailable("Cannot remove the copies of torn tails", cause);
    }
  }

  function append(options?: { readonly noteOnly: boolean }): number | undefined {
    if (changes.length === 0) return undefined;
    const seq = journal.append(changes);
    unsynced.number(changes, seq, options);
    changes = [];
    return seq;
  }

  function run(operation: () => void): Promise<void> {
    return new Promise((resolve) => {
      refuseIfEnded();
      resolve(operation());
    });
  }

  async function finish(): Promise<void> {
    // What is under way may start a fold; and an erasure that finds nobody works in the folder itself.
    await Promise.all([journal.durable(journal.lastSeq).catch(() => {}), erasing]);
    await compaction.close();
    await journal.close();
    await folder.names.close().catch(() => {});
    await folder.lock.release();
  }

  function refuseIfEnded(): void {
    if (closing !== undefined) {
      throw new StorageError("closed", "Cannot use storage that was closed");
    }
    refuseIfLost();
  }

  /** What is in memory is old by now: a key that is accepted by it may be revoked. */
  function refuseIfLost(): void {
    const { loss } = folder.lock;
    if (loss !== undefined) throw new StorageError("unavailable", loss.message, { cause: loss });
  }

  const awaited = (table: TableName, key: string) => () => unsynced.awaited(table, key);
  const awaitedAll = () => journal.lastSeq;

  return {
    boards: {
      get: (boardId) => read(() => tables.boards.get(boardId), awaited("boards", boardId)),
      list: listing(tables.boards.list),
      create: (board) => write(() => tables.boards.create(board)),
      replace: (current, next) => write(() => tables.boards.replace(current, next)),
      delete: (current) => write(() => tables.boards.delete(current)),
    },
    subscriptions: {
      put: (change) =>
        write(
          () => tables.subscriptions.put(change),
          awaited("subscriptions", change.userEmail),
        ),
      get: (userEmail) =>
        read(() => tables.subscriptions.get(userEmail), awaited("subscriptions", userEmail)),
      list: listing(tables.subscriptions.list),
      erase(userEmail) {
        const erased = erase(userEmail);
        // Not their results: each would hold the one before.
        erasing = Promise.allSettled([erasing, erased]).then(() => {});
        return erased;
      },
    },
    apiKeys: {
      create: (key) => write(() => tables.apiKeys.create(key)),
      get: (keyId) => read(() => tables.apiKeys.get(keyId), awaited("apiKeys", keyId)),
      findByHash: (hash) =>
        read(
          () => tables.apiKeys.findByHash(hash),
          (key) => key === undefined ? 0 : unsynced.awaited("apiKeys", key.keyId),
        ),
      list: listing(tables.apiKeys.list),
      rotate: (rotation) => write(() => tables.apiKeys.rotate(rotation)),
      revoke: (keyId, at) => write(() => tables.apiKeys.revoke(keyId, at)),
      touch: (keyId, minute) =>
        run(() => {
          // A note that may be lost is no reason to fail what is asked for besides.
          if (journal.failure !== undefined) return;
          tables.apiKeys.touch(keyId, minute);
          append({ noteOnly: true });
        }),
    },
    async ping() {
      refuseIfEnded();
      if (journal.busyMs > STALL_MS) {
        throw new StorageError("unavailable", `The disk has not finished for ${STALL_MS} ms`);
      }
      verifyLock();
      const { silence } = folder.lock;
      if (silence !== undefined) {
        throw new StorageError("unavailable", "The disk takes no writes", { cause: silence });
      }
      await journal.probe();
    },
    close: () => closing ??= finish(),
  };
}
