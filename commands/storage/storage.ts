import { nearest } from "../../model/values/nearest.ts";
import type { FileStorage } from "../../adapters/file.ts";
import type { MigrationOutcome } from "../../adapters/postgres.ts";
import { openMemoryStorage, type Storage } from "../../mod.ts";
import { bringToOwnVersion, requireOwnRecords } from "../../services/version.ts";
import { type Option, option, setting, UsageError } from "../shell/options.ts";
import { FILE, holdsData, knownHostname, pathOf } from "./folder.ts";

/** The options for opening a storage. */
export interface OpeningOptions {
  /** The storage's name in messages. Default: `--storage`. */
  readonly label?: string;
  /** Whether the folder must already exist and contain data. */
  readonly mustExist?: boolean;
  /** Whether an older storage may be migrated. Default: yes. */
  readonly mayMigrate?: boolean;
  /** Whether an unknown version of the records is accepted. */
  readonly anyVersion?: boolean;
  /** The deadline of a PostgreSQL call, in milliseconds. Default: that of the adapter. */
  readonly timeoutMs?: number;
  /** Called with warnings for the operator. */
  readonly onWarning?: (message: string) => void;
  /** Called when nothing can be stored any more. */
  readonly onLost?: (message: string) => void;
}

const STORAGE_OPTION: Option = setting(
  "storage memory | file:DIR | kv:FILE | postgres://… | module:SPECIFIER",
  "Where records are kept.",
  { default: "file:./data" },
);

/** The flag of `migrate`, which accepts only databases, because no other storage has migrations. */
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

/** The flags of a command that ends at once, for which storage in memory is useless. */
export const LASTING_STORAGE_OPTIONS: readonly Option[] = [
  { ...STORAGE_OPTION, value: "file:DIR | kv:FILE | postgres://… | module:SPECIFIER" },
  NO_MIGRATE_OPTION,
];

/** An opened storage. Storage in a folder can also announce the server that holds it. */
export type OpenedStorage = Storage & Partial<Pick<FileStorage, "announce">>;

const KV = /^kv:./;
const MODULE = /^module:./;
// Only the owner may read the database, like the files of a data folder.
const KV_MODE = 0o600;
const POSTGRES = /^postgres(?:ql)?:/;

/**
 * Opens the storage of a URL, and loads only its adapter. Throws a {@linkcode UsageError} for an
 * invalid URL, and another error if data must exist and does not, or if a newer program wrote the
 * records.
 */
export async function openStorage(
  url: string,
  options: OpeningOptions = {},
): Promise<OpenedStorage> {
  const storage = await openAdapter(url, options);
  try {
    if (options.anyVersion) return storage;
    await (options.mayMigrate === false ? requireOwnRecords(storage) : bringToOwnVersion(storage));
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
    return await openKvDatabase(pathOf(url, label), { label, mustExist, timeoutMs });
  }
  if (MODULE.test(url)) return await openModule(url.slice("module:".length), label);
  if (!POSTGRES.test(url)) throw unknownKind(url, label);
  const { openPostgresStorage } = await import("../../adapters/postgres.ts");
  const opening = openPostgresStorage(url, { migrate: mayMigrate, timeoutMs });
  return await opening.catch((error) => refuseBadUrl(error, label));
}

/** Opens Deno KV in a file or, given a URL, in a remote database. */
async function openKvDatabase(
  place: string,
  { label, mustExist = false, timeoutMs }: OpeningOptions,
): Promise<Storage> {
  // Deno lacks the function without the flag.
  const { openKv }: Partial<typeof Deno> = Deno;
  if (openKv === undefined) {
    throw new UsageError(`${label} kv:… needs Deno with the flag --unstable-kv`);
  }
  if (!/^https?:\/\//i.test(place)) await prepareFile(place, mustExist);
  const { openKvStorage } = await import("../../adapters/deno_kv.ts");
  try {
    return openKvStorage(await openKv(place), { timeoutMs });
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const { message } = error as Error;
    throw new Error(`${label}: cannot open the Deno KV database: ${message}`, { cause: error });
  }
}

async function prepareFile(path: string, mustExist: boolean): Promise<void> {
  try {
    (await Deno.open(path, { write: true, create: !mustExist, mode: KV_MODE })).close();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    const isMissing = mustExist && error instanceof Deno.errors.NotFound;
    if (isMissing) throw new Error(`there is no database "${path}"`);
    throw new Error(`cannot open the file "${path}": ${(error as Error).message}`);
  }
}

/** Opens the storage that a module's default export returns, a function without arguments. */
async function openModule(specifier: string, label: string): Promise<Storage> {
  if (Deno.build.standalone) {
    throw new UsageError(`${label} module:… works where Deno runs the sources, not once compiled`);
  }
  // Loading this module takes 12 ms, a fifth of a start.
  const { pathToFileURL } = await import("node:url");
  const isPath = /^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(specifier);
  const url = isPath ? pathToFileURL(specifier).href : specifier;
  const module: { default?: () => Storage | Promise<Storage> } = await import(url).catch(
    (cause) => {
      throw new Error(`cannot load the module "${specifier}": ${cause.message}`, { cause });
    },
  );
  const storage = typeof module.default === "function" ? await module.default() : undefined;
  if (typeof storage?.transact === "function") return storage;
  throw new Error(`the default export of "${specifier}" is no function that opens a storage`);
}

/**
 * Opens the storage of a URL or folder for reading only. A folder can be read while another process
 * holds it.
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

/** Migrates a database; returns the versions before and after, and the SQL that was run. */
export async function migrateStorage(url: string): Promise<MigrationOutcome> {
  requireDatabase(url);
  const { migratePostgres } = await import("../../adapters/postgres.ts");
  return await migratePostgres(url).catch((error) => refuseBadUrl(error, "--storage"));
}

/** Returns the SQL that migrates a database; without a URL, that for an empty one. */
export async function printMigration(url: string | undefined): Promise<string> {
  if (url !== undefined) requireDatabase(url);
  const { planPostgresMigration } = await import("../../adapters/postgres.ts");
  return await planPostgresMigration(url).catch((error) => refuseBadUrl(error, "--storage"));
}

function requireDatabase(url: string): void {
  if (!POSTGRES.test(url)) throw new UsageError("migrate needs --storage postgres://…");
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
  // Shows only the first word, because the text may be a mistyped URL with a password.
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
