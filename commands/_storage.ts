import type { MigrationOutcome } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { openMemoryStorage } from "../mod.ts";
import type { Invocation, OpeningOptions } from "./_command.ts";
import { type Given, type Option, UsageError } from "./_options.ts";

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

const NO_MIGRATE_OPTION: Option = {
  name: "no-migrate",
  description: "Refuse a Postgres database that must be migrated first.",
};

// Nobody waits for an answer within seconds, and an import should outlast a database that stalls.
const TIMEOUT_MS = 10_000;

// What file storage calls its files (docs/file-storage.md).
const DATA_FILES = ["journal.jsonl", "snapshot.json"];

/** The flags of a command that keeps its storage open. */
export const STORAGE_OPTIONS: readonly Option[] = [STORAGE_OPTION, NO_MIGRATE_OPTION];

/** The same for commands that end at once: storage in memory would end with them. */
export const LASTING_STORAGE_OPTIONS: readonly Option[] = [
  { ...STORAGE_OPTION, value: "file:DIR | postgres://…" },
  NO_MIGRATE_OPTION,
];

/** Opens the storage that the flags name. An adapter is loaded only when it is asked for. */
export async function openStorage(
  given: Given,
  {
    flag = STORAGE_OPTION.name,
    mustExist,
    mayMigrate = !given.flag(NO_MIGRATE_OPTION.name),
    readOnly,
    timeoutMs,
    onWarning,
    onLost,
  }: OpeningOptions = {},
): Promise<Storage> {
  const url = readUrl(given, flag);
  if (url === "memory") return openMemoryStorage();
  if (/^file:./.test(url)) {
    const folder = await findFolder(url, { flag, mustExist });
    const { openFileStorage } = await import("../adapters/file.ts");
    return await openFileStorage(folder, { readOnly, host: knownHostname(), onWarning, onLost });
  }
  if (isPostgres(url)) {
    const { openPostgresStorage } = await import("../adapters/postgres.ts");
    const opening = openPostgresStorage(url, { migrate: mayMigrate, timeoutMs });
    return await opening.catch((error) => refuseBadUrl(error, flag));
  }
  throw unknownKind(url, flag);
}

/**
 * Opens the storage of a command that ends at once, uses it and closes it. Throws a
 * {@linkcode UsageError} for storage in memory, which would vanish with the command.
 */
export async function withStorage<T>(
  { given, terminal, openStorage }: Invocation,
  use: (storage: Storage) => Promise<T>,
  options: OpeningOptions = {},
): Promise<T> {
  const { flag = STORAGE_OPTION.name } = options;
  if (given.text(flag) === "memory") {
    throw new UsageError(
      `--${flag} memory does not outlive the command; give file:DIR or postgres://…`,
    );
  }
  const storage = await openStorage(given, {
    timeoutMs: TIMEOUT_MS,
    onWarning(message) {
      terminal.err(`boardcast: ${message}\n`);
    },
    ...options,
  });
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

/** Brings a Postgres database to the version of this Boardcast; returns what came of it. */
export async function migrateStorage(given: Given): Promise<MigrationOutcome> {
  const url = readUrl(given, STORAGE_OPTION.name);
  if (!isPostgres(url)) throw new UsageError("migrate needs --storage postgres://…");
  const { migratePostgres } = await import("../adapters/postgres.ts");
  return await migratePostgres(url).catch((error) => refuseBadUrl(error, STORAGE_OPTION.name));
}

// A secret may come with the line end of its file, or a setting with its quotes: that would be another
// folder, a new one without any data.
function readUrl(given: Given, flag: string): string {
  const url = given.text(flag) ?? "";
  if (!/^(?:file:)?["'\s]|\s$/.test(url)) return url;
  throw new UsageError(`--${flag} has white space or quotes around its value: leave them out`);
}

/**
 * Returns the folder of a `file:` URL. Throws a {@linkcode UsageError} for one that is hardly meant,
 * for something that is no folder, and for one without data that must exist.
 */
async function findFolder(
  url: string,
  { flag, mustExist }: { readonly flag: string; readonly mustExist?: boolean },
): Promise<string> {
  const folder = url.slice("file:".length);
  if (/^\/\/(?!\/).*@|:\/\/|password=/i.test(folder)) {
    throw new UsageError(
      `--${flag} file: stands before a URL: give the URL alone, or file:DIR`,
    );
  }
  if (folder.startsWith("~")) {
    throw new UsageError(
      `--${flag} "${url}" would be a folder called ~: write file:"$HOME"/…, or file:./${folder}`,
    );
  }
  if (/^\/\/[^/]/.test(folder)) {
    const path = folder.slice(2);
    throw new UsageError(
      `--${flag} "${url}" would start at the root: write file:${path}, or file:/${path}`,
    );
  }
  const isThere = await isFolder(folder, flag);
  if (mustExist && !(isThere && await holdsData(folder))) {
    throw new UsageError(`--${flag}: there is no data in the folder "${folder}"`);
  }
  return folder;
}

/** Tells whether a folder is there. Throws a {@linkcode UsageError} for something that is none. */
async function isFolder(folder: string, flag: string): Promise<boolean> {
  try {
    if ((await Deno.stat(folder)).isDirectory) return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    // Whatever else is wrong with it, opening it tells.
    if (!(error instanceof Deno.errors.NotADirectory)) return true;
  }
  throw new UsageError(`--${flag} file:${folder} is not a folder`);
}

async function holdsData(folder: string): Promise<boolean> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    return entries.some(({ name }) => DATA_FILES.includes(name));
  } catch {
    // What is wrong with it, opening it tells.
    return true;
  }
}

// The name of this machine helps those who are refused the folder, but is not worth a question.
function knownHostname(): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "hostname" });
  return state === "granted" ? Deno.hostname() : undefined;
}

function isPostgres(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}

function unknownKind(url: string, flag: string): UsageError {
  if (/^(?:\.{0,2}|[A-Za-z]:)[/\\](?!\/)/.test(url) && !/:\/\/|@|password=/i.test(url)) {
    return new UsageError(`--${flag} "${url}" lacks its kind: write file:${url} for a folder`);
  }
  // No more of it than its first word: it may be a URL with a password, written wrongly.
  const [word] = /^[\w.+-]*/.exec(url) ?? [];
  return new UsageError(
    `--${flag} "${word === url ? word : `${word}…`}" is not memory, file:DIR or postgres://…`,
  );
}

function refuseBadUrl(error: unknown, flag: string): never {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  throw new UsageError(error.message.replace(/^(?!PG)/, `--${flag}: `));
}
