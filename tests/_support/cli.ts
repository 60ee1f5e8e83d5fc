import "./environment.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ProcessContext } from "../../commands/shell/command.ts";
import { runCommand } from "../../commands/mod.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { withFolder } from "./folder.ts";
import type { CommandResult } from "./process.ts";

/** Runs commands in this process, over one storage. */
export interface CommandLine {
  readonly storage: Storage;
  /**
   * Runs a command. `line` is split at blanks outside quotes; `args` are added as they are. Adds
   * `--storage` unless the command has `--storage` or `--server`.
   */
  run(line: string, ...args: readonly string[]): Promise<CommandResult>;
  /** Runs a command that must succeed. */
  succeed(line: string, ...args: readonly string[]): Promise<CommandResult>;
  /** Runs a command with `--json` (except `call`), and returns the records that it prints. */
  json(line: string, ...args: readonly string[]): Promise<Record<string, unknown>[]>;
}

/** Deviations from the defaults. */
export interface CommandLineOptions
  extends Partial<Pick<ProcessContext["terminal"], "out" | "errColumns">> {
  readonly storage?: Storage;
  readonly environment?: Readonly<Record<string, string>>;
  readonly variableNames?: ProcessContext["variableNames"];
  readonly openStorage?: ProcessContext["openStorage"];
}

/** Creates a command line over one storage that commands can't close. Default: memory. */
export function createCommandLine(options: CommandLineOptions = {}): CommandLine {
  const { storage = openMemoryStorage(), environment = {}, openStorage, ...rest } = options;
  const { variableNames, ...terminal } = rest;
  const shared: Storage = { ...storage, close: () => Promise.resolve() };
  const isPlaced = (words: string) =>
    /^(?:copy|check)\b|^migrate --print$|--(?:storage|server)/.test(words);

  async function run(line: string, ...rest: readonly string[]): Promise<CommandResult> {
    let [out, err] = ["", ""];
    const decoder = new TextDecoder();
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
    const args = [...words, ...rest];
    const hasPlace = "BOARDCAST_STORAGE" in environment || isPlaced(args.join(" "));
    const status = await runCommand(hasPlace ? args : [...args, "--storage", "file:shared"], {
      environment: (name) => environment[name],
      variableNames,
      openStorage: openStorage ?? (() => Promise.resolve(shared)),
      terminal: {
        out: (data) => void (out += typeof data === "string" ? data : decoder.decode(data)),
        err: (text) => void (err += text),
        ...terminal,
      },
    });
    return { status, out, err };
  }

  async function succeed(line: string, ...args: readonly string[]): Promise<CommandResult> {
    const result = await run(line, ...args);
    assertEquals(result.status, 0, result.err);
    return result;
  }

  return {
    storage,
    run,
    succeed,
    async json(line, ...args) {
      const flags = line.startsWith("call ") ? [] : ["--json"];
      const { out } = await succeed(line, ...args, ...flags);
      return out.split("\n").filter((text) => text !== "").map((text) => JSON.parse(text));
    },
  };
}

/** Checks that a command failed and printed exactly one line, which gives the reason. */
export function assertFailed(
  { status, out, err }: CommandResult,
  expected: number,
  message: string,
): void {
  assertEquals([status, out, err.match(/\n/g)?.length], [expected, "", 1], err);
  assertStringIncludes(err, "boardcast: ");
  assertStringIncludes(err, message);
}

/** Calls a function with the path of a temporary file of some contents. */
export function withFile<T>(
  contents: string,
  use: (path: string) => Promise<T>,
  name = "people.csv",
): Promise<T> {
  return withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/${name}`, contents);
    return await use(`${folder}/${name}`);
  });
}
