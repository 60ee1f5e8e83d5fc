import type { Storage } from "../adapters/storage.ts";
import type { Surroundings } from "../commands/_command.ts";
import { runCommand } from "../commands/mod.ts";
import { openMemoryStorage } from "../mod.ts";
import { SERVER } from "./_server.ts";

/** What a command came to. */
export interface CommandResult {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands in this process, over one storage. */
export interface CommandLine {
  readonly storage: Storage;
  /** Runs a command; `--storage` is added. */
  run(...args: string[]): Promise<CommandResult>;
}

/** What differs from the usual. */
export interface CommandLineOptions {
  readonly outColumns?: number;
  readonly errColumns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly openStorage?: Surroundings["openStorage"];
  readonly out?: (text: string) => void;
}

/** Creates a command line over one storage in memory, which commands can't close. */
export function createCommandLine(options: CommandLineOptions = {}): CommandLine {
  const storage = openMemoryStorage();
  const shared: Storage = { ...storage, close: () => Promise.resolve() };

  async function run(...args: string[]): Promise<CommandResult> {
    let [out, err] = ["", ""];
    const status = await runCommand([...args, "--storage", "file:shared"], {
      environment: (name) => options.environment?.[name],
      openStorage: options.openStorage ?? (() => Promise.resolve(shared)),
      terminal: {
        out: options.out ?? ((text) => void (out += text)),
        err: (text) => void (err += text),
        outColumns: options.outColumns,
        errColumns: options.errColumns,
      },
    });
    return { status, out, err };
  }

  return { storage, run };
}

/** Calls a function with a temporary folder, which is removed afterwards. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "boardcast-cli-" });
  try {
    return await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Calls a function with a temporary file of some contents. */
export function withFile<T>(
  contents: string | Uint8Array,
  use: (path: string) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const path = `${folder}/people.csv`;
    const bytes = typeof contents === "string" ? new TextEncoder().encode(contents) : contents;
    await Deno.writeFile(path, bytes);
    return await use(path);
  });
}

/** Starts the real command in a process of its own. */
export function startProcess(
  args: readonly string[],
  options: { readonly stdin?: "piped" | "null"; readonly environment?: Record<string, string> } =
    {},
): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", SERVER, ...args],
    stdin: options.stdin ?? "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", ...options.environment },
  }).spawn();
}

/** Runs the real command in a process of its own, with some text as standard input. */
export async function runProcess(
  args: readonly string[],
  { stdin, environment }: {
    readonly stdin?: string;
    readonly environment?: Record<string, string>;
  } = {},
): Promise<CommandResult> {
  const child = startProcess(args, { stdin: stdin === undefined ? "null" : "piped", environment });
  if (stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { status: code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

/** Reads a stream until a text is seen in it, and returns what was read. */
export async function readUntilSeen(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  text: string,
): Promise<string> {
  let seen = "";
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  while (!seen.includes(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    seen += value;
  }
  await reader.cancel();
  return seen;
}
