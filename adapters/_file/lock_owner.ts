import type { Timers } from "./timers.ts";
import type { Disk } from "./disk.ts";
import type { Sockets } from "./sockets.ts";

/** The interval at which an owner rewrites the lock and checks its files for foreign changes. */
export const HEARTBEAT_MS = 250;
/** The time between two looks at the lock, in milliseconds. */
export const POLL_MS = 20;

// If the kernel can't tell, an owner counts as dead after 40 missed heartbeats.
const TIMEOUT_MS = 40 * HEARTBEAT_MS;

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

/** The content of a lock file. */
export interface LockContent extends LockOwner {
  readonly id: string;
}

/** The tools for watching a lock. */
export interface WatchOptions {
  readonly timers: Timers;
  readonly sockets: Sockets;
  /** The name of this machine; `null` if it is not known. */
  readonly host: string | null;
}

/** Returns the process that owns a folder now; `undefined` if none is alive. */
export async function findOwner(
  disk: Disk,
  directory: string,
  options: WatchOptions,
): Promise<LockOwner | undefined> {
  const found = await watchOwner(disk, directory, options);
  const owner = found?.isAlive ? parseContent(found.text) : undefined;
  if (owner === undefined) return undefined;
  const { pid, host, since, url } = owner;
  return { pid, host, since, url };
}

/** Finds out whether the owner of a lock is alive; `undefined` if there is no lock. */
export async function watchOwner(
  disk: Disk,
  directory: string,
  { timers, sockets, host }: WatchOptions,
): Promise<{ readonly text: string; readonly isAlive: boolean } | undefined> {
  const path = lockPath(directory);
  const first = disk.readNow(path);
  if (first === undefined) return undefined;
  const owner = parseContent(first);
  const found = owner && await sockets.find(directory, socketName(owner.id));
  if (found === "listening") return { text: first, isAlive: true };
  const isOurs = owner && owner.host !== null && owner.host === host;
  if (found === "silent" && (isOurs || sockets.isLocal(directory))) {
    return { text: first, isAlive: false };
  }
  // Counts polls and not time: if the machine pauses both processes, the owner needs time
  // afterwards.
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS; waitedMs += POLL_MS) {
    await timers.wait(POLL_MS);
    const text = disk.readNow(path);
    if (text === undefined) return undefined;
    if (text !== first) return { text, isAlive: true };
  }
  return { text: first, isAlive: false };
}

/** Returns the path of the lock of a folder. */
export function lockPath(directory: string): string {
  return `${directory}/lock`;
}

/** Returns the name of the socket on which an owner listens. */
export function socketName(id: string): string {
  return `lock-${id}.sock`;
}

/** Parses the content of a lock; `undefined` if it is invalid or not written yet. */
export function parseContent(text: string): LockContent | undefined {
  try {
    const content = JSON.parse(text);
    return typeof content?.id === "string" ? content : undefined;
  } catch {
    return undefined;
  }
}
