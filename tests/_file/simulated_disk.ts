import type { Disk, DiskFile, FileStamp, OpenMode } from "../../adapters/_file/disk.ts";
import { selections } from "./selections.ts";

/** Something that was done and is not durable: a power cut keeps it or loses it. */
interface Unit {
  apply(image: DiskImage): void;
}

interface Inode {
  readonly id: number;
  content: Uint8Array;
}

/** What is durable: the contents by inode, and the names. */
interface DiskImage {
  readonly contents: Map<number, Uint8Array>;
  readonly names: Map<string, number>;
}

/** What happens to one call. */
export type Fault = "fail" | "stop";

/** Options of {@linkcode createSimulatedDisk}. */
export interface SimulatedDiskOptions {
  /** Which call, counted from 1, does not get done. */
  readonly faultAt?: number;
  /** Whether that call rejects, or it and all later ones never come back. */
  readonly fault?: Fault;
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

/** Creates a disk, empty or with files whose content is durable. */
export function createSimulatedDisk(
  options: SimulatedDiskOptions = {},
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): SimulatedDisk {
  const names = new Map<string, Inode>();
  const durable: DiskImage = { contents: new Map(), names: new Map() };
  // In the order of time: contents not yet synced by inode, names not yet synced under -1.
  let pending: { readonly inode: number; readonly unit: Unit }[] = [];
  let lastInode = 0;

  for (const [path, content] of files) {
    const inode = { id: ++lastInode, content };
    names.set(path, inode);
    durable.contents.set(inode.id, content);
    durable.names.set(path, inode.id);
  }

  return mount(options.faultAt);

  /** The disk as one process has it. */
  function mount(faultAt = Infinity): SimulatedDisk {
    let calls = 0;
    let openFiles = 0;
    let isStopped = false;
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();

    async function call<T>(name: string, run: (failing: boolean) => T): Promise<T> {
      calls++;
      const isRefused = options.fails?.(name) ?? false;
      // As on a real disk, nothing is done in the turn in which it is asked for.
      await Promise.resolve();
      if (isStopped || (options.fault === "stop" && calls >= faultAt)) {
        isStopped = true;
        stop();
        return await new Promise<T>(() => {});
      }
      return run(isRefused || (options.fault === "fail" && calls === faultAt));
    }

    function createFile(inode: Inode, mode: OpenMode): DiskFile {
      openFiles++;
      return {
        read: (into, position) =>
          call(`read ${pathOf(inode)}`, (failing) => {
            refuse(failing);
            const bytes = inode.content.subarray(position, position + into.length);
            into.set(bytes);
            return bytes.length;
          }),
        write: (bytes) =>
          call(`write ${pathOf(inode)}`, (failing) => {
            const isAppended = mode === "append";
            // A slice of a buffer would be written to later.
            const taken = new Uint8Array(bytes)
              .slice(0, isAppended ? options.writeMaxBytes : undefined);
            const position = isAppended ? inode.content.length : 0;
            writeTo(inode, failing ? taken.subarray(0, taken.length >> 1) : taken, position);
            refuse(failing);
            return taken.length;
          }),
        sync: () =>
          call(`sync ${pathOf(inode)}`, (failing) => {
            if (failing) {
              // What a failed sync was to write may be there or not, whatever later syncs say.
              pending = pending.map((item) =>
                item.inode === inode.id ? { ...item, inode: -2 } : item
              );
            }
            refuse(failing);
            makeDurable(inode.id);
          }),
        statNow: () => stampOf(inode),
        close: () =>
          call(`close ${pathOf(inode)}`, (failing) => {
            openFiles--;
            refuse(failing);
          }),
      };
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
      makeDirectory: (path) => call(`make ${path}`, refuse),
      list: (path) =>
        call(`list ${path}`, (failing) => {
          refuse(failing);
          return [...names.keys()].map((name) => name.slice(path.length + 1));
        }),
      open: (path, mode) =>
        call(`open ${path}`, (failing) => {
          refuse(failing);
          const present = names.get(path);
          if (mode !== "update" && present) throw createError("EEXIST", path);
          if (present) return createFile(present, mode);
          if (mode === "update") throw createError("ENOENT", path);
          const inode = { id: ++lastInode, content: new Uint8Array() };
          names.set(path, inode);
          changeName((image) => image.names.set(path, inode.id));
          return createFile(inode, mode);
        }),
      rename: (from, to) =>
        call(`rename ${from} to ${to}`, (failing) => {
          refuse(failing);
          const inode = names.get(from);
          if (inode === undefined) throw createError("ENOENT", from);
          names.set(to, inode);
          names.delete(from);
          changeName((image) => {
            image.names.set(to, inode.id);
            image.names.delete(from);
          });
        }),
      remove: (path) =>
        call(`remove ${path}`, (failing) => {
          refuse(failing);
          removeName(path);
        }),
      openDirectory: (path) =>
        call(`open ${path}`, (failing) => {
          refuse(failing);
          openFiles++;
          return {
            sync: () =>
              call(`sync ${path}`, (failing) => {
                refuse(failing);
                makeDurable(-1);
              }),
            close: () =>
              call(`close ${path}`, (failing) => {
                openFiles--;
                refuse(failing);
              }),
          };
        }),
      readNow(path) {
        const inode = names.get(path);
        return inode && new TextDecoder().decode(inode.content);
      },
      statNow(path) {
        const inode = names.get(path);
        return inode && stampOf(inode);
      },
      removeNow(path) {
        calls++;
        const isRefused = options.fails?.(`remove ${path}`) ?? false;
        if (options.fault === "stop" && calls >= faultAt) {
          isStopped = true;
          stop();
        }
        refuse(isStopped || isRefused || (options.fault === "fail" && calls === faultAt));
        removeName(path);
      },
      *images() {
        const seen = new Set<string>();
        for (const kept of selections(pending.length)) {
          const image = { contents: new Map(durable.contents), names: new Map(durable.names) };
          pending.forEach(({ unit }, i) => kept(i) && unit.apply(image));
          const left = new Map<string, Uint8Array>();
          for (const [path, id] of image.names) {
            left.set(path, image.contents.get(id) ?? new Uint8Array());
          }
          const text = [...left].map(([path, bytes]) => path + new TextDecoder().decode(bytes))
            .join();
          if (seen.has(text)) continue;
          seen.add(text);
          yield createSimulatedDisk({}, left);
        }
      },
    };
  }

  function removeName(path: string): void {
    if (!names.delete(path)) throw createError("ENOENT", path);
    changeName((image) => image.names.delete(path));
  }

  function changeName(change: (image: DiskImage) => void): void {
    pending.push({ inode: -1, unit: { apply: change } });
  }

  function refuse(failing: boolean): void {
    if (failing) throw createError("EIO", "simulated failure");
  }

  function writeTo(inode: Inode, bytes: Uint8Array, position: number): void {
    inode.content = overwrite(inode.content, bytes, position);
    // Two units, so that a write can be kept in part, its start or its end.
    const half = bytes.length >> 1;
    for (const [from, to] of [[0, half], [half, bytes.length]]) {
      const piece = bytes.slice(from, to);
      if (piece.length === 0) continue;
      changeContent(inode, (content) => overwrite(content, piece, position + from));
    }
  }

  function changeContent({ id }: Inode, change: (content: Uint8Array) => Uint8Array): void {
    const apply = ({ contents }: DiskImage) =>
      void contents.set(id, change(contents.get(id) ?? new Uint8Array()));
    pending.push({ inode: id, unit: { apply } });
  }

  function makeDurable(inode: number): void {
    for (const { unit } of pending.filter((item) => item.inode === inode)) unit.apply(durable);
    pending = pending.filter((item) => item.inode !== inode);
  }

  /** The path that a file has now, which may not be the one that it was opened under. */
  function pathOf(inode: Inode): string | undefined {
    for (const [path, other] of names) if (other === inode) return path;
  }
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
