import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import { toStorageError } from "../adapters/_postgres/errors.ts";
import { createReads } from "../adapters/_postgres/reads.ts";
import { createStatements, type Row } from "../adapters/_postgres/statements.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { type Storage, StorageError, type StorageErrorCode } from "../adapters/storage.ts";
import { API_KEYS, BOARDS, SETTINGS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { put, putAll, remove } from "./_contract/calls.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { createTableOf, toSnakeCase } from "./_postgres_kinds.ts";
import { run } from "./_process.ts";
import { forEachRow } from "./_rows.ts";
import { minute, sampleBoard, sampleKey, sampleSubscription } from "./_samples.ts";
import { createService } from "./_service.ts";
import { CONTRACT_KINDS, testStorage } from "./storage_contract.ts";
import { turns } from "./_waiting.ts";

// What calls do is tested here, not how long they take on a busy machine.
const timeoutMs = 20_000;

describe("postgres", () => {
  let cluster: PostgresCluster;
  let storage: Storage;

  before(async () => {
    cluster = await startCluster({ settings: ["autovacuum=off"] });
  });
  after(() => cluster.dispose());

  const open = () => openPostgresStorage(cluster.url, { timeoutMs });

  describe("storage", () => {
    before(async () => {
      await (await open()).close();
      const tables = CONTRACT_KINDS.map((kind) => createTableOf(kind, "boardcast"));
      await cluster.sql.unsafe(tables.join(";"));
    });
    after(() => cluster.sql`drop schema boardcast cascade`);

    testStorage("postgres", async () => ({
      storage: await open(),
      reopen: open,
      another: open,
      async dispose() {
        const tables = CONTRACT_KINDS.map(({ name }) => `boardcast.${toSnakeCase(name)}`);
        await cluster.sql.unsafe(`truncate ${tables}`);
      },
    }));
  });

  describe("shared by processes", () => {
    afterEach(() => cluster.sql`drop schema boardcast cascade`);

    it("loses no change, and is migrated once, when 4 open an empty database at once", async () => {
      const script = fileURLToPath(import.meta.resolve("./_postgres_process.ts"));
      const args = ["run", "--allow-all", "--no-check", script, cluster.url, "50"];
      const outputs = await Promise.all([1, 2, 3, 4].map(() => run(Deno.execPath(), args)));
      const counts = outputs.flatMap(({ out }) => JSON.parse(out)).sort((a, b) => a - b);
      assertEquals(counts, counts.map((_, i) => 1 + Math.floor(i / 10)));
      const rows = await cluster.sql`select value from boardcast.settings`;
      assertEquals(rows.map(({ value }) => value), Array(10).fill("200"));
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
        subscribed: true,
        source: "api",
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

    it("are not written to when a decision changes nothing", async () => {
      await put(storage, BOARDS, sampleBoard("ideas"));
      const [before] = await cluster.sql`select pg_current_wal_insert_lsn()::text as at`;
      const refs = { board: { kind: BOARDS, key: "none" } };
      await storage.transact(refs, ({ board }) => ({ answer: board, put: { board } }));
      const [after] = await cluster.sql`select pg_current_wal_insert_lsn()::text as at`;
      assertEquals(after, before);
    });

    it("are read and written in one statement for all calls that are made at once", async () => {
      const sent: string[] = [];
      const driver = { debug: (_: number, statement: string) => sent.push(statement.slice(0, 6)) };
      const other = await openPostgresStorage(cluster.url, { driver });
      // Each of the two connections is made with the first call.
      await put(other, BOARDS, sampleBoard("ideas"));
      await other.get(BOARDS, "ideas");
      sent.length = 0;
      await Promise.all(
        Array.from({ length: 200 }, (_, i) => [
          put(other, BOARDS, sampleBoard(`board${i % 100}`)),
          other.get(BOARDS, `board${i}`),
        ]).flat(),
      );
      await other.close();
      // One statement finds; the others begin, lock, look for locks of others, write, and commit.
      const selects = ["select", "select", "select", "select"];
      assertEquals(sent.sort(), ["begin ", "commit", ...selects, "with p"]);
    });

    it("that were empty when storage was opened are not read as a whole later", async () => {
      const someone = (i: number) => sampleSubscription(`user${i}@example.com`);
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

    it("give a page of either state at the end for as little as at the start", async () => {
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
      const [{ count }] = await cluster.sql`select seq_tup_read::int + idx_tup_fetch::int as count
        from pg_stat_user_tables where relname = 'subscriptions'`;
      assert(count < 20 * 25 + 100, `${count} rows were read`);
    });

    it("have a removed address in no file once the documented statement was run", async () => {
      const page = await Deno.readTextFile(new URL("../docs/postgres.md", import.meta.url));
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

it("postgres reads of API keys are refused when the answer comes a second late", async () => {
  let nowMs = 1_000;
  let answer: ((rows: readonly Row[]) => void) | undefined;
  const reads = createReads(
    {
      use: (operation) => operation(() => new Promise((resolve) => answer = resolve)),
      close: () => Promise.resolve(),
    },
    API_KEYS,
    {
      statements: createStatements(API_KEYS, "boardcast"),
      timeoutMs: 1_500,
      now: () => nowMs,
    },
  );
  for (const [delayMs, isLate] of [[1_000, false], [1_001, true], [0, false]] as const) {
    const read = reads.get("k", { isOver: () => false });
    await turns();
    nowMs += delayMs;
    answer!([{ keyId: "k" }]);
    if (isLate) await assertRejects(() => read, StorageError, "takes too long");
    else assertEquals((await read)?.keyId, "k");
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
    [ofServer("40001"), "unavailable", "cannot answer (SQLSTATE 40001)"],
    [ofServer("53100", { where: "function" }), "unavailable", "cannot answer (SQLSTATE 53100)"],
    [ofServer("42P01"), "incompatible", "migrate it (what was said, SQLSTATE 42P01)"],
    [ofServer("23514"), "incompatible", "refuses the record (SQLSTATE 23514)"],
    [failed({ code: "X", syscall: "connect" }, "connect h:1"), "unavailable", ": connect h:1"],
    [failed({ name: "NotCapable" }, net), "unavailable", `database: ${net}`],
    [failed({ code: "EPIPE" }), "unavailable", "database: EPIPE"],
    [failed({}), "unavailable", "Cannot reach the database: the connection failed"],
    ["secret", "unavailable", "Cannot reach the database: the connection failed"],
  ], ([thrown, code, message]) => {
    const error = toStorageError(thrown);
    assertEquals([error.code, error.cause], [code, undefined]);
    assert(error.message.endsWith(message), error.message);
  });
});
