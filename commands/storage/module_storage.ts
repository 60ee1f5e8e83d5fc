import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Storage } from "../../adapters/storage.ts";
import { UsageError } from "../shell/options.ts";

/** What a module of `--storage module:…` exports. */
interface StorageModule {
  readonly default?: () => Storage | Promise<Storage>;
}

/** Opens the storage of a module: what its default export, a function without arguments, returns. */
export async function openModuleStorage(specifier: string, label: string): Promise<Storage> {
  if (Deno.build.standalone) {
    throw new UsageError(`${label} module:… works where Deno runs the sources, not once compiled`);
  }
  const isPath = /^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(specifier);
  const url = isPath ? pathToFileURL(resolve(specifier)).href : specifier;
  const module: StorageModule = await import(url).catch((cause) => {
    throw new Error(`cannot load the module "${specifier}": ${cause.message}`, { cause });
  });
  const storage = typeof module.default === "function" ? await module.default() : undefined;
  if (typeof storage?.transact === "function") return storage;
  throw new Error(`the default export of "${specifier}" is no function that opens a storage`);
}
