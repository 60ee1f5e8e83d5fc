import { neededEnvironment } from "./_environment.ts";
import { fileURLToPath } from "node:url";

/** The path of the command's sources. */
export const SERVER = fileURLToPath(new URL("../server.ts", import.meta.url));

const DEADLINE_MS = 60_000;
const VARIABLES = [
  "STORAGE",
  "HOST",
  "PORT",
  "BASE_PATH",
  "RATE_LIMIT",
  "CORS_ORIGINS",
  "PUBLIC_URL",
  "TITLE",
  "MAIL",
  "MAIL_PASSWORD",
  "MAIL_FROM",
  "MAIL_FOOTER",
  "MAIL_RATE",
  "WEBHOOK_ALLOW",
  "LOG",
  "API_KEY",
];
const PERMISSIONS = [
  "--allow-net=127.0.0.1",
  `--allow-env=${VARIABLES.map((name) => `BOARDCAST_${name}`)}`,
];

/** A process of the command, with what it has printed so far. */
export interface TestProcess extends AsyncDisposable {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the match once a stream shows it; rejects when the process ends before. */
  waitFor(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpMatchArray>;
  signal(signal: Deno.Signal): void;
  /** The exit status, once the process has ended and all it printed is read. */
  readonly status: Promise<number>;
  /** The signal that it died of, if it did, as soon as the status is known. */
  readonly endSignal: Promise<Deno.Signal | null>;
  /** Closes the reading end of its standard error. */
  closeStderr(): Promise<void>;
}

/** A server that listens, and its first key. */
export interface TestServer extends TestProcess {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly key: string;
}

/** Runs the command with the fewest permissions that work, and no variables but those given. */
export function startCommand(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): TestProcess {
  return startProgram(Deno.execPath(), {
    args: ["run", "--no-lock", "--no-prompt", ...PERMISSIONS, SERVER, ...args],
    env: { ...neededEnvironment(), NO_COLOR: "1", ...variables },
  });
}

/** Tells whether a program is there, and does what it is asked for. */
export function canRun(program: string, args: readonly string[]): boolean {
  try {
    const silent = { stdin: "null", stdout: "null", stderr: "null" } as const;
    return new Deno.Command(program, { ...silent, args: [...args] }).outputSync().success;
  } catch {
    return false;
  }
}

/** Runs a program to its end, with no input; throws with what it wrote when it fails. */
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

/** Options of {@linkcode startProgram}. */
export interface ProgramOptions extends Pick<Deno.CommandOptions, "args" | "cwd" | "env"> {
  /** What is written to its standard input, which then stays open. */
  readonly unfinishedInput?: string;
}

/** Starts a program with no variables but those given. */
export function startProgram(
  program: string,
  { unfinishedInput, ...options }: ProgramOptions,
): TestProcess {
  const child = new Deno.Command(program, {
    ...options,
    clearEnv: true,
    stdin: unfinishedInput === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const input = unfinishedInput === undefined ? undefined : child.stdin.getWriter();
  // It may end before it has read all.
  const written = input?.write(new TextEncoder().encode(unfinishedInput)).catch(() => {});
  // Whoever waits for a process that hangs learns of its end.
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
  const collected = Promise.all([collect("stdout"), collect("stderr")]);
  const status = collected.then(async () => {
    const { code } = await child.status;
    await written;
    await input?.close().catch(() => {});
    ended = true;
    announce();
    return code;
  });
  function signal(name: Deno.Signal): void {
    try {
      child.kill(name);
    } catch (error) {
      // It ended by itself.
      if (!(error instanceof TypeError)) throw error;
    }
  }
  async function waitFor(
    stream: "stdout" | "stderr",
    pattern: RegExp,
  ): Promise<RegExpMatchArray> {
    while (true) {
      const match = output[stream].match(pattern);
      if (match !== null) return match;
      if (ended) throw new Error(`Cannot find ${pattern}: ${JSON.stringify(output)}`);
      await changed.promise;
    }
  }
  return {
    pid: child.pid,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    waitFor,
    signal,
    status,
    endSignal: status.then(async () => (await child.status).signal),
    closeStderr: () => readers.stderr.cancel(),
    async [Symbol.asyncDispose]() {
      if (!ended) signal("SIGKILL");
      await status;
    },
  };
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

/** What a command came to. */
export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Starts the command with every permission, and with the variables of whoever runs the tests. */
export function startProcess(
  args: readonly string[],
  options: Pick<ProgramOptions, "unfinishedInput"> = {},
): TestProcess {
  return startProgram(Deno.execPath(), {
    ...options,
    args: ["run", "-A", "--quiet", SERVER, ...args],
    env: { ...Deno.env.toObject(), NO_COLOR: "1" },
  });
}

/** Runs the command like {@linkcode startProcess}, with some text as standard input, to its end. */
export async function runProcess(
  args: readonly string[],
  { stdin, environment }: {
    readonly stdin?: string;
    readonly environment?: Record<string, string>;
  } = {},
): Promise<CommandResult> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", SERVER, ...args],
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", ...environment },
  }).spawn();
  if (stdin !== undefined) await new Blob([stdin]).stream().pipeTo(child.stdin);
  return toResult(await child.output());
}

/** Runs a script of `sh` that calls the real command as `boardcast "$@"`. */
export async function runByShell(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const command = `boardcast() { exec "$DENO" run -A --quiet "$SERVER" "$@"; }\n${script}`;
  const options = {
    args: ["-c", command, "sh", ...args],
    env: { NO_COLOR: "1", ...env, DENO: Deno.execPath(), SERVER },
  };
  return toResult(await new Deno.Command("sh", options).output());
}

function toResult({ code, stdout, stderr }: Deno.CommandOutput): CommandResult {
  const decoder = new TextDecoder();
  return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
