import { Buffer } from "node:buffer";
import { getPriority } from "node:os";
import process from "node:process";
import { randomText } from "../../model/random.ts";
import { StorageError } from "../storage.ts";
import type { Clock } from "./clock.ts";
import { type Disk, type DiskFile, hasCode, ignore } from "./disk.ts";

const LOCK_NAME = "lock";
/** How often a holder rewrites the lock, unless told otherwise. */
export const HEARTBEAT_MS = 250;
/** The greatest length of the URL of a server. */
export const MAX_URL_LENGTH = 512;

// So many heartbeats must be missing in a row before a holder counts as dead.
const MISSED_HEARTBEATS = 5;
const POLL_MS = 20;
// Longer than a challenger takes from its last look at a dead lock to its removal.
const SETTLING_MS = 100;
// How often a lock may vanish while it is watched.
const MAX_TRIES = 100;
// Always the same, so that a heartbeat covers the one before it.
const LOCK_BYTES = 1_024;

/** The process that holds a data folder. */
export interface FolderHolder {
  /** Its process id. */
  readonly pid: number;
  /** The name of its machine; `null` if it is not known. */
  readonly host: string | null;
  /** When it opened the folder (RFC 3339, UTC, milliseconds). */
  readonly since: string;
  /** The URL of the server that it runs; `null` if it runs none. */
  readonly url: string | null;
}

/** What stands in the lock file. */
interface Holder extends FolderHolder {
  readonly id: string;
  readonly heartbeatMs: number;
}

/** The right to write in a folder. */
export interface Lock {
  /** A text that no other holder has ever had. */
  readonly id: string;
  /** Whether the lock was taken over from a dead holder. */
  readonly tookOver: boolean;
  /** Throws if the lock is held by another process, or gone. */
  verify(): void;
  /** Rewrites the lock, which shows that this process lives and that the disk takes writes. */
  beat(): Promise<void>;
  /** Has a function called with each heartbeat from now on. */
  onBeat(callback: () => void): void;
  /** Writes the URL of the server into the lock. */
  announce(url: string): Promise<void>;
  /** Stops the heartbeat, and removes the lock if it is still held. */
  close(): Promise<void>;
}

/** How locks are watched. */
export interface WatchOptions {
  readonly clock: Clock;
  /** The name of this machine; `null` if it is not known. */
  readonly host: string | null;
  /** Tells whether there is no process with this id on this machine. Default: asks the system. */
  readonly isGone?: ((pid: number) => boolean) | undefined;
}

/** Options of {@linkcode acquireLock}. */
export interface LockOptions extends WatchOptions {
  readonly heartbeatMs: number;
}

/**
 * Takes the lock of a folder: a file that its holder rewrites with each heartbeat. A holder counts as
 * dead if its process is gone from this machine or, where that can't be known, if its heartbeats stop.
 * Rejects with `locked` if the holder is alive.
 *
 * A holder that was only paused can do no harm: it verifies the lock before it acknowledges anything
 * or puts a file in place, and its successor removes its temporary files and moves on to a journal file
 * of its own before it reads anything.
 */
export async function acquireLock(
  disk: Disk,
  directory: string,
  options: LockOptions,
): Promise<Lock> {
  const { clock, host, heartbeatMs } = options;
  const path = `${directory}/${LOCK_NAME}`;
  const since = new Date(clock.now()).toISOString();
  let self: Holder = { id: randomText(16), pid: process.pid, host, since, heartbeatMs, url: null };

  let tookOver = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const file = await disk.open(path, "create").catch(ignore("EEXIST"));
    if (file !== undefined) return await hold(file);
    const found = await watch(disk, path, options);
    if (found === undefined) continue;
    if (found.isAlive) throw locked(found.text);
    // In one turn, as a faster challenger may take it any moment.
    if (disk.readNow(path) === found.text) disk.removeNow(path);
    tookOver = true;
  }
  throw new StorageError("locked", `Cannot create or read the lock file "${path}"`);

  async function write(file: DiskFile): Promise<void> {
    const bytes = Buffer.alloc(LOCK_BYTES, " ");
    bytes.write(JSON.stringify({ ...self, beat: randomText(8) }));
    bytes.write("\n", LOCK_BYTES - 1);
    if (await file.write(bytes) !== LOCK_BYTES) throw new Error("short write of the lock");
  }

  async function hold(file: DiskFile): Promise<Lock> {
    const { id } = file.statNow();
    let writing = Promise.resolve();
    let cancel = () => {};
    let callback = () => {};
    let isReleased = false;

    // One after another, as they go to one place.
    function beat(): Promise<void> {
      writing = writing.catch(() => {}).then(() => write(file));
      return writing;
    }

    function scheduleBeat(): void {
      cancel = clock.schedule(heartbeatMs, async () => {
        callback();
        // One that can't be written is made up for by the next.
        await beat().catch(() => {});
        if (!isReleased) scheduleBeat();
      });
    }

    function verify(): void {
      if (disk.statNow(path)?.id !== id) throw locked(disk.readNow(path));
    }

    async function close(): Promise<void> {
      isReleased = true;
      cancel();
      try {
        // In the turn of the look: after a pause in between it would be our successor's.
        if (disk.statNow(path)?.id === id) disk.removeNow(path);
      } catch {
        // It is taken over later.
      }
      await writing.catch(() => {});
      await file.close().catch(() => {});
    }

    async function announce(url: string): Promise<void> {
      self = { ...self, url };
      await beat();
    }

    try {
      await beat();
      if (tookOver) {
        // Of several that took over at once, the last one keeps the lock.
        await clock.wait(SETTLING_MS);
        verify();
      }
    } catch (error) {
      await close();
      throw error;
    }
    scheduleBeat();
    const onBeat = (given: () => void) => callback = given;
    return { id: self.id, tookOver, verify, beat, onBeat, announce, close };
  }

  function locked(text: string | undefined): StorageError {
    return new StorageError(
      "locked",
      `Cannot use the data folder "${directory}": ${describe(text)}`,
    );
  }

  function describe(text: string | undefined): string {
    if (text === undefined) return "its lock file is gone";
    const holder = parseHolder(text);
    if (holder === undefined) return "another process holds it";
    if (holder.id === self.id) return "a copy has taken its place";
    const { pid, host, since } = holder;
    return `process ${pid}${host === null ? "" : ` on ${host}`} holds it since ${since}`;
  }
}

/** Returns who holds a folder now; `undefined` if no living process does. */
export async function findLockHolder(
  disk: Disk,
  directory: string,
  options: WatchOptions,
): Promise<FolderHolder | undefined> {
  const found = await watch(disk, `${directory}/${LOCK_NAME}`, options);
  const holder = found?.isAlive ? parseHolder(found.text) : undefined;
  if (holder === undefined) return undefined;
  const { pid, host, since, url } = holder;
  return { pid, host, since, url };
}

/** Watches a lock until it shows whether its holder lives; `undefined` if there is none. */
async function watch(
  disk: Disk,
  path: string,
  { clock, host, isGone = isProcessGone }: WatchOptions,
): Promise<{ readonly text: string; readonly isAlive: boolean } | undefined> {
  const first = disk.readNow(path);
  if (first === undefined) return undefined;
  const holder = parseHolder(first);
  if (holder && holder.host !== null && holder.host === host && isGone(holder.pid)) {
    return { text: first, isAlive: false };
  }
  // Counted by looks: if this process is paused, the holder may be, too, and needs time afterwards.
  const patienceMs = MISSED_HEARTBEATS * (holder?.heartbeatMs ?? HEARTBEAT_MS);
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += POLL_MS) {
    await clock.wait(POLL_MS);
    const text = disk.readNow(path);
    if (text === undefined) return undefined;
    if (text !== first) return { text, isAlive: true };
  }
  return { text: first, isAlive: false };
}

function parseHolder(text: string): Holder | undefined {
  try {
    const holder = JSON.parse(text);
    return typeof holder?.id === "string" ? holder : undefined;
  } catch {
    return undefined;
  }
}

function isProcessGone(pid: number): boolean {
  try {
    // Signal 0 would need a permission of Deno's that is worth more.
    getPriority(pid);
    return false;
  } catch (error) {
    const { info } = error as { readonly info?: unknown };
    return hasCode(info, "ESRCH");
  }
}
