/**
 * Storage in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
import type { Sql } from "postgres";
import { createCalls } from "./_postgres/calls.ts";
import { MIGRATIONS } from "./_postgres/migrations.ts";
import { COLUMNS as KEY_COLUMNS, createApiKeyStorage } from "./_postgres/api_keys.ts";
import { COLUMNS as BOARD_COLUMNS, createBoardStorage } from "./_postgres/boards.ts";
import { type Database, openDatabase } from "./_postgres/database.ts";
import { toStorageError } from "./_postgres/errors.ts";
import {
  migrate,
  type MigrationOutcome,
  quoteSchema,
  requireVersion,
} from "./_postgres/migrate.ts";
import { toStatement } from "./_postgres/statement.ts";
import {
  COLUMNS as SUBSCRIPTION_COLUMNS,
  createSubscriptionStorage,
} from "./_postgres/subscriptions.ts";
import type { Storage } from "./storage.ts";

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

const DEFAULT_SCHEMA = "boardcast";
const DEFAULT_TIMEOUT_MS = 1_500;
const DEFAULT_IDLE_TIMEOUT_MS = 60_000;
// A timer of more than 31 bits ends at once.
const MAX_TIMEOUT_MS = 2_000_000_000;

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
  const { database, schema, timeoutMs } = open(urlOrSql, options);
  try {
    if (options.migrate ?? true) await migrate(database, schema, MIGRATIONS);
    else await requireVersion(database, schema, MIGRATIONS.length);
  } catch (error) {
    await database.close();
    throw toStorageError(error);
  }
  return createStorage(database, schema, timeoutMs);
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
  const { database, schema } = open(urlOrSql, { ...options, poolSize: 1 });
  try {
    return await migrate(database, schema, MIGRATIONS);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await database.close();
  }
}

function open(urlOrSql: string | Sql, options: PostgresStorageOptions) {
  const { poolSize, timeoutMs = DEFAULT_TIMEOUT_MS, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } =
    options;
  const schema = quoteSchema(options.schema ?? DEFAULT_SCHEMA);
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
  const pool = { size: poolSize, timeoutMs, idleTimeoutMs, now: clock };
  return { database: openDatabase(urlOrSql, pool), schema, timeoutMs };
}

function createStorage(database: Database, schema: string, timeoutMs: number): Storage {
  const calls = createCalls(timeoutMs);
  // Asks for all columns and for the right to write, and is refused by a standby, but writes nothing.
  const ping = toStatement(`
    with board as (
      update ${schema}.boards set updated_at = updated_at where false returning ${BOARD_COLUMNS}
    ), api_key as (
      update ${schema}.api_keys set revoked_at = revoked_at where false returning ${KEY_COLUMNS}
    )
    update ${schema}.subscriptions set updated_at = updated_at where false
    returning ${SUBSCRIPTION_COLUMNS}`);
  let closing: Promise<void> | undefined;
  let pinging: Promise<void> | undefined;
  return {
    boards: createBoardStorage(database, schema, calls),
    subscriptions: createSubscriptionStorage(database, schema, calls),
    apiKeys: createApiKeyStorage(database, schema, { calls, now: clock }),
    // Whoever asks at the same time shares one statement: /readyz asks for no key.
    ping: () =>
      pinging ??= calls.run(async () => void await database.query(ping))
        .finally(() => pinging = undefined),
    close: () => closing ??= calls.close().then(() => database.close()),
  };
}

function clock(): number {
  return performance.now();
}
