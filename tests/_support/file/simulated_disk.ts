import type { Disk, DiskFile, FileStamp, OpenMode } from "../../../adapters/_file/disk.ts";

/** Options of {@linkcode createSimulatedDisk}. */
export interface SimulatedDiskOptions {
  /**
   * Is called before each call of the disk, with text like `sync /data/lock` (the path at which the
   * file was opened). The call fails if this returns `true` or rejects.
   */
  readonly fails?: (call: string) => boolean | Promise<boolean | void>;
  /** The most bytes that one write at the end of a file takes. */
  readonly writeMaxBytes?: number;
}

/** A disk in memory that knows which of its bytes are durable and which are only written. */
export interface SimulatedDisk extends Disk {
  /** How many calls were made. */
  readonly calls: number;
  /** How many files are open. */
  readonly openFiles: number;
  /** Files as they are now, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /**
   * Blocks a call, counted from 1, and all later ones for ever. Resolves when that call is made.
   */
  stopAt(call: number): Promise<void>;
  /** Yields every disk that a power cut could leave at this moment. */
  images(): Iterable<SimulatedDisk>;
}

interface Inode {
  readonly id: number;
  content: Uint8Array;
  /** The number of bytes that survive any power cut. */
  durableBytes: number;
  /** Whether a sync has failed. Nobody can know then whether its bytes are durable. */
  isUnsure: boolean;
}

/** The parts of the unsynced bytes that a power cut may keep, as fractions. */
const KEPT = [[0, 0], [0, 1], [0, 0.5], [0.5, 1]] as const;

/** Creates a disk, empty or with files whose content is durable. */
export function createSimulatedDisk(
  { fails = () => false, writeMaxBytes }: SimulatedDiskOptions = {},
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): SimulatedDisk {
  const names = new Map<string, Inode>();
  let [inodes, calls, openFiles, stopAt] = [0, 0, 0, Infinity];
  let stop = () => {};
  for (const [path, content] of files) names.set(path, createInode(content));
  let durableNames = new Map(names);
  // The renames since the last sync of the folder.
  let renamings: ((names: Map<string, Inode>) => void)[] = [];

  function createInode(content: Uint8Array = new Uint8Array()): Inode {
    return { id: ++inodes, content, durableBytes: content.length, isUnsure: false };
  }

  function begin(name: string): ReturnType<typeof fails> {
    if (++calls >= stopAt) stop();
    return fails(name);
  }

  async function call<T>(name: string, run: () => T, onFailure = () => {}): Promise<T> {
    // As on a real disk, a call does nothing in the turn that makes it.
    const isFailing = await begin(name);
    if (calls >= stopAt) return await new Promise<T>(() => {});
    if (!isFailing) return run();
    onFailure();
    throw createError("EIO", "simulated failure");
  }

  function changeNames(change: (names: Map<string, Inode>) => void): void {
    change(names);
    renamings.push(change);
  }

  function syncNames(): void {
    durableNames = new Map(names);
    renamings = [];
  }

  function find(path: string): Inode {
    const inode = names.get(path);
    if (inode === undefined) throw createError("ENOENT", path);
    return inode;
  }

  function remove(path: string): void {
    find(path);
    changeNames((names) => names.delete(path));
  }

  function openAs<F extends object>(file: F): F & Pick<DiskFile, "close"> {
    openFiles++;
    const close = () => void openFiles--;
    return { ...file, close: () => call("close", close, close) };
  }

  function openFile(path: string, inode: Inode, mode: OpenMode): DiskFile {
    function write(bytes: Uint8Array): void {
      const position = mode === "append" ? inode.content.length : 0;
      const length = Math.max(inode.content.length, position + bytes.length);
      const content = new Uint8Array(length);
      content.set(inode.content);
      content.set(bytes, position);
      inode.content = content;
    }
    return openAs<Omit<DiskFile, "close">>({
      read: (into, position) =>
        call("read", () => {
          const bytes = inode.content.subarray(position, position + into.length);
          into.set(bytes);
          return bytes.length;
        }),
      write(bytes) {
        // The bytes are copied because the caller may reuse the buffer.
        const taken = new Uint8Array(bytes)
          .slice(0, mode === "append" ? writeMaxBytes : undefined);
        return call(`write ${path}`, () => {
          write(taken);
          return taken.length;
        }, () => write(taken.subarray(0, taken.length >> 1)));
      },
      sync: () =>
        call(`sync ${path}`, () => {
          if (!inode.isUnsure) inode.durableBytes = inode.content.length;
        }, () => inode.isUnsure = true),
      statNow: () => stampOf(inode),
    });
  }

  return {
    get calls() {
      return calls;
    },
    get openFiles() {
      return openFiles;
    },
    get files() {
      return new Map([...names].map(([path, { content }]) => [path, content]));
    },
    stopAt(call) {
      stopAt = call;
      return new Promise((resolve) => stop = resolve);
    },
    makeDirectory: () => call("make", () => {}),
    list: (path) =>
      call("list", () => [...names.keys()].map((name) => name.slice(path.length + 1))),
    open: (path, mode) =>
      call(`open ${path}`, () => {
        if (mode === "update") return openFile(path, find(path), mode);
        if (names.has(path)) throw createError("EEXIST", path);
        const inode = createInode();
        changeNames((names) => names.set(path, inode));
        return openFile(path, inode, mode);
      }),
    openDirectory: (path) =>
      call("open", () => openAs({ sync: () => call(`sync ${path}`, syncNames) })),
    rename: (from, to) =>
      call(`rename ${from} to ${to}`, () => {
        const inode = find(from);
        changeNames((names) => names.set(to, inode).delete(from));
      }),
    remove: (path) => call(`remove ${path}`, () => remove(path)),
    readNow: (path) => names.has(path) ? new TextDecoder().decode(find(path).content) : undefined,
    statNow: (path) => names.has(path) ? stampOf(find(path)) : undefined,
    removeNow(path) {
      if (begin(`remove ${path}`) === true || calls >= stopAt) {
        throw createError("EIO", "simulated");
      }
      remove(path);
    },
    *images() {
      const seen = new Set<string>();
      // Every subset is possible, because a file system may reorder renames.
      for (let set = 0; set < 1 << renamings.length; set++) {
        const left = new Map(durableNames);
        renamings.forEach((change, i) => set & 1 << i && change(left));
        for (const even of KEPT) {
          for (const odd of KEPT) {
            const kept = [...left].map(([path, inode]) =>
              [path, survive(inode, inode.id % 2 ? odd : even)] as const
            );
            const text = kept.map(([path, bytes]) => path + new TextDecoder().decode(bytes)).join();
            if (!seen.has(text)) yield createSimulatedDisk({}, new Map(kept));
            seen.add(text);
          }
        }
      }
    },
  };
}

/**
 * Returns the bytes of a file that survive a power cut. Zeros fill the gap if only its end is kept.
 */
function survive({ content, durableBytes }: Inode, [from, to]: typeof KEPT[number]): Uint8Array {
  const pending = content.length - durableBytes;
  return content.slice(0, durableBytes + Math.floor(to * pending))
    .fill(0, durableBytes, durableBytes + Math.floor(from * pending));
}

function stampOf({ id, content }: Inode): FileStamp {
  return { id: `${id}`, bytes: content.length };
}

function createError(code: string, detail: string): Error {
  return Object.assign(new Error(`${code}: ${detail}`), { code });
}
