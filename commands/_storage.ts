import type { FileStorage } from "../adapters/file.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { type Option, UsageError } from "./_options.ts";

/** How storage is opened. */
export interface OpeningOptions {
  /** What names the storage in messages. Default: `--storage`. */
  readonly label?: string;
  /** Whether a folder must be there already, with data in it. */
  readonly mustExist?: boolean;
  /** Whether a database that needs it may be migrated. Default: yes. */
  readonly mayMigrate?: boolean;
  /** How long a call of PostgreSQL may take, in milliseconds. Default: that of the adapter. */
  readonly timeoutMs?: number;
  /** Called with what an operator should know. */
  readonly onWarning?: (message: string) => void;
  /** Called when nothing can be stored any more. */
  readonly onLost?: () => void;
}

/** The flag that says where records are kept. */
const STORAGE_OPTION: Option = {
  name: "storage",
  value: "memory | file:DIR | postgres://…",
  variable: "BOARDCAST_STORAGE",
  default: "file:./data",
  description: "Where records are kept.",
};

/** The same flag for what has versions. */
export const MIGRATED_STORAGE_OPTION: Option = {
  ...STORAGE_OPTION,
  value: "postgres://…",
  default: undefined,
};

/** The flag that keeps a database from being migrated. */
export const NO_MIGRATE_OPTION: Option = {
  name: "no-migrate",
  description: "Refuse a Postgres database that must be migrated first.",
};

/** The flags of a command that keeps its storage open. */
export const STORAGE_OPTIONS: readonly Option[] = [STORAGE_OPTION, NO_MIGRATE_OPTION];

/** The same for commands that end at once: storage in memory would end with them. */
export const LASTING_STORAGE_OPTIONS: readonly Option[] = [
  { ...STORAGE_OPTION, value: "file:DIR | postgres://…" },
  NO_MIGRATE_OPTION,
];

/** Storage that may tell who finds its folder held where it is served. */
export type OpenedStorage = Storage & Partial<Pick<FileStorage, "announce">>;

const FILE = /^file:./;
const POSTGRES = /^postgres(?:ql)?:/;
const DATA_FILE = /^(?:journal|snapshot)-\d+\.jsonl?$/;

/**
 * Opens the storage of a URL. An adapter is loaded only when it is asked for. Throws a
 * {@linkcode UsageError} for a URL that names none, and an error where there is no data that must be.
 */
export async function openStorage(
  url: string,
  { label = "--storage", mustExist, mayMigrate, timeoutMs, ...callbacks }: OpeningOptions = {},
): Promise<OpenedStorage> {
  if (url === "memory") return openMemoryStorage();
  if (FILE.test(url)) {
    const folder = folderOf(url, label);
    if (mustExist && !await holdsData(folder)) {
      throw new Error(`${label}: there is no data in the folder "${folder}"`);
    }
    const { openFileStorage } = await import("../adapters/file.ts");
    return await openFileStorage(folder, { host: knownHostname(), ...callbacks });
  }
  if (!POSTGRES.test(url)) throw unknownKind(url, label);
  const { openPostgresStorage } = await import("../adapters/postgres.ts");
  const opening = openPostgresStorage(url, { migrate: mayMigrate, timeoutMs });
  return await opening.catch((error) => refuseBadUrl(error, label));
}

/**
 * Returns the URL of the server that holds the data folder of a storage; `undefined` if there is none,
 * or none that this machine is known to reach.
 */
export async function findServer(url: string): Promise<string | undefined> {
  if (!FILE.test(url)) return undefined;
  const folder = folderOf(url, "--storage");
  if (!await holdsData(folder)) return undefined;
  const { findLockOwner } = await import("../adapters/file.ts");
  const ownHost = knownHostname();
  const holder = await findLockOwner(folder, { host: ownHost });
  const isElsewhere = ownHost !== undefined && holder?.host && holder.host !== ownHost;
  return isElsewhere ? undefined : holder?.url ?? undefined;
}

/** Brings a Postgres database to the version of this Boardcast; returns the versions. */
export async function migrateStorage(
  url: string,
): Promise<{ readonly from: number; readonly to: number }> {
  if (!POSTGRES.test(url)) throw new UsageError("migrate needs --storage postgres://…");
  const { migratePostgres } = await import("../adapters/postgres.ts");
  return await migratePostgres(url).catch((error) => refuseBadUrl(error, "--storage"));
}

/** Returns the folder of a `file:` URL; throws a {@linkcode UsageError} for one that is hardly meant. */
function folderOf(url: string, label: string): string {
  const folder = url.slice("file:".length);
  if (/^["'\s]|\s$/.test(folder)) {
    throw new UsageError(`${label} has white space or quotes around its value: leave them out`);
  }
  if (folder.startsWith("~")) {
    throw new UsageError(
      `${label} "${url}" would be a folder called ~: write file:"$HOME"/…, or file:./${folder}`,
    );
  }
  if (/^\/\/(?!\/)|:\/\//.test(folder)) {
    throw new UsageError(`${label}: write file:DIR, with a path in place of a URL`);
  }
  return folder;
}

/** Tells whether a folder has files of data; throws for something that is no folder. */
async function holdsData(folder: string): Promise<boolean> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.some(({ name }) => DATA_FILE.test(name));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw new Error(`cannot read the folder "${folder}": ${(error as Error).message}`);
  }
}

// The name of this machine helps those who are refused the folder, but is not worth a question.
function knownHostname(): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "hostname" });
  return state === "granted" ? Deno.hostname() : undefined;
}

function unknownKind(url: string, label: string): UsageError {
  if (/^\.{0,2}\/[^/][^@=]*$/.test(url) && !url.includes("://")) {
    return new UsageError(`${label} "${url}" lacks its kind: write file:${url} for a folder`);
  }
  // No more of it than its first word: it may be a URL with a password, written wrongly.
  const [word] = /^[\w.+-]*/.exec(url) ?? [];
  const shown = word === url ? word : `${word}…`;
  return new UsageError(`${label} "${shown}" is not memory, file:DIR or postgres://…`);
}

function refuseBadUrl(error: unknown, label: string): never {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  throw new UsageError(error.message.replace(/^(?!PG)/, `${label}: `));
}
