import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { readServers } from "../adapters/_postgres/pool.ts";
import { readTarget } from "../adapters/_postgres/target.ts";
import { openPostgresStorage, type PostgresStorageOptions } from "../adapters/postgres.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { freePort } from "./_port.ts";
import { openServer, type PostgresServer, startHangingUp } from "./_postgres.ts";
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
    const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of silent) accepted.push(connection);
    })();
    const [host, database] = server.address.split("/");
    const hosts = `127.0.0.1:${silent.addr.port},${host}`;
    storage = await openPostgresStorage(`postgres://${name}:secret@${hosts}/${database}`, {
      schema: name,
    });
    const before = accepted.length;
    assert(before > 0);
    // The host that answered is the one that others are made to.
    await callAtOnce(storage);
    assertEquals(accepted.length, before);
    silent.close();
    await accepting;
    for (const connection of accepted) connection.close();
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

/** Reads a URL without the variables of whoever runs the tests. */
function read(url: string, variables: Record<string, string> = {}) {
  return readTarget(url, variables);
}

describe("the URL of a connection", () => {
  it("is left as it is, but for the servers and the number of connections", () => {
    const url = "postgres://ann@host/db";
    const told = "postgres://ann@localhost/db";
    const rest = { addresses: [{ host: "host", port: 5432 }], database: "db" };
    assertEquals(read(url), { url: told, size: 10, ...rest });
    assertEquals(read(`${url}?max=7`), { url: told, size: 7, ...rest });
    const tls = "sslmode=verify-full&sslrootcert=system";
    assertEquals(read(`${url}?max=9999&${tls}`), { url: `${told}?${tls}`, size: 9_999, ...rest });
    const asking = read(`${url}?application_name=who?&sslmode=verify-full&max=3`);
    assertEquals(new URL(asking.url).searchParams.get("sslmode"), "verify-full");
    assertEquals(asking.size, 3);
  });

  it("has the TLS mode and the kind of server of the variables, unless it names its own", () => {
    const url = "postgres://ann@localhost/db";
    const urlWith = (variables: Record<string, string>, query = "") =>
      read(`${url}${query}`, variables).url.slice(url.length);
    assertEquals(urlWith({ PGSSLMODE: "verify-full", PGSSL: "disable" }), "?sslmode=verify-full");
    assertEquals(urlWith({ PGSSLMODE: "", PGSSL: "disable" }), "?sslmode=disable");
    assertEquals(urlWith({ PGSSLMODE: "verify-full" }, "?sslmode=require"), "?sslmode=require");
    assertEquals(urlWith({ PGSSLMODE: "disable" }, "?ssl=verify-full"), "?ssl=verify-full");
    assertEquals(
      urlWith({ PGTARGETSESSIONATTRS: "read-write" }),
      "?target_session_attrs=primary",
    );
    assertThrows(() => urlWith({ PGSSLMODE: "always" }), TypeError, 'Cannot use sslmode "always"');
    assertThrows(() => urlWith({ PGTARGETSESSIONATTRS: "standby" }), TypeError, '"standby"');
  });

  it("may have any text in its password, and any name of a database", () => {
    const { url, addresses, database } = read("postgres://ann:a@#:\n@host/a%20b");
    assertEquals(url, "postgres://ann:a@%23:\n@localhost/a%20b");
    assertEquals([addresses, database], [[{ host: "host", port: 5432 }], "a b"]);
    assertEquals(read("postgres://host/").database, undefined);
  });

  it("names files of certificates and keys, which are read", async () => {
    const directory = await Deno.makeTempDir();
    const names = ["sslrootcert", "sslcert", "sslkey"];
    for (const name of names) await Deno.writeTextFile(`${directory}/${name}`, `PEM of ${name}`);
    const query = names.map((name) => `${name}=${directory}/${name}`).join("&");
    const { url, ssl } = read(`postgres://host/db?${query}&sslmode=verify-full`);
    assertEquals(url, "postgres://localhost/db?sslmode=verify-full");
    assertEquals(ssl, { ca: "PEM of sslrootcert", cert: "PEM of sslcert", key: "PEM of sslkey" });
    await Deno.remove(directory, { recursive: true });
  });

  it("asks for a primary where it asks for a server that takes writes", () => {
    for (const asked of ["read-write", "primary"]) {
      const { url } = read(`postgres://a,b/db?target_session_attrs=${asked}`);
      assertEquals(url, "postgres://localhost/db?target_session_attrs=primary");
    }
  });

  for (
    const [query, quoted] of [["sslmode=always", '"always"'], [
      "target_session_attrs=standby",
      '"standby"',
    ]]
  ) {
    it(`is refused with ${query}`, () => {
      assertThrows(() => read(`postgres://host/db?${query}`), TypeError, quoted);
    });
  }

  for (const max of ["0", "-1", "1.5", "10000", "many", ""]) {
    it(`is refused with max=${max}`, () => {
      assertThrows(() => read(`postgres://host/db?max=${max}`), RangeError, `"${max}"`);
    });
  }

  for (const start of ["postgres://", "postgresql://", "PostgreSQL://"]) {
    it(`may start with ${start}`, () => {
      assertEquals(read(`${start}host/db`).url, `${start}localhost/db`);
    });
  }

  const others = [
    "http://host/db",
    "mysql://host/db",
    "postgres+ssl://host/db",
    "a postgres://host",
  ];
  for (const url of ["", "host=a dbname=b", "postgres:a", "/db", "postgres://a%b/db", ...others]) {
    it(`is refused where it is none: ${url}`, () => {
      assertThrows(() => read(url), TypeError, "Cannot parse the connection URL");
    });
  }
});

describe("the servers of a connection URL", () => {
  const socket = (folder: string, port: number) => ({
    host: folder,
    port,
    path: `${folder}/.s.PGSQL.${port}`,
  });
  const readable: readonly [string, Record<string, string>, readonly object[]][] = [
    ["postgres://ann@a,b:6000,c/db", {}, [
      { host: "a", port: 5432 },
      { host: "b", port: 6000 },
      { host: "c", port: 5432 },
    ]],
    ["postgres://ann:p%40ss@[::1]", {}, [{ host: "::1", port: 5432 }]],
    ["postgres://ann:p@ss@[::1]:6000,[::2],b/db", { PGHOST: "c" }, [
      { host: "::1", port: 6000 },
      { host: "::2", port: 5432 },
      { host: "b", port: 5432 },
    ]],
    ["postgres://%2Frun%2Fpostgresql/db", {}, [socket("/run/postgresql", 5432)]],
    ["postgres://a/db?host=::1", {}, [{ host: "::1", port: 5432 }]],
    ["postgres:///db?host=/run/postgresql&port=6000", {}, [socket("/run/postgresql", 6000)]],
    ["postgres://a/db?host=b,c&port=6000,6001", {}, [
      { host: "b", port: 6000 },
      { host: "c", port: 6001 },
    ]],
    ["postgres://a,b:6000/db", { PGPORT: "7000" }, [
      { host: "a", port: 7000 },
      { host: "b", port: 6000 },
    ]],
    ["postgres:///db", {}, [{ host: "localhost", port: 5432 }]],
    ["postgres://ann@:6000/db", {}, [{ host: "localhost", port: 6000 }]],
    ["postgres://ann@:6000/db?host=/run", {}, [socket("/run", 6000)]],
    ["postgres://a:6000/db?host=/run", {}, [socket("/run", 6000)]],
    ["postgres://a:6000/db?port=6001", {}, [{ host: "a", port: 6001 }]],
    ["postgres://[::1]:6000/db?host=&port=", {}, [{ host: "::1", port: 6000 }]],
    ["postgres://a:/db", { PGPORT: "6000" }, [{ host: "a", port: 6000 }]],
    ["postgres://ann@/db", { PGHOST: "a" }, [{ host: "a", port: 5432 }]],
    ["postgres:///db", { PGHOST: "::1", PGPORT: "6000" }, [{ host: "::1", port: 6000 }]],
    ["postgres:///db", { PGHOST: "/a,/b,c:6002", PGPORT: "6000,6001,6003" }, [
      socket("/a", 6000),
      socket("/b", 6001),
      { host: "c", port: 6002 },
    ]],
  ];
  for (const [url, variables, addresses] of readable) {
    it(`are those of ${url} with ${JSON.stringify(variables)}`, () => {
      assertEquals(read(url, variables).addresses, addresses);
    });
  }

  const refused: readonly [string, Record<string, string>, string][] = [
    ["postgres://a,/db", {}, "Cannot parse the hosts"],
    [
      "postgres://::1/db",
      {},
      "Cannot parse the hosts to connect to: write HOST:PORT,HOST:PORT, " +
      "and IPv6 addresses in brackets",
    ],
    ["postgres://::1:5432/db", {}, "Cannot parse the hosts"],
    ["postgres://[a]/db", {}, "Cannot parse the hosts"],
    ["postgres://a:b/db", {}, "Cannot parse the hosts"],
    ["postgres://a:0/db", {}, "from 1 to 65535"],
    ["postgres://a:65536/db", {}, "from 1 to 65535"],
    ["postgres://a,b,c/db", { PGPORT: "1,2" }, "Cannot use 2 ports for 3 hosts"],
    ["postgres://a,b/db", { PGPORT: "1,2,3" }, "Cannot use 3 ports for 2 hosts"],
    ["postgres://a/db", { PGPORT: "x" }, "from 1 to 65535"],
  ];
  for (const [url, variables, message] of refused) {
    it(`are refused in ${url} with ${JSON.stringify(variables)}`, () => {
      assertThrows(() => read(url, variables), TypeError, message);
    });
  }

  it("are not those of a variable that can't be read", () => {
    const failing = (name: string) => ({
      get PGHOST(): string {
        throw Object.assign(new Error("secret"), { name });
      },
    });
    const open = (name: string) => () => readTarget("postgres:///db", failing(name));
    assertThrows(open("InvalidData"), TypeError, "PGHOST is not valid UTF-8");
    assertThrows(open("NotCapable"), Error, "secret");
  });

  it("share the time for connecting", () => {
    const servers = readServers(read("postgres://ann@a,b,c/db"), 1_500);
    assertEquals(servers.map(({ timeoutMs }) => timeoutMs), [500, 500, 500]);
  });
});
