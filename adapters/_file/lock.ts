import { Buffer } from "node:buffer";
import process from "node:process";
import { randomText } from "../../model/crypto/random.ts";
import { StorageError } from "../storage.ts";
import { type Disk, type DiskFile, ignore } from "./disk.ts";
import {
  HEARTBEAT_MS,
  type LockContent,
  lockPath,
  parseContent,
  POLL_MS,
  socketName,
  type WatchOptions,
  watchOwner,
} from "./lock_owner.ts";

const SOCKET = /^lock-(\w+)\.sock$/;
const ANY_SOCKET = /^lock-\w+\.sock(?:\.tmp)?$/;
// The number of times that a lock may vanish while it is watched.
const MAX_TRIES = 100;
// The length is fixed, so that each heartbeat overwrites the one before it.
const LOCK_BYTES = 1_024;

/** The right to write in a folder. */
export interface Lock {
  /** A random text that no other owner has. */
  readonly id: string;
  /** Whether the owner before this one had died without removing the lock. */
  readonly tookOver: boolean;
  /** Throws if another process owns the lock, or if it is gone. */
  verify(): void;
  /**
   * Rewrites the lock file, which shows that this process is alive and that the disk takes writes.
   */
  beat(): Promise<void>;
  /** Registers a function that is called at each heartbeat. */
  onBeat(callback: () => void): void;
  /** Writes the URL of the server into the lock. */
  announce(url: string): Promise<void>;
  /** Stops the heartbeat, and removes the lock if it is still this process's. */
  close(): Promise<void>;
}

/**
 * Acquires the lock of a folder: a file that names its owner, and a socket on which the owner
 * listens while it is alive. Rejects with `locked` if the owner is alive, or if another process on
 * this machine is about to acquire the lock. Each process listens before it looks for others, so
 * that of two processes at least one sees the other.
 *
 * Where the kernel can't tell, as on a file system that other machines share, the owner counts as
 * dead when its heartbeats stop. An owner that was only paused does no harm: it verifies the lock
 * before it acknowledges a change or publishes a file, and its successor first removes its
 * temporary files and starts a journal file of its own.
 */
export async function acquireLock(
  disk: Disk,
  directory: string,
  options: WatchOptions,
): Promise<Lock> {
  const { timers, sockets, host } = options;
  const path = lockPath(directory);
  const since = new Date(timers.now()).toISOString();
  const id = randomText(16);
  let content: LockContent = { id, pid: process.pid, host, since, url: null };
  let tookOver = false;
  let file: DiskFile | undefined;
  let inode: string | undefined;
  let writing = Promise.resolve();
  let cancel = () => {};
  let callback = () => {};
  let isClosed = false;

  /** Waits until no other process of this machine is about to acquire the lock. */
  async function waitForTurn(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const others = await listListening();
      if (others.length === 0) return;
      const text = disk.readNow(path);
      const owner = parseContent(text ?? "");
      // If several processes start at the same time, the one with the lowest id continues.
      const isOwned = others.some((other) => other === owner?.id);
      if (isOwned || others.some((other) => other < id)) throw locked(isOwned ? text : "");
      await timers.wait(POLL_MS);
    }
    throw locked("");
  }

  /** Lists the ids of the other processes that own the lock or are about to acquire it. */
  async function listListening(): Promise<readonly string[]> {
    const others: string[] = [];
    for (const name of await disk.list(directory)) {
      const other = SOCKET.exec(name)?.[1];
      if (other === undefined || other === id) continue;
      if (await sockets.find(directory, name) === "listening") others.push(other);
    }
    return others;
  }

  /** Removes the sockets of processes that were killed, those under temporary names included. */
  async function removeSilent(): Promise<void> {
    for (const name of await disk.list(directory)) {
      if (!ANY_SOCKET.test(name) || await sockets.find(directory, name) !== "silent") continue;
      await disk.remove(`${directory}/${name}`).catch(ignore("ENOENT"));
    }
  }

  async function create(): Promise<DiskFile> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const file = await disk.open(path, "create").catch(ignore("EEXIST"));
      if (file !== undefined) return file;
      const found = await watchOwner(disk, directory, options);
      if (found === undefined) continue;
      if (found.isAlive) throw locked(found.text);
      // Synchronous, as another process could acquire the lock during a turn of the event loop.
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

  async function write(): Promise<void> {
    const bytes = Buffer.alloc(LOCK_BYTES, " ");
    bytes.write(JSON.stringify({ ...content, beat: randomText(8) }));
    bytes.write("\n", LOCK_BYTES - 1);
    if (await file?.write(bytes) !== LOCK_BYTES) throw new Error("short write of the lock");
  }

  // Writes wait for each other, as all of them start at the same offset.
  function beat(): Promise<void> {
    return writing = writing.catch(() => {}).then(write);
  }

  function scheduleBeat(): void {
    cancel = timers.schedule(HEARTBEAT_MS, async () => {
      callback();
      // A failed heartbeat does no harm if the next one succeeds.
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
      // Synchronous, as a successor could own the lock after a turn of the event loop.
      if (inode !== undefined && disk.statNow(path)?.id === inode) disk.removeNow(path);
    } catch {
      // The next process treats a lock that is left as the lock of a dead owner.
    }
    await writing.catch(() => {});
    await file?.close().catch(() => {});
    await socket?.close();
  }

  const socket = await sockets.listen(directory, socketName(id));
  try {
    if (socket !== undefined) await waitForTurn();
    file = await create();
    inode = file.statNow().id;
    await beat();
    await removeSilent();
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
