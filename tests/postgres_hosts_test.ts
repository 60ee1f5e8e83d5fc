import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
} from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { freePort } from "./_port.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { type Relay, startRelay } from "./_relay.ts";
import { unhandledDuring, until } from "./_waiting.ts";

const PING = toStatement("select 1");
const SLOW = toStatement("select 'slow' from pg_sleep(5)");
const ADD = toStatement("insert into kept values ('late')");
const IDLE_TIMEOUT_MS = 60_000;

describe("postgres behind relays", () => {
  let cluster: PostgresCluster;
  let other: PostgresCluster;
  let first: Relay;
  let second: Relay;
  const databases: Database[] = [];

  before(async () => {
    [cluster, other] = await Promise.all([startCluster(), startCluster()]);
    for (const { sql } of [cluster, other]) await sql`create table kept (word text)`;
  });
  after(async () => {
    await cluster.dispose();
    await other.dispose();
  });
  beforeEach(() => {
    first = startRelay(cluster.address);
    second = startRelay(cluster.address);
  });
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
    await first[Symbol.asyncDispose]();
    await second[Symbol.asyncDispose]();
    await cluster.sql`truncate kept`;
  });

  function open(
    relays: readonly Relay[],
    { query = "", ...options }: Partial<DatabaseOptions> & { readonly query?: string } = {},
  ): Database {
    const database = openDatabase(urlOf(relays) + query, {
      timeoutMs: 1_500,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      now: () => performance.now(),
      ...options,
    });
    databases.push(database);
    return database;
  }

  /** Opens a database on a client of the caller. */
  function lend(sql: unknown): Database {
    const now = () => performance.now();
    return openDatabase(sql as never, { timeoutMs: 100, idleTimeoutMs: IDLE_TIMEOUT_MS, now });
  }

  /** What the caller itself is answered, long before a minute is over. */
  async function ownAnswer(sql: postgres.Sql): Promise<string | undefined> {
    let answer: string | undefined;
    sql`select 'own' as word`.then(([{ word }]) => answer = word, () => {});
    await until(() => answer !== undefined);
    return answer;
  }

  function urlOf(relays: readonly Relay[]): string {
    const hosts = relays.map(({ port }) => `127.0.0.1:${port}`);
    return `postgres://postgres@${hosts.join(",")}/postgres`;
  }

  /** The numbers of the server processes that serve us. */
  async function backends(): Promise<number[]> {
    const rows = await cluster.sql`
      select pid from pg_stat_activity where application_name like 'boardcast %'`;
    return rows.map(({ pid }) => pid);
  }

  function endSessions(): PromiseLike<unknown> {
    return cluster.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name like 'boardcast %'`;
  }

  async function words(): Promise<string[]> {
    const rows = await cluster.sql`select word from kept`;
    return rows.map(({ word }) => word);
  }

  // On a busy machine the time may be too short to connect in.
  async function untilItAnswers(database: Database, statement = PING): Promise<void> {
    await until(() => database.query(statement).then(() => true, () => false));
  }

  async function untilGone(pids: readonly number[]): Promise<void> {
    await until(async () => {
      const left = await cluster.sql`
        select from pg_stat_activity where pid = any(${`{${pids}}`}::text::int[])`;
      return left.length === 0;
    });
  }

  async function untilRunning(text: string): Promise<void> {
    await until(async () => {
      const found = await cluster.sql`
        select from pg_stat_activity where state = 'active' and query like ${`%${text}%`}
          and application_name like 'boardcast %'`;
      return found.length > 0;
    });
  }

  it("a statement that is lost with its connection is not given the answer of another", async () => {
    const database = open([first, second], { query: "?max=1" });
    const lost = database.query(SLOW).then(() => "an answer", () => "none");
    await untilRunning("slow");
    first.cut();
    assertEquals(`${await database.query(PING)}`, "1");
    assertEquals(await lost, "none");
  });

  it("all connections are made to one host while that takes some", async () => {
    const role = `hosts_${Deno.pid}`;
    await cluster.sql.unsafe(`create role ${role} login connection limit 2`);
    const url = urlOf([first, second]).replace("postgres@", `${role}@`);
    const options = { timeoutMs: 20_000, idleTimeoutMs: 30, now: () => performance.now() };
    const database = openDatabase(url, options);
    for (let i = 0; i < 3; i++) {
      const pause = toStatement("select pg_sleep(0.01)");
      await Promise.allSettled(Array.from({ length: 20 }, () => database.query(pause)));
      // Each is closed before it has been of use for long.
      await until(async () => (await backends()).length === 0);
    }
    await database.close();
    await cluster.sql.unsafe(`drop role ${role}`);
    assert(first.connections > 3, `${first.connections} connections`);
    assertEquals(second.connections, 0);
  });

  it("a host that refuses whoever connects is passed over", async () => {
    const refusing = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = (async () => {
      for await (const connection of refusing) {
        await connection.read(new Uint8Array(1_024));
        // What a server says that starts, or that is a standby which takes no readers.
        await connection.write(fatal("57P03", "the database system is starting up"));
        connection.close();
      }
    })();
    const database = openDatabase(
      `postgres://postgres@127.0.0.1:${refusing.addr.port},127.0.0.1:${first.port}/postgres`,
      { timeoutMs: 1_500, idleTimeoutMs: IDLE_TIMEOUT_MS, now: () => performance.now() },
    );
    assertEquals(`${await database.query(PING)}`, "1");
    assertEquals(`${await database.query(PING)}`, "1");
    await database.close();
    refusing.close();
    await accepting;
  });

  for (const down of [3, 8]) {
    it(`the last host is found after ${down} that are down, and one that says little`, async () => {
      const curt = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const accepting = (async () => {
        for await (const connection of curt) {
          await connection.read(new Uint8Array(1_024));
          // AuthenticationOk, and no more.
          await connection.write(Uint8Array.of("R".charCodeAt(0), 0, 0, 0, 8, 0, 0, 0, 0));
          connection.close();
        }
      })();
      const ports = [curt.addr.port, ...Array.from({ length: down }, freePort), first.port];
      const hosts = ports.map((port) => `127.0.0.1:${port}`);
      const options = { timeoutMs: 1_500, idleTimeoutMs: IDLE_TIMEOUT_MS };
      const now = () => performance.now();
      const database = openDatabase(`postgres://postgres@${hosts}/postgres`, { ...options, now });
      assertEquals(`${await database.query(PING)}`, "1");
      await database.close();
      curt.close();
      await accepting;
    });
  }

  it("what was given up at one address is ended by way of another", async () => {
    const database = open([first, second], { timeoutMs: 1_000 });
    await untilItAnswers(database);
    const [pid] = await backends();
    Deno.kill(pid, "SIGSTOP");
    try {
      await assertRejects(() => database.query(ADD), Error, "No answer");
      first.refuse();
      await untilItAnswers(database, toStatement("insert into kept values ('next')"));
      assert(second.connections > 0);
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await untilGone([pid]);
    assertEquals(await words(), ["next"]);
  });

  it("what was given up is ended, too, when there are too many connections at first", async () => {
    const role = `crowded_${Deno.pid}`;
    await cluster.sql.unsafe(`create role ${role} login superuser`);
    await cluster.sql.unsafe(`grant all on kept to ${role}`);
    const url = urlOf([first]).replace("postgres@", `${role}@`);
    const options = { timeoutMs: 1_000, idleTimeoutMs: IDLE_TIMEOUT_MS };
    const database = openDatabase(url, { ...options, now: () => performance.now() });
    await untilItAnswers(database);
    await cluster.sql.unsafe(`alter role ${role} nosuperuser connection limit 1`);
    const [pid] = await backends();
    Deno.kill(pid, "SIGSTOP");
    try {
      await assertRejects(() => database.query(ADD), Error, "No answer");
      await assertRejects(() => database.query(PING), Error, "too many connections");
      await cluster.sql.unsafe(`alter role ${role} connection limit -1`);
      await untilItAnswers(database, toStatement("insert into kept values ('next')"));
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await untilGone([pid]);
    assertEquals(await words(), ["next"]);
    await database.close();
    await cluster.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  });

  it("nothing is begun once its time is over", async () => {
    first.silence();
    second.silence();
    const database = open([first, second], { timeoutMs: 300 });
    const asked = database.query(ADD).then(() => "stored", () => "refused");
    await delay(1_000);
    first.speak();
    second.speak();
    assertEquals(await asked, "refused");
    assertEquals(await words(), []);
  });

  it("nothing is begun once it is closed", async () => {
    first.silence();
    second.silence();
    const database = open([first, second]);
    const asked = database.query(ADD).then(() => "stored", () => "refused");
    await until(() => first.connections > 0);
    const closed = database.close();
    first.refuse();
    first.cut();
    second.speak();
    assertEquals(await asked, "refused");
    await closed;
    assertEquals([await words(), await backends()], [[], []]);
  });

  it("no process is ended that has the number of one that was given up", async () => {
    const other = postgres(cluster.url, { max: 1, fetch_types: false });
    const [{ pid }] = await other`select pg_backend_pid() as pid`;
    await using relay = startRelay(cluster.address, { pid });
    const database = open([relay], { timeoutMs: 100 });
    await untilItAnswers(database);
    relay.silence();
    await assertRejects(() => database.query(PING), Error, "No answer");
    relay.speak();
    await untilItAnswers(database);
    assertEquals([...await other`select pg_backend_pid() as pid`], [{ pid }]);
    await other.end();
  });

  it("what was given up while others were being ended is ended as well", async () => {
    const database = open([first], { timeoutMs: 1_000 });
    const pause = toStatement("select pg_sleep(0.05)");
    await Promise.all([database.query(pause), database.query(pause)]);
    const pids = await backends();
    assertEquals(pids.length, 2);
    for (const pid of pids) Deno.kill(pid, "SIGSTOP");
    try {
      const one = database.query(ADD).catch(() => {});
      await delay(300);
      const two = database.query(ADD).catch(() => {});
      await one;
      const connections = first.connections;
      first.silence();
      const next = database.query(toStatement("insert into kept values ('next')"));
      await until(() => first.connections > connections);
      await two;
      first.speak();
      await next;
    } finally {
      for (const pid of pids) Deno.kill(pid, "SIGCONT");
    }
    await untilGone(pids);
    assertEquals(await words(), ["next"]);
  });

  it("the next host is used when one takes no writes", async () => {
    await using relay = startRelay(other.address);
    await other.sql`alter system set default_transaction_read_only = on`;
    await other.sql`select pg_reload_conf()`;
    const database = open([relay, first]);
    await until(() => database.query(ADD).then(() => true, () => false));
    assert(relay.connections > 0);
    assertEquals(await words(), ["late"]);
    await other.sql`alter system reset default_transaction_read_only`;
    await other.sql`select pg_reload_conf()`;
  });

  it("what was given up on one host is ended when that is used again", async () => {
    await using relay = startRelay(other.address);
    const database = open([first, relay], { timeoutMs: 1_000 });
    await database.query(PING);
    const [pid] = await backends();
    Deno.kill(pid, "SIGSTOP");
    try {
      await assertRejects(() => database.query(ADD), Error, "No answer");
      first.silence();
      await untilItAnswers(database);
      assert(relay.connections > 0);
      first.speak();
      relay.refuse();
      relay.cut();
      await untilItAnswers(database, toStatement("insert into kept values ('next')"));
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await untilGone([pid]);
    assertEquals(await words(), ["next"]);
  });

  for (const whose of ["our own", "the caller's"]) {
    it(`a server that falls silent for good makes a statement fail, and nothing else, on ${whose} client`, async () => {
      const sql = postgres(urlOf([first]), { max: 1, fetch_types: false, onnotice: () => {} });
      const database = whose === "our own" ? open([first], { timeoutMs: 100 }) : lend(sql);
      const unhandled = await unhandledDuring(async () => {
        await untilItAnswers(database);
        first.silence();
        first.refuse();
        await assertRejects(() => database.query(PING), Error, "No answer");
        // What is refused after the driver's own attempt is told of after it.
        await assertRejects(() => Deno.connect({ hostname: "127.0.0.1", port: first.port }));
        await sql.end({ timeout: 0 });
      });
      assertEquals(unhandled, []);
    });
  }

  it("a client of the caller is none the worse for a connection that took too long", async () => {
    const sql = postgres(urlOf([first]), { max: 1, fetch_types: false, onnotice: () => {} });
    const database = lend(sql);
    first.silence();
    await assertRejects(() => database.query(ADD), Error, "No answer");
    first.speak();
    assertEquals(await ownAnswer(sql), "own");
    assertEquals(await words(), []);
    await sql.end();
  });

  it("a client of the caller is none the worse for a statement that took too long", async () => {
    const sql = postgres(urlOf([first]), { max: 1, fetch_types: false, onnotice: () => {} });
    const database = lend(sql);
    await untilItAnswers(database);
    // The second one is sent behind the first, and never asked for.
    const statements = [toStatement("select pg_sleep(60)"), PING].map((statement) =>
      assertRejects(() => database.query(statement), Error, "No answer")
    );
    await Promise.all(statements);
    assertEquals(await ownAnswer(sql), "own");
    assertEquals(`${await database.query(PING)}`, "1");
    await sql.end();
  });

  const losses: readonly [string, () => unknown][] = [
    ["cut", () => first.cut()],
    ["ended by the server", () => endSessions()],
  ];
  for (const [how, lose] of losses) {
    it(`a migration whose connection is ${how} is refused, and ends nothing else`, async () => {
      const unhandled = await unhandledDuring(() =>
        cluster.sql.begin(async (sql) => {
          await sql`select pg_advisory_xact_lock(
            hashtextextended('boardcast.migrations.' || '"boardcast"', 0))`;
          const opening = openPostgresStorage(urlOf([first]));
          const refused = assertRejects(() => opening, StorageError);
          await untilRunning("pg_advisory_xact_lock");
          await lose();
          assertEquals((await refused).code, "unavailable");
        })
      );
      assertEquals(unhandled, []);
    });
  }
});

/** Writes an ErrorResponse that ends a connection (PostgreSQL, section 55.7). */
function fatal(code: string, message: string): Uint8Array {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const bytes = new Uint8Array(5 + fields.length);
  bytes[0] = "E".charCodeAt(0);
  new DataView(bytes.buffer).setUint32(1, 4 + fields.length);
  bytes.set(fields, 5);
  return bytes;
}
