import { after, before, describe, it } from "@std/testing/bdd";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { type Relay, startRelay } from "./_relay.ts";
import { until } from "./_waiting.ts";

export const PING = toStatement("select 1");
/** Adds a word to the table `kept`. */
export const ADD_LATE = toStatement("insert into kept values ('late')");
export const ADD_NEXT = toStatement("insert into kept values ('next')");

/** Where one test runs. */
export interface Scene {
  /** Has an empty table `kept` of words. */
  readonly cluster: PostgresCluster;
  /** Has one as well, and no relays. */
  readonly other: PostgresCluster;
  /** Relays to the cluster. */
  readonly first: Relay;
  readonly second: Relay;
  /** Opens a database, which is closed after the test. */
  open(hosts: readonly Host[], options?: OpenOptions): Database;
  /** The numbers of the server processes that serve us. */
  backends(): Promise<readonly number[]>;
  /** The words that are kept. */
  words(): Promise<readonly string[]>;
  /** Pauses server processes for a while, and waits until they are gone. */
  whilePaused(pids: readonly number[], use: () => Promise<void>): Promise<void>;
  /** Resolves when a statement with this text is running. */
  untilRunning(text: string): Promise<void>;
}

/** Where a server may be, on this machine. */
export interface Host {
  readonly port: number;
}

/** How a database is opened, if not as usual. */
export interface OpenOptions extends Partial<DatabaseOptions> {
  readonly user?: string;
  /** Starts with a question mark. */
  readonly query?: string;
}

/** Registers tests, each with relays of its own in front of one server. */
export function testBehindRelays(
  name: string,
  register: (test: (title: string, run: (scene: Scene) => Promise<void>) => void) => void,
): void {
  describe(name, () => {
    let clusters: readonly PostgresCluster[];
    before(async () => {
      clusters = await Promise.all([startCluster(), startCluster()]);
      for (const { sql } of clusters) await sql`create table kept (word text)`;
    });
    after(async () => {
      for (const cluster of clusters) await cluster.dispose();
    });

    register((title, run) =>
      it(title, async () => {
        const [cluster, other] = clusters;
        await using first = startRelay(cluster.address);
        await using second = startRelay(cluster.address);
        const databases: Database[] = [];
        const tools = createTools(cluster, databases);
        // A server process ends a moment after its connection does.
        await until(async () => (await tools.backends()).length === 0);
        try {
          await run({ cluster, other, first, second, ...tools });
        } finally {
          for (const database of databases) await database.close();
          await cluster.sql`truncate kept`;
        }
      })
    );
  });
}

function createTools(
  { sql }: PostgresCluster,
  databases: Database[],
): Pick<Scene, "open" | "backends" | "words" | "whilePaused" | "untilRunning"> {
  return {
    open(hosts, { user, query = "", ...options } = {}) {
      const database = openDatabase(urlOf(hosts, user) + query, {
        timeoutMs: 1_500,
        idleTimeoutMs: 60_000,
        now: () => performance.now(),
        ...options,
      });
      databases.push(database);
      return database;
    },
    async backends() {
      const rows = await sql`
        select pid from pg_stat_activity where application_name like 'boardcast %'`;
      return rows.map(({ pid }) => pid);
    },
    async words() {
      return (await sql`select word from kept`).map(({ word }) => word);
    },
    async whilePaused(pids, use) {
      for (const pid of pids) Deno.kill(pid, "SIGSTOP");
      try {
        await use();
      } finally {
        for (const pid of pids) Deno.kill(pid, "SIGCONT");
      }
      await until(async () => {
        const left = await sql`
          select from pg_stat_activity where pid = any(${`{${pids}}`}::text::int[])`;
        return left.length === 0;
      });
    },
    untilRunning: (text) =>
      until(async () => {
        const found = await sql`
          select from pg_stat_activity where state = 'active' and query like ${`%${text}%`}
            and application_name like 'boardcast %'`;
        return found.length > 0;
      }),
  };
}

/** The URL of a database that one of several hosts has. */
export function urlOf(hosts: readonly Host[], user = "postgres"): string {
  return `postgres://${user}@${hosts.map(({ port }) => `127.0.0.1:${port}`)}/postgres`;
}

/** Asks until there is an answer: on a busy machine the time may be too short to connect in. */
export async function untilItAnswers(database: Database, statement = PING): Promise<void> {
  await until(() => database.query(statement).then(() => true, () => false));
}
