import { type Layout, refusalOfOlder, stepsFrom } from "../../model/steps.ts";
import { StorageError } from "../storage.ts";
import { readCatalogue } from "./catalogue.ts";
import { changesOf, missingInDatabase, type SchemaChanges } from "./changes.ts";
import { type Client, inTransaction, type Send } from "./client.ts";
import { moveRecords } from "./moves.ts";
import { COMMIT, toLiteral, toStatement } from "./sql.ts";

/** The versions of a database before and after a migration. */
export interface MigrationOutcome {
  /** The version before; 0 for a database without tables of Boardcast. */
  readonly from: number;
  /** The version after. */
  readonly to: number;
  /** The SQL that was run; empty if the tables were those of the version already. */
  readonly sql: string;
}

/** The schema that a database needs. */
export interface DatabaseSchema {
  /** The name of the schema that holds the tables: `a-z`, `0-9` and `_`. */
  readonly name: string;
  readonly layout: Layout;
  /** The time limit for reading the version. */
  readonly timeoutMs: number;
}

/** A plan for a migration. */
interface Plan {
  readonly from: number;
  readonly changes: SchemaChanges;
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
const MIGRATIONS_TABLE = `create table if not exists $schema.migrations (
  version integer primary key,
  applied_at timestamptz(3) not null default now()
)`;

/** Rejects with `incompatible` unless the database has the tables of the layout. */
export async function requireVersion(client: Client, schema: DatabaseSchema): Promise<void> {
  const plan = await client.use((send) => readPlan(send, schema), schema.timeoutMs);
  const { version } = schema.layout;
  if (isDone(plan, schema)) return;
  throw new StorageError(
    "incompatible",
    `Cannot use the database: it is at version ${plan.from}, and has to be migrated; ` +
      `this program needs version ${version}`,
  );
}

/** Returns the SQL that a migration would run. */
export async function planMigration(client: Client, schema: DatabaseSchema): Promise<string> {
  const plan = await client.use((send) => readPlan(send, schema), schema.timeoutMs);
  return isDone(plan, schema) ? "" : toSql(plan, schema);
}

/** Returns the SQL that creates all tables of a schema. */
export function sqlOfNew(schema: DatabaseSchema): string {
  return toSql({ from: 0, changes: changesOf(new Map(), schema.layout, 0) }, schema);
}

/**
 * Brings the database to the version of the layout, in one transaction. If several processes start,
 * one migrates and the others wait. Rejects with `incompatible` for a database at a newer version,
 * and for one from before version 1.
 */
export async function migrate(client: Client, schema: DatabaseSchema): Promise<MigrationOutcome> {
  const { name, layout, timeoutMs } = schema;
  const to = layout.version;
  // A role without the right to create tables can start if no migration is needed.
  const plan = await client.use((send) => readPlan(send, schema), timeoutMs);
  if (isDone(plan, schema)) return { from: to, to, sql: "" };
  return await client.use((send) =>
    inTransaction(send, async () => {
      const run = (text: string) => send(toStatement(inSchema(text, name)));
      await run(
        `set local statement_timeout = 0; set local lock_timeout = '${LOCK_TIMEOUT}';
         set local idle_in_transaction_session_timeout = '${IDLE_TIMEOUT}'`,
      );
      await run(
        `select pg_advisory_xact_lock(hashtextextended('boardcast.migrations.${name}', 0));
         set local lock_timeout = '${TABLE_TIMEOUT}'`,
      ).catch(refuseBusy);
      const plan = await readPlan(send, schema);
      if (isDone(plan, schema)) return { from: to, to, sql: "" };
      const { from, changes } = plan;
      if (from === 0) {
        // "create schema if not exists" requires the right to create a schema even if it exists.
        const [{ missing }] = await run(`select to_regnamespace('"${name}"') is null as missing`);
        if (missing) await run("create schema $schema");
        await run(MIGRATIONS_TABLE);
      }
      for (const statement of changes.before) await run(statement).catch(refuseBusy);
      const steps = from === 0 ? [] : stepsFrom(from, layout);
      await moveRecords(send, steps, { schema: name, kinds: layout.kinds });
      for (const statement of [...changes.after, ...versionStatements(plan, schema)]) {
        await run(statement).catch(refuseBusy);
      }
      await send(COMMIT);
      return { from, to, sql: toSql(plan, schema) };
    }), MAX_MIGRATION_MS);
}

function isDone({ from, changes }: Plan, { layout }: DatabaseSchema): boolean {
  return from === layout.version && changes.before.length + changes.after.length === 0;
}

/** Returns the statements that record the version, and stop programs of an earlier one. */
function versionStatements({ from }: Plan, { layout: { version, kinds } }: DatabaseSchema) {
  if (from === version) return [];
  const settings = kinds.some(({ name }) => name === "settings");
  return [
    `insert into $schema.migrations (version) values (${version})`,
    ...settings && from > 0
      ? [`update $schema.settings set value = ${toLiteral(`${version}`)}
  where setting_id = 'version' and value ~ '^[0-9]+$'`]
      : [],
  ];
}

function toSql(plan: Plan, schema: DatabaseSchema): string {
  const { from, changes } = plan;
  const moved = from === 0
    ? []
    : stepsFrom(from, schema.layout).map(({ to, kind }) =>
      `-- The program moves the records of ${kind.name} to version ${to} here.\n`
    );
  const write = (statements: readonly string[]) => statements.map((text) => `${text};\n`);
  const created = from === 0 ? ["create schema $schema", MIGRATIONS_TABLE] : [];
  const text = [
    ...write([...created, ...changes.before]),
    ...moved,
    ...write([...changes.after, ...versionStatements(plan, schema)]),
  ].join("\n");
  return inSchema(text, schema.name);
}

function inSchema(text: string, name: string): string {
  return text.replaceAll("$schema", `"${name}"`);
}

/**
 * Reads the version of the database, 0 if there is none, and what it lacks. Throws `incompatible`
 * for a newer version, for data from before version 1, and for an encoding that lacks characters.
 */
async function readPlan(send: Send, { name, layout }: DatabaseSchema): Promise<Plan> {
  const [{ encoding }] = await send(
    toStatement("select current_setting('server_encoding') as encoding"),
  );
  if (encoding !== "UTF8") {
    throw new StorageError(
      "incompatible",
      `Cannot use the database: its encoding is ${encoding}, and has to be UTF8`,
    );
  }
  // Reads the catalogue, because to_regclass may answer from a cache that is older than the lock.
  const catalogue = await readCatalogue(send, name);
  const select = toStatement(
    `select coalesce(max(version), 0) as version from "${name}".migrations`,
  );
  const from = catalogue.has("migrations") ? Number((await send(select))[0].version) : 0;
  if (from > layout.version) {
    throw new StorageError(
      "incompatible",
      `Cannot use the database: it is at version ${from}, made by a newer Boardcast; ` +
        `this program knows versions up to ${layout.version}`,
    );
  }
  const sign = from === 1 ? missingInDatabase(catalogue, layout.first) : undefined;
  if (sign !== undefined) {
    throw new StorageError("incompatible", refusalOfOlder("database", `it has no ${sign}`));
  }
  return { from, changes: changesOf(catalogue, layout, from) };
}

function refuseBusy(error: unknown): never {
  if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
  throw new StorageError(
    "unavailable",
    "Cannot migrate the database: another migration, or something like pg_dump, uses its tables; " +
      "try again",
  );
}
