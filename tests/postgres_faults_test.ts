import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { minute, sampleBoard, sampleChange, sampleKey } from "./_contract/samples.ts";
import {
  assertUnavailable,
  type Failure,
  failureOf,
  LIMIT_MS,
  startLoad,
  untilItWorks,
} from "./_load.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { until } from "./_waiting.ts";

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

  /** The server process of the connection that was made last. */
  async function newestBackend(): Promise<number> {
    const [{ pid }] = await cluster.sql`
      select pid from pg_stat_activity where application_name like 'boardcast %'
      order by backend_start desc limit 1`;
    return pid;
  }

  it("every acknowledged change is stored when connections are cut under load", async () => {
    const load = startLoad(storage);
    for (let i = 0; i < 20; i++) {
      await load.progress(50);
      await cluster.sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'boardcast %'`;
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
    await storage.boards.create(sampleBoard("ideas"));
    await cluster.signal("SIGSTOP");
    const failures = await Promise.all([
      failureOf(() => storage.boards.get("ideas")),
      failureOf(() => storage.boards.list({ limit: 1 })),
      failureOf(() => storage.boards.create(sampleBoard("other"))),
      failureOf(() => storage.subscriptions.put(sampleChange("ann@example.com"))),
      failureOf(() => storage.subscriptions.erase("ann@example.com")),
      failureOf(() => storage.apiKeys.findByHash("x")),
      failureOf(() => storage.ping()),
    ]);
    assertUnavailable(failures);
    await cluster.signal("SIGCONT");
    const back = performance.now();
    await untilItWorks(() => storage.ping());
    await untilItWorks(() => storage.subscriptions.put(sampleChange("bob@example.com")));
    assert(performance.now() - back < LIMIT_MS);
  });

  it("every call gets its own answer when statements were given up behind others", async () => {
    const one = await openPostgresStorage(`${cluster.url}?max=1`);
    const emails = Array.from({ length: 9 }, (_, i) => `user${i}@example.com`);
    for (const email of emails) await one.subscriptions.put(sampleChange(email));
    for (let limit = 3; limit < 8; limit++) await one.subscriptions.list({ limit });
    const pid = await newestBackend();
    Deno.kill(pid, "SIGSTOP");
    // The first two are given up after two seconds, just before the server goes on.
    const lengths = [0, 30, 1_300, 1_550, 1_900].map(async (atMs, i) => {
      await delay(atMs);
      const limit = i + 3;
      const found = await one.subscriptions.list({ limit }).catch(() => undefined);
      return found === undefined || found.length === limit;
    });
    await delay(2_200);
    Deno.kill(pid, "SIGCONT");
    assertEquals(await Promise.all(lengths), Array.from({ length: 5 }, () => true));
    await one.close();
  });

  it("what was given up never takes effect after what came next", async () => {
    const options = { timeoutMs: 100, idleTimeoutMs: 60_000, now: () => performance.now() };
    const database = openDatabase(cluster.url, options);
    // On a busy machine the time-out may be too short to connect in.
    const done = (text: string) =>
      until(() => database.query(toStatement(text)).then(() => true, () => false));
    await cluster.sql`create table kept as select 'first' as word`;
    await done("select");
    const late = toStatement("update kept set word = 'late' from pg_sleep(0.05)");
    const pid = await newestBackend();
    Deno.kill(pid, "SIGSTOP");
    try {
      await assertRejects(() => database.query(late));
      await done("update kept set word = 'next'");
    } finally {
      Deno.kill(pid, "SIGCONT");
    }
    await until(async () => {
      const others = await cluster.sql`select from pg_stat_activity where pid = ${pid}`;
      return others.length === 0;
    });
    assertEquals([...await cluster.sql`select word from kept`], [{ word: "next" }]);
    await database.close();
    await cluster.sql`drop table kept`;
  });

  it("a statement goes on when another one's connection is cut", async () => {
    const options = { timeoutMs: 1_500, idleTimeoutMs: 60_000, now: () => performance.now() };
    const database = openDatabase(cluster.url, options);
    const slow = database.query(toStatement("select 'done' from pg_sleep(0.5)"));
    const cut = toStatement("select pg_terminate_backend(pg_backend_pid())");
    await assertRejects(() => database.query(cut));
    const [[value]] = await slow;
    assertEquals(value?.toString("utf8"), "done");
    await database.close();
  });

  it("calls are refused unasked for a tenth of a second once a server that worked is gone", async () => {
    let nowMs = 0;
    const options = { timeoutMs: 1_500, idleTimeoutMs: 60_000, now: () => nowMs };
    const database = openDatabase(cluster.url, options);
    const query = () => database.query(toStatement("select 1"));
    const failure = () => query().then(() => assert(false, "it worked"), (error) => error);
    await query();
    await cluster.crash();
    // One that was lost may be made again at once; only where that fails too, the server is gone.
    const first = await failure();
    const second = await failure();
    assert(second !== first);
    assert(await failure() === second);
    await cluster.start();
    assert(await failure() === second);
    nowMs = 100;
    await query();
    await database.close();
  });

  it("close ends in time when the server is silent", async () => {
    await cluster.signal("SIGSTOP");
    const start = performance.now();
    const failure = failureOf(() => storage.subscriptions.put(sampleChange("ann@example.com")));
    await storage.close();
    const closedMs = performance.now() - start;
    await cluster.signal("SIGCONT");
    assertUnavailable([await failure]);
    assert(closedMs < 2 * LIMIT_MS, `closed after ${closedMs} ms`);
  });

  it("a process that has closed its storage ends, though the server is silent", async () => {
    const adapter = JSON.stringify(import.meta.resolve("../adapters/postgres.ts"));
    const script = `
      import { openPostgresStorage } from ${adapter};
      const storage = await openPostgresStorage(${JSON.stringify(cluster.url)});
      await Promise.all([1, 2, 3, 4].map((limit) => storage.boards.list({ limit })));
      console.log("open");
      await Deno.stdin.read(new Uint8Array(1));
      await storage.close();`;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", script],
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      stdin: "piped",
      stdout: "piped",
      signal: AbortSignal.timeout(20_000),
    }).spawn();
    await child.stdout.pipeThrough(new TextDecoderStream() as TransformStream).getReader().read();
    await cluster.signal("SIGSTOP");
    await child.stdin.close();
    const { success } = await child.status;
    await cluster.signal("SIGCONT");
    assert(success, "it did not end");
  });

  it("a lock that is held too long rejects its call and no other", async () => {
    await storage.subscriptions.put(sampleChange("ann@example.com"));
    await storage.boards.create(sampleBoard("ideas"));
    await cluster.sql.begin(async (sql) => {
      await sql`select from boardcast.subscriptions for update`;
      const blocked = failureOf(() => storage.subscriptions.erase("ann@example.com"));
      assertEquals((await storage.boards.get("ideas"))?.boardId, "ideas");
      assertUnavailable([await blocked]);
    });
    // What was rejected may have been done after all; what comes next has to work.
    const next = await storage.subscriptions.put(sampleChange("bob@example.com"));
    assertEquals(next.changed, true);
  });

  it("a key that is locked holds up no look-up by the note of its use", async () => {
    const key = sampleKey("locked");
    await storage.apiKeys.create(key);
    await cluster.sql.begin(async (sql) => {
      await sql`select from boardcast.api_keys for update`;
      await storage.apiKeys.touch("locked", minute(1));
      assertEquals(await storage.apiKeys.findByHash(key.hash), key);
    });
    await storage.apiKeys.touch("locked", minute(2));
    assertEquals((await storage.apiKeys.findByHash(key.hash))?.lastUsedAt, minute(2));
  });

  it("the note of a key's use waits for no standby", async () => {
    const key = sampleKey("noted");
    await storage.apiKeys.create(key);
    const waitFor = async (standby: string) => {
      await cluster.sql.unsafe(`alter system set synchronous_standby_names = '${standby}'`);
      await cluster.sql`select pg_reload_conf()`;
    };
    await waitFor("nobody");
    const puts: Promise<Failure>[] = [];
    try {
      // The server takes up a setting when it gets to it.
      await until(async () => {
        puts.push(failureOf(() => storage.subscriptions.put(sampleChange(`${puts.length}@x.io`))));
        const held = await cluster.sql`select from pg_stat_activity where wait_event = 'SyncRep'`;
        return held.length > 0;
      });
      await storage.apiKeys.touch("noted", minute(1));
      assertEquals((await storage.apiKeys.findByHash(key.hash))?.lastUsedAt, minute(1));
    } finally {
      await waitFor("");
      await Promise.all(puts);
    }
  });

  it("a refusal after others were stored leaves nobody told that nothing changed", async () => {
    await cluster.sql.unsafe(`
      create function boardcast.refuse() returns trigger language plpgsql as
        'begin if new.user_email = ''ann@example.com'' then raise exception ''no''; end if;
          return new; end';
      create trigger refuse before update on boardcast.subscriptions
        for each row execute function boardcast.refuse()`);
    const emails = ["ann@example.com", "bob@example.com"];
    let puts: Promise<Failure>[] = [];
    await cluster.sql.begin(async (sql) => {
      // The other process, which records the address between the reading and the writing.
      await sql`insert into boardcast.subscriptions
        values ('ann@example.com', null, true, now(), now())`;
      puts = emails.map((email) =>
        failureOf(() => storage.subscriptions.put(sampleChange(email, { subscribe: false })))
      );
      await until(async () =>
        (await cluster.sql`select from pg_locks where not granted`).length > 0
      );
    });
    assertUnavailable(await Promise.all(puts));
  });

  async function countMissing(emails: readonly string[]): Promise<number> {
    const [{ found }] = await cluster.sql`
      select count(*)::int as found from boardcast.subscriptions
      where user_email = any(${`{${emails.join(",")}}`}::text[])`;
    return emails.length - found;
  }
});
