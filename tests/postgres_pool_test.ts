import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openPostgresStorage, type PostgresStorageOptions } from "../adapters/postgres.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { freePort } from "./_port.ts";
import { openServer, type PostgresServer, startHangingUp } from "./_postgres.ts";
import { startRelay } from "./_relay.ts";
import { until } from "./_waiting.ts";

// A role of its own, by which its connections are told from those of others.
const name = `pool_${Deno.pid}`;

describe("the connections of postgres storage", () => {
  let server: PostgresServer;
  let storage: Storage | undefined;
  before(async () => {
    server = await openServer();
    await server.sql.unsafe(`create role ${name} login superuser password 'secret'`);
  });
  after(async () => {
    await server.sql.unsafe(`drop role ${name}`);
    await server.dispose();
  });
  beforeEach(() => {
    storage = undefined;
  });
  afterEach(async () => {
    await storage?.close();
    await until(async () => await countSessions() === 0);
    await server.sql.unsafe(`drop schema if exists ${name} cascade`);
  });

  async function open(query = "", options: PostgresStorageOptions = {}): Promise<Storage> {
    const url = `postgres://${name}:secret@${server.address}${query}`;
    return storage = await openPostgresStorage(url, { schema: name, ...options });
  }

  async function countSessions(): Promise<number> {
    const found = await server.sql`select from pg_stat_activity where usename = ${name}`;
    return found.length;
  }

  /** Makes many calls at once, none of which shares a statement. */
  async function callAtOnce(storage: Storage): Promise<void> {
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => storage.boards.list({ limit: i + 1 })),
    );
  }

  const sizes: readonly [string, number, string, PostgresStorageOptions][] = [
    ["what the option says", 2, "?max=3", { poolSize: 2 }],
    ["what the URL says", 3, "?max=3", {}],
    ["10", 10, "", {}],
  ];
  for (const [what, size, query, options] of sizes) {
    it(`are at most ${what}`, async () => {
      await callAtOnce(await open(query, options));
      assertEquals(await countSessions(), size);
    });
  }

  it("are closed when they are not used for as long as they may be, and made again", async () => {
    const patient = await open();
    const hasty = await open("", { idleTimeoutMs: 100 });
    await callAtOnce(hasty);
    assert(await countSessions() > 1);
    // All but the one of the storage that keeps an unused connection for a minute.
    await until(async () => await countSessions() === 1);
    await patient.close();
    await until(async () => await countSessions() === 0);
    await hasty.ping();
  });

  it("go to the next of several hosts when one is down", async () => {
    const [host, database] = server.address.split("/");
    const url = `postgres://${name}:secret@127.0.0.1:${freePort()},${host}/${database}`;
    storage = await openPostgresStorage(url, { schema: name });
    await storage.ping();
  });

  it("go to the first of several hosts while that is up", async () => {
    await using other = startHangingUp();
    const [host, database] = server.address.split("/");
    const hosts = `${host},127.0.0.1:${other.port}`;
    storage = await openPostgresStorage(`postgres://${name}:secret@${hosts}/${database}`, {
      schema: name,
    });
    await callAtOnce(storage);
    assert(await countSessions() > 1);
    assertEquals(other.connections, 0);
  });

  it("go to the next of several hosts when one accepts them and is silent", async () => {
    await using silent = startRelay(server.address);
    silent.silence();
    const [host, database] = server.address.split("/");
    const hosts = `127.0.0.1:${silent.port},${host}`;
    storage = await openPostgresStorage(`postgres://${name}:secret@${hosts}/${database}`, {
      schema: name,
    });
    const before = silent.connections;
    assert(before > 0);
    // The host that answered is the one that others are made to.
    await callAtOnce(storage);
    assertEquals(silent.connections, before);
  });

  it("are waited for where the server has no more of them", async () => {
    // On a busy machine 60 calls over two connections may take longer than one may by default.
    const crowded = await open("", { timeoutMs: 20_000 });
    await server.sql.unsafe(`alter role ${name} nosuperuser connection limit 2`);
    try {
      for (let i = 0; i < 5; i++) await callAtOnce(crowded);
      assertEquals(await countSessions(), 2);
    } finally {
      await server.sql.unsafe(`alter role ${name} superuser connection limit -1`);
    }
  });

  it("are made anew once a second, and serve reads, where the server takes no writes", async () => {
    let nowMs = 0;
    const database = openDatabase(
      `postgres://${name}:secret@${server.address}?default_transaction_read_only=on`,
      { timeoutMs: 1_500, idleTimeoutMs: 60_000, now: () => nowMs },
    );
    const refused = toStatement(`create schema ${name}`);
    const processId = toStatement("select pg_backend_pid()");
    const connections = new Set<string>();
    for (const [atMs, seen] of [[0, 1], [1, 1], [999, 1], [1_000, 2], [1_001, 2]]) {
      nowMs = atMs;
      await assertRejects(() => database.query(refused), Error, "read-only");
      const [[connection]] = await database.query(processId);
      connections.add(`${connection}`);
      assertEquals(connections.size, seen);
    }
    await database.close();
  });

  it("find the server that takes writes again in two seconds, while reads go on", async () => {
    const storage = await open();
    const readOnly = (value: string) =>
      server.sql.unsafe(`alter role ${name} set default_transaction_read_only = ${value}`);
    await readOnly("on");
    await server.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where usename = ${name}`;
    await until(async () => await countSessions() === 0);
    for (let i = 0; i < 10; i++) {
      for (let j = 0; j < 2; j++) await assertRejects(() => storage.ping(), StorageError);
      await storage.boards.list({ limit: 1 });
    }
    await readOnly("off");
    const back = performance.now();
    await until(() => storage.ping().then(() => true, () => false));
    assert(performance.now() - back < 2_000);
  });

  it("are asked once whether they work, by all who ask at the same time", async () => {
    let asked = 0;
    const counting = new Proxy(server.sql, {
      apply(sql, self, args) {
        if (`${args[0]}`.includes("where false")) asked++;
        return Reflect.apply(sql, self, args);
      },
    });
    const storage = await openPostgresStorage(counting as never, { schema: name });
    await Promise.all(Array.from({ length: 50 }, () => storage.ping()));
    assertEquals(asked, 1);
    await storage.ping();
    assertEquals(asked, 2);
    await storage.close();
  });

  it("are read committed, whatever the role is", async () => {
    await server.sql.unsafe(`alter role ${name} set default_transaction_isolation = serializable`);
    const database = openDatabase(
      `postgres://${name}:secret@${server.address}`,
      { timeoutMs: 1_500, idleTimeoutMs: 60_000, now: () => performance.now() },
    );
    const [[level]] = await database.query(toStatement("show transaction_isolation"));
    await database.close();
    await server.sql.unsafe(`alter role ${name} reset default_transaction_isolation`);
    assertEquals(`${level}`, "read committed");
  });

  it("take an absent name for none, whatever the role makes of null", async () => {
    await server.sql.unsafe(`alter role ${name} set array_nulls = off`);
    try {
      const { subscriptions } = await open();
      const { subscription } = await subscriptions.put(sampleChange("ann@example.com"));
      assertEquals(subscription.userName, null);
    } finally {
      await server.sql.unsafe(`alter role ${name} reset array_nulls`);
    }
  });

  for (
    const [query, prefix] of [
      ["", "boardcast"],
      ["?application_name=bo%C3%A4rd", "bo?rd"],
      [`?application_name=${"x".repeat(100)}`, "x".repeat(46)],
    ]
  ) {
    it(`are called ${prefix}, and a word of their own, when the URL has "${query}"`, async () => {
      // Time-outs with a fraction are taken as well.
      await open(query, { timeoutMs: 1_234.5 });
      const sessions = await server.sql`
        select application_name from pg_stat_activity where usename = ${name}`;
      const [{ application_name: called }] = sessions;
      assertMatch(called, /^.{1,46} [A-Za-z0-9]{16}$/);
      assertEquals(called.slice(0, -17), prefix);
    });
  }
});
