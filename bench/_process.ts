import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../tests/_support/port.ts";

/** The resources of a process. Linux only. */
export interface ProcessFigures {
  cpuMs(): Promise<number>;
  memoryMib(): Promise<number>;
  /** The number of open files and sockets. */
  handles(): Promise<number>;
}

/** A server in a process of its own, stopped at the end of the scope that uses it. */
export interface ServerProcess extends ProcessFigures, AsyncDisposable {
  readonly port: number;
  /** The time from the start of the process to its first response, in milliseconds. */
  readonly startMs: number;
  /** Ends the process; throws if it has already ended. */
  stop(): Promise<void>;
}

/** The command that starts a server. Its arguments or variables include the port. */
export interface ServerCommand {
  readonly program: string;
  readonly args: (port: number) => readonly string[];
  readonly env?: (port: number) => Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const START_DEADLINE_MS = 30_000;
// Linux counts processor time in ticks of USER_HZ, which is 100 on all platforms of Deno.
const TICK_MS = 10;

/** Starts a server on a free port and waits until it answers an HTTP request. */
export async function startServer(command: ServerCommand): Promise<ServerProcess> {
  const port = freePort();
  const startedMs = performance.now();
  const child = new Deno.Command(command.program, {
    args: [...command.args(port)],
    env: { ...command.env?.(port) },
    cwd: command.cwd,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const status = child.status.finally(() => ended = true);
  while (!await answers(port)) {
    if (ended) throw new Error(`${command.program} ended before it answered`);
    if (performance.now() - startedMs > START_DEADLINE_MS) {
      child.kill("SIGKILL");
      throw new Error(`${command.program} does not answer`);
    }
    await delay(1);
  }
  const startMs = performance.now() - startedMs;

  async function stop(): Promise<void> {
    if (ended) throw new Error(`the server on port ${port} had crashed`);
    child.kill("SIGTERM");
    const killer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await status;
    clearTimeout(killer);
  }
  return { port, startMs, ...figuresOf(child.pid), stop, [Symbol.asyncDispose]: stop };
}

function figuresOf(pid: number): ProcessFigures {
  const read = (file: string) => Deno.readTextFile(`/proc/${pid}/${file}`);
  return {
    async cpuMs() {
      const fields = (await read("stat")).split(") ")[1].split(" ");
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    async memoryMib() {
      return Number(/VmRSS:\s+(\d+)/.exec(await read("status"))![1]) / 1024;
    },
    async handles() {
      return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
    },
  };
}

async function answers(port: number): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(
      new TextEncoder().encode("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    );
    return await connection.read(new Uint8Array(64)) !== null;
  } catch {
    return false;
  }
}
