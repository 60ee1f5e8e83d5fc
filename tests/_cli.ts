import "./_environment.ts";
import type { Storage } from "../adapters/storage.ts";
import type { Surroundings } from "../commands/_command.ts";
import { runCommand } from "../commands/mod.ts";
import { openMemoryStorage } from "../mod.ts";
import { withFolder } from "./_folder.ts";
import type { CommandResult } from "./_process.ts";

/** Runs commands in this process, over one storage. */
export interface CommandLine {
  readonly storage: Storage;
  /** Runs a command; `--storage` is added unless it is there. */
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
    const storageFlag = args.includes("--storage") ? [] : ["--storage", "file:shared"];
    const status = await runCommand([...args, ...storageFlag], {
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
