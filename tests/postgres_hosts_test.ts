import { assert, assertEquals, assertRejects } from "@std/assert";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { freePort } from "./_port.ts";
import { startHangingUp } from "./_postgres.ts";
import { startRelay } from "./_relay.ts";
import { ADD_LATE, PING, type Scene, testBehindRelays, untilItAnswers, urlOf } from "./_relayed.ts";
import { unhandledDuring, until } from "./_waiting.ts";

testBehindRelays("postgres on several hosts", (test) => {
  test("a statement that is lost with its connection is not given the answer of another", async ({ first, second, open, untilRunning }) => {
    const database = open([first, second], { query: "?max=1" });
    const slow = toStatement("select 'slow' from pg_sleep(5)");
    const lost = database.query(slow).then(() => "an answer", () => "none");
    await untilRunning("slow");
    first.cut();
    assertEquals(`${await database.query(PING)}`, "1");
    assertEquals(await lost, "none");
  });

  test("closing waits for no answer to what a lost connection was asked", async ({ first, open, untilRunning }) => {
    const database = open([first], { timeoutMs: 60_000 });
    const slow = toStatement("select 'slow' from pg_sleep(1)");
    const lost = database.query(slow).then(() => "an answer", () => "none");
    await untilRunning("slow");
    first.cut();
    assertEquals(await lost, "none");
    let isClosed = false;
    database.close().then(() => isClosed = true);
    await until(() => isClosed);
  });

  test("all connections are made to one host while that takes some", async ({ cluster, first, second, open, backends }) => {
    const user = `hosts_${Deno.pid}`;
    await cluster.sql.unsafe(`create role ${user} login connection limit 2`);
    const database = open([first, second], { user, timeoutMs: 20_000, idleTimeoutMs: 30 });
    for (let i = 0; i < 3; i++) {
      const pause = toStatement("select pg_sleep(0.01)");
      await Promise.allSettled(Array.from({ length: 20 }, () => database.query(pause)));
      // Each is closed before it has been of use for long.
      await until(async () => (await backends()).length === 0);
    }
    await database.close();
    await cluster.sql.unsafe(`drop role ${user}`);
    assert(first.connections > 3, `${first.connections} connections`);
    assertEquals(second.connections, 0);
  });

  test("a host that refuses whoever connects is passed over", async ({ first, open }) => {
    // What a server says that starts, or that is a standby which takes no readers.
    await using refusing = startHangingUp(fatal("57P03", "the database system is starting up"));
    const database = open([refusing, first]);
    assertEquals(`${await database.query(PING)}`, "1");
    assertEquals(`${await database.query(PING)}`, "1");
  });

  for (const count of [3, 8]) {
    test(`the last host is found after ${count} that are down, and one that says little`, async ({ first, open }) => {
      // AuthenticationOk, and no more.
      await using curt = startHangingUp(Uint8Array.of("R".charCodeAt(0), 0, 0, 0, 8, 0, 0, 0, 0));
      const down = Array.from({ length: count }, () => ({ port: freePort() }));
      assertEquals(`${await open([curt, ...down, first]).query(PING)}`, "1");
    });
  }

  test("the next host is used when one takes no writes", async ({ other, first, open, words }) => {
    await using relay = startRelay(other.address);
    await other.sql`alter system set default_transaction_read_only = on`;
    await other.sql`select pg_reload_conf()`;
    await untilItAnswers(open([relay, first]), ADD_LATE);
    assert(relay.connections > 0);
    assertEquals(await words(), ["late"]);
    await other.sql`alter system reset default_transaction_read_only`;
    await other.sql`select pg_reload_conf()`;
  });

  const losses: Readonly<Record<string, (scene: Scene) => unknown>> = {
    "cut": ({ first }) => first.cut(),
    "ended by the server": ({ cluster }) =>
      cluster.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'boardcast %'`,
  };
  for (const [how, lose] of Object.entries(losses)) {
    test(`a migration whose connection is ${how} is refused, and ends nothing else`, async (scene) => {
      const unhandled = await unhandledDuring(() =>
        scene.cluster.sql.begin(async (sql) => {
          await sql`select pg_advisory_xact_lock(
            hashtextextended('boardcast.migrations.' || '"boardcast"', 0))`;
          const opening = openPostgresStorage(urlOf([scene.first]));
          const refused = assertRejects(() => opening, StorageError);
          await scene.untilRunning("pg_advisory_xact_lock");
          await lose(scene);
          assertEquals((await refused).code, "unavailable");
        })
      );
      assertEquals(unhandled, []);
    });
  }
});

/** Writes an ErrorResponse that ends a connection (PostgreSQL, section 55.7). */
function fatal(code: string, message: string): Uint8Array<ArrayBuffer> {
  const fields = new TextEncoder().encode(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const bytes = new Uint8Array(5 + fields.length);
  bytes[0] = "E".charCodeAt(0);
  new DataView(bytes.buffer).setUint32(1, 4 + fields.length);
  bytes.set(fields, 5);
  return bytes;
}
