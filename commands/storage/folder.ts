import type { Storage } from "../../mod.ts";
import { UsageError } from "../shell/options.ts";

/** The URL of storage in a folder. */
export const FILE = /^file:./;
const DATA_FILE = /^(?:journal|snapshot)-\d+\.jsonl?$/;

/** Tells whether opening the storage of a URL would create or fill a folder. */
export async function isNewFolder(url: string): Promise<boolean> {
  return FILE.test(url) && !await holdsData(pathOf(url, "--storage"));
}

/**
 * Returns storage that is opened by its first call, so that a call refused earlier creates no
 * files.
 */
export function openLater(open: () => Promise<Storage>): Storage {
  let opening: Promise<Storage> | undefined;
  const call = <M extends "get" | "list" | "transact" | "ping">(name: M) => {
    return async (...args: unknown[]) => {
      const storage = await (opening ??= open());
      return await Reflect.apply(storage[name], storage, args);
    };
  };
  return {
    get: call("get"),
    list: call("list"),
    transact: call("transact"),
    ping: call("ping"),
    close: async () => await (await opening?.catch(() => undefined))?.close(),
  };
}

/**
 * Returns the URL of the server that holds a data folder; `undefined` if there is none, or if it
 * runs on another machine, because its address may be valid only there.
 */
export async function findServer(url: string): Promise<string | undefined> {
  if (!FILE.test(url)) return undefined;
  const folder = pathOf(url, "--storage");
  if (!await holdsData(folder)) return undefined;
  const { findLockOwner } = await import("../../adapters/file.ts");
  const ownHost = knownHostname();
  const owner = await findLockOwner(folder, { host: ownHost });
  const isElsewhere = ownHost !== undefined && owner?.host && owner.host !== ownHost;
  return isElsewhere ? undefined : owner?.url ?? undefined;
}

/**
 * Returns the path of a `file:` or `kv:` URL. Throws a {@linkcode UsageError} for a likely mistake.
 */
export function pathOf(url: string, label: string): string {
  const [, scheme, path] = /^(\w+):(.*)$/s.exec(url)!;
  if (/^["'\s]|\s$/.test(path)) {
    throw new UsageError(`${label} has white space or quotes around its value: leave them out`);
  }
  if (path.startsWith("~")) {
    throw new UsageError(
      `${label} "${url}" would be something called ~: write ${scheme}:"$HOME"/…, or ` +
        `${scheme}:./${path}`,
    );
  }
  const isUrl = scheme === "kv" && /^https?:\/\//i.test(path);
  if (!isUrl && /^\/\/(?!\/)|:\/\//.test(path)) {
    throw new UsageError(`${label}: write ${scheme}:PATH, with a path in place of a URL`);
  }
  return path;
}

/** Tells whether a folder contains data files; throws if it is not a folder. */
export async function holdsData(folder: string): Promise<boolean> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.some(({ name }) => DATA_FILE.test(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new Error(`cannot read the folder "${folder}": ${(error as Error).message}`);
  }
}

/**
 * Returns the name of this machine if reading it is permitted. The lock works without the name, so
 * no prompt asks for it.
 */
export function knownHostname(): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "hostname" });
  return state === "granted" ? Deno.hostname() : undefined;
}
