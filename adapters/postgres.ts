/**
 * Storage in PostgreSQL, shared by any number of processes.
 *
 * @module
 */
import { connect as connectTo, type Socket } from "node:net";
import process from "node:process";
import postgres, { type Options, type Sql } from "postgres";
import { LAYOUT } from "../model/kinds.ts";
import { checkOptionNames, checkTimeout } from "../model/options.ts";
import { type Client, type Connect, type ConnectHooks, createClient } from "./_postgres/client.ts";
import { toStorageError } from "./_postgres/errors.ts";
import {
  type DatabaseSchema,
  migrate,
  type MigrationOutcome,
  planMigration,
  requireVersion,
  sqlOfNew,
} from "./_postgres/migrate.ts";
import { createStorage } from "./_postgres/storage.ts";
import { readUrl, unknownParameter } from "./_postgres/url.ts";
import { type Storage, StorageError } from "./storage.ts";

export type { MigrationOutcome };

/** Options of the `postgres` package. */
export type DriverOptions = Options<Record<never, never>>;

/** Options of {@linkcode migratePostgres}. */
export interface PostgresMigrationOptions {
  /** The schema that holds the tables: `a-z`, `0-9` and `_`. Default: `boardcast`. */
  readonly schema?: string | undefined;
  /**
   * The time limit for a call, in milliseconds, from 100 to 2,000,000,000. It covers waiting,
   * connecting and the reply. Default: 1,500. Migrations have no such limit; one waits up to 60 s
   * for that of another process.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Options for the `postgres` package besides the URL, such as `ssl` with certificates or
   * `password` as a function. Boardcast sets `max`, `types` and `transform` itself.
   */
  readonly driver?: DriverOptions | undefined;
}

/** Options of {@linkcode openPostgresStorage}. */
export interface PostgresStorageOptions extends PostgresMigrationOptions {
  /**
   * Whether to migrate the database to the version of this Boardcast. Default: `true`. With
   * `false`, a database at an older version is refused as `incompatible`.
   */
  readonly migrate?: boolean | undefined;
}

const MIGRATION_OPTIONS = ["schema", "timeoutMs", "driver"];
const DEFAULT_SCHEMA = "boardcast";
const DEFAULT_TIMEOUT_MS = 1_500;
const LOCK_TIMEOUT_MS = 100;
const IDLE_S = 60;
/** The reply of a server without TLS to a request for it. */
const REFUSES_TLS = "N".charCodeAt(0);
// With an unescaped / ? or # in it, the parser would read part of the password as a path, query or
// fragment, which errors may show.
const URL_FORM = /^postgres(?:ql)?:\/\/[^/?#]*(?:[/?][^@#]*)?$/i;

/**
 * Opens storage in a PostgreSQL database (12 or later), given a connection URL. What a URL leaves
 * out comes from environment variables such as `PGHOST`, which docs/postgres.md lists. The tables
 * are created or migrated first, unless `options.migrate` is `false`.
 *
 * Rejects with a `TypeError` or `RangeError` for a bad URL or option, and otherwise with a
 * {@linkcode StorageError}: `unavailable` if the database can't be reached, `incompatible` if it
 * is at a newer version, or at an older one and `options.migrate` is `false`.
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
  url: string,
  options: PostgresStorageOptions = {},
): Promise<Storage> {
  checkOptionNames(options, [...MIGRATION_OPTIONS, "migrate"]);
  const { target, schema } = readOptions(url, options);
  await withClient<unknown>(
    target,
    (client) => options.migrate ?? true ? migrate(client, schema) : requireVersion(client, schema),
  );
  const { name, timeoutMs } = schema;
  return createStorage(target.connect, { schema: name, timeoutMs, now: () => performance.now() });
}

/**
 * Migrates a database to the version of this Boardcast, and returns the versions before and after:
 * for a role that may create tables, where that of the service may not. Rejects like
 * {@linkcode openPostgresStorage}.
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
  url: string,
  options: PostgresMigrationOptions = {},
): Promise<MigrationOutcome> {
  checkOptionNames(options, MIGRATION_OPTIONS);
  const { target, schema } = readOptions(url, options);
  return await withClient(target, (client) => migrate(client, schema));
}

/**
 * Returns the SQL that {@linkcode migratePostgres} would run on a database, or, without a URL, on
 * an empty one. Changes nothing. Rejects like {@linkcode openPostgresStorage}.
 */
export async function planPostgresMigration(
  url?: string,
  options: PostgresMigrationOptions = {},
): Promise<string> {
  checkOptionNames(options, MIGRATION_OPTIONS);
  const { target, schema } = readOptions(url ?? "postgres:///", options);
  if (url === undefined) return sqlOfNew(schema);
  return await withClient(target, (client) => planMigration(client, schema));
}

async function withClient<T>(
  { connect, names, tls }: Target,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = createClient(connect);
  try {
    return await use(client);
  } catch (error) {
    if (tls.isRefused) {
      throw new StorageError(
        "unavailable",
        "Cannot connect: sslmode asks for TLS, and the server has none",
      );
    }
    const name = unknownParameter(error, names);
    if (name === undefined) throw toStorageError(error);
    throw new TypeError(`The server does not know the parameter "${name}" of the connection URL`);
  } finally {
    await client.close();
  }
}

function readOptions(
  url: string,
  { schema = DEFAULT_SCHEMA, timeoutMs = DEFAULT_TIMEOUT_MS, driver = {} }:
    PostgresMigrationOptions,
): { readonly target: Target; readonly schema: DatabaseSchema } {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new RangeError(
      `Cannot use the schema "${schema}": its name must be a-z, 0-9 and _, at most 63 of them`,
    );
  }
  checkTimeout(timeoutMs, "timeoutMs");
  const target = createTarget(url, timeoutMs, driver);
  return { target, schema: { name: schema, layout: LAYOUT, timeoutMs } };
}

/** The parsed addresses of a URL, as the driver passes them. */
interface Addresses {
  readonly host: readonly string[];
  readonly port: readonly number[];
  /** The path of a local socket. */
  readonly path: string | false | undefined;
}

/** The servers of a URL. */
interface Target {
  readonly connect: Connect;
  /** The names of the parameters that are settings of the session. */
  readonly names: readonly string[];
  /** Whether a server refused TLS although the URL requires it. */
  readonly tls: { isRefused: boolean };
}

function createTarget(text: string, timeoutMs: number, driver: DriverOptions): Target {
  if (!URL_FORM.test(text)) throw unreadableUrl();
  const { url, options, connection, names } = readUrl(text);
  const tls = { isRefused: false };

  function open(hooks: Partial<ConnectHooks>, hosts: readonly string[] = []): Sql {
    let attempts = 0;
    // Without this function, the driver would try again at once when a server closes a connection
    // while it starts.
    async function socket({ host, port, path }: Addresses): Promise<Socket> {
      await hooks.beforeConnect?.();
      const at = attempts++ % host.length;
      if (path) return connectTo(path);
      const socket = connectTo(port[at], host[at]);
      socket.once("data", (reply) => {
        const isRefusal = reply.length === 1 && reply[0] === REFUSES_TLS;
        tls.isRefused = isRefusal && sql.options.ssl !== "prefer";
      });
      // The driver reads the name of the server from the socket.
      return Object.assign(socket, { host: host[at] });
    }
    // The types of the driver lack this option.
    const connecting: object = { socket };
    const sql = postgres(url, {
      idle_timeout: IDLE_S,
      // Short enough to try all hosts within the time limit of a call.
      connect_timeout: timeoutMs / 1_500 / Math.max(1, hosts.length),
      backoff: () => 0,
      max_lifetime: null,
      ...readTlsMode(url),
      ...options as DriverOptions,
      ...connecting,
      ...driver,
      max: 1,
      fetch_types: false,
      types: {},
      transform: {},
      onnotice: () => {},
      onclose: hooks.onClose,
      ...(hosts.length > 1 && { host: hosts.join() }),
      connection: {
        application_name: "boardcast",
        statement_timeout: Math.round(timeoutMs),
        lock_timeout: LOCK_TIMEOUT_MS,
        idle_in_transaction_session_timeout: Math.round(timeoutMs),
        // A prepared plan made while a table was empty would always scan the whole table.
        enable_seqscan: "off",
        jit: "off",
        ...connection,
        ...driver.connection,
      },
    });
    return sql;
  }

  try {
    // This client only parses the URL: the driver connects with the first statement.
    const { host, port } = open({}).options;
    const hosts = host.map((name, i) => `${name}:${port[i]}`);
    const connect: Connect = (hooks, first) => {
      const at = first % hosts.length;
      return open(hooks, [...hosts.slice(at), ...hosts.slice(0, at)]);
    };
    return { connect, names, tls };
  } catch (error) {
    const { name, message } = error as Error;
    // This error names a variable that may not be read. One about `target_session_attrs` names an
    // unknown word. All others quote the URL with its password.
    if (name === "NotCapable") throw error;
    if (!message.startsWith("target_session_attrs")) throw unreadableUrl();
    throw new TypeError(`Cannot connect: ${message}`);
  }
}

/** Reads PGSSLMODE, which the driver ignores: without this, the lack of TLS would go unnoticed. */
function readTlsMode(url: string): DriverOptions {
  const mode = process.env.PGSSLMODE;
  if (!mode || /[?&]ssl(?:mode)?=/.test(url)) return {};
  return { ssl: mode === "disable" ? false : mode as "require" };
}

/** Returns an error that does not quote the URL, which may hold a password. */
function unreadableUrl(): TypeError {
  return new TypeError(
    "Cannot parse the connection URL: write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with " +
      "%2F, %3F, %23 and %40 for /, ?, # and @ in a user or password",
  );
}
