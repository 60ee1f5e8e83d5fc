import { assert, assertEquals } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import type { Storage } from "../adapters/storage.ts";
import { API_KEYS, BOARDS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { put, putAll, remove } from "./_contract/calls.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { boardOf, subscriptionOf } from "./_postgres_kinds.ts";

describe("postgres tables", () => {
  let cluster: PostgresCluster;
  let storage: Storage;

  before(async () => {
    cluster = await startCluster({ settings: ["autovacuum=off"] });
  });
  after(() => cluster.dispose());
  beforeEach(async () => {
    storage = await openPostgresStorage(cluster.url, { timeoutMs: 10_000 });
  });
  afterEach(async () => {
    await storage.close();
    await cluster.sql`drop schema boardcast cascade`;
  });

  it("a record is a row of text, booleans, times and lists", async () => {
    const at = new Date("2026-11-21T10:00:00.000Z");
    await put(storage, SUBSCRIPTIONS, subscriptionOf("ann@example.com", { userName: "Ann" }));
    await put(storage, API_KEYS, {
      ...{ keyId: "k1", hash: "0".repeat(64), name: "Key", hint: "bc_1234" },
      ...{ scopes: ["boards:read", "keys:write"], createdAt: at.toISOString() },
      ...{ expiresAt: null, revokedAt: null, lastUsedAt: null, successorId: null },
    });
    const [subscription] = await cluster.sql`select * from boardcast.subscriptions`;
    assertEquals({ ...subscription }, {
      user_email: "ann@example.com",
      user_name: "Ann",
      subscribed: true,
      source: "api",
      created_at: at,
      updated_at: at,
    });
    const [key] = await cluster.sql`
      select key_id, array_to_string(scopes, ' ') as scopes, expires_at from boardcast.api_keys`;
    assertEquals({ ...key }, { key_id: "k1", scopes: "boards:read keys:write", expires_at: null });
  });

  it("what others add to a table stays as it is when a record changes", async () => {
    await put(storage, BOARDS, boardOf("ideas"));
    await cluster.sql`alter table boardcast.boards add column colour text default 'grey'`;
    await cluster.sql`update boardcast.boards set colour = 'red'`;
    await put(storage, BOARDS, boardOf("ideas", "Next"));
    await put(storage, BOARDS, boardOf("other"));
    const rows = await cluster.sql`select name, colour from boardcast.boards order by board_id`;
    assertEquals(rows.map(({ name, colour }) => [name, colour]), [
      ["Next", "red"],
      ["A board", "grey"],
    ]);
  });

  it("nothing is written when a decision changes nothing", async () => {
    await put(storage, BOARDS, boardOf("ideas"));
    const [before] = await cluster.sql`select pg_current_wal_insert_lsn()::text as at`;
    const refs = { board: { kind: BOARDS, key: "none" } };
    await storage.transact(refs, ({ board }) => ({ answer: board, put: { board } }));
    const [after] = await cluster.sql`select pg_current_wal_insert_lsn()::text as at`;
    assertEquals(after, before);
  });

  it("calls that are made at once share a transaction and a statement", async () => {
    const sent: string[] = [];
    const driver = { debug: (_: number, statement: string) => sent.push(statement.slice(0, 6)) };
    const other = await openPostgresStorage(cluster.url, { driver });
    // Each of the two connections is made with the first call.
    await put(other, BOARDS, boardOf("ideas"));
    await other.get(BOARDS, "ideas");
    sent.length = 0;
    await Promise.all(
      Array.from({ length: 200 }, (_, i) => [
        put(other, BOARDS, boardOf(`board${i % 100}`)),
        other.get(BOARDS, `board${i}`),
      ]).flat(),
    );
    await other.close();
    // One statement finds; the others begin, lock, look for locks of others, write, and commit.
    const selects = ["select", "select", "select", "select"];
    assertEquals(sent.sort(), ["begin ", "commit", ...selects, "with p"]);
  });

  it("a table that was empty when storage was opened is not read as a whole later", async () => {
    const someone = (i: number) => subscriptionOf(`user${i}@example.com`);
    await put(storage, SUBSCRIPTIONS, someone(0));
    await storage.get(SUBSCRIPTIONS, someone(0).userEmail);
    await cluster.sql`insert into boardcast.subscriptions
      select 'user' || i || '@example.com', null, i % 2 = 0, 'api', now(), now()
      from generate_series(1, 20000) as i`;
    for (let round = 0; round < 10; round++) {
      await putAll(storage, SUBSCRIPTIONS, [1, 2, 3, 30_000].map((i) => someone(i + round)));
      await storage.get(SUBSCRIPTIONS, someone(round).userEmail);
      await storage.list(SUBSCRIPTIONS, { index: "unsubscribed", limit: 10 });
    }
    await storage.close();
    const [{ read }] = await cluster.sql`select seq_tup_read::int as read
      from pg_stat_user_tables where relname = 'subscriptions'`;
    assert(read < 20_000, `${read} rows were read one after the other`);
  });

  it("a page of either state costs as little at the end as at the start", async () => {
    // All of one state come before all of the other, the worst case for a scan in order.
    await cluster.sql`insert into boardcast.subscriptions
      select 'user' || lpad(i::text, 6, '0') || '@x.io', null, i > 10000, 'api', now(), now()
      from generate_series(1, 20000) as i`;
    await cluster.sql`vacuum analyze boardcast.subscriptions`;
    for (const index of [undefined, "subscribed", "unsubscribed"]) {
      for (const key of ["", "user009970@x.io", "user019970@x.io"]) {
        for (const reverse of [false, true]) {
          await storage.list(SUBSCRIPTIONS, { index, after: { key }, limit: 25, reverse });
        }
      }
    }
    await storage.close();
    const [row] = await cluster.sql`select seq_tup_read::int + idx_tup_fetch::int as count
      from pg_stat_user_tables where relname = 'subscriptions'`;
    assert(row.count < 20 * 25 + 100, `${row.count} rows were read`);
  });

  it("a removed address is in no file of the table once the documented statement was run", async () => {
    const page = await Deno.readTextFile(new URL("../docs/postgres.md", import.meta.url));
    const [, statements] = /```sql no-run\n(vacuum[^`]*)```/.exec(page)!;
    const email = "somebody.who.left@example.com";
    await put(storage, SUBSCRIPTIONS, subscriptionOf(email));
    await cluster.sql`analyze boardcast.subscriptions`;
    assert(await isInTables(email));
    await remove(storage, SUBSCRIPTIONS, email);
    for (const statement of statements.split(";\n").filter(Boolean)) {
      await cluster.sql.unsafe(statement);
    }
    assertEquals(await isInTables(email), false);
  });

  /** Tells whether a text is in the files of tables and indexes. */
  async function isInTables(text: string): Promise<boolean> {
    await cluster.sql`checkpoint`;
    const [{ data_directory: data }] = await cluster.sql`show data_directory`;
    for await (const folder of Deno.readDir(`${data}/base`)) {
      for await (const { name } of Deno.readDir(`${data}/base/${folder.name}`)) {
        const bytes = await Deno.readFile(`${data}/base/${folder.name}/${name}`);
        if (new TextDecoder("latin1").decode(bytes).includes(text)) return true;
      }
    }
    return false;
  }
});
