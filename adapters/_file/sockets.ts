import * as fs from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import process from "node:process";
import { hasCode } from "./disk.ts";

/**
 * Sockets in a folder, on which processes listen. The kernel accepts connections for a busy
 * process, and stops when the process ends, however it ends. Tests use simulated sockets.
 */
export interface Sockets {
  /**
   * Listens on a socket until it is closed or the process ends. Others can find its name only once
   * it listens. `undefined` if the file system or the runtime has no sockets, or forbids them.
   */
  listen(directory: string, name: string): Promise<{ close(): Promise<void> } | undefined>;
  /**
   * Asks the kernel whether a process listens on a socket. The process may run on another kernel.
   */
  find(directory: string, name: string): Promise<"listening" | "silent" | "unknown">;
  /** Tells whether the folder is on a disk of this machine, so that no other kernel uses it. */
  isLocal(directory: string): boolean;
}

// The size of the path in `sockaddr_un`. Node cuts off the rest of a longer path.
const MAX_PATH_BYTES = 107;
const IS_WINDOWS = process.platform === "win32";

/** Creates the sockets of this machine, on `node:net`. */
export function createSockets(): Sockets {
  return {
    async listen(directory, name) {
      const temporary = `${name}.tmp`;
      // A connection is closed at once, because accepting it already shows that the owner is alive.
      const server = createServer((socket) => socket.destroy());
      server.unref();
      try {
        await withPath(directory, temporary, (path) =>
          new Promise<void>((resolve, reject) => {
            server.once("error", reject).listen({ path }, resolve);
          }));
        fs.chmodSync(`${directory}/${temporary}`, 0o600);
        // Renamed once it listens, as a socket without a listener looks like one that a crash left.
        fs.renameSync(`${directory}/${temporary}`, `${directory}/${name}`);
      } catch {
        server.close();
        return undefined;
      }
      return {
        async close() {
          await fs.promises.unlink(`${directory}/${name}`).catch(() => {});
          // The callback of `close` is not awaited: Deno 2.6 sometimes never calls it.
          server.close();
        },
      };
    },
    async find(directory, name) {
      try {
        await withPath(directory, name, connect);
        return "listening";
      } catch (error) {
        // The queue of connections is full if the process has been busy for long.
        if (hasCode(error, "EAGAIN")) return "listening";
        return hasCode(error, "ECONNREFUSED") ? "silent" : "unknown";
      }
    },
    isLocal(directory) {
      // Linux gives the major number 0 to file systems without a device, such as network file
      // systems.
      const { dev } = fs.statSync(directory);
      return process.platform === "linux" && Math.floor(dev / 256) % 4_096 !== 0;
    },
  };
}

function connect(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path }, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}

/** Calls `use` with a path of a file in a folder. The path is short enough for a socket. */
async function withPath<T>(
  directory: string,
  name: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  if (IS_WINDOWS) throw new Error("there are no such sockets");
  const isShort = (path: string) => new TextEncoder().encode(path).length <= MAX_PATH_BYTES;
  let path = `${directory}/${name}`;
  if (!isShort(path)) path = relative("", path);
  if (isShort(path)) return await use(path);
  const folder = await fs.promises.mkdtemp(`${tmpdir()}/boardcast-`);
  try {
    await fs.promises.symlink(fs.realpathSync(directory), `${folder}/data`);
    return await use(`${folder}/data/${name}`);
  } finally {
    await fs.promises.rm(folder, { recursive: true });
  }
}
