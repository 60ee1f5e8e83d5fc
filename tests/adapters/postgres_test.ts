import { assert, assertEquals } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { toStorageError } from "../../adapters/_postgres/errors.ts";
import { createStatements } from "../../adapters/_postgres/statements.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { Storage, StorageErrorCode } from "../../adapters/storage.ts";
import type { AnyKind } from "../../model/kind.ts";
import { API_KEYS, BOARDS, KINDS, SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { put, putAll, remove } from "../_contract/calls.ts";
import { type PostgresCluster, startCluster } from "../_support/postgres.ts";
import { toName } from "../../adapters/_postgres/shape.ts";
import { sqlOfTables } from "../_support/postgres_kinds.ts";
import { forEachRow } from "../_support/rows.ts";
import { minute, sampleBoard, sampleKey, sampleSubscription } from "../_support/samples.ts";
import { createService } from "../_support/service.ts";
import { CONTRACT_KINDS, testStorage } from "../storage_contract.ts";

// This long deadline keeps a busy machine from failing tests that don't measure time.
const timeoutMs = 20_000;

describe("postgres", () => {
  let cluster: PostgresCluster;
  let storage: Storage;

  before(async () => {
    cluster = await startCluster({ settings: ["autovacuum=off"] });
  });
  after(() => cluster.dispose());

  const open = () => openPostgresStorage(cluster.url, { timeoutMs });

  /** Returns the number of transactions that have written so far. */
  async function countTransactions(): Promise<number> {
    const [{ next }] = await cluster
      .sql`select txid_snapshot_xmax(txid_current_snapshot()) as next`;
    return Number(next);
  }

  describe("storage", () => {
    before(async () => {
      await (await open()).close();
      await cluster.sql.unsafe(sqlOfTables(CONTRACT_KINDS, "boardcast"));
    });
    after(() => cluster.sql`drop schema boardcast cascade`);

    testStorage("postgres", async () => ({
      storage: await open(),
      reopen: open,
      another: open,
      async dispose() {
        const tables = CONTRACT_KINDS.map(({ name }) => `boardcast.${toName(name)}`);
        await cluster.sql.unsafe(`truncate ${tables}`);
      },
    }));
  });

  describe("shared by processes", () => {
    afterEach(() => cluster.sql`drop schema boardcast cascade`);

    it("takes 21 connections at most, when all kinds are read and changed at once", async () => {
      const storage = await open();
      const calls = Array.from({ length: 3 }, () =>
        KINDS.flatMap((kind) => [
          storage.ping(),
          storage.get(kind, "a"),
          storage.list(kind, { limit: 1 }),
          remove(storage, kind, "a"),
        ]));
      await Promise.all(calls.flat());
      const [{ count }] = await cluster.sql`select count(*)::int as count from pg_stat_activity
        where application_name = 'boardcast'`;
      assertEquals([count > 10, count <= 21], [true, true], `${count} connections`);
      await storage.close();
    });

    it("prepares few statements, however many limits are asked for", async () => {
      const storage = await open();
      await putAll(storage, BOARDS, Array.from({ length: 60 }, (_, i) => sampleBoard(`b${i}`)));
      for (let limit = 1; limit <= 60; limit++) {
        assertEquals((await storage.list(BOARDS, { limit })).length, limit);
      }
      const statements = createStatements(BOARDS as AnyKind, "boardcast");
      const made = Array.from({ length: 1_000 }, (_, i) => statements.list({ limit: i + 1 })[0]);
      assertEquals(new Set(made).size, 9);
      await storage.close();
    });

    it("writes the columns that changed, with few statements for all their sets", () => {
      const statements = createStatements(BOARDS as AnyKind, "boardcast");
      const board = { ...sampleBoard("b"), ctid: "(0,1)", xmin: "1" };
      const write = (...changed: string[]) => {
        const changes = { replaced: [board], changed: new Set(changed), created: [], removed: [] };
        return statements.write(changes, { isPatient: true });
      };
      const [, ...parameters] = write("name");
      assertEquals(parameters, ['{"(0,1)"}', '{"1"}', '{"b"}', `{"${board.name}"}`, 1]);
      const names = Object.keys(BOARDS.fields);
      const made = names.flatMap((one) => names.map((other) => write(one, other)[0]));
      assertEquals(new Set(made).size, 33);
    });

    it("loses no change, and is migrated once, when 4 open an empty database at once", async () => {
      const storages = await Promise.all([1, 2, 3, 4].map(open));
      const refs = { counter: { kind: SETTINGS, key: "counter" } };
      const counts = await Promise.all(
        Array.from({ length: 200 }, (_, i) =>
          storages[i % 4].transact(refs, ({ counter }) => {
            const result = Number(counter?.value ?? 0) + 1;
            return {
              answer: result,
              put: { counter: { settingId: "counter", value: `${result}` } },
            };
          })),
      );
      assertEquals(counts.sort((a, b) => a - b), counts.map((_, i) => 1 + i));
      for (const storage of storages) await storage.close();
    });

    it("counts subscribers alike in all, whoever changes them and how", async () => {
      const storages = await Promise.all([1, 2].map(open));
      const services = storages.map((storage) => createService({ storage }));
      const counts = () =>
        Promise.all(storages.map(async (storage) => [
          await storage.count!(SUBSCRIPTIONS, "subscribed"),
          await storage.count!(SUBSCRIPTIONS, "unsubscribed"),
        ]));
      const people = Array.from({ length: 60 }, (_, number) => ({
        userEmail: `${number}@example.com`,
        subscribe: number % 3 > 0,
      }));
      await Promise.all(
        people.map((person, number) =>
          services[number % 2].call("PUT", "changelogs/subscribe", person)
        ),
      );
      assertEquals(await counts(), [[40, 20], [40, 20]]);
      // Both processes unsubscribe the same people.
      await Promise.all(
        people.map(({ userEmail }, number) =>
          services[number % 2].call("PUT", "changelogs/subscribe", {
            userEmail: people[number % 30].userEmail,
            subscribe: false,
            userName: userEmail,
          })
        ),
      );
      assertEquals(await counts(), [[20, 40], [20, 40]]);
      await services[0].send("DELETE", "changelogs/subscribers/0@example.com");
      assertEquals(await counts(), [[20, 39], [20, 39]]);
      const { sql } = cluster;
      await sql`update boardcast.subscriptions set subscribed = true where user_email < '20'`;
      await sql`delete from boardcast.subscriptions where user_email > '9'`;
      const found = await sql`select subscribed, count(*)::int from boardcast.subscriptions
        group by subscribed order by subscribed desc`;
      assertEquals(await counts(), Array(2).fill(found.map(({ count }) => count)));
      await sql`truncate boardcast.subscriptions`;
      assertEquals(await counts(), [[0, 0], [0, 0]]);
      await Promise.all(storages.map((storage) => storage.close()));
    });

    it("creates one of two records that are each created if the other is not there", async () => {
      const storages = [await open(), await open()];
      for (let round = 0; round < 50; round++) {
        const refs = [`a${round}`, `b${round}`].map((key) => ({ kind: SETTINGS, key }));
        const created = await Promise.all(
          storages.map((storage, i) =>
            storage.transact({ own: refs[i], other: refs[1 - i] }, ({ other }) => {
              if (other !== undefined) return { answer: false };
              return { answer: true, put: { own: { settingId: refs[i].key, value: "" } } };
            })
          ),
        );
        assertEquals(created.sort(), [false, true]);
      }
      for (const storage of storages) await storage.close();
    });

    it("stores changes together that each leave a record absent, so that none waits for the others", async () => {
      const storage = await open();
      await put(storage, SETTINGS, { settingId: "count", value: "0" });
      const before = await countTransactions();
      await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const refs = {
            count: { kind: SETTINGS, key: "count" },
            board: { kind: BOARDS, key: `board${i}` },
          };
          await storage.transact<typeof refs, void>(refs, ({ count, board }) => ({
            answer: undefined,
            put: board === undefined ? { count: { ...count!, value: `${+count!.value + 1}` } } : {},
          }));
        }),
      );
      const count = await countTransactions() - before;
      assert(count < 10, `${count} transactions`);
      assertEquals((await storage.get(SETTINGS, "count"))?.value, "100");
      await storage.close();
    });

    it("shows a change of the changelog through another instance within 2 s", async () => {
      const storages = [await open(), await open()];
      const [reader, writer] = storages.map((storage) =>
        createService({ storage, publicUrl: "https://updates.example" })
      );
      const change = async (method: string, path: string, json: object) => {
        const response = await writer.send(method, `/api/v1/changelogs/entries${path}`, { json });
        assert(response.ok, await response.text());
      };
      const paths = ["/changelog", "/changelog/a", "/changelog.atom", "/changelog.json"];
      const shows = async (path: string, text: string) => {
        const response = await reader.send("GET", path, { key: null });
        return (await response.text()).includes(text);
      };
      await change("POST", "", { entryId: "a", title: "Title 0", body: "Text" });
      await change("POST", "/a/publish", { notify: false });
      for (const path of paths) assert(await shows(path, "Title 0"), path);
      await change("PATCH", "/a", { title: "Title 1" });
      const deadline = performance.now() + 2_000;
      for (const path of paths) {
        while (!await shows(path, "Title 1")) assert(performance.now() < deadline, path);
      }
      for (const storage of storages) await storage.close();
    });
  });

  describe("tables", () => {
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(async () => {
      await storage.close();
      await cluster.sql`drop schema boardcast cascade`;
    });

    it("have a record as a row of text, booleans, times and lists", async () => {
      await put(storage, SUBSCRIPTIONS, sampleSubscription("ann@example.com", { userName: "Ann" }));
      await put(storage, API_KEYS, sampleKey("k1", { hash: "0".repeat(64) }));
      const [subscription] = await cluster.sql`select * from boardcast.subscriptions`;
      assertEquals({ ...subscription }, {
        user_email: "ann@example.com",
        user_name: "Ann",
        subscriber_id: "ann@example.com",
        subscribed: true,
        source: "api",
        labels: null,
        pace: "each",
        pace_changes: [],
        history: "",
        created_at: new Date(minute(0)),
        updated_at: new Date(minute(0)),
      });
      const [key] = await cluster.sql`
        select array_to_string(scopes, ' ') as scopes, expires_at from boardcast.api_keys`;
      assertEquals({ ...key }, { scopes: "boards:read subscriptions:write", expires_at: null });
    });

    it("keep what others add to them when a record changes", async () => {
      await put(storage, BOARDS, sampleBoard("ideas"));
      await cluster.sql`alter table boardcast.boards add column colour text default 'grey'`;
      await cluster.sql`update boardcast.boards set colour = 'red'`;
      await put(storage, BOARDS, sampleBoard("ideas", { name: "Next" }));
      await put(storage, BOARDS, sampleBoard("other"));
      const rows = await cluster.sql`select name, colour from boardcast.boards order by board_id`;
      assertEquals(rows.map(({ name, colour }) => `${name} ${colour}`), [
        "Next red",
        "Board other grey",
      ]);
    });

    it("give any page for little, also when they were empty when storage was opened", async () => {
      const someone = (i: number) => sampleSubscription(`user00${i}@x.io`);
      const readPages = async () => {
        for (const index of [undefined, "subscribed", "unsubscribed"]) {
          for (const key of ["", "user009970@x.io", "user019970@x.io"]) {
            for (const reverse of [false, true]) {
              const after = index === "subscribed" ? { by: key, key: "" } : { key };
              await storage.list(SUBSCRIPTIONS, { index, after, limit: 25, reverse });
            }
          }
        }
        await putAll(storage, SUBSCRIPTIONS, [1_000, 2_000, 3_000].map(someone));
        await storage.get(SUBSCRIPTIONS, someone(1_000).userEmail);
      };
      await readPages();
      // All records of one state come before those of the other, the worst case for a scan in
      // order.
      await cluster.sql`insert into boardcast.subscriptions
          (user_email, subscriber_id, subscribed, source, pace, pace_changes, history, created_at, updated_at)
        select 'user' || lpad(i::text, 6, '0') || '@x.io', i, i > 10000, 'api', 'each', '[]', '', now(), now()
        from generate_series(1, 20000) as i on conflict do nothing`;
      await readPages();
      await cluster.sql`vacuum analyze boardcast.subscriptions`;
      await readPages();
      await storage.close();
      const [{ count }] = await cluster.sql`select seq_tup_read::int + idx_tup_fetch::int as count
        from pg_stat_user_tables where relname = 'subscriptions'`;
      assert(count < 2 * 20 * 25 + 200, `${count} rows were read`);
    });

    it("have a removed address in no file once the documented statement was run", async () => {
      const page = await Deno.readTextFile(new URL("../../docs/postgres.md", import.meta.url));
      const [, statements] = /```sql no-run\n(vacuum[^`]*)```/.exec(page)!;
      const email = "somebody.who.left@example.com";
      await put(storage, SUBSCRIPTIONS, sampleSubscription(email));
      await cluster.sql`analyze boardcast.subscriptions`;
      assert(await isInTables(email));
      await remove(storage, SUBSCRIPTIONS, email);
      for (const statement of statements.split(";\n").filter(Boolean)) {
        await cluster.sql.unsafe(statement);
      }
      assertEquals(await isInTables(email), false);
    });
  });

  /** Tells whether the files of tables and indexes contain a text. */
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

it("what the postgres driver throws becomes an error without secrets", () => {
  const ofServer = (code: string, rest: object = {}) =>
    Object.assign(new Error("what was said"), {
      ...{ code, severity: "ERROR", detail: "secret", parameters: ["secret"], ...rest },
    });
  const failed = (rest: object, message = "secret") => Object.assign(new Error(message), rest);
  const net = "Requires net access to h";
  return forEachRow<readonly [unknown, StorageErrorCode, string]>([
    [ofServer("28P01"), "unavailable", "cannot answer (what was said, SQLSTATE 28P01)"],
    [ofServer("57014"), "unavailable", "too long to answer (what was said, SQLSTATE 57014)"],
    [ofServer("53100", { where: "function" }), "unavailable", "cannot answer (SQLSTATE 53100)"],
    [ofServer("42P01"), "incompatible", "migrate it (what was said, SQLSTATE 42P01)"],
    [ofServer("23514"), "incompatible", "refuses the record (SQLSTATE 23514)"],
    [failed({ code: "X", syscall: "connect" }, "connect h:1"), "unavailable", ": connect h:1"],
    [failed({ name: "NotCapable" }, net), "unavailable", `database: ${net}`],
    [failed({}), "unavailable", "Cannot reach the database: the connection failed"],
    ["secret", "unavailable", "Cannot reach the database: the connection failed"],
  ], ([thrown, code, message]) => {
    const error = toStorageError(thrown);
    assertEquals([error.code, error.cause], [code, undefined]);
    assert(error.message.endsWith(message), error.message);
  });
});
