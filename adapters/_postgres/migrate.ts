import type { TransactionSql } from "postgres";
import type { Database } from "./database.ts";
import { errorCode, isAnswer } from "./errors.ts";
import { toStatement } from "./statement.ts";
import { readBoolean, readText } from "./values.ts";
import { StorageError } from "../storage.ts";

/** Which version a database was at, and which it is at now. */
export interface MigrationOutcome {
  /** The version found; 0 for a database that holds nothing of Boardcast yet. */
  readonly from: number;
  /** The version it is at now. */
  readonly to: number;
}

const LOCK_TIMEOUT = "60s";
// Calls of running processes queue up behind what waits for a table, and have 1.5 s. After 1 s
// (deadlock_timeout) the server ends deadlocks, and an autovacuum that is in the way.
const TABLE_TIMEOUT = "1250ms";
// Between two statements: a process whose machine is gone would hold the lock for hours.
const IDLE_TIMEOUT = "10s";
const LOCK_NOT_AVAILABLE = "55P03";

/** Quotes the name of a schema. Throws `RangeError` where it is none that needs no care. */
export function quoteSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new RangeError(
      `Cannot use the schema "${schema}": its name must be a-z, 0-9 and _, at most 63 of them`,
    );
  }
  return `"${schema}"`;
}

/** Rejects with `incompatible` unless the database is at a version. */
export async function requireVersion(
  database: Database,
  schema: string,
  version: number,
): Promise<void> {
  const found = await readVersion(database, schema);
  refuseNewer(found, version);
  if (found === version) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the database: it is at version ${found}, and has to be migrated; ` +
      `this program needs version ${version}`,
  );
}

/**
 * Reads the version of the database; 0 where there is none. Rejects with `incompatible` where it
 * can't store every name.
 */
async function readVersion(database: Database, schema: string): Promise<number> {
  const [answer] = await database.query(
    toStatement(
      `select to_regclass('${schema}.migrations') is not null, current_setting('server_encoding')`,
    ),
  );
  const encoding = readText(answer, 1);
  if (encoding !== "UTF8") {
    throw new StorageError(
      "incompatible",
      `Cannot use the database: its encoding is ${encoding}, and has to be UTF8`,
    );
  }
  if (!readBoolean(answer, 0)) return 0;
  const [row] = await database.query(toStatement(selectVersion(schema)));
  return Number(readText(row, 0));
}

/**
 * Brings the database to the version of the last of the migrations, all in one transaction.
 * Of several processes that do so at once one works and the others wait for it. Rejects with
 * `incompatible` where the database is of a newer version.
 */
export async function migrate(
  database: Database,
  schema: string,
  migrations: readonly string[],
): Promise<MigrationOutcome> {
  const to = migrations.length;
  const from = await readVersion(database, schema);
  refuseNewer(from, to);
  if (from === to) return { from, to };
  return await database.withClient((sql) =>
    sql.begin(async (transaction) => {
      try {
        const found = await enter(transaction, schema);
        refuseNewer(found, to);
        for (let version = found + 1; version <= to; version++) {
          await transaction.unsafe(migrations[version - 1].replaceAll("$schema", schema));
          await transaction.unsafe(
            `insert into ${schema}.migrations (version) values (${version})`,
          );
        }
        return { from: found, to };
      } catch (error) {
        // Where the connection is lost, the driver rejects by itself. The rollback that it would
        // send on it after this one ends the process.
        const isLost = !(error instanceof StorageError) && errorCode(error) !== "";
        if (isLost && !isAnswer(error)) await new Promise(() => {});
        throw errorCode(error) === LOCK_NOT_AVAILABLE ? busy() : error;
      }
    })
  );
}

/** Takes the lock, makes what the migrations stand on, and returns the version under the lock. */
async function enter(transaction: TransactionSql, schema: string): Promise<number> {
  await transaction.unsafe(
    `set local statement_timeout = 0; set local lock_timeout = '${LOCK_TIMEOUT}';
     select pg_advisory_xact_lock(hashtextextended('boardcast.migrations.' || '${schema}', 0));
     set local lock_timeout = '${TABLE_TIMEOUT}';
     set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
  );
  // Creating a schema "if not exists" asks for the right to create one even where it exists.
  const [answer] = await transaction.unsafe(
    `select to_regnamespace('${schema}') is null`,
  ).raw();
  if (readBoolean(answer, 0)) await transaction.unsafe(`create schema ${schema}`);
  await transaction.unsafe(
    `create table if not exists ${schema}.migrations (
       version integer primary key,
       applied_at timestamptz(3) not null default now()
     )`,
  );
  const [row] = await transaction.unsafe(selectVersion(schema)).raw();
  return Number(readText(row, 0));
}

function selectVersion(schema: string): string {
  return `select coalesce(max(version), 0) from ${schema}.migrations`;
}

function busy(): StorageError {
  return new StorageError(
    "unavailable",
    "Cannot migrate the database: another migration, or something like pg_dump, uses its tables; " +
      `try again (SQLSTATE ${LOCK_NOT_AVAILABLE})`,
  );
}

function refuseNewer(found: number, known: number): void {
  if (found <= known) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the database: it is at version ${found}, made by a newer Boardcast; ` +
      `this program knows versions up to ${known}`,
  );
}
