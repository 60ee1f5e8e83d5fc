import { neededEnvironment } from "./environment.ts";
import { fileURLToPath } from "node:url";

/** The path of the command's sources. */
export const SERVER = fileURLToPath(new URL("../../server.ts", import.meta.url));

const DEADLINE_MS = 150_000;
// The minimal permissions of the command.
const PERMISSIONS = ["--no-prompt", "--allow-net=127.0.0.1", "--allow-env=BOARDCAST_*"];

export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** A process of the command, and its output so far. */
export interface TestProcess extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the match once a stream contains it. Rejects if the process ends first. */
  waitFor(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpMatchArray>;
  signal(signal: Deno.Signal): void;
  /** The exit status, once the process has ended and its output is read. */
  readonly status: Promise<number>;
  /** The signal that ended the process, if one did, once the status is known. */
  readonly endSignal: Promise<Deno.Signal | null>;
  /** Closes the reading end of its standard error. */
  closeStderr(): Promise<void>;
}

/** A server that listens, and its first key. */
export interface TestServer extends TestProcess {
  /** The URL of the server, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly key: string;
}

/** Starts a program with no variables but those given. */
export function startProgram(
  program: string,
  options: Pick<Deno.CommandOptions, "args" | "cwd" | "env">,
): TestProcess {
  const streams = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const child = new Deno.Command(program, { ...options, ...streams, clearEnv: true }).spawn();
  // Ends a process that hangs, so that its test fails instead of waiting.
  AbortSignal.timeout(DEADLINE_MS).addEventListener("abort", () => signal("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  let ended = false;
  let changed = Promise.withResolvers<void>();
  function announce(): void {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  const readers = {
    stdout: child.stdout.pipeThrough(new TextDecoderStream()).getReader(),
    stderr: child.stderr.pipeThrough(new TextDecoderStream()).getReader(),
  };
  async function collect(name: "stdout" | "stderr"): Promise<void> {
    for (let read = await readers[name].read(); !read.done; read = await readers[name].read()) {
      output[name] += read.value;
      announce();
    }
  }
  const end = Promise.all([collect("stdout"), collect("stderr")]).then(async () => {
    const end = await child.status;
    ended = true;
    announce();
    return end;
  });
  function signal(name: Deno.Signal): void {
    try {
      child.kill(name);
    } catch (error) {
      // The process has already ended.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return {
    pid: child.pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async waitFor(stream, pattern) {
      while (true) {
        const match = output[stream].match(pattern);
        if (match !== null) return match;
        if (ended) throw new Error(`Cannot find ${pattern}: ${JSON.stringify(output)}`);
        await changed.promise;
      }
    },
    signal,
    status: end.then(({ code }) => code),
    endSignal: end.then(({ signal }) => signal),
    closeStderr: () => readers.stderr.cancel(),
    async [Symbol.asyncDispose]() {
      if (!ended) signal("SIGKILL");
      await end;
    },
  };
}

/** Starts the command with minimal permissions, and with no variables but those given. */
export function startCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): TestProcess {
  return startProgram(Deno.execPath(), {
    args: ["run", "--no-lock", ...PERMISSIONS, SERVER, ...args],
    env: { ...neededEnvironment(), NO_COLOR: "1", ...variables },
  });
}

/** Starts the command with every permission and the variables of the test process. */
export function startProcess(args: readonly string[]): TestProcess {
  return startProgram(Deno.execPath(), {
    args: ["run", "-A", "--quiet", SERVER, ...args],
    env: { ...Deno.env.toObject(), NO_COLOR: "1" },
  });
}

/** Starts a server on a free port, in memory, and waits until it listens. */
export async function startServer(
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const process = startCommand(["serve", "--storage", "memory", "--port", "0", ...args], variables);
  return await waitUntilServing(process, variables.BOARDCAST_API_KEY);
}

/** Waits until a server listens, and finds out its first key unless that is known. */
export async function waitUntilServing(
  process: TestProcess,
  knownKey?: string,
): Promise<TestServer> {
  try {
    const [, url, port] = await process.waitFor("stderr", /(http:\/\/127\.0\.0\.1:(\d+))\//);
    const key = knownKey ?? (await process.waitFor("stdout", /^ {2}(bc_[0-9A-Za-z]{36})$/m))[1];
    return { ...process, url, port: Number(port), key };
  } catch (error) {
    await process[Symbol.asyncDispose]();
    throw error;
  }
}

/** Tells whether a program is installed and succeeds with these arguments. */
export function canRun(program: string, args: readonly string[]): boolean {
  try {
    const silent = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(program, { ...silent, args: [...args] }).outputSync().success;
  } catch {
    return false;
  }
}

/** Runs a program to its end without input. Throws an error with its output if it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: Pick<Deno.CommandOptions, "cwd" | "env" | "uid" | "gid" | "signal"> = {},
): Promise<CommandResult> {
  const env = { NO_COLOR: "1", ...options.env };
  const command = new Deno.Command(program, { ...options, env, args: [...args], stdin: "null" });
  const result = toResult(await command.output());
  if (result.status === 0) return result;
  throw new Error(`${program} ${args.join(" ")} failed:\n${result.out}${result.err}`);
}

/** Runs a script of `sh` in which `boardcast` is the real command. */
export async function runByShell(script: string): Promise<CommandResult> {
  const command = `boardcast() { exec "$DENO" run -A --quiet "$SERVER" "$@"; }\n${script}`;
  const env = { NO_COLOR: "1", DENO: Deno.execPath(), SERVER };
  return toResult(await new Deno.Command("sh", { args: ["-c", command], env }).output());
}

function toResult({ code, stdout, stderr }: Deno.CommandOutput): CommandResult {
  const decoder = new TextDecoder();
  return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
