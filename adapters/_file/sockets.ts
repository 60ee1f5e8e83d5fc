import * as fs from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { relative } from "node:path";
import process from "node:process";
import { hasCode } from "./disk.ts";

/**
 * Names in a folder at which processes listen. The kernel answers for a process that is busy, and stops
 * when it ends, however it ends. Tests put simulated ones in their place.
 */
export interface Sockets {
  /**
   * Listens under a name until that is closed or the process ends, from before others can find the name.
   * `undefined` where the file system or the runtime has no sockets, or forbids them.
   */
  listen(directory: string, name: string): Promise<{ close(): Promise<void> } | undefined>;
  /** Asks the kernel, which may be another one than that of whoever made the name, who is there. */
  find(directory: string, name: string): Promise<"listening" | "silent" | "unknown">;
  /** Tells whether no kernel but this one can have the folder: it is on a disk, not on a network. */
  isLocal(directory: string): boolean;
}

// What the name of a socket takes in `sockaddr_un`; Node cuts off what is longer.
const MAX_PATH_BYTES = 107;
const IS_WINDOWS = process.platform === "win32";

/** Creates the sockets of this machine, on `node:net`. */
export function createSockets(): Sockets {
  return {
    async listen(directory, name) {
      const temporary = `${name}.tmp`;
      // Nobody is to keep a connection: that it was taken says all.
      const server = createServer((socket) => socket.destroy());
      server.unref();
      try {
        await withPath(directory, temporary, (path) =>
          new Promise<void>((resolve, reject) => {
            server.once("error", reject).listen({ path }, resolve);
          }));
        fs.chmodSync(`${directory}/${temporary}`, 0o600);
        // In one step, as what was made and isn't listened on yet looks as after a crash.
        fs.renameSync(`${directory}/${temporary}`, `${directory}/${name}`);
      } catch {
        server.close();
        return undefined;
      }
      return {
        async close() {
          await fs.promises.unlink(`${directory}/${name}`).catch(() => {});
          // Its end is not awaited: Deno 2.6 sometimes never tells of it.
          server.close();
        },
      };
    },
    async find(directory, name) {
      try {
        await withPath(directory, name, connect);
        return "listening";
      } catch (error) {
        // The queue of a process that has not had a turn for long is full.
        if (hasCode(error, "EAGAIN")) return "listening";
        return hasCode(error, "ECONNREFUSED") ? "silent" : "unknown";
      }
    },
    isLocal(directory) {
      // Linux gives what is not on a device of its own, such as a network's, the major number 0.
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

/** Calls `use` with a path of a file in a folder that is short enough for a socket. */
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
