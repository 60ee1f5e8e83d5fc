import * as fs from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

/**
 * The few calls that the file adapter makes on a disk, each of which may fail with the
 * platform's error. Tests put a simulated disk in their place.
 */
export interface Disk {
  /** Creates a directory that only its owner can use, and its parents, where missing. */
  makeDirectory(path: string): Promise<void>;
  /** Returns the names in a directory. */
  list(path: string): Promise<readonly string[]>;
  /** Opens a file for positional reads and writes. */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Moves a file, in one step, over what had the name before. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file. */
  remove(path: string): Promise<void>;
  /** Opens a directory. */
  openDirectory(path: string): Promise<DiskDirectory>;
  /** Returns the text of a small file at once, with no turn of the event loop. */
  readNow(path: string): string;
  /**
   * Returns what tells the file of a name from any other that exists, at once and without opening
   * it; `undefined` where the platform has nothing of the kind.
   */
  identifyNow(path: string): string | undefined;
  /** Removes a file at once. */
  removeNow(path: string): void;
}

/**
 * How to open: `create` a new file and fail with `EEXIST` where there is one, `update` an
 * existing file, or only `read` it. New files can be used by their owner alone; those that root
 * creates belong to the owner of the directory.
 */
export type OpenMode = "create" | "update" | "read";

/** An open directory: a process that has too many files open can't open it when that is due. */
export interface DiskDirectory {
  /** Makes the names in it durable. */
  sync(): Promise<void>;
  /** Lets go of it. */
  close(): Promise<void>;
}

/** An open file. */
export interface DiskFile {
  /** Reads into a buffer from a position, and returns how many bytes; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes bytes at a position, and returns how many: possibly fewer than there are. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Cuts off what follows so many bytes. */
  truncate(length: number): Promise<void>;
  /** Makes the content durable (`fdatasync`). */
  sync(): Promise<void>;
  /** What `Disk.identifyNow` would return for the path of this very file. */
  identifyNow(): string | undefined;
  /** Lets go of the file. */
  close(): Promise<void>;
}

const FLAGS: Readonly<Record<OpenMode, string>> = {
  create: "wx+",
  update: "r+",
  read: "r",
};

/** Tells whether an error is the platform's of this code, like `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  // Not by its class: where tests run in a context of their own, errors of the platform have another.
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}

/** Makes the handler of a rejection that passes over an error of this code, and throws any other. */
export function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

/** Returns what a look at a path shows; `undefined` where nothing is there. */
export function ifPresent<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    return ignore("ENOENT")(error);
  }
}

/** Creates the disk of this machine, by way of `node:fs`. */
export function createDisk(): Disk {
  return {
    // Its name is not made durable, for which Deno would ask for the parent, too. The file systems in
    // use do that with what is in it.
    async makeDirectory(path) {
      const mode = 0o700;
      // Deno 2.7 and later, asked for the parents too, looks at one that it may not read, and would ask
      // for that on a terminal.
      try {
        await fs.promises.mkdir(path, { mode });
      } catch (error) {
        // What is there is opened next, which tells what is wrong with it.
        if (!hasCode(error, "EEXIST")) await fs.promises.mkdir(path, { mode, recursive: true });
      }
    },
    list: (path) => fs.promises.readdir(path),
    async open(path, mode) {
      const fd = await complete<number>((done) => fs.open(path, FLAGS[mode], 0o600, done));
      if (mode === "create") await giveToOwner(fd, dirname(path));
      return createDiskFile(fd, mode);
    },
    rename: (from, to) => fs.promises.rename(from, to),
    remove: (path) => fs.promises.unlink(path),
    async openDirectory(path) {
      // Windows can't, and NTFS has no need of it.
      if (process.platform === "win32") return { async sync() {}, async close() {} };
      const fd = await complete<number>((done) => fs.open(path, "r", done));
      return {
        sync: () => complete((done) => fs.fsync(fd, done)),
        close: () => complete((done) => fs.close(fd, done)),
      };
    },
    readNow: (path) => fs.readFileSync(path, "utf8"),
    identifyNow: (path) => identify(fs.statSync(path, { bigint: true })),
    removeNow: (path) => fs.unlinkSync(path),
  };
}

/**
 * Gives a new file of root's to the owner of its directory: a service that runs as that user
 * could not use it otherwise. Only what was just created may be given away; by a link that the
 * owner has put there, it would be a file of somebody else.
 */
async function giveToOwner(fd: number, directory: string): Promise<void> {
  try {
    // Deno would ask for a permission to tell whether the process is root's.
    if ((await complete<fs.Stats>((done) => fs.fstat(fd, done))).uid !== 0) return;
    const { uid, gid } = await complete<fs.Stats>((done) => fs.stat(directory, done));
    if (uid !== 0) await complete((done) => fs.fchown(fd, uid, gid, done));
  } catch {
    // Root that may not do this, as in some containers, can use the file all the same.
  }
}

function createDiskFile(fd: number, mode: OpenMode): DiskFile {
  return {
    read: (into, position) => complete((done) => fs.read(fd, into, 0, into.length, position, done)),
    write: (bytes, position) =>
      complete((done) => fs.write(fd, bytes, 0, bytes.length, position, done)),
    truncate: (length) => complete((done) => fs.ftruncate(fd, length, done)),
    async sync() {
      // Windows can't sync what it may only read.
      if (mode === "read" && process.platform === "win32") return;
      await complete((done) => fs.fdatasync(fd, done));
    },
    identifyNow: () => identify(fs.fstatSync(fd, { bigint: true })),
    close: () => complete((done) => fs.close(fd, done)),
  };
}

function identify({ dev, ino }: fs.BigIntStats): string | undefined {
  return ino > 0n ? `${dev}:${ino}` : undefined;
}

/** Makes a promise of a call that tells its error, or its result, to a function. */
function complete<T = void>(
  call: (done: (error: Error | null, result?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => error ? reject(error) : resolve(result as T));
  });
}
