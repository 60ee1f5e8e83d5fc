import { nearest } from "../../model/values/nearest.ts";
import type { FileStorage } from "../../adapters/file.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { readVersion } from "../../services/version.ts";
import { type Option, option, setting, UsageError } from "../shell/options.ts";

/** How a storage is opened. */
export interface OpeningOptions {
  /** The storage's name in messages. Default: `--storage`. */
  readonly label?: string;
  /** Whether a folder must be there already, with data in it. */
  readonly mustExist?: boolean;
  /** Whether a database that needs it may be migrated. Default: yes. */
  readonly mayMigrate?: boolean;
  /** Whether the records may be of a version that this program doesn't know. */
  readonly anyVersion?: boolean;
  /** How long a call of PostgreSQL may take, in milliseconds. Default: that of the adapter. */
  readonly timeoutMs?: number;
  /** Called with what an operator should know. */
  readonly onWarning?: (message: string) => void;
  /** Called when nothing can be stored any more. */
  readonly onLost?: (message: string) => void;
}

const STORAGE_OPTION: Option = setting(
  "storage memory | file:DIR | kv:FILE | postgres://… | module:SPECIFIER",
  "Where records are kept.",
  { default: "file:./data" },
);

/** The flag of `migrate`: the only storage with versions is a database. */
export const MIGRATED_STORAGE_OPTION: Option = {
  ...STORAGE_OPTION,
  value: "postgres://…",
  default: undefined,
};

/** The flag that leaves migrations to another command. */
export const NO_MIGRATE_OPTION: Option = option(
  "no-migrate",
  "Refuse a Postgres database that must be migrated first.",
);

/** The flags of a command that keeps its storage open. */
export const STORAGE_OPTIONS: readonly Option[] = [STORAGE_OPTION, NO_MIGRATE_OPTION];

/** The same for commands that end at once, and storage in memory with them. */
export const LASTING_STORAGE_OPTIONS: readonly Option[] = [
  { ...STORAGE_OPTION, value: "file:DIR | kv:FILE | postgres://… | module:SPECIFIER" },
  NO_MIGRATE_OPTION,
];

/** Storage; that in a folder can announce the server that holds it. */
export type OpenedStorage = Storage & Partial<Pick<FileStorage, "announce">>;

const FILE = /^file:./;
const KV = /^kv:./;
const MODULE = /^module:./;
const POSTGRES = /^postgres(?:ql)?:/;
const DATA_FILE = /^(?:journal|snapshot)-\d+\.jsonl?$/;

/**
 * Opens the storage of a URL, loading only its adapter. Throws a {@linkcode UsageError} for a URL that
 * names none, and an error where `mustExist` is not met, or the records are those of a newer program.
 */
export async function openStorage(
  url: string,
  options: OpeningOptions = {},
): Promise<OpenedStorage> {
  const storage = await openAdapter(url, options);
  try {
    if (!options.anyVersion) await readVersion(storage);
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openAdapter(
  url: string,
  { label = "--storage", mustExist, mayMigrate, timeoutMs, ...callbacks }: OpeningOptions,
): Promise<OpenedStorage> {
  if (url === "memory") return openMemoryStorage();
  if (FILE.test(url)) {
    const folder = pathOf(url, label);
    if (mustExist && !await holdsData(folder)) {
      throw new Error(`${label}: there is no data in the folder "${folder}"`);
    }
    const { openFileStorage } = await import("../../adapters/file.ts");
    return await openFileStorage(folder, { host: knownHostname(), ...callbacks });
  }
  if (KV.test(url)) {
    const { openKvDatabase } = await import("./kv_storage.ts");
    return await openKvDatabase(pathOf(url, label), { label, mustExist, timeoutMs });
  }
  if (MODULE.test(url)) {
    const { openModuleStorage } = await import("./module_storage.ts");
    return await openModuleStorage(url.slice("module:".length), label);
  }
  if (!POSTGRES.test(url)) throw unknownKind(url, label);
  const { openPostgresStorage } = await import("../../adapters/postgres.ts");
  const opening = openPostgresStorage(url, { migrate: mayMigrate, timeoutMs });
  return await opening.catch((error) => refuseBadUrl(error, label));
}

/** Tells whether opening the storage of a URL would make a folder, or fill one. */
export async function isNewFolder(url: string): Promise<boolean> {
  return FILE.test(url) && !await holdsData(pathOf(url, "--storage"));
}

/** Returns storage that is opened by its first call, so that what is refused before it leaves nothing. */
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
 * Opens the storage of a URL, or of a folder without one, that is to be read alone. A folder is read
 * whoever holds it.
 */
export async function openStorageToRead(
  place: string,
  { openStorage, onWarning }: {
    readonly openStorage: (url: string, options: OpeningOptions) => Promise<OpenedStorage>;
    readonly onWarning: (message: string) => void;
  },
): Promise<Storage> {
  const label = "STORAGE";
  const url = /^(?:file|kv|module|postgres(?:ql)?):/.test(place) ? place : `file:${place}`;
  if (!FILE.test(url)) {
    const own = { label, mustExist: true, mayMigrate: false, anyVersion: true };
    return await openStorage(url, { ...own, onWarning });
  }
  const folder = pathOf(url, label);
  if (!await holdsData(folder)) throw new Error(`there is no data in the folder "${folder}"`);
  const { readFileStorage } = await import("../../adapters/file.ts");
  return await readFileStorage(folder, { onWarning });
}

/**
 * Returns the URL of the server that holds the data folder of a storage; `undefined` if there is none,
 * or if it runs on another machine, where its address may mean something else.
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

/** Migrates a database; returns the versions before and after. */
export async function migrateStorage(
  url: string,
): Promise<{ readonly from: number; readonly to: number }> {
  if (!POSTGRES.test(url)) throw new UsageError("migrate needs --storage postgres://…");
  const { migratePostgres } = await import("../../adapters/postgres.ts");
  return await migratePostgres(url).catch((error) => refuseBadUrl(error, "--storage"));
}

/** Returns the path of a `file:` or `kv:` URL. Throws a {@linkcode UsageError} for a likely mistake. */
function pathOf(url: string, label: string): string {
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

/** Tells whether a folder has files of data; throws for something that is not a folder. */
async function holdsData(folder: string): Promise<boolean> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.some(({ name }) => DATA_FILE.test(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new Error(`cannot read the folder "${folder}": ${(error as Error).message}`);
  }
}

// The lock works without the name of this machine, which is not worth a permission prompt.
function knownHostname(): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "hostname" });
  return state === "granted" ? Deno.hostname() : undefined;
}

function unknownKind(url: string, label: string): UsageError {
  if (/^\.{0,2}\/[^/][^@=]*$/.test(url) && !url.includes("://")) {
    return new UsageError(`${label} "${url}" lacks its kind: write file:${url} for a folder`);
  }
  if (/^(file|kv|module):$/.test(url)) {
    return new UsageError(
      `${label} "${url}" has nothing after its colon: write it like file:./data`,
    );
  }
  // Only its first word, since it may be a mistyped URL with a password.
  const [word] = /^[\w.+-]*/.exec(url) ?? [];
  const shown = word === url ? word : `${word}…`;
  const meant = nearest(word ?? "", ["memory", "file", "kv", "postgres", "module"]);
  const folder = word === url ? `: write file:${url} for a folder` : "";
  const hint = meant === undefined
    ? folder
    : `: did you mean ${meant}${meant === "memory" ? "" : ":"}?`;
  return new UsageError(
    `${label} "${shown}" is not memory, file:DIR, kv:FILE or postgres://…${hint}`,
  );
}

function refuseBadUrl(error: unknown, label: string): never {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  throw new UsageError(error.message.replace(/^(?!PG)/, `${label}: `));
}
