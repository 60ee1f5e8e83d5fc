import "./environment.ts";
import postgres, { type Sql } from "postgres";
import { cleaningUp } from "./folder.ts";
import { freePort } from "./port.ts";
import { findPrograms } from "./postgres_programs.ts";
import { run } from "./process.ts";

/** A PostgreSQL server that one test file may crash and restart. */
export interface PostgresCluster {
  /** A URL of a superuser. */
  readonly url: string;
  /** The host and port of the URL, for use with other roles. */
  readonly address: string;
  /** A client of the superuser, which sees the tables without the adapter. */
  readonly sql: Sql;
  /** Ends the server and removes its data. */
  dispose(): Promise<void>;
  /** Ends the server at once and leaves its data, as a crash does. */
  crash(): Promise<void>;
  /** Starts the server again, on the same port, and resolves when it takes connections. */
  start(): Promise<void>;
  /** Sends a signal to the server and to all of its processes. */
  signal(signal: Deno.Signal): Promise<void>;
}

/** A PostgreSQL server in which tests have databases of their own. */
export type PostgresServer = Pick<PostgresCluster, "url" | "address" | "sql" | "dispose">;

/** Options of {@linkcode startCluster}. */
export interface ClusterOptions {
  /** Whether commits survive a crash of the machine; slower. Default `false`. */
  readonly durable?: boolean;
  /** Further settings of the server, like `shared_buffers=1GB`. */
  readonly settings?: readonly string[];
}

/** The account and the folder in which a program runs. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
  readonly cwd?: string;
}

const READY_DEADLINE_MS = 30_000;

/**
 * Starts a server with an empty database, in a directory of its own and on a free port. Throws, and
 * so fails the tests, if the machine has no usable PostgreSQL.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<PostgresCluster> {
  const { durable = false, settings = [] } = options;
  const owner = await findAccount();
  const directory = await Deno.makeTempDir({ prefix: "boardcast-postgres-" });
  // Another account may not be allowed to enter the folder of the tests.
  const account = { ...owner, cwd: directory };
  const programs = await findPrograms(directory);
  if (account.uid !== undefined) await Deno.chown(directory, account.uid, account.gid!);
  const data = `${directory}/data`;
  const access = ["-U", "postgres", "-A", "trust"];
  const initdb = ["-D", data, ...access, "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(`${programs}/initdb`, initdb, account);
  const port = freePort();
  const flags = [
    ...["-c", "listen_addresses=127.0.0.1", "-p", `${port}`, "-c", `unix_socket_directories=`],
    ...["-c", "max_connections=200"],
    ...(durable ? [] : ["-c", "fsync=off"]),
    ...settings.flatMap((setting) => ["-c", setting]),
  ];
  const address = `127.0.0.1:${port}/postgres`;
  const url = `postgres://postgres@${address}`;
  let child: Deno.ChildProcess;
  let hasEnded = false;
  let sql = connect(url);

  async function start(): Promise<void> {
    child = new Deno.Command(`${programs}/postgres`, {
      ...account,
      args: ["-D", data, ...flags],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    hasEnded = false;
    child.status.then(() => hasEnded = true);
    await sql.end({ timeout: 0 });
    sql = connect(url);
    const deadline = Date.now() + READY_DEADLINE_MS;
    while (await sql`select 1`.then(() => false, () => true)) {
      if (hasEnded) {
        throw new Error("PostgreSQL ended: is its folder closed to it, or its path long?");
      }
      if (Date.now() > deadline) throw new Error("PostgreSQL does not start");
    }
  }

  async function crash(): Promise<void> {
    if (!hasEnded) child.kill("SIGQUIT");
    await child.status;
  }

  let processes: readonly number[] = [];
  try {
    await start();
  } catch (error) {
    await crash();
    await Deno.remove(directory, { recursive: true });
    throw error;
  }
  return {
    url,
    address,
    get sql() {
      return sql;
    },
    start,
    crash,
    async signal(signal) {
      // A stopped server can't list its processes, so SIGCONT uses the earlier list.
      if (signal !== "SIGCONT") {
        const others = await sql`select pid from pg_stat_activity`;
        processes = [child.pid, ...others.map(({ pid }) => pid)];
      }
      for (const pid of processes) Deno.kill(pid, signal);
    },
    async dispose() {
      await sql.end({ timeout: 0 });
      await crash();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** The variable with the superuser's URL of the server that a run of all tests shares. */
export const SERVER_VARIABLE = "BOARDCAST_TEST_POSTGRES";

/** Returns the shared server of this run, or starts one. For tests that do not crash or stop it. */
export async function findServer(): Promise<PostgresServer> {
  const url = Deno.env.get(SERVER_VARIABLE);
  if (url === undefined) return await startCluster();
  const sql = connect(url);
  const dispose = () => sql.end();
  return { url, address: url.slice(url.indexOf("@") + 1), sql, dispose };
}

/** Calls a function with the URL of an empty database, as {@linkcode withDatabase} does. */
export async function withAnyDatabase<T>(
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = await findServer();
  return await cleaningUp(() => withDatabase(server, use), server.dispose);
}

/**
 * Calls a function with the URL of a new, empty database, which is dropped afterwards. `how` is
 * appended to `create database`.
 */
export async function withDatabase<T>(
  { url, sql }: PostgresServer,
  use: (url: string) => Promise<T>,
  how = "",
): Promise<T> {
  const name = `boardcast_${crypto.randomUUID()}`;
  await sql`create database ${sql(name)} ${sql.unsafe(how)}`;
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return await cleaningUp(
    () => use(databaseUrl),
    async () => await sql`drop database ${sql(name)} with (force)`,
  );
}

/** Opens a client that reconnects almost at once. */
export function connect(url: string): Sql {
  return postgres(url, { max: 4, fetch_types: false, onnotice: () => {}, backoff: () => 0.02 });
}

/** Finds an account that may run PostgreSQL, which refuses to run as root. */
export async function findAccount(): Promise<Account> {
  if (Deno.uid() !== 0) return {};
  for (const line of (await Deno.readTextFile("/etc/passwd")).split("\n")) {
    const [name, , uid, gid] = line.split(":");
    if (name === "postgres" || name === "nobody") return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Cannot start PostgreSQL as root: there is neither a user postgres nor nobody");
}
