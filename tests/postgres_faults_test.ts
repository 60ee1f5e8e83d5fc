import { assert, assertEquals } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { API_KEYS, BOARDS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { put } from "./_contract/calls.ts";
import { assertUnavailable, failureOf, LIMIT_MS, startLoad, untilItWorks } from "./_load.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { boardOf, subscriptionOf } from "./_postgres_kinds.ts";
import { until } from "./_waiting.ts";

const IDEAS = boardOf("ideas");
const ANN = subscriptionOf("ann@example.com");

describe("postgres faults", () => {
  let cluster: PostgresCluster;
  let storage: Storage;

  before(async () => {
    cluster = await startCluster({ durable: true });
  });
  after(() => cluster.dispose());
  beforeEach(async () => {
    storage = await openPostgresStorage(cluster.url);
  });
  afterEach(async () => {
    await storage.close();
    await cluster.sql`drop schema boardcast cascade`;
  });

  async function countMissing(emails: readonly string[]): Promise<number> {
    const stored = await cluster.sql`select user_email from boardcast.subscriptions`;
    const found = new Set(stored.map((row) => row.user_email));
    return emails.filter((email) => !found.has(email)).length;
  }

  /** Has the server processes of a storage stand still that last ran a statement like this. */
  async function stopProcesses(statement: string): Promise<readonly number[]> {
    const processes = await cluster.sql`select pid from pg_stat_activity
      where application_name = 'boardcast' and query like ${`%${statement}%`}`;
    for (const { pid } of processes) Deno.kill(pid, "SIGSTOP");
    return processes.map(({ pid }) => pid);
  }

  it("every acknowledged change is stored when connections are cut under load", async () => {
    const load = startLoad(storage);
    for (let i = 0; i < 20; i++) {
      await load.progress(50);
      await cluster.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'boardcast'`;
    }
    await load.progress(50);
    const { acknowledged, failures } = await load.stop();
    assertUnavailable(failures);
    assert(failures.length > 0, "no call was under way when a connection was cut");
    assertEquals(await countMissing(acknowledged), 0);
  });

  it("every acknowledged change is stored when the server crashes and restarts under load", async () => {
    const load = startLoad(storage);
    await load.progress(500);
    await cluster.crash();
    await load.failure();
    await cluster.start();
    const back = performance.now();
    await load.progress(1);
    const resumedMs = performance.now() - back;
    await load.progress(500);
    const { acknowledged, failures } = await load.stop();
    assertUnavailable(failures);
    assertEquals(await countMissing(acknowledged), 0);
    assert(resumedMs < LIMIT_MS, `service resumed after ${resumedMs} ms`);
  });

  it("every kind of call rejects in time when the server is silent, and works again later", async () => {
    await put(storage, BOARDS, IDEAS);
    await storage.get(BOARDS, "ideas");
    await cluster.signal("SIGSTOP");
    const failures = await Promise.all([
      failureOf(() => storage.get(BOARDS, "ideas")),
      failureOf(() => storage.get(API_KEYS, "key")),
      failureOf(() => storage.list(BOARDS, { limit: 1 })),
      failureOf(() => put(storage, BOARDS, IDEAS)),
      failureOf(() => put(storage, SUBSCRIPTIONS, ANN)),
      failureOf(() => storage.ping()),
    ]);
    await cluster.signal("SIGCONT");
    assertUnavailable(failures);
    const back = performance.now();
    await untilItWorks(() => storage.ping());
    await untilItWorks(() => put(storage, SUBSCRIPTIONS, ANN));
    assertEquals(await storage.get(BOARDS, "ideas"), IDEAS);
    assert(performance.now() - back < LIMIT_MS);
  });

  it("a connection that hangs is replaced, and nothing else waits for it", async () => {
    await put(storage, BOARDS, IDEAS);
    await put(storage, SUBSCRIPTIONS, ANN);
    const stopped = await stopProcesses("commit");
    assertEquals(stopped.length, 2);
    const next = boardOf("ideas", "Next");
    const hung = Promise.all([
      failureOf(() => put(storage, BOARDS, next)),
      failureOf(() => put(storage, SUBSCRIPTIONS, ANN)),
    ]);
    const started = performance.now();
    assertEquals(await storage.get(BOARDS, "ideas"), IDEAS);
    assertEquals(await storage.list(SUBSCRIPTIONS, { limit: 9 }), [ANN]);
    assert(performance.now() - started < 1_000);
    assertUnavailable(await hung);
    await put(storage, BOARDS, next);
    assertEquals(await storage.get(BOARDS, "ideas"), next);
    for (const pid of stopped) Deno.kill(pid, "SIGCONT");
    // It is told that nobody waits for it any more.
    await until(async () => {
      const left = await cluster.sql`select from pg_stat_activity
        where pid in ${cluster.sql(stopped)}`;
      return left.length === 0;
    });
  });

  it("storage closes in time when a connection hangs", async () => {
    await put(storage, BOARDS, IDEAS);
    const stopped = await stopProcesses("commit");
    const hung = failureOf(() => put(storage, BOARDS, boardOf("ideas", "Next")));
    const started = performance.now();
    await storage.close();
    assert(performance.now() - started < 2 * LIMIT_MS);
    assertUnavailable([await hung]);
    for (const pid of stopped) Deno.kill(pid, "SIGCONT");
  });

  it("a server that takes no writes is not ready, is still read, and is found again", async () => {
    await put(storage, BOARDS, IDEAS);
    const setReadOnly = async (state: "on" | "off") => {
      await cluster.sql.unsafe(`alter system set default_transaction_read_only = ${state}`);
      await cluster.sql`select pg_reload_conf()`;
    };
    await setReadOnly("on");
    await until(async () => await failureOf(() => storage.ping()) !== undefined);
    assertUnavailable([
      await failureOf(() => storage.ping()),
      await failureOf(() => put(storage, SUBSCRIPTIONS, ANN)),
    ]);
    assertEquals(await storage.get(BOARDS, "ideas"), IDEAS);
    await cluster.sql`set default_transaction_read_only = off`;
    await setReadOnly("off");
    await untilItWorks(() => storage.ping());
    await untilItWorks(() => put(storage, SUBSCRIPTIONS, ANN));
  });
});
