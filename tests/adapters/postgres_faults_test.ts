import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import { type Storage, StorageError, type StorageErrorCode } from "../../adapters/storage.ts";
import { API_KEYS, BOARDS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { listKeys, put } from "../_contract/calls.ts";
import { assertUnavailable, failureOf, startLoad, untilItWorks } from "../_support/load.ts";
import { type PostgresCluster, startCluster } from "../_support/postgres.ts";
import { sampleBoard, sampleSubscription } from "../_support/samples.ts";
import { until } from "../_support/waiting.ts";

const PATIENCE_MS = 8_000;
const IDEAS = sampleBoard("ideas");
const NEXT = sampleBoard("ideas", { name: "Next" });
const BAD = "bad@example.com";
const EMAILS = Array.from({ length: 60 }, (_, i) => `user${i}@example.com`);
const LOCK_BAD = `select from boardcast.subscriptions where user_email = '${BAD}' for update`;

/** Returns the statements for a trigger that acts on changes of one address. */
function trigger(action: string, when = "trigger guard before"): string {
  const isDeferred = when.includes("constraint") ? "deferrable initially deferred" : "";
  return `create function boardcast.guard() returns trigger language plpgsql as $$ begin
      if (coalesce(new, old)).user_email = '${BAD}' then ${action}; end if;
      return coalesce(new, old);
    end $$;
    create ${when} insert or update or delete on boardcast.subscriptions ${isDeferred}
    for each row execute function boardcast.guard()`;
}

/** Obstacles that refuse changes of one address, each with the resulting code. */
const REFUSALS: Readonly<Record<string, readonly [string, StorageErrorCode]>> = {
  "a trigger that raises what looks like a deadlock": [
    trigger("raise exception 'no' using errcode = '40P01'"),
    "unavailable",
  ],
  "a trigger that raises when it commits": [
    trigger("raise exception 'no'", "constraint trigger guard after"),
    "unavailable",
  ],
  "a trigger that returns null": [trigger("return null"), "unavailable"],
  "a constraint": [
    `alter table boardcast.subscriptions add check (user_email <> '${BAD}' or source = 'link')
       not valid`,
    "incompatible",
  ],
  "a policy": [
    `alter table boardcast.subscriptions enable row level security;
     create policy reading on boardcast.subscriptions for select using (true);
     create policy writing on boardcast.subscriptions using (user_email <> '${BAD}')`,
    "unavailable",
  ],
};

describe("postgres storage", () => {
  let cluster: PostgresCluster;
  let storage: Storage;
  let patient: Storage;

  before(async () => {
    cluster = await startCluster();
    await cluster.sql`create role service login`;
  });
  after(() => cluster.dispose());
  beforeEach(async () => {
    // Policies do not apply to the owner of a table.
    const owner = await openPostgresStorage(cluster.url);
    await owner.close();
    await cluster.sql.unsafe(`grant usage on schema boardcast to service;
      grant select, insert, update, delete on all tables in schema boardcast to service`);
    const url = `postgres://service@${cluster.address}`;
    storage = await openPostgresStorage(url, { timeoutMs: 1_000 });
    // Its calls wait for locks until these are free, so that their order decides, and no time.
    const driver = { connection: { lock_timeout: PATIENCE_MS } };
    patient = await openPostgresStorage(url, { timeoutMs: PATIENCE_MS, driver });
  });
  afterEach(async () => {
    await storage.close();
    await patient.close();
    await cluster.sql`drop schema boardcast cascade`;
  });

  const putAt = (email: string) => put(storage, SUBSCRIPTIONS, sampleSubscription(email));
  const putPatiently = (email: string) => put(patient, SUBSCRIPTIONS, sampleSubscription(email));

  async function assertStored(emails: readonly string[]): Promise<void> {
    const rows = await cluster.sql`select user_email from boardcast.subscriptions`;
    const stored = new Set(rows.map((row) => row.user_email));
    assertEquals(emails.filter((email) => !stored.has(email)), []);
  }

  /** Stops the server processes whose last statement matches. */
  async function stopProcesses(statement: string): Promise<readonly number[]> {
    const processes = await cluster.sql`select pid from pg_stat_activity
      where usename = 'service' and query like ${`%${statement}%`}`;
    for (const { pid } of processes) Deno.kill(pid, "SIGSTOP");
    return processes.map(({ pid }) => pid);
  }

  /** Calls a function while another transaction is open, which is then rolled back. */
  async function during(statement: string, run: () => Promise<void>): Promise<void> {
    const undone = new Error("Undone");
    const transaction = cluster.sql.begin(async (sql) => {
      await sql.unsafe(statement);
      await run();
      throw undone;
    });
    assertEquals(await transaction.catch((error) => error), undone);
  }

  it("has every acknowledged change when connections are cut under load", async () => {
    const load = startLoad(storage);
    for (let i = 0; i < 20; i++) {
      await load.progress(50);
      await cluster.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'service'`;
    }
    await load.progress(50);
    const { acknowledged, failures } = await load.stop();
    assertUnavailable(failures);
    assert(failures.length > 0, "no call was under way when a connection was cut");
    await assertStored(acknowledged);
  });

  it("has every acknowledged change when the server crashes and restarts under load", async () => {
    const load = startLoad(storage);
    await load.progress(500);
    await cluster.crash();
    await load.failure();
    await cluster.start();
    await load.progress(500);
    const { acknowledged, failures } = await load.stop();
    assertUnavailable(failures);
    await assertStored(acknowledged);
  });

  it("rejects every kind of call in time when the server is silent, and works again later", async () => {
    const byDefault = await openPostgresStorage(cluster.url);
    await put(byDefault, BOARDS, IDEAS);
    await cluster.signal("SIGSTOP");
    const failures = await Promise.all([
      failureOf(() => byDefault.get(BOARDS, "ideas")),
      failureOf(() => byDefault.get(API_KEYS, "key")),
      failureOf(() => byDefault.list(BOARDS, { limit: 1 })),
      failureOf(() => put(byDefault, BOARDS, IDEAS)),
      failureOf(() => byDefault.ping()),
    ]);
    await cluster.signal("SIGCONT");
    assertUnavailable(failures);
    await untilItWorks(() => byDefault.ping());
    await untilItWorks(() => put(byDefault, BOARDS, NEXT));
    assertEquals(await byDefault.get(BOARDS, "ideas"), NEXT);
    await byDefault.close();
  });

  it("replaces a connection that hangs, makes nothing else wait for it, and closes in time", async () => {
    await put(storage, BOARDS, IDEAS);
    assertEquals((await stopProcesses("unnest(")).length, 1);
    const hung = failureOf(() => put(storage, BOARDS, NEXT));
    assertEquals(await storage.get(BOARDS, "ideas"), IDEAS);
    assertUnavailable([await hung]);
    await put(storage, BOARDS, NEXT);
    assertEquals(await storage.get(BOARDS, "ideas"), NEXT);
    // The earlier process is one of them.
    const stopped = await stopProcesses("unnest(");
    const hungAgain = failureOf(() => put(storage, BOARDS, IDEAS));
    // The process behind the connection is still stopped, so close does not wait for it.
    await storage.close();
    assertUnavailable([await hungAgain]);
    for (const pid of stopped) Deno.kill(pid, "SIGCONT");
    // The server is told to cancel the statement.
    await until(async () => {
      const pids = cluster.sql(stopped);
      return (await cluster.sql`select from pg_stat_activity where pid in ${pids}`).length === 0;
    });
  });

  it("is not ready while the server takes no writes, but is read, and then works again", async () => {
    await put(storage, BOARDS, IDEAS);
    const setReadOnly = async (state: "on" | "off") => {
      await cluster.sql.unsafe(`alter system set default_transaction_read_only = ${state}`);
      await cluster.sql`select pg_reload_conf()`;
    };
    await setReadOnly("on");
    await until(async () => await failureOf(() => storage.ping()) !== undefined);
    assertUnavailable([await failureOf(() => storage.ping()), await failureOf(() => putAt(BAD))]);
    assertEquals(await storage.get(BOARDS, "ideas"), IDEAS);
    await cluster.sql`set default_transaction_read_only = off`;
    await setReadOnly("off");
    await untilItWorks(() => storage.ping());
    await untilItWorks(() => putAt(BAD));
  });

  it("is not ready while no change can be stored, as a table is locked or the schema is gone", async () => {
    await storage.ping();
    await cluster.sql.begin(async (sql) => {
      await sql`lock table boardcast.subscriptions in share mode`;
      assertUnavailable([await failureOf(() => storage.ping())]);
    });
    await storage.ping();
    await cluster.sql`alter schema boardcast rename to elsewhere`;
    await assertRejects(() => storage.ping(), StorageError, "lacks a table");
    await cluster.sql`alter schema elsewhere rename to boardcast`;
    await untilItWorks(() => storage.ping());
  });

  for (const [what, [statements, code]] of Object.entries(REFUSALS)) {
    it(`fails a change that ${what} refuses, and none beside it`, async () => {
      await put(storage, SUBSCRIPTIONS, sampleSubscription(BAD, { source: "link" }));
      await cluster.sql.unsafe(statements);
      const calls = [...EMAILS.slice(0, 30), BAD, ...EMAILS.slice(30)].map(putPatiently);
      const others = Promise.all(calls.filter((_, i) => i !== 30));
      const error = await assertRejects(() => calls[30], StorageError);
      assertEquals(error.code, code);
      assert(!Deno.inspect(error).includes("example.com"), "the error names a person");
      await others;
      assertEquals(await listKeys(storage, SUBSCRIPTIONS), [BAD, ...EMAILS].sort());
    });
  }

  it("lets a locked row hold up nobody else, and changes it once it is not locked", async () => {
    await Promise.all([BAD, ...EMAILS].map(putPatiently));
    let isHeld = true;
    let held: Promise<void> | undefined;
    await during(LOCK_BAD, async () => {
      held = putPatiently(BAD).finally(() => isHeld = false);
      for (let i = 0; i < 5; i++) await Promise.all(EMAILS.map(putPatiently));
      assert(isHeld, "the change did not wait for the lock");
    });
    await held;
  });

  it("rejects the change of a row in time that stays locked", async () => {
    await putAt(BAD);
    await during(LOCK_BAD, async () => assertUnavailable([await failureOf(() => putAt(BAD))]));
    await putAt(BAD);
  });

  it("lets a locked table hold up no other kind, however many calls wait for it", async () => {
    let isHeld = true;
    const waiting: Promise<unknown>[] = [];
    await during("lock table boardcast.subscriptions", async () => {
      for (const email of EMAILS) {
        waiting.push(
          putPatiently(email),
          patient.get(SUBSCRIPTIONS, email),
          patient.list(SUBSCRIPTIONS, { limit: 9 }),
        );
      }
      Promise.race(waiting).finally(() => isHeld = false).catch(() => {});
      for (let i = 0; i < 10; i++) {
        await put(patient, BOARDS, sampleBoard(`board${i}`));
        await patient.get(BOARDS, `board${i}`);
        await patient.list(BOARDS, { limit: 9 });
      }
      assert(isHeld, "a call did not wait for the lock");
    });
    await Promise.all(waiting);
    await assertStored(EMAILS);
  });

  it("rejects calls for a locked table in time, and makes them once it is free", async () => {
    await during("lock table boardcast.subscriptions", async () => {
      const held = await Promise.all(EMAILS.flatMap((email) => [
        failureOf(() => putAt(email)),
        failureOf(() => storage.get(SUBSCRIPTIONS, email)),
        failureOf(() => storage.list(SUBSCRIPTIONS, { limit: 9 })),
      ]));
      assertUnavailable(held);
    });
    await Promise.all(EMAILS.map(putAt));
  });
});
