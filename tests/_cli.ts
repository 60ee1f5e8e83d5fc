import "./_environment.ts";
import type { Surroundings } from "../commands/_command.ts";
import { runCommand } from "../commands/mod.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { withFolder } from "./_folder.ts";
import type { CommandResult } from "./_process.ts";

/** Runs commands in this process, over one storage. */
export interface CommandLine {
  readonly storage: Storage;
  /** Runs a command; `--storage` is added unless it, or `--server`, is there. */
  run(...args: string[]): Promise<CommandResult>;
}

/** What differs from the usual. */
export interface CommandLineOptions {
  readonly storage?: Storage;
  readonly outColumns?: number;
  readonly errColumns?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly openStorage?: Surroundings["openStorage"];
  readonly out?: () => void;
  readonly ask?: (question: string) => string;
}

/** Creates a command line over one storage, in memory by default, which commands can't close. */
export function createCommandLine(options: CommandLineOptions = {}): CommandLine {
  const { storage = openMemoryStorage(), environment = {}, openStorage, ...terminal } = options;
  const shared: Storage = { ...storage, close: () => Promise.resolve() };
  const isPlace = (arg: string) => /^--(?:storage|server)/.test(arg);
  return {
    storage,
    async run(...args) {
      let [out, err] = ["", ""];
      const decoder = new TextDecoder();
      const place = args.some(isPlace) || args[0] === "copy" ? [] : ["--storage", "file:shared"];
      const status = await runCommand([...args, ...place], {
        environment: (name) => environment[name],
        openStorage: openStorage ?? (() => Promise.resolve(shared)),
        terminal: {
          out: (data) => void (out += typeof data === "string" ? data : decoder.decode(data)),
          err: (text) => void (err += text),
          ...terminal,
        },
      });
      return { status, out, err };
    },
  };
}

/** Calls a function with the path of a temporary file of some contents. */
export function withFile<T>(
  contents: string | Uint8Array<ArrayBuffer>,
  use: (path: string) => Promise<T>,
  name = "people.csv",
): Promise<T> {
  return withFolder(async (folder) => {
    await Deno.writeFile(
      `${folder}/${name}`,
      new Uint8Array(await new Blob([contents]).arrayBuffer()),
    );
    return await use(`${folder}/${name}`);
  });
}
