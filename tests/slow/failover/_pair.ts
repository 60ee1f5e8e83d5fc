import { dirname } from "node:path";
import postgres, { type Sql } from "postgres";
import { freePort } from "../../_support/port.ts";
import { findAccount } from "../../_support/postgres.ts";
import { findPrograms } from "../../_support/postgres_programs.ts";
import { run } from "../../_support/process.ts";
import { until } from "../../_support/waiting.ts";

/** One of two servers: the primary or the standby. */
export interface Server {
  readonly port: number;
  /** A client of the superuser for this server alone. */
  readonly sql: Sql;
  /** Starts the server on its data. */
  start(): Promise<void>;
  /** Ends the server at once, like a failure of its machine. */
  kill(): Promise<void>;
  /** Promotes a standby; resolves once it is the primary. */
  promote(): Promise<void>;
  /** Replaces the server's data by a copy of the primary's, and starts it as the standby. */
  follow(primary: Server): Promise<void>;
  /** Makes each commit wait for a standby, or for none. */
  wait(forStandby: boolean): Promise<void>;
}

/** A primary and its standby. */
export interface Pair extends AsyncDisposable {
  readonly servers: readonly [Server, Server];
  /** A URL with both hosts. */
  readonly url: string;
}

const READY_MS = 30_000;

/** Starts a primary and a standby. The standby is synchronous by default. */
export async function startPair({ isSynchronous = true } = {}): Promise<Pair> {
  const owner = await findAccount();
  const folder = await Deno.makeTempDir({ prefix: "boardcast-pair-" });
  const account = { ...owner, cwd: folder };
  // PATH may only have links to some of the programs.
  const programs = dirname(await Deno.realPath(`${await findPrograms(folder)}/initdb`));
  if (owner.uid !== undefined) await Deno.chown(folder, owner.uid, owner.gid!);
  const runAs = (program: string, args: string[]) => run(`${programs}/${program}`, args, account);

  function createServer(name: string): Server & { close(): Promise<void> } {
    const port = freePort();
    const data = `${folder}/${name}`;
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
    const options = { max: 1, fetch_types: false, onnotice() {}, backoff: () => 0.02 };
    let sql = postgres(url, options);
    let child: Deno.ChildProcess | undefined;

    async function start(): Promise<void> {
      child = new Deno.Command(`${programs}/postgres`, {
        ...account,
        args: [
          ...["-D", data, "-p", `${port}`, "-c", "listen_addresses=127.0.0.1"],
          ...["-c", "unix_socket_directories=", "-c", "max_connections=100"],
        ],
        stdin: "null",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await sql.end({ timeout: 0 });
      sql = postgres(url, options);
      await until(() => sql`select 1`.then(() => true, () => false), READY_MS);
    }

    async function kill(): Promise<void> {
      child?.kill("SIGQUIT");
      await child?.status;
      child = undefined;
    }

    return {
      port,
      get sql() {
        return sql;
      },
      start,
      kill,
      async promote() {
        await sql`select pg_promote()`;
      },
      async follow(primary) {
        await kill();
        await Deno.remove(data, { recursive: true }).catch(() => {});
        const from = `host=127.0.0.1 port=${primary.port} user=postgres`;
        await runAs("pg_basebackup", ["-D", data, "-d", from, "-c", "fast", "-R"]);
        // A promoted standby must not wait for the standby of the old primary.
        await Deno.remove(`${data}/postgresql.auto.conf`);
        const auto = `primary_conninfo = '${from} application_name=standby'\n`;
        await Deno.writeTextFile(`${data}/postgresql.auto.conf`, auto);
        if (owner.uid !== undefined) {
          await Deno.chown(`${data}/postgresql.auto.conf`, owner.uid, owner.gid!);
        }
        await start();
        await until(async () => {
          const rows = await primary.sql`select from pg_stat_replication where state = 'streaming'`;
          return rows.length === 1;
        }, READY_MS);
        if (isSynchronous) await primary.wait(true);
      },
      async wait(forStandby) {
        const names = forStandby ? "*" : "";
        await sql.unsafe(`alter system set synchronous_standby_names = '${names}'`);
        await sql`select pg_reload_conf()`;
        await until(async () => {
          const [{ setting }] = await sql`
            select current_setting('synchronous_standby_names') as setting`;
          return setting === names;
        });
      },
      async close() {
        await sql.end({ timeout: 0 });
        await kill();
      },
    };
  }

  const servers = [createServer("a"), createServer("b")] as const;
  const access = ["-U", "postgres", "-A", "trust"];
  await runAs("initdb", ["-D", `${folder}/a`, ...access, "-E", "UTF8", "--locale=C"]);
  await servers[0].start();
  await servers[1].follow(servers[0]);
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return {
    servers,
    url: `postgres://postgres@${hosts}/postgres?target_session_attrs=read-write`,
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
