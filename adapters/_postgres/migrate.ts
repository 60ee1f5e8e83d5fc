import { StorageError } from "../storage.ts";
import { type Client, inTransaction, type Send } from "./client.ts";
import { COMMIT, toStatement } from "./sql.ts";

/** The versions of a database before and after a migration. */
export interface MigrationOutcome {
  /** The version before; 0 for a database without tables of Boardcast. */
  readonly from: number;
  /** The version after. */
  readonly to: number;
}

/** The schema that a database needs. */
export interface DatabaseSchema {
  /** The name of the schema that holds the tables: `a-z`, `0-9` and `_`. */
  readonly name: string;
  /** The migrations, in order; each creates the next version. */
  readonly migrations: readonly string[];
  /** The time limit for reading the version. */
  readonly timeoutMs: number;
}

const MAX_MIGRATION_MS = 3_600_000;
const LOCK_TIMEOUT = "60s";
// Below the 1.5 s of calls, which queue behind a migration's lock. Above the 1 s (deadlock_timeout)
// after which the server ends deadlocks, and cancels an autovacuum that blocks the migration.
const TABLE_TIMEOUT = "1250ms";
// The limit between two statements, without which a process on a crashed machine would hold the
// lock for hours.
const IDLE_TIMEOUT = "10s";
const LOCK_NOT_AVAILABLE = "55P03";

/** Rejects with `incompatible` unless the database has the version of the last migration. */
export async function requireVersion(client: Client, schema: DatabaseSchema): Promise<void> {
  const version = schema.migrations.length;
  const found = await client.use((send) => readVersion(send, schema), schema.timeoutMs);
  if (found === version) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the database: it is at version ${found}, and has to be migrated; ` +
      `this program needs version ${version}`,
  );
}

/**
 * Migrates the database to the version of the last migration, in one transaction. If several
 * processes start, one migrates and the others wait. Rejects with `incompatible` for a database at
 * a newer version.
 */
export async function migrate(client: Client, schema: DatabaseSchema): Promise<MigrationOutcome> {
  const { name, migrations, timeoutMs } = schema;
  const to = migrations.length;
  // A role without the right to create tables can start if no migration is needed.
  const version = await client.use((send) => readVersion(send, schema), timeoutMs);
  if (version === to) return { from: to, to };
  return await client.use((send) =>
    inTransaction(send, async () => {
      const run = (text: string) => send(toStatement(text));
      await run(
        `set local statement_timeout = 0; set local lock_timeout = '${LOCK_TIMEOUT}';
         set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
      );
      await run(
        `select pg_advisory_xact_lock(hashtextextended('boardcast.migrations.${name}', 0));
         set local lock_timeout = '${TABLE_TIMEOUT}'`,
      ).catch(refuseBusy);
      const from = await readVersion(send, schema);
      if (from === 0) {
        // "create schema if not exists" requires the right to create a schema even if it exists.
        const [{ missing }] = await run(`select to_regnamespace('"${name}"') is null as missing`);
        if (missing) await run(`create schema "${name}"`);
        await run(
          `create table if not exists "${name}".migrations (
             version integer primary key,
             applied_at timestamptz(3) not null default now()
           )`,
        );
      }
      for (let version = from + 1; version <= to; version++) {
        await run(migrations[version - 1].replaceAll("$schema", `"${name}"`)).catch(refuseBusy);
        await run(`insert into "${name}".migrations (version) values (${version})`);
      }
      await send(COMMIT);
      return { from, to };
    }), MAX_MIGRATION_MS);
}

/**
 * Reads the version of the database; 0 if there is none. Throws `incompatible` for a newer version,
 * and for an encoding that lacks characters.
 */
async function readVersion(send: Send, { name, migrations }: DatabaseSchema): Promise<number> {
  // Reads the catalogue, because to_regclass may answer from a cache that is older than the lock.
  const [{ encoding, found }] = await send(toStatement(
    `select current_setting('server_encoding') as encoding,
       exists (select from pg_tables where schemaname = '${name}' and tablename = 'migrations')
         as found`,
  ));
  if (encoding !== "UTF8") {
    throw new StorageError(
      "incompatible",
      `Cannot use the database: its encoding is ${encoding}, and has to be UTF8`,
    );
  }
  const table = `"${name}".migrations`;
  const select = toStatement(`select coalesce(max(version), 0) as version from ${table}`);
  const version = found ? Number((await send(select))[0].version) : 0;
  if (version > migrations.length) {
    throw new StorageError(
      "incompatible",
      `Cannot use the database: it is at version ${version}, made by a newer Boardcast; ` +
        `this program knows versions up to ${migrations.length}`,
    );
  }
  return version;
}

function refuseBusy(error: unknown): never {
  if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  throw new StorageError(
    "unavailable",
    "Cannot migrate the database: another migration, or something like pg_dump, uses its tables; " +
      "try again",
  );
}
