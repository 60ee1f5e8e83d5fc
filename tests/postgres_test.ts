import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import postgres from "postgres";
import { MIGRATIONS } from "../adapters/_postgres/migrations.ts";
import { migratePostgres, openPostgresStorage } from "../adapters/postgres.ts";
import { type Storage, StorageError } from "../adapters/storage.ts";
import type { Board } from "../model/board.ts";
import type { SubscriptionChange } from "../model/subscription.ts";
import {
  DIFFICULT_TEXT,
  minute,
  sampleBoard,
  sampleChange,
  sampleKey,
} from "./_contract/samples.ts";
import { openServer, type PostgresServer } from "./_postgres.ts";
import { testStorage } from "./storage_contract.ts";

const schema = `test_${Deno.pid}`;

// What calls do is tested here, not how long they take on a busy machine.
const PATIENCE_MS = 20_000;

describe("postgres", () => {
  let server: PostgresServer;

  before(async () => {
    server = await openServer();
  });
  after(() => server.dispose());

  async function dropSchema(): Promise<void> {
    await server.sql.unsafe(`drop schema if exists ${schema} cascade`);
  }

  testStorage("postgres", async () => {
    const open = () => openPostgresStorage(server.url, { schema, timeoutMs: PATIENCE_MS });
    return { storage: await open(), reopen: open, another: open, dispose: dropSchema };
  });

  describe("tables", () => {
    let storage: Storage;

    beforeEach(async () => {
      storage = await openPostgresStorage(server.url, { schema, timeoutMs: PATIENCE_MS });
    });
    afterEach(async () => {
      await storage.close();
      await dropSchema();
    });

    it("a board is a row with the same text and times", async () => {
      const board = sampleBoard("ideas", { description: DIFFICULT_TEXT, updatedAt: minute(7) });
      await storage.boards.create(board);
      const [row] = await server.sql.unsafe(`select * from ${schema}.boards`);
      assertEquals({ ...row }, {
        board_id: "ideas",
        name: board.name,
        description: DIFFICULT_TEXT,
        url: null,
        created_at: new Date(board.createdAt),
        updated_at: new Date(minute(7)),
      });
    });

    it("a board without a field is incompatible, and all calls beside it are answered", async () => {
      const { url: _, ...board } = sampleBoard("ideas");
      const create = (_: unknown, i: number) => storage.boards.create(sampleBoard(`board-${i}`));
      const before = Array.from({ length: 30 }, create);
      const refused = assertRejects(() => storage.boards.create(board as Board), StorageError);
      const after = Array.from({ length: 30 }, (_, i) => create(_, 30 + i));
      assertEquals((await refused).code, "incompatible");
      assertEquals(new Set(await Promise.all([...before, ...after])), new Set([true]));
      assertEquals(await storage.boards.get("ideas"), undefined);
    });

    it("a change without an address is refused alone", async () => {
      const { userEmail: _, ...change } = sampleChange("ann@example.com");
      const put = (_: unknown, i: number) =>
        storage.subscriptions.put(sampleChange(`ann${i}@example.com`));
      const before = Array.from({ length: 30 }, put);
      const malformed = storage.subscriptions.put(change as SubscriptionChange);
      const refused = assertRejects(() => malformed, StorageError);
      const outcomes = await Promise.all([...before, ...Array.from({ length: 30 }, put)]);
      assertEquals(outcomes.filter(({ changed }) => changed).length, 30);
      assertEquals((await refused).code, "incompatible");
    });

    it("a subscription is a row with the same text and times", async () => {
      const change = sampleChange("ann@example.com", {
        userName: DIFFICULT_TEXT,
        subscribe: false,
      });
      await storage.subscriptions.put(change);
      const [row] = await server.sql.unsafe(`select * from ${schema}.subscriptions`);
      assertEquals({ ...row }, {
        user_email: "ann@example.com",
        user_name: DIFFICULT_TEXT,
        subscribed: false,
        created_at: new Date(change.at),
        updated_at: new Date(change.at),
      });
    });

    it("nothing is written when a change changes nothing", async () => {
      const version = async () =>
        (await server.sql.unsafe(`select xmin::text, ctid::text from ${schema}.subscriptions`))
          .map((row) => ({ ...row }));
      await storage.subscriptions.put(sampleChange("ann@example.com", { userName: "Ann" }));
      const before = await version();
      await storage.subscriptions.put(sampleChange("ann@example.com", { at: minute(3) }));
      assertEquals(await version(), before);
    });

    it("a key is a row without the text of the key", async () => {
      const key = sampleKey("k1", { expiresAt: minute(90) });
      await storage.apiKeys.create(key);
      await storage.apiKeys.revoke("k1", minute(1));
      const [row] = await server.sql.unsafe(
        `select *, scopes::text as scopes from ${schema}.api_keys`,
      );
      assertEquals({ ...row }, {
        key_id: "k1",
        hash: key.hash,
        name: key.name,
        hint: key.hint,
        scopes: "{boards:read,subscriptions:write}",
        created_at: new Date(key.createdAt),
        expires_at: new Date(minute(90)),
        revoked_at: new Date(minute(1)),
        last_used_at: null,
      });
    });

    it("erasure leaves no row", async () => {
      await storage.subscriptions.put(sampleChange("ann@example.com"));
      await storage.subscriptions.erase("ann@example.com");
      assertEquals((await server.sql.unsafe(`select from ${schema}.subscriptions`)).length, 0);
    });

    it("times before the year 1 and of the year 9999 come back as they were given", async () => {
      for (const at of ["0000-02-29T00:00:00.001Z", "9999-12-31T23:59:59.999Z"]) {
        const board = sampleBoard(`y${at.slice(0, 4)}`, { createdAt: at, updatedAt: at });
        await storage.boards.create(board);
        assertEquals(await storage.boards.get(board.boardId), board);
      }
    });

    it("a page of either state costs as little at the end as at the start", async () => {
      // All of one state come before all of the other, the worst case for a scan in order.
      await server.sql.unsafe(`
        insert into ${schema}.subscriptions
        select 'user' || lpad(i::text, 6, '0') || '@x.io', null, i > 10000, now(), now()
        from generate_series(1, 20000) as i; analyze ${schema}.subscriptions`);
      for (const condition of ["true", "subscribed", "not subscribed"]) {
        for (const after of ["", "user009970@x.io", "user019970@x.io"]) {
          const [row] = await server.sql.unsafe(
            `explain (analyze, buffers, format json) select * from ${schema}.subscriptions
             where ${condition} and user_email > '${after}' order by user_email limit 25`,
          );
          const [{ Plan: plan }] = row["QUERY PLAN"];
          const pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
          assert(pages < 60, `${pages} pages read: ${JSON.stringify(plan)}`);
        }
      }
    });

    it("a trigger may refuse one change of a batch, and is not passed over when it drops one", async () => {
      await server.sql.unsafe(`
        create function ${schema}.guard() returns trigger language plpgsql as $$ begin
          if new.user_email like 'bad%' then raise exception 'not this one'; end if;
          if tg_op = 'UPDATE' then return null; end if;
          return new;
        end $$;
        create trigger guard before insert or update on ${schema}.subscriptions
        for each row execute function ${schema}.guard()`);
      const emails = ["ann@x.io", "bad@x.io", "bob@x.io"];
      const settled = await Promise.allSettled(
        emails.map((email) => storage.subscriptions.put(sampleChange(email))),
      );
      assertEquals(settled.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
      const dropped = () =>
        storage.subscriptions.put(sampleChange("ann@x.io", { subscribe: false }));
      assertEquals((await assertRejects(dropped, StorageError)).code, "unavailable");
      assertEquals((await storage.subscriptions.put(sampleChange("ann@x.io"))).changed, false);
    });

    it("a refused change does not fail the others of its batch", async () => {
      const emails = Array.from({ length: 40 }, (_, i) => `user${i}@example.com`);
      const bad = ["not an address", `nul\u0000@example.com`, `${"x".repeat(300)}@example.com`];
      const settled = await Promise.allSettled(
        [...emails.slice(0, 20), ...bad, ...emails.slice(20)].map((email) =>
          storage.subscriptions.put(sampleChange(email))
        ),
      );
      const refused = settled.filter((result) => result.status === "rejected");
      assertEquals(refused.length, bad.length);
      for (const { reason } of refused) {
        assert(reason instanceof StorageError);
        assert(!Deno.inspect(reason).includes("example.com"), "the error names a person");
      }
      assertEquals(
        (await storage.subscriptions.list({ limit: 99 })).map((s) => s.userEmail),
        emails.toSorted(),
      );
    });
  });

  describe("client of the caller", () => {
    it("calls made at once are one statement, keys are remembered, and the client stays open", async () => {
      const statements: string[] = [];
      const sql = postgres(server.url, {
        debug: (_connection, statement) => statements.push(statement),
        transform: postgres.camel,
        fetch_types: false,
        onnotice: () => {},
      });
      assertEquals(await migratePostgres(sql, { schema }), { from: 0, to: MIGRATIONS.length });
      const storage = await openPostgresStorage(sql, { schema });
      await storage.boards.create(sampleBoard("ideas"));
      statements.length = 0;
      const [outcomes, boards] = await Promise.all([
        Promise.all(Array.from({ length: 200 }, (_, i) =>
          storage.subscriptions.put(
            sampleChange(`user${i % 50}@example.com`, { subscribe: i % 3 > 0, at: minute(i) }),
          ))),
        Promise.all(Array.from({ length: 200 }, () => storage.boards.get("ideas"))),
      ]);
      assertEquals(statements.length, 2);
      assertEquals(outcomes.filter((outcome) => outcome.previous === undefined).length, 50);
      assertEquals(boards.every((board) => board?.boardId === "ideas"), true);
      const key = sampleKey("key");
      await storage.apiKeys.create(key);
      statements.length = 0;
      await Promise.all(
        Array.from({ length: 200 }, (_, i) => storage.apiKeys.touch("key", minute(i))),
      );
      assertEquals(statements.length, 1);
      assertEquals((await storage.apiKeys.get("key"))?.lastUsedAt, minute(199));
      statements.length = 0;
      for (let i = 0; i < 20; i++) {
        assertEquals((await storage.apiKeys.findByHash(key.hash))?.keyId, "key");
      }
      assert(statements.length < 20, "a key is looked up each time");
      await storage.close();
      assertEquals([...await sql`select 1 as one`], [{ one: 1 }]);
      await sql.end();
      await dropSchema();
    });
  });

  it("an option that is undefined counts as left out", async () => {
    const options = { timeoutMs: undefined, idleTimeoutMs: undefined, migrate: undefined };
    const storage = await openPostgresStorage(server.url, { schema, ...options });
    await storage.ping();
    await storage.close();
    await dropSchema();
  });

  it("open takes the shortest times that it allows", async () => {
    const opening = openPostgresStorage(server.url, { schema, timeoutMs: 100, idleTimeoutMs: 1 });
    await opening.then((storage) => storage.close(), (error) => {
      // A machine may be too slow for them; that is another matter.
      assertEquals(error.code, "unavailable");
    });
    await dropSchema();
  });

  it("open refuses options that make no sense", async () => {
    const times = [0, NaN, Infinity, 2 ** 31, "250" as unknown as number];
    const wrong = [
      { schema: 'x"; drop' },
      { poolSize: 0 },
      ...times.flatMap((time) => [{ timeoutMs: time }, { idleTimeoutMs: time }]),
    ];
    for (const options of wrong) {
      await assertRejects(() => openPostgresStorage(server.url, options), RangeError);
    }
  });
});
