import * as fs from "node:fs";
import process from "node:process";

/**
 * The few operations of a disk that file storage needs, each of which may fail with the platform's
 * error. Those named `…Now` take no turn of the event loop. Tests put a simulated disk in its
 * place.
 */
export interface Disk {
  /** Creates a directory that only its owner can use, and its parents, where missing. */
  makeDirectory(path: string): Promise<void>;
  /** Returns the names in a directory. */
  list(path: string): Promise<readonly string[]>;
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Opens a directory, whose `sync` makes the names in it durable. */
  openDirectory(path: string): Promise<Pick<DiskFile, "sync" | "close">>;
  /** Renames a file, and replaces a file with the new name in the same step. */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Returns the text of a small file; `undefined` if there is none. */
  readNow(path: string): string | undefined;
  /** Returns the identity and state of a file; `undefined` if it does not exist. */
  statNow(path: string): FileStamp | undefined;
  removeNow(path: string): void;
}

/**
 * The mode of opening. `create` and `append` make a new file and fail with `EEXIST` if it exists;
 * `append` always writes at the end. `update` and `read` open an existing file. Only the owner can
 * use a new file; files that root creates belong to the owner of the directory.
 */
export type OpenMode = "create" | "append" | "update" | "read";

/** The identity and length of a file, which show whether it was replaced or changed. */
export interface FileStamp {
  /** Device and inode, which no other existing file has. */
  readonly id: string;
  /** Its length. */
  readonly bytes: number;
}

/** An open file. */
export interface DiskFile {
  /** Reads into a buffer from a position, and returns how many bytes; 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes bytes, at the start of the file or where it appends, and returns how many it took. */
  write(bytes: Uint8Array): Promise<number>;
  /** Makes all written bytes durable. */
  sync(): Promise<void>;
  statNow(): FileStamp;
  close(): Promise<void>;
}

const FLAGS: Readonly<Record<OpenMode, string>> = {
  create: "wx+",
  append: "ax",
  update: "r+",
  read: "r",
};

/** Tells whether an error has the platform's code, like `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === "object" && error !== null && "code" in error && error.code === code;
}

/** Returns a handler of rejections that ignores errors with a code and throws all others. */
export function ignore(code: string): (error: unknown) => undefined {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

/** Writes all of some bytes, in as many steps as the disk takes. */
export async function writeFully(file: DiskFile, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const written = await file.write(bytes.subarray(done));
    if (written <= 0) throw new Error("the disk took no bytes");
    done += written;
  }
}

/** Creates the disk of this machine, on `node:fs`. */
export function createDisk(): Disk {
  return {
    async makeDirectory(path) {
      // The first attempt leaves the parents alone, because Deno asks for permission to read them.
      try {
        await fs.promises.mkdir(path, { mode: 0o700 });
      } catch (error) {
        if (hasCode(error, "EEXIST")) return;
        await fs.promises.mkdir(path, { mode: 0o700, recursive: true });
      }
    },
    list: (path) => fs.promises.readdir(path),
    async open(path, mode) {
      if (mode === "update") requireFile(path);
      const fd = await complete<number>((done) => fs.open(path, FLAGS[mode], 0o600, done));
      return createDiskFile(fd, mode === "append" ? null : 0);
    },
    async openDirectory(path) {
      // Windows can't open a directory, and NTFS makes names durable by itself.
      if (process.platform === "win32") return { async sync() {}, async close() {} };
      const fd = await complete<number>((done) => fs.open(path, "r", done));
      return {
        sync: () => complete((done) => fs.fsync(fd, done)),
        close: () => complete((done) => fs.close(fd, done)),
      };
    },
    rename: (from, to) => fs.promises.rename(from, to),
    remove: (path) => fs.promises.unlink(path),
    readNow(path) {
      try {
        requireFile(path);
        return fs.readFileSync(path, "utf8");
      } catch (error) {
        return ignore("ENOENT")(error);
      }
    },
    statNow(path) {
      const stats = fs.statSync(path, { throwIfNoEntry: false });
      return stats && stampOf(stats);
    },
    removeNow: (path) => fs.unlinkSync(path),
  };
}

/** Throws unless the path is a regular file, because reading a pipe may wait for ever. */
function requireFile(path: string): void {
  if (!fs.statSync(path).isFile()) throw new Error(`${path} is not a file`);
}

function createDiskFile(fd: number, writePosition: number | null): DiskFile {
  return {
    read: (into, position) => complete((done) => fs.read(fd, into, 0, into.length, position, done)),
    write: (bytes) => complete((done) => fs.write(fd, bytes, 0, bytes.length, writePosition, done)),
    sync: () => complete((done) => fs.fdatasync(fd, done)),
    statNow: () => stampOf(fs.fstatSync(fd)),
    close: () => complete((done) => fs.close(fd, done)),
  };
}

function stampOf({ dev, ino, size }: fs.Stats): FileStamp {
  return { id: `${dev}:${ino}`, bytes: size };
}

/** Returns a promise for a call that passes its error or result to a callback. */
function complete<T = void>(
  call: (done: (error: Error | null, result?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => error ? reject(error) : resolve(result as T));
  });
}
