/**
 * Storage in a folder of readable JSON, held by one process at a time.
 *
 * @module
 */
import { hostname } from "node:os";
import process from "node:process";
import { checkOptionNames } from "../model/options.ts";
import { createTimers } from "./_file/timers.ts";
import { createDisk } from "./_file/disk.ts";
import { type FileStorage, openFileStorageOn, storageFailure } from "./_file/file_storage.ts";
import { findOwner, type LockOwner } from "./_file/lock_owner.ts";
import { viewFolder } from "./_file/folder.ts";
import { readFolder } from "./_file/recovery.ts";
import { createSockets } from "./_file/sockets.ts";
import { createTables } from "./_shared/tables.ts";
import { type Storage, StorageError } from "./storage.ts";

export type { FileStorage, LockOwner };

/** Options of {@linkcode openFileStorage}. */
export interface FileStorageOptions {
  /**
   * The name of this machine, which is shown to a second process that opens the folder. If it is
   * known, or the folder is on a disk of this machine, a killed process is replaced at once;
   * otherwise once it has not rewritten the lock for 10 s. Default: its host name; on Deno, which
   * would have to ask for permission (`--allow-sys=hostname`), none.
   */
  readonly host?: string | undefined;
  /**
   * The journal is compacted when it is longer than this, in bytes, and longer than half the
   * snapshot. Default: 4 MiB.
   */
  readonly journalBytes?: number | undefined;
  /** Called with warnings for the operator, such as a torn tail that was cut off. Default: none. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * Called once, with the reason, when nothing can be stored any more. The storage can then only be
   * closed. Default: `onWarning`.
   */
  readonly onLost?: ((message: string) => void) | undefined;
}

/** Options of {@linkcode findLockOwner}. */
export type FindLockOwnerOptions = Pick<FileStorageOptions, "host">;

const OPTIONS = ["host", "journalBytes", "onWarning", "onLost"];
const JOURNAL_BYTES = 4 << 20;

/**
 * Opens storage in a folder of readable JSON, for this process alone. The folder is created if it
 * is missing.
 *
 * A transaction resolves once its line in the journal is written in full and `fdatasync` has
 * returned; transactions made meanwhile share the next sync. Nothing is shown before it is durable.
 * After a write or sync that failed, as on a full disk, and once the folder was lost to another
 * process or changed by another program, every call rejects with `unavailable`, and `onLost` is
 * called: opening the storage again recovers what was acknowledged.
 *
 * Rejects with `locked` if another process holds the folder, with `unavailable` if the folder can't
 * be created, read or written, with `damaged` if a file can't be read back, with `incompatible` if
 * a file has a later format, and with a `TypeError` or `RangeError` for an argument that can't
 * work.
 *
 * @example Usage
 * ```ts
 * import { BOARDS } from "@boardcast/boardcast";
 * import { openFileStorage } from "@boardcast/boardcast/file";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * const storage = await openFileStorage(directory);
 * assertEquals(await storage.get(BOARDS, "ideas"), undefined);
 * await storage.close();
 * await Deno.remove(directory, { recursive: true });
 * ```
 */
export async function openFileStorage(
  directory: string,
  options: FileStorageOptions = {},
): Promise<FileStorage> {
  checkOptionNames(options, OPTIONS);
  const { journalBytes = JOURNAL_BYTES, onWarning = () => {}, onLost = onWarning } = options;
  checkDirectory(directory);
  // The comparison alone would accept a text.
  if (typeof journalBytes !== "number" || !(journalBytes >= 0)) {
    throw new RangeError(`Cannot use journalBytes "${journalBytes}": give 0 or more`);
  }
  return await openFileStorageOn(directory, {
    disk: createDisk(),
    timers: createTimers(),
    sockets: createSockets(),
    host: hostOf(options),
    journalBytes,
    onWarning,
    onLost,
  });
}

/**
 * Reads a data folder, even if a process holds its lock, and returns its content as storage that
 * can't be changed. Changes nothing in the folder. Rejects like {@linkcode openFileStorage} for
 * damaged files.
 */
export async function readFileStorage(
  directory: string,
  { onWarning = () => {} }: Pick<FileStorageOptions, "onWarning"> = {},
): Promise<Storage> {
  checkDirectory(directory);
  const tables = createTables();
  const sink = { keyFields: new Map<string, string>(), assign: tables.assign };
  try {
    const { warnings } = await readFolder(viewFolder(createDisk(), directory), sink);
    for (const warning of warnings) onWarning(warning);
  } catch (cause) {
    if (cause instanceof StorageError) throw cause;
    throw storageFailure(`Cannot read the data folder "${directory}"`, cause);
  }
  const refuse = () =>
    Promise.reject(storageFailure("Cannot change the folder", "it is only read"));
  return {
    isExclusive: true,
    get: async (kind, key) => await tables.get(kind, key),
    list: async (kind, query) => await tables.list(kind, query),
    count: async (kind, index) => await tables.count(kind, index),
    transact: refuse,
    ping: refuse,
    close: () => Promise.resolve(),
  };
}

/**
 * Returns the process that holds a data folder now, or `undefined` if none is alive. Waits for
 * heartbeats only where the kernel can't tell. Rejects with `unavailable` if the folder can't be
 * read.
 */
export async function findLockOwner(
  directory: string,
  options: FindLockOwnerOptions = {},
): Promise<LockOwner | undefined> {
  checkOptionNames(options, ["host"]);
  checkDirectory(directory);
  const tools = { timers: createTimers(), sockets: createSockets() };
  return await findOwner(createDisk(), directory, { ...tools, host: hostOf(options) }).catch(
    (cause) => {
      throw storageFailure(`Cannot read the lock of the data folder "${directory}"`, cause);
    },
  );
}

function checkDirectory(directory: string): void {
  if (typeof directory === "string" && directory !== "") return;
  throw new RangeError("Cannot open file storage in a folder without a name");
}

function hostOf({ host }: FindLockOwnerOptions): string | null {
  return host ?? ("deno" in process.versions ? null : hostname());
}
