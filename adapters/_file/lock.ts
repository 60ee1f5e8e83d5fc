import { Buffer } from "node:buffer";
import { getPriority } from "node:os";
import process from "node:process";
import { randomText } from "../../model/crypto/random.ts";
import { StorageError } from "../storage.ts";
import type { Timers } from "./timers.ts";
import { type Disk, type DiskFile, hasCode, ignore } from "./disk.ts";

const LOCK_NAME = "lock";
/** How often an owner rewrites the lock, unless told otherwise. */
export const HEARTBEAT_MS = 250;

// An owner that misses so many heartbeats in a row counts as dead.
const MISSED_HEARTBEATS = 5;
const POLL_MS = 20;
// Longer than another process takes between reading the lock of a dead owner and removing it.
const RACE_MS = 100;
// How often a lock may vanish while it is watched.
const MAX_TRIES = 100;
// Always the same, so that a heartbeat covers the one before it.
const LOCK_BYTES = 1_024;

/** The process that holds a data folder. */
export interface LockOwner {
  /** Its process id. */
  readonly pid: number;
  /** The name of its machine; `null` if it is not known. */
  readonly host: string | null;
  /** When it opened the folder (RFC 3339, UTC, milliseconds). */
  readonly since: string;
  /** The URL of the server that it runs; `null` if it runs none. */
  readonly url: string | null;
}

/** What the lock file says. */
interface LockContent extends LockOwner {
  readonly id: string;
  readonly heartbeatMs: number;
}

/** The right to write in a folder. */
export interface Lock {
  /** A text that no other owner has ever had. */
  readonly id: string;
  /** Whether the owner before this one had died without removing the lock. */
  readonly tookOver: boolean;
  /** Throws if another process owns the lock, or it is gone. */
  verify(): void;
  /** Rewrites the lock, which shows that this process lives and that the disk takes writes. */
  beat(): Promise<void>;
  /** Has a function called with each heartbeat from now on. */
  onBeat(callback: () => void): void;
  /** Writes the URL of the server into the lock. */
  announce(url: string): Promise<void>;
  /** Stops the heartbeat, and removes the lock if it is still this process's. */
  close(): Promise<void>;
}

/** How locks are watched. */
export interface WatchOptions {
  readonly timers: Timers;
  /** The name of this machine; `null` if it is not known. */
  readonly host: string | null;
  /** Tells whether there is no process with this id on this machine. Default: asks the system. */
  readonly isGone?: ((pid: number) => boolean) | undefined;
}

/**
 * Acquires the lock of a folder: a file that its owner rewrites with each heartbeat. An owner counts as
 * dead if its process is gone from this machine or, where that can't be known, if its heartbeats stop.
 * Rejects with `locked` if the owner is alive.
 *
 * An owner that was only paused can do no harm: it verifies the lock before it acknowledges anything
 * or puts a file in place, and its successor removes its temporary files and moves on to a journal file
 * of its own before it reads anything.
 */
export async function acquireLock(
  disk: Disk,
  directory: string,
  options: WatchOptions & { readonly heartbeatMs: number },
): Promise<Lock> {
  const { timers, host, heartbeatMs } = options;
  const path = `${directory}/${LOCK_NAME}`;
  const since = new Date(timers.now()).toISOString();
  const id = randomText(16);
  let content: LockContent = { id, pid: process.pid, host, since, heartbeatMs, url: null };
  let tookOver = false;
  let writing = Promise.resolve();
  let cancel = () => {};
  let callback = () => {};
  let isClosed = false;

  async function create(): Promise<DiskFile> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const file = await disk.open(path, "create").catch(ignore("EEXIST"));
      if (file !== undefined) return file;
      const found = await watch(disk, path, options);
      if (found === undefined) continue;
      if (found.isAlive) throw locked(found.text);
      // Without a turn in between, in which a faster process may acquire it.
      if (disk.readNow(path) === found.text) disk.removeNow(path);
      tookOver = true;
    }
    throw new StorageError("locked", `Cannot create or read the lock file "${path}"`);
  }

  function locked(text: string | undefined): StorageError {
    const owner = parseContent(text ?? "");
    let reason = text === undefined ? "its lock file is gone" : "another process holds it";
    if (owner?.id === id) reason = "a copy has taken its place";
    else if (owner !== undefined) {
      const on = owner.host === null ? "" : ` on ${owner.host}`;
      reason = `process ${owner.pid}${on} holds it since ${owner.since}`;
    }
    return new StorageError("locked", `Cannot use the data folder "${directory}": ${reason}`);
  }

  const file = await create();
  const { id: inode } = file.statNow();

  async function write(): Promise<void> {
    const bytes = Buffer.alloc(LOCK_BYTES, " ");
    bytes.write(JSON.stringify({ ...content, beat: randomText(8) }));
    bytes.write("\n", LOCK_BYTES - 1);
    if (await file.write(bytes) !== LOCK_BYTES) throw new Error("short write of the lock");
  }

  // One after another, as they go to one place.
  function beat(): Promise<void> {
    return writing = writing.catch(() => {}).then(write);
  }

  function scheduleBeat(): void {
    cancel = timers.schedule(heartbeatMs, async () => {
      callback();
      // The next one makes up for one that can't be written.
      await beat().catch(() => {});
      if (!isClosed) scheduleBeat();
    });
  }

  function verify(): void {
    if (disk.statNow(path)?.id !== inode) throw locked(disk.readNow(path));
  }

  async function close(): Promise<void> {
    isClosed = true;
    cancel();
    try {
      // Without a turn in between: after a pause there, the lock would be that of a successor.
      if (disk.statNow(path)?.id === inode) disk.removeNow(path);
    } catch {
      // Whoever wants the folder next takes a lock that is left for that of a dead owner.
    }
    await writing.catch(() => {});
    await file.close().catch(() => {});
  }

  try {
    await beat();
    if (tookOver) {
      // Of several processes that found the owner dead at once, the last one keeps the lock.
      await timers.wait(RACE_MS);
      verify();
    }
  } catch (error) {
    await close();
    throw error;
  }
  scheduleBeat();
  return {
    id,
    tookOver,
    verify,
    beat,
    onBeat: (next) => callback = next,
    announce(url) {
      content = { ...content, url };
      return beat();
    },
    close,
  };
}

/** Returns who owns a folder now; `undefined` if no living process does. */
export async function findOwner(
  disk: Disk,
  directory: string,
  options: WatchOptions,
): Promise<LockOwner | undefined> {
  const found = await watch(disk, `${directory}/${LOCK_NAME}`, options);
  const owner = found?.isAlive ? parseContent(found.text) : undefined;
  if (owner === undefined) return undefined;
  const { pid, host, since, url } = owner;
  return { pid, host, since, url };
}

/** Watches a lock until it shows whether its owner lives; `undefined` if there is none. */
async function watch(
  disk: Disk,
  path: string,
  { timers, host, isGone = isProcessGone }: WatchOptions,
): Promise<{ readonly text: string; readonly isAlive: boolean } | undefined> {
  const first = disk.readNow(path);
  if (first === undefined) return undefined;
  const owner = parseContent(first);
  if (owner && owner.host !== null && owner.host === host && isGone(owner.pid)) {
    return { text: first, isAlive: false };
  }
  // In polls, not by the clock: where this process is paused, the owner may be paused with it, and
  // needs time afterwards.
  const timeoutMs = MISSED_HEARTBEATS * (owner?.heartbeatMs ?? HEARTBEAT_MS);
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += POLL_MS) {
    await timers.wait(POLL_MS);
    const text = disk.readNow(path);
    if (text === undefined) return undefined;
    if (text !== first) return { text, isAlive: true };
  }
  return { text: first, isAlive: false };
}

function parseContent(text: string): LockContent | undefined {
  try {
    const content = JSON.parse(text);
    return typeof content?.id === "string" ? content : undefined;
  } catch {
    return undefined;
  }
}

function isProcessGone(pid: number): boolean {
  try {
    // Signal 0 would take a permission of Deno's that allows far more.
    getPriority(pid);
    return false;
  } catch (error) {
    return hasCode((error as { readonly info?: unknown }).info, "ESRCH");
  }
}
