import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, afterEach, before, beforeEach, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { type Storage, StorageError, type StorageErrorCode } from "../adapters/storage.ts";
import { BOARDS, SUBSCRIPTIONS } from "../model/kinds.ts";
import { listKeys, put, remove } from "./_contract/calls.ts";
import { assertUnavailable, type Failure, failureOf } from "./_load.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { boardOf, subscriptionOf } from "./_postgres_kinds.ts";

const BAD = "bad@example.com";
const EMAILS = Array.from({ length: 60 }, (_, i) => `user${i}@example.com`);

/** Returns statements that make a trigger of each change, which does something to one address. */
function trigger(when: string, action: string): string {
  return `create function boardcast.guard() returns trigger language plpgsql as $$ begin
      if (coalesce(new, old)).user_email = '${BAD}' then ${action}; end if;
      return coalesce(new, old);
    end $$;
    create ${when} on boardcast.subscriptions
    for each row execute function boardcast.guard()`;
}

const BEFORE = "trigger guard before insert or update or delete";

/** What refuses changes of one address, and the code that the caller gets. */
const REFUSALS: Readonly<Record<string, readonly [string, StorageErrorCode]>> = {
  "a trigger that raises": [trigger(BEFORE, "raise exception 'no'"), "unavailable"],
  // A deadlock, a server that ends, and one that takes no writes, as it seems; and one of its own.
  ...Object.fromEntries(["40P01", "57P01", "25006", "ABCDE"].map((state) => [
    `a trigger that raises ${state}`,
    [trigger(BEFORE, `raise exception 'no' using errcode = '${state}'`), "unavailable"],
  ])),
  "a trigger that raises when it commits": [
    trigger(
      "constraint trigger guard after insert or update or delete",
      "raise exception 'no'",
    ).replace("for each row", "deferrable initially deferred for each row"),
    "unavailable",
  ],
  "a trigger that returns null": [trigger(BEFORE, "return null"), "unavailable"],
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

describe("postgres neighbours", () => {
  let cluster: PostgresCluster;
  let storage: Storage;

  before(async () => {
    cluster = await startCluster();
    await cluster.sql`create role service login`;
  });
  after(() => cluster.dispose());
  beforeEach(async () => {
    // Policies say nothing to the owner of a table.
    const owner = await openPostgresStorage(cluster.url);
    await owner.close();
    await cluster.sql.unsafe(`grant usage on schema boardcast to service;
      grant select, insert, update, delete on all tables in schema boardcast to service`);
    const url = `postgres://service@${cluster.address}`;
    storage = await openPostgresStorage(url, { timeoutMs: 1_000 });
  });
  afterEach(async () => {
    await storage.close();
    await cluster.sql`drop schema boardcast cascade`;
  });

  const putAt = (email: string) => put(storage, SUBSCRIPTIONS, subscriptionOf(email));

  for (const [what, [statements, code]] of Object.entries(REFUSALS)) {
    it(`an address that ${what} refuses fails alone`, async () => {
      await put(storage, SUBSCRIPTIONS, subscriptionOf(BAD, { source: "link" }));
      await cluster.sql.unsafe(statements);
      const calls = [...EMAILS.slice(0, 30), BAD, ...EMAILS.slice(30)].map(putAt);
      const others = Promise.all(calls.filter((_, i) => i !== 30));
      const error = await assertRejects(() => calls[30], StorageError);
      assertEquals(error.code, code);
      assert(!Deno.inspect(error).includes("example.com"), "the error names a person");
      await others;
      assertEquals(await listKeys(storage, SUBSCRIPTIONS), [BAD, ...EMAILS].sort());
    });
  }

  it("a record that can't be removed fails alone", async () => {
    await Promise.all([BAD, ...EMAILS].map(putAt));
    await cluster.sql.unsafe(trigger(BEFORE, "return null"));
    const calls = [BAD, ...EMAILS].map((email) => remove(storage, SUBSCRIPTIONS, email));
    await assertRejects(() => calls[0], StorageError, "see its triggers");
    assertEquals(new Set(await Promise.all(calls.slice(1))), new Set([true]));
  });

  /** Runs something while another transaction is open. */
  async function during(statement: string, run: () => Promise<void>): Promise<void> {
    const undone = new Error("Undone");
    const transaction = cluster.sql.begin(async (sql) => {
      await sql.unsafe(statement);
      await run();
      throw undone;
    });
    assertEquals(await transaction.catch((error) => error), undone);
  }

  const set = (email: string) => `boardcast.subscriptions where user_email = '${email}'`;
  const locks = {
    "is locked": `select from ${set(BAD)} for update`,
    "was removed": `delete from ${set(BAD)}`,
  };
  for (const [what, statement] of Object.entries(locks)) {
    it(`a row that ${what} by an open transaction holds up nobody else`, async () => {
      await Promise.all([BAD, ...EMAILS].map(putAt));
      await during(statement, async () => {
        let isHeld = true;
        const held = failureOf(() => putAt(BAD)).then((failure) => {
          isHeld = false;
          return failure;
        });
        while (isHeld) {
          const started = performance.now();
          await Promise.all(EMAILS.map(putAt));
          assert(performance.now() - started < 1_000, "others wait");
        }
        assertUnavailable([await held]);
      });
      await putAt(BAD);
    });
  }

  it("a row is changed as soon as it is no longer locked", async () => {
    await putAt(BAD);
    let made: Promise<void> | undefined;
    await during(locks["is locked"], async () => {
      made = putAt(BAD);
      await Promise.all(EMAILS.map(putAt));
    });
    await made;
  });

  it("an address that an open transaction added fails alone", async () => {
    const values = `('${BAD}', null, true, 'api', now(), now())`;
    await during(`insert into boardcast.subscriptions values ${values}`, async () => {
      const calls = [...EMAILS, BAD].map(putAt);
      assertUnavailable([await failureOf(() => calls[EMAILS.length])]);
      await Promise.all(calls.slice(0, -1));
    });
    await putAt(BAD);
  });

  it("a locked table leaves other kinds alone, however many calls wait for it", async () => {
    await during("lock table boardcast.subscriptions", async () => {
      const held: Promise<Failure | undefined>[] = EMAILS.flatMap((email) => [
        failureOf(() => putAt(email)),
        failureOf(() => storage.get(SUBSCRIPTIONS, email)),
        failureOf(() => storage.list(SUBSCRIPTIONS, { limit: 9 })),
      ]);
      const started = performance.now();
      for (let i = 0; i < 10; i++) {
        await put(storage, BOARDS, boardOf(`board${i}`));
        await storage.get(BOARDS, `board${i}`);
        await storage.list(BOARDS, { limit: 9 });
        await storage.ping();
      }
      assert(performance.now() - started < 1_000, "others wait");
      assertUnavailable(await Promise.all(held));
    });
    await Promise.all(EMAILS.map(putAt));
  });
});
