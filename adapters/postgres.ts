/**
 * Storage in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
import type { Sql } from "postgres";
import { createCalls } from "./_postgres/calls.ts";
import { MIGRATIONS } from "./_postgres/migrations.ts";
import { createApiKeyStorage } from "./_postgres/api_keys.ts";
import { createBoardStorage } from "./_postgres/boards.ts";
import { type Database, openDatabase, toStatement } from "./_postgres/database.ts";
import { toStorageError } from "./_postgres/errors.ts";
import { migrate, type MigrationOutcome, quoteSchema, readVersion } from "./_postgres/migrate.ts";
import { createSubscriptionStorage } from "./_postgres/subscriptions.ts";
import { type Storage, StorageError } from "./storage.ts";

export type { MigrationOutcome };

/** Options of {@linkcode migratePostgres}. */
export interface PostgresMigrationOptions {
  /** The schema that holds the tables: `a-z`, `0-9` and `_`. Default `boardcast`. */
  readonly schema?: string | undefined;
  /**
   * How long a call may take, in milliseconds, from 100 to 2,000,000,000: connecting, waiting
   * for its turn and for the answer. Default 1,500. It does not limit a migration, which takes as
   * long as it takes, and waits for one by another process for up to 60 s.
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of {@linkcode openPostgresStorage}. */
export interface PostgresStorageOptions extends PostgresMigrationOptions {
  /**
   * The maximum number of connections, at least 1. Default: `max` in the URL's query, or 10.
   * Connections are opened as they are needed, which are few, since calls are batched.
   */
  readonly poolSize?: number | undefined;
  /**
   * After how long an unused connection is closed, in milliseconds, from 1 to 2,000,000,000.
   * Default 60,000.
   */
  readonly idleTimeoutMs?: number | undefined;
  /**
   * Whether to migrate the database to the version of this Boardcast. Default `true`; with
   * `false`, a database that is not yet at that version is refused as `incompatible`.
   */
  readonly migrate?: boolean | undefined;
}

// A timer of more than 31 bits ends at once.
const MAX_TIMEOUT_MS = 2_000_000_000;
const DEFAULTS: Required<Omit<PostgresStorageOptions, "poolSize">> = {
  schema: "boardcast",
  timeoutMs: 1_500,
  idleTimeoutMs: 60_000,
  migrate: true,
};

/**
 * Opens storage in a PostgreSQL database (12 or later), given a connection URL or a client of the
 * `postgres` package, which the caller has to end.
 *
 * What a URL leaves out comes from environment variables such as `PGHOST`, which docs/postgres.md
 * lists. Missing parts of the tables are created first, unless `options.migrate` is `false`.
 *
 * Rejects with a `TypeError` or `RangeError` for a bad URL or option, and otherwise with a
 * {@linkcode StorageError}: `unavailable` if the database can't be reached, `incompatible` if it
 * is at a newer version, or at an older one that is not to be migrated.
 *
 * @example Usage
 * ```ts ignore
 * import { openPostgresStorage } from "@boardcast/boardcast/postgres";
 *
 * const storage = await openPostgresStorage("postgres://boardcast@localhost/boardcast");
 * await storage.ping();
 * await storage.close();
 * ```
 */
export async function openPostgresStorage(
  urlOrSql: string | Sql,
  options: PostgresStorageOptions = {},
): Promise<Storage> {
  const settings = withDefaults(options);
  const schema = quoteSchema(settings.schema);
  const database = open(urlOrSql, settings);
  try {
    if (settings.migrate) await migrate(database, schema, MIGRATIONS);
    else await requireVersion(database, schema);
  } catch (error) {
    await database.close();
    throw toStorageError(error);
  }
  return createStorage(database, schema, settings.timeoutMs);
}

/**
 * Migrates a database to the version of this Boardcast, given a connection URL or a client, and
 * returns the versions before and after. Use it with a role that may create tables, before
 * processes run with one that may not. Rejects like {@linkcode openPostgresStorage}.
 *
 * @example Usage
 * ```ts ignore
 * import { migratePostgres } from "@boardcast/boardcast/postgres";
 *
 * const { from, to } = await migratePostgres("postgres://owner@localhost/boardcast");
 * console.log(`from version ${from} to ${to}`);
 * ```
 */
export async function migratePostgres(
  urlOrSql: string | Sql,
  options: PostgresMigrationOptions = {},
): Promise<MigrationOutcome> {
  const settings = { ...withDefaults(options), poolSize: 1 };
  const schema = quoteSchema(settings.schema);
  const database = open(urlOrSql, settings);
  try {
    return await migrate(database, schema, MIGRATIONS);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await database.close();
  }
}

/** An option that is `undefined` counts as left out, as one that comes from a variable may be. */
function withDefaults(options: PostgresStorageOptions): PostgresStorageOptions & typeof DEFAULTS {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

function open(
  urlOrSql: string | Sql,
  options: PostgresStorageOptions & typeof DEFAULTS,
): Database {
  const { poolSize, timeoutMs, idleTimeoutMs } = options;
  if (poolSize !== undefined && !(Number.isInteger(poolSize) && poolSize >= 1)) {
    throw new RangeError(`Cannot use a pool of ${poolSize} connections: give at least 1`);
  }
  for (const [ms, leastMs] of [[timeoutMs, 100], [idleTimeoutMs, 1]]) {
    if (!(Number.isFinite(ms) && ms >= leastMs && ms <= MAX_TIMEOUT_MS)) {
      throw new RangeError(
        `Cannot use a time-out of ${ms} ms: give ${leastMs} to ${MAX_TIMEOUT_MS}`,
      );
    }
  }
  return openDatabase(urlOrSql, { size: poolSize, timeoutMs, idleTimeoutMs, now: clock });
}

async function requireVersion(database: Database, schema: string): Promise<void> {
  const version = await readVersion(database, schema);
  if (version === MIGRATIONS.length) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the database: it is at version ${version}, ` +
      (version < MIGRATIONS.length ? "and has to be migrated" : "made by a newer Boardcast") +
      `; this one needs version ${MIGRATIONS.length}`,
  );
}

function createStorage(database: Database, schema: string, timeoutMs: number): Storage {
  const calls = createCalls(timeoutMs, toStorageError);
  // Asks for the right to write, and is refused by a standby, but writes nothing.
  const ping = toStatement(`update ${schema}.subscriptions set subscribed = true where false`);
  let closing: Promise<void> | undefined;
  return {
    boards: createBoardStorage(database, schema, calls),
    subscriptions: createSubscriptionStorage(database, schema, calls),
    apiKeys: createApiKeyStorage(database, schema, { calls, now: clock }),
    ping: () => calls.run(async () => void await database.query(ping)),
    close: () => closing ??= calls.close().then(() => database.close()),
  };
}

function clock(): number {
  return performance.now();
}
