import type { Disk, DiskFile, FileStamp, OpenMode } from "../../adapters/_file/disk.ts";

/** Options of {@linkcode createSimulatedDisk}. */
export interface SimulatedDiskOptions {
  /** Which call, counted from 1, does not get done. */
  readonly faultAt?: number;
  /** Whether that call rejects, or it and all later ones never come back. */
  readonly fault?: "fail" | "stop";
  /** Tells whether a call, like `sync /data/lock`, rejects. */
  readonly fails?: (call: string) => boolean;
  /** The most bytes that one write at the end of a file takes. */
  readonly writeMaxBytes?: number;
}

/** A disk in memory that keeps apart what is durable from what is only written. */
export interface SimulatedDisk extends Disk {
  /** How many calls were made. */
  readonly calls: number;
  /** How many files are open. */
  readonly openFiles: number;
  /** Resolves when the disk has stopped. */
  readonly stopped: Promise<void>;
  /** Files as they are now, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The same disk for a process that starts after this one was killed; `faultAt` as in options. */
  restart(faultAt: number): SimulatedDisk;
  /** Disks as a power cut now could leave them: each prefix, and each subset if there are few. */
  images(): Iterable<SimulatedDisk>;
}

interface Inode {
  readonly id: number;
  content: Uint8Array;
}

/** What is durable: the contents by inode, and the inodes by name. */
interface DiskImage {
  readonly contents: Map<number, Uint8Array>;
  readonly names: Map<string, number>;
}

/** Something that a power cut keeps or loses, unless this inode is synced before. */
interface Pending {
  readonly inode: number;
  apply(image: DiskImage): void;
}

const NAMES = -1;
const LOST_SYNC = -2;
const SUBSET_MAX_COUNT = 6;

/** Creates a disk, empty or with files whose content is durable. */
export function createSimulatedDisk(
  options: SimulatedDiskOptions = {},
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): SimulatedDisk {
  const names = new Map<string, Inode>();
  const durable: DiskImage = { contents: new Map(), names: new Map() };
  let pending: readonly Pending[] = [];
  let lastInode = 0;
  for (const [path, content] of files) {
    const id = ++lastInode;
    names.set(path, { id, content });
    durable.contents.set(id, content);
    durable.names.set(path, id);
  }
  return mount(options.faultAt);

  /** Returns the disk as one process has it. */
  function mount(faultAt = Infinity): SimulatedDisk {
    let calls = 0;
    let openFiles = 0;
    let isStopped = false;
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();

    function fails(name: string): boolean {
      calls++;
      const isRefused = options.fails?.(name) ?? false;
      isStopped ||= options.fault === "stop" && calls >= faultAt;
      if (isStopped) stop();
      return isRefused || (options.fault === "fail" && calls === faultAt);
    }

    async function call<T>(name: string, run: () => T, onFailure = () => {}): Promise<T> {
      const isFailing = fails(name);
      // As on a real disk, nothing is done in the turn in which it is asked for.
      await Promise.resolve();
      if (isStopped) return await new Promise<T>(() => {});
      if (!isFailing) return run();
      onFailure();
      throw createError("EIO", "simulated failure");
    }

    function createFile(inode: Inode, mode: OpenMode): DiskFile {
      const isAppended = mode === "append";
      openFiles++;
      const close = () => void openFiles--;
      // What a failed sync was to write may be there or not, whatever later syncs say.
      const loseSync = () => {
        pending = pending.map((one) => one.inode === inode.id ? { ...one, inode: LOST_SYNC } : one);
      };
      return {
        read: (into, position) =>
          call(`read ${pathOf(inode)}`, () => {
            const bytes = inode.content.subarray(position, position + into.length);
            into.set(bytes);
            return bytes.length;
          }),
        write(bytes) {
          // A slice of a buffer would be written to later.
          const taken = new Uint8Array(bytes)
            .slice(0, isAppended ? options.writeMaxBytes : undefined);
          const write = (part: Uint8Array) =>
            writeTo(inode, part, isAppended ? inode.content.length : 0);
          return call(`write ${pathOf(inode)}`, () => {
            write(taken);
            return taken.length;
          }, () => write(taken.subarray(0, taken.length >> 1)));
        },
        sync: () => call(`sync ${pathOf(inode)}`, () => makeDurable(inode.id), loseSync),
        statNow: () => stampOf(inode),
        close: () => call(`close ${pathOf(inode)}`, close, close),
      };
    }

    function found(path: string): Inode {
      const inode = names.get(path);
      if (inode === undefined) throw createError("ENOENT", path);
      return inode;
    }

    function remove(path: string): void {
      found(path);
      names.delete(path);
      changeNames((image) => image.names.delete(path));
    }

    return {
      get calls() {
        return calls;
      },
      get openFiles() {
        return openFiles;
      },
      stopped,
      restart(next) {
        isStopped = true;
        return mount(next);
      },
      get files() {
        return new Map([...names].map(([path, { content }]) => [path, content]));
      },
      makeDirectory: (path) => call(`make ${path}`, () => {}),
      list: (path) =>
        call(`list ${path}`, () => [...names.keys()].map((name) => name.slice(path.length + 1))),
      open: (path, mode) =>
        call(`open ${path}`, () => {
          if (mode === "update") return createFile(found(path), mode);
          if (names.has(path)) throw createError("EEXIST", path);
          const inode = { id: ++lastInode, content: new Uint8Array() };
          names.set(path, inode);
          changeNames((image) => image.names.set(path, inode.id));
          return createFile(inode, mode);
        }),
      openDirectory: (path) =>
        call(`open ${path}`, () => {
          openFiles++;
          const close = () => void openFiles--;
          return {
            sync: () => call(`sync ${path}`, () => makeDurable(NAMES)),
            close: () => call(`close ${path}`, close, close),
          };
        }),
      rename: (from, to) =>
        call(`rename ${from} to ${to}`, () => {
          const inode = found(from);
          names.set(to, inode);
          names.delete(from);
          changeNames((image) => {
            image.names.set(to, inode.id);
            image.names.delete(from);
          });
        }),
      remove: (path) => call(`remove ${path}`, () => remove(path)),
      readNow: (path) =>
        names.has(path) ? new TextDecoder().decode(found(path).content) : undefined,
      statNow: (path) => names.has(path) ? stampOf(found(path)) : undefined,
      removeNow(path) {
        if (fails(`remove ${path}`) || isStopped) throw createError("EIO", "simulated failure");
        remove(path);
      },
      images,
    };
  }

  function* images(): Generator<SimulatedDisk> {
    const seen = new Set<string>();
    for (const isKept of selections(pending.length)) {
      const image = { contents: new Map(durable.contents), names: new Map(durable.names) };
      pending.forEach((one, i) => isKept(i) && one.apply(image));
      const left = new Map<string, Uint8Array>();
      for (const [path, id] of image.names) {
        left.set(path, image.contents.get(id) ?? new Uint8Array());
      }
      const text = [...left].map(([path, bytes]) => path + new TextDecoder().decode(bytes)).join();
      if (!seen.has(text)) yield createSimulatedDisk({}, left);
      seen.add(text);
    }
  }

  function changeNames(apply: (image: DiskImage) => void): void {
    pending = [...pending, { inode: NAMES, apply }];
  }

  function writeTo(inode: Inode, bytes: Uint8Array, position: number): void {
    inode.content = overwrite(inode.content, bytes, position);
    // Two parts, so that a write can be kept in part, its start or its end.
    const half = bytes.length >> 1;
    for (const [from, to] of [[0, half], [half, bytes.length]]) {
      const part = bytes.slice(from, to);
      const apply = ({ contents }: DiskImage) => {
        const before = contents.get(inode.id) ?? new Uint8Array();
        contents.set(inode.id, overwrite(before, part, position + from));
      };
      if (part.length > 0) pending = [...pending, { inode: inode.id, apply }];
    }
  }

  function makeDurable(inode: number): void {
    for (const one of pending) if (one.inode === inode) one.apply(durable);
    pending = pending.filter((one) => one.inode !== inode);
  }

  /** The path that a file has now, which may not be the one that it was opened under. */
  function pathOf(inode: Inode): string | undefined {
    for (const [path, other] of names) if (other === inode) return path;
  }
}

/** Selections of so many things: every subset of few; of more, each prefix, all but one, and one alone. */
function* selections(count: number): Generator<(index: number) => boolean> {
  if (count <= SUBSET_MAX_COUNT) {
    for (let set = 0; set < 1 << count; set++) yield (i) => (set & 1 << i) !== 0;
    return;
  }
  for (let length = 0; length <= count; length++) yield (i) => i < length;
  for (let left = 0; left < count; left++) yield (i) => i !== left;
  for (let only = 0; only < count; only++) yield (i) => i === only;
}

function stampOf({ id, content }: Inode): FileStamp {
  return { id: `${id}`, bytes: content.length };
}

function overwrite(content: Uint8Array, bytes: Uint8Array, position: number): Uint8Array {
  const result = new Uint8Array(Math.max(content.length, position + bytes.length));
  result.set(content);
  result.set(bytes, position);
  return result;
}

function createError(code: string, detail: string): Error {
  return Object.assign(new Error(`${code}: ${detail}`), { code });
}
