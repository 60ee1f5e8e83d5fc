import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { toStorageError } from "../adapters/_postgres/errors.ts";
import { openPostgresStorage, type PostgresStorageOptions } from "../adapters/postgres.ts";
import { BOARDS } from "../model/kinds.ts";
import { assertUnavailable, failureOf } from "./_load.ts";
import { freePort } from "./_port.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";

const schema = `open_${Deno.pid}`;

describe("opening postgres storage", () => {
  let server: PostgresServer;

  before(async () => {
    server = await openServer();
  });
  after(async () => {
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
    await server.dispose();
  });

  it("rejects in time when the server accepts and never answers", async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted: Deno.Conn[] = [];
    const accepting = (async () => {
      for await (const connection of listener) accepted.push(connection);
    })();
    const url = `postgres://ann:secret@127.0.0.1:${listener.addr.port}/x`;
    assertUnavailable([await failureOf(() => openPostgresStorage(url))]);
    assert(accepted.length > 0);
    for (const connection of accepted) {
      // It is let go of as well: after what was sent comes the end.
      await new Response(connection.readable).arrayBuffer();
    }
    listener.close();
    await accepting;
  });

  it("rejects in time when the server hangs up on whoever connects", async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepting = (async () => {
      for await (const connection of listener) connection.close();
    })();
    const url = `postgres://ann:secret@127.0.0.1:${listener.addr.port}/x`;
    assertUnavailable([await failureOf(() => openPostgresStorage(url))]);
    listener.close();
    await accepting;
  });

  it("goes on to the next host when one can't be reached or is silent", async () => {
    using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const [address, database] = server.address.split("/");
    for (const port of [freePort(), silent.addr.port]) {
      const url = `postgres://postgres@127.0.0.1:${port},${address}/${database}`;
      const storage = await openPostgresStorage(url, { schema });
      assertEquals(await storage.get(BOARDS, "ideas"), undefined);
      await storage.close();
    }
  });

  it("rejects without the password when nothing listens", async () => {
    const url = `postgres://ann:secret@127.0.0.1:${freePort()}/x`;
    const failure = await failureOf(() => openPostgresStorage(url));
    assertUnavailable([failure]);
    assert(!Deno.inspect(failure).includes("secret"));
  });

  const malformed = [
    ...["postgres://ann:secret@ho st:1/x", "postgres://ann:secret@h:99999999/x"],
    ...["postgres://ann:secret%@h/x", "postgres://ann:5/secret@h/x", "postgres://ann:5?secret@h/x"],
    ...["postgres://ann:5#secret@h/x", "http://ann:secret@h/x", "host=h password=secret", ""],
  ];
  for (const url of malformed) {
    it(`refuses the URL "${url}" without its password`, async () => {
      const message = "Cannot parse the connection URL: write postgres://USER:PASSWORD@HOST";
      const error = await assertRejects(() => openPostgresStorage(url), TypeError, message);
      assert(!Deno.inspect(error).includes("secret"), Deno.inspect(error));
    });
  }

  it("refuses options that make no sense", async () => {
    const wrong: readonly PostgresStorageOptions[] = [
      { schema: 'x"; drop' },
      ...[0, 99, NaN, Infinity, 2 ** 31].map((timeoutMs) => ({ timeoutMs })),
    ];
    for (const options of wrong) {
      await assertRejects(() => openPostgresStorage(server.url, options), RangeError);
    }
    const misspelt = { timeoutms: 5 } as PostgresStorageOptions;
    const open = () => openPostgresStorage(server.url, misspelt);
    await assertRejects(open, TypeError, "did you mean timeoutMs?");
  });

  it("takes TLS from PGSSLMODE, which the driver does not know, unless the URL says otherwise", async () => {
    Deno.env.set("PGSSLMODE", "require");
    try {
      assertUnavailable([await failureOf(() => openPostgresStorage(server.url, { schema }))]);
      const storage = await openPostgresStorage(`${server.url}?sslmode=disable`, { schema });
      await storage.close();
    } finally {
      Deno.env.delete("PGSSLMODE");
    }
  });

  it("takes an option that is undefined for one that is left out", async () => {
    const options = { timeoutMs: undefined, migrate: undefined, driver: undefined };
    const storage = await openPostgresStorage(server.url, { schema, ...options });
    await storage.ping();
    await storage.close();
  });
});

describe("what the postgres driver throws", () => {
  /** Returns an error of the server. */
  function serverError(code: string, rest: object = {}): Error {
    return Object.assign(new Error("what was said"), {
      ...{ code, severity: "ERROR", detail: "secret", parameters: ["secret"], ...rest },
    });
  }

  const errors: readonly (readonly [unknown, string, string])[] = [
    [serverError("28P01"), "unavailable", "cannot answer (what was said, SQLSTATE 28P01)"],
    [serverError("53300"), "unavailable", "cannot answer (what was said, SQLSTATE 53300)"],
    [serverError("57014"), "unavailable", "too long to answer (what was said, SQLSTATE 57014)"],
    [serverError("40001"), "unavailable", "cannot answer (SQLSTATE 40001)"],
    [serverError("53100", { where: "function" }), "unavailable", "cannot answer (SQLSTATE 53100)"],
    [serverError("42P01"), "incompatible", "migrate it (what was said, SQLSTATE 42P01)"],
    [serverError("23514"), "incompatible", "refuses the record (SQLSTATE 23514)"],
    [
      Object.assign(new Error("connect ECONNREFUSED h:1"), { code: "X", syscall: "connect" }),
      ...["unavailable", "Cannot reach the database: connect ECONNREFUSED h:1"] as const,
    ],
    [
      Object.assign(new Error("Requires net access to h"), { name: "NotCapable" }),
      ...["unavailable", "Cannot reach the database: Requires net access to h"] as const,
    ],
    [Object.assign(new Error("secret"), { code: "EPIPE" }), "unavailable", "database: EPIPE"],
    [new Error("secret"), "unavailable", "Cannot reach the database: the connection failed"],
    ["secret", "unavailable", "Cannot reach the database: the connection failed"],
  ];
  for (const [thrown, code, message] of errors) {
    it(`becomes ${code}: ${message}`, () => {
      const error = toStorageError(thrown);
      assertEquals([error.code, error.cause], [code, undefined]);
      assert(error.message.endsWith(message), error.message);
    });
  }
});
