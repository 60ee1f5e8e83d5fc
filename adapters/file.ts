/**
 * Storage in a folder of readable JSON, held by one process at a time.
 *
 * @module
 */
import { hostname } from "node:os";
import process from "node:process";
import { createClock } from "./_file/clock.ts";
import { createDisk } from "./_file/disk.ts";
import { openFileStorageOn } from "./_file/file_storage.ts";
import { openFileStorageToRead } from "./_file/read_only.ts";
import { HEARTBEAT_MS } from "./_file/lock.ts";
import { type Storage, StorageError } from "./storage.ts";

/** Options of {@linkcode openFileStorage}. */
export interface FileStorageOptions {
  /**
   * The name of this machine in the message that a second process on the folder gets.
   * Default: its host name; on Deno, which would have to ask for permission, none.
   */
  readonly host?: string | undefined;
  /**
   * How often the lock shows that this process lives, and this process looks whether it still
   * holds it, in milliseconds. After five missed heartbeats the lock can be taken over. Above 0,
   * and at most 2,147,483,647. Default: 250.
   */
  readonly heartbeatMs?: number | undefined;
  /**
   * The journal is folded into a new snapshot when it is longer than this, in bytes, and
   * longer than half the snapshot. Default: 4 MiB.
   */
  readonly journalBytes?: number | undefined;
  /**
   * Called with what an operator should know, like a torn tail that was cut. Like `onLost`, it can
   * throw without harm. Default: ignored.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
  /**
   * Called once, after `onWarning`, when this process finds that it has lost the folder: from
   * then on the storage can only be closed. Default: ignored.
   */
  readonly onLost?: (() => void) | undefined;
  /**
   * Opens the records as they are now, even while another process holds the folder, and changes
   * nothing in it: `ping`, and calls that would change something, reject with `unavailable`. A
   * missing folder counts as empty. What changes later does not show. Default: `false`.
   */
  readonly readOnly?: boolean | undefined;
}

const JOURNAL_BYTES = 4 << 20;
// A timer that is given more goes off at once.
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Opens storage in a folder of readable JSON, for this process alone unless it only reads. The folder
 * is created if it is missing.
 *
 * A change resolves once its journal record is written in full and `fdatasync` has
 * returned; changes made meanwhile share the next sync. Nothing is shown before it is
 * durable. A change whose write fails, as on a full disk, rejects with `unavailable` and is taken back;
 * the next change or `ping` tries again. After a failed sync all changes and `ping` reject with
 * `unavailable`, reads still work, and opening the storage again recovers. Once the folder was lost, to
 * another process while this one was paused or because it was moved away, reads reject with
 * `unavailable` as well, from the next heartbeat on.
 *
 * Rejects with `locked` if another process holds the folder, with `unavailable` if the folder can't
 * be created or read, or on Windows in Node and Bun unless it only reads, with `damaged` if a file
 * can't be read back, with `incompatible` if a file has a later format, and with a `RangeError` if an
 * argument is out of range.
 *
 * @example Usage
 * ```ts
 * import { openFileStorage } from "@boardcast/boardcast/file";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * const storage = await openFileStorage(directory);
 * await storage.subscriptions.put({
 *   userEmail: "ann@example.com",
 *   userName: "Ann",
 *   subscribe: true,
 *   at: "2026-11-21T10:00:00.000Z",
 * });
 * await storage.close();
 *
 * const again = await openFileStorage(directory);
 * const ann = await again.subscriptions.get("ann@example.com");
 * assertEquals(ann?.userName, "Ann");
 * await again.close();
 * await Deno.remove(directory, { recursive: true });
 * ```
 */
export async function openFileStorage(
  directory: string,
  options: FileStorageOptions = {},
): Promise<Storage> {
  const { heartbeatMs = HEARTBEAT_MS, journalBytes = JOURNAL_BYTES } = options;
  if (directory === "") throw new RangeError("Cannot open file storage in a folder without a name");
  // Text would pass the comparison.
  if (typeof heartbeatMs !== "number" || !(heartbeatMs > 0 && heartbeatMs <= TIMER_MAX_MS)) {
    throw new RangeError(
      `Cannot use heartbeatMs "${heartbeatMs}": give a number above 0, at most ${TIMER_MAX_MS}`,
    );
  }
  if (!(journalBytes >= 0)) {
    throw new RangeError(`Cannot use journalBytes "${journalBytes}": give 0 or more`);
  }
  const disk = createDisk();
  const onWarning = harmless(options.onWarning);
  if (options.readOnly) return await openFileStorageToRead(directory, { disk, onWarning });
  // Node and Bun can't move a file over one that is open there, so that the first fold or erasure would
  // end all changes.
  if (process.platform === "win32" && !("deno" in process.versions)) {
    throw new StorageError("unavailable", "Cannot use file storage on Windows, except in Deno");
  }
  return await openFileStorageOn(directory, {
    disk,
    clock: createClock(),
    host: options.host ?? ("deno" in process.versions ? null : hostname()),
    heartbeatMs,
    journalBytes,
    onWarning,
    onLost: harmless(options.onLost),
  });
}

/** Storage is in the middle of something, which a function of the caller must not break off. */
function harmless<Input extends unknown[]>(
  callback: (...input: Input) => void = () => {},
): (...input: Input) => void {
  return async (...input) => {
    try {
      await callback(...input);
    } catch {
      // There is nobody to tell.
    }
  };
}
