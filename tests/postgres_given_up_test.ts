import { assert, assertEquals, assertRejects } from "@std/assert";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { type Database, openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { type Relay, startRelay } from "./_relay.ts";
import { ADD_LATE, ADD_NEXT, PING, testBehindRelays, untilItAnswers, urlOf } from "./_relayed.ts";
import { unhandledDuring, until } from "./_waiting.ts";

testBehindRelays("postgres statements that are given up", (test) => {
  test("what was given up at one address is ended by way of another", async ({ first, second, open, backends, whilePaused, words }) => {
    const database = open([first, second], { timeoutMs: 1_000 });
    await untilItAnswers(database);
    await whilePaused(await backends(), async () => {
      await assertRejects(() => database.query(ADD_LATE), Error, "No answer");
      first.refuse();
      await untilItAnswers(database, ADD_NEXT);
      assert(second.connections > 0);
    });
    assertEquals(await words(), ["next"]);
  });

  test("what was given up is ended by a role that takes on another one as it logs in", async ({ cluster, first, open, backends, whilePaused, words }) => {
    const [user, owner] = [`user_${Deno.pid}`, `owner_${Deno.pid}`];
    await cluster.sql.unsafe(`
      create role ${owner}; create role ${user} login in role ${owner};
      grant all on kept to ${owner}; alter role ${user} set role = ${owner}`);
    const database = open([first], { user, timeoutMs: 1_000 });
    await untilItAnswers(database);
    await whilePaused(await backends(), async () => {
      await assertRejects(() => database.query(ADD_LATE), Error, "No answer");
      await untilItAnswers(database, ADD_NEXT);
    });
    assertEquals(await words(), ["next"]);
    await database.close();
    await cluster.sql.unsafe(`drop owned by ${owner}; drop role ${user}; drop role ${owner}`);
  });

  test("what was given up is ended, too, when there are too many connections at first", async ({ cluster, first, open, backends, whilePaused, words }) => {
    const user = `crowded_${Deno.pid}`;
    await cluster.sql.unsafe(`create role ${user} login superuser`);
    await cluster.sql.unsafe(`grant all on kept to ${user}`);
    const database = open([first], { user, timeoutMs: 1_000 });
    await untilItAnswers(database);
    await cluster.sql.unsafe(`alter role ${user} nosuperuser connection limit 1`);
    await whilePaused(await backends(), async () => {
      await assertRejects(() => database.query(ADD_LATE), Error, "No answer");
      await assertRejects(() => database.query(PING), Error, "too many connections");
      await cluster.sql.unsafe(`alter role ${user} connection limit -1`);
      await untilItAnswers(database, ADD_NEXT);
    });
    assertEquals(await words(), ["next"]);
    await database.close();
    await cluster.sql.unsafe(`drop owned by ${user}; drop role ${user}`);
  });

  test("nothing is begun once its time is over", async ({ first, second, open, words }) => {
    first.silence();
    second.silence();
    const database = open([first, second], { timeoutMs: 150 });
    const asked = database.query(ADD_LATE).then(() => "stored", () => "refused");
    // If it went on, it would be in one of its last attempts.
    await delay(450);
    first.speak();
    second.speak();
    assertEquals(await asked, "refused");
    assertEquals(await words(), []);
  });

  test("nothing is begun once it is closed", async ({ first, second, open, backends, words }) => {
    first.silence();
    second.silence();
    const database = open([first, second]);
    const asked = database.query(ADD_LATE).then(() => "stored", () => "refused");
    await until(() => first.connections > 0);
    const closed = database.close();
    first.refuse();
    first.cut();
    second.speak();
    assertEquals(await asked, "refused");
    await closed;
    assertEquals([await words(), await backends()], [[], []]);
  });

  test("no process is ended that has the number of one that was given up", async ({ cluster, open }) => {
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

  test("what was given up while others were being ended is ended as well", async ({ first, open, backends, whilePaused, words }) => {
    const database = open([first], { timeoutMs: 1_000 });
    const pause = toStatement("select pg_sleep(0.05)");
    await Promise.all([database.query(pause), database.query(pause)]);
    const pids = await backends();
    assertEquals(pids.length, 2);
    await whilePaused(pids, async () => {
      const one = database.query(ADD_LATE).catch(() => {});
      await delay(300);
      const two = database.query(ADD_LATE).catch(() => {});
      await one;
      const connections = first.connections;
      first.silence();
      const next = database.query(ADD_NEXT);
      await until(() => first.connections > connections);
      await two;
      first.speak();
      await next;
    });
    assertEquals(await words(), ["next"]);
  });

  test("what was given up on one host is ended when that is used again", async ({ other, first, open, backends, whilePaused, words }) => {
    await using relay = startRelay(other.address);
    const database = open([first, relay], { timeoutMs: 1_000 });
    await database.query(PING);
    await whilePaused(await backends(), async () => {
      await assertRejects(() => database.query(ADD_LATE), Error, "No answer");
      first.silence();
      await untilItAnswers(database);
      assert(relay.connections > 0);
      first.speak();
      relay.refuse();
      relay.cut();
      await untilItAnswers(database, ADD_NEXT);
    });
    assertEquals(await words(), ["next"]);
  });

  for (const whose of ["our own", "the caller's"]) {
    test(`a server that falls silent for good makes a statement fail, and nothing else, on ${whose} client`, async ({ first, open }) => {
      const { sql, database: lent } = lend(first);
      const database = whose === "our own" ? open([first], { timeoutMs: 100 }) : lent;
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

  test("a client of the caller is none the worse for a connection that took too long", async ({ first, words }) => {
    const { sql, database } = lend(first);
    first.silence();
    await assertRejects(() => database.query(ADD_LATE), Error, "No answer");
    first.speak();
    assertEquals(await ownAnswer(sql), "own");
    assertEquals(await words(), []);
    await sql.end();
  });

  test("a client of the caller is none the worse for a statement that took too long", async ({ first }) => {
    const { sql, database } = lend(first);
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
});

/** Opens a database on a client of the caller. */
function lend(relay: Relay): { readonly sql: postgres.Sql; readonly database: Database } {
  const sql = postgres(urlOf([relay]), { max: 1, fetch_types: false, onnotice: () => {} });
  const options = { timeoutMs: 100, idleTimeoutMs: 60_000, now: () => performance.now() };
  return { sql, database: openDatabase(sql as never, options) };
}

/** What the caller itself is answered, long before a minute is over. */
async function ownAnswer(sql: postgres.Sql): Promise<string | undefined> {
  let answer: string | undefined;
  sql`select 'own' as word`.then(([{ word }]) => answer = word, () => {});
  await until(() => answer !== undefined);
  return answer;
}
