import process from "node:process";
import { randomText } from "../../model/random.ts";
import type { Clock } from "./clock.ts";
import { type Disk, type DiskFile, hasCode, ifPresent, ignore } from "./disk.ts";
import { describeHolder, formatBeat, type Holder, parseHolder } from "./holder.ts";
import { StorageError } from "../storage.ts";

/** The name of the lock file. */
export const LOCK_NAME = "lock";
/** How often a holder shows that it lives, unless told otherwise. */
export const HEARTBEAT_MS = 250;

// So many heartbeats must be missing in a row before a holder is taken for dead.
const MISSED_HEARTBEATS = 5;
// A holder that reads a large folder on a busy machine can't keep up its heartbeat.
const OPENING_PATIENCE = 4;
// How often a lock may be gone again when it is looked at.
const MAX_VANISHED = 100;
const POLL_MS = 20;
// Longer than a challenger takes between its last look at the lock and its rename.
const SETTLING_MS = 100;

/** The right to write in a folder. */
export interface Lock {
  /** A text that no other holder of a lock has ever had. */
  readonly holder: string;
  /** Whether the lock was taken from a holder that showed no more life. */
  readonly tookOver: boolean;
  /** Why the lock was found lost, for good: another process took it over, or its file is gone. */
  readonly loss: StorageError | undefined;
  /** Why the last five heartbeats could not be written, as where a disk takes no writes. */
  readonly silence: unknown;
  /** Throws the loss, with the code `locked`, where there is one. */
  verify(): void;
  /** Must be called once the folder is open: until then challengers are to be more patient. */
  settle(): Promise<void>;
  /** Stops the heartbeat and gives the lock back, or returns why it was lost before. */
  release(): Promise<StorageError | undefined>;
}

/** Options of {@linkcode acquireLock}. */
export interface LockOptions {
  readonly clock: Clock;
  /** The name of this machine, for the message that a second process gets. */
  readonly host: string | null;
  readonly heartbeatMs: number;
  /** Called once when the lock is found lost, no later than by the next heartbeat. */
  readonly onLost: (loss: StorageError) => void;
}

/**
 * Takes the lock of a folder: a file that its holder rewrites with each heartbeat. A lock
 * whose content does not change, while a challenger looks at it often enough, has a
 * dead holder and is taken over; process ids, which repeat, and clocks of others play no part.
 *
 * A holder that was only paused is shut out from both sides: it verifies the lock before each
 * heartbeat, after each sync, before each rename and before it says that there is nothing to
 * change; and its successor removes its temporary files and moves on to a journal file of its own
 * before it reads or writes anything.
 *
 * Rejects with `locked` where the holder is alive.
 */
export async function acquireLock(
  disk: Disk,
  directory: string,
  options: LockOptions,
): Promise<Lock> {
  const { clock, host, heartbeatMs } = options;
  const path = `${directory}/${LOCK_NAME}`;
  const self: Holder = {
    holder: randomText(16),
    pid: process.pid,
    host,
    since: clock.now(),
    heartbeatMs: OPENING_PATIENCE * heartbeatMs,
  };
  let watched: string | undefined;
  // Counted by looks, as the clock goes on while this process is paused, and the holder maybe with
  // it, which then needs time to show life again.
  let watchedMs = 0;
  let vanished = 0;

  while (true) {
    const file = await disk.open(path, "create").catch(ignore("EEXIST"));
    if (file !== undefined) return await hold(file, false);
    const seen = ifPresent(() => disk.readNow(path));
    if (seen === undefined) {
      // Others may remove it in between, but not as often.
      if (++vanished === MAX_VANISHED) throw locked("its lock can be neither made nor read");
      continue;
    }
    if (seen !== watched) {
      if (watched) throw locked(describeHolder(seen));
      watched = seen;
      watchedMs = 0;
    }
    const patienceMs = MISSED_HEARTBEATS * (parseHolder(seen)?.heartbeatMs ?? HEARTBEAT_MS);
    if (watchedMs >= patienceMs) {
      const file = await takeOver(seen);
      if (file !== undefined) return await hold(file, true);
    }
    await clock.wait(POLL_MS);
    watchedMs += POLL_MS;
  }

  async function takeOver(seen: string): Promise<DiskFile | undefined> {
    const mine = `${path}.${self.holder}.tmp`;
    const file = await disk.open(mine, "create");
    try {
      await beat(file, formatBeat(self, 0));
      // One that was faster may have removed what others had made ready.
      const moved = ifPresent(() => disk.readNow(path)) === seen &&
        await disk.rename(mine, path).then(() => true, ignore("ENOENT"));
      if (!moved) await disk.remove(mine).catch(() => {});
      // Of several that took over at once, the last one keeps the lock.
      await clock.wait(SETTLING_MS);
      if (moved) {
        const seen = ifPresent(() => disk.readNow(path));
        if (!isOurs(seen)) throw locked(describeHolder(seen));
        return file;
      }
    } catch (error) {
      await file.close();
      await disk.remove(mine).catch(() => {});
      throw error;
    }
    await file.close();
  }

  async function hold(file: DiskFile, tookOver: boolean): Promise<Lock> {
    let beats = 0;
    let beating = Promise.resolve();
    let released = false;
    let loss: StorageError | undefined;
    let missedLooks = 0;
    let missedBeats = 0;
    let silence: unknown;
    let own: string | undefined;
    let stop = () => {};

    try {
      own = file.identifyNow();
      await beatAgain();
    } catch (error) {
      await file.close().catch(() => {});
      await disk.remove(path).catch(() => {});
      throw error;
    }
    function verify(): void {
      const found = loss ?? look();
      if (found !== undefined) throw lose(found);
    }
    function lose(error: StorageError): StorageError {
      if (loss === undefined) {
        loss = error;
        options.onLost(error);
      }
      return loss;
    }
    // No file is opened where all is well, as a process that has too many open could not do that. The
    // lock stays open, so that no other file can be taken for it, such as a copy in a folder that has
    // taken the place of ours.
    function look(): StorageError | undefined {
      const present = ifPresent(() => disk.identifyNow(path));
      if (present !== undefined && present === own) return undefined;
      const seen = ifPresent(() => disk.readNow(path));
      if (!isOurs(seen)) return locked(describeHolder(seen));
      if (present !== undefined && own !== undefined) return locked("a copy has taken its place");
    }
    function beatAgain(): Promise<void> {
      return beat(file, formatBeat(self, beats++));
    }
    function scheduleBeat(): void {
      stop = clock.schedule(heartbeatMs, () => {
        // A look or a heartbeat that fails is made up for by the next.
        try {
          verify();
          missedLooks = 0;
        } catch (error) {
          // What may not be looked at for so long is another's.
          const isDenied = hasCode(error, "EACCES") || hasCode(error, "ENOTDIR");
          if (isDenied && ++missedLooks === MISSED_HEARTBEATS) {
            lose(locked("its lock may not be looked at any more"));
          }
          if (loss !== undefined) return;
        }
        beating = beatAgain().then(() => {
          missedBeats = 0;
          silence = undefined;
        }, (error) => {
          if (++missedBeats >= MISSED_HEARTBEATS) silence = error;
        }).then(() => {
          if (!released) scheduleBeat();
        });
      });
    }
    scheduleBeat();

    return {
      holder: self.holder,
      tookOver,
      get loss() {
        return loss;
      },
      get silence() {
        return silence;
      },
      verify,
      async settle() {
        self.heartbeatMs = heartbeatMs;
        await beating;
        await beatAgain().catch(() => {});
      },
      async release() {
        let found = loss;
        try {
          found ??= look();
          // In the same turn: after a pause in between it would be our successor's.
          if (found === undefined) disk.removeNow(path);
        } catch {
          // It is taken over in time.
        }
        released = true;
        stop();
        await beating;
        await file.close().catch(() => {});
        return found;
      },
    };
  }

  function isOurs(text: string | undefined): boolean {
    return parseHolder(text)?.holder === self.holder;
  }

  function locked(reason: string): StorageError {
    return new StorageError("locked", `Cannot use the data folder "${directory}": ${reason}`);
  }
}

/** Returns what tells the present holder of a folder from any other; `undefined` if there is none. */
export function holderOf(disk: Disk, directory: string): string | undefined {
  return parseHolder(ifPresent(() => disk.readNow(`${directory}/${LOCK_NAME}`)))?.holder;
}

async function beat(file: DiskFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (await file.write(bytes, 0) !== bytes.length) throw new Error("short write of the lock");
}
