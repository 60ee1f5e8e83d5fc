import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { DatabaseSync } from "node:sqlite";
import { type KvAtomicOperation, type KvDatabase, openKvStorage } from "../../adapters/deno_kv.ts";
import type { Kind, Storage } from "../../adapters/storage.ts";
import { BOARDS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { put, remove } from "../_contract/calls.ts";
import { COUNTERS, PEOPLE, type Person, sample, SAMPLES } from "../_contract/kinds.ts";
import { openKvFile, withKvFile, withKvStorage } from "../_support/kv.ts";
import { sampleBoard, sampleSubscription } from "../_support/samples.ts";
import { testStorage } from "../storage_contract.ts";

testStorage("kv", async () => {
  const directory = await Deno.makeTempDir({ prefix: "boardcast-kv-" });
  const open = () => openKvFile(`${directory}/boardcast.db`);
  return {
    storage: await open(),
    reopen: open,
    another: open,
    dispose: () => Deno.remove(directory, { recursive: true }),
  };
});

/** Returns a database with some methods replaced. */
function withMethods(database: KvDatabase, methods: Partial<KvDatabase>): KvDatabase {
  return {
    getMany: (keys) => database.getMany(keys),
    list: (selector, options) => database.list(selector, options),
    atomic: () => database.atomic(),
    close: () => database.close(),
    ...methods,
  };
}

/** Returns a database whose client sends each commit twice, as after a lost response. */
function resending(database: KvDatabase): KvDatabase {
  function atomic(): KvAtomicOperation {
    const operation = database.atomic();
    const commit = async () => {
      await operation.commit();
      return await operation.commit();
    };
    const resent: KvAtomicOperation = {
      check: (check) => (operation.check(check), resent),
      set: (key, value) => (operation.set(key, value), resent),
      delete: (key) => (operation.delete(key), resent),
      sum: (key, addend) => (operation.sum(key, addend), resent),
      commit,
    };
    return resent;
  }
  return withMethods(database, { atomic });
}

async function increment(storage: Storage): Promise<number> {
  const refs = { counter: { kind: COUNTERS, key: "a" } };
  return await storage.transact(refs, ({ counter }) => {
    const result = (counter?.value ?? 0) + 1;
    return { answer: result, put: { counter: { counterId: "a", value: result } } };
  });
}

describe("kv storage", () => {
  it("makes a change once when its commit is sent again as the response was lost", async () => {
    const storage = openKvStorage(resending(await Deno.openKv(":memory:")));
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await increment(storage));
    assertEquals(answers, [1, 2, 3, 4, 5]);
    await put(storage, SUBSCRIPTIONS, sampleSubscription("ann@example.com"));
    assertEquals(await storage.count!(SUBSCRIPTIONS, "subscribed"), 1);
    await storage.close();
  });

  it("has records of an older program in the indexes of this one, and in no other", () =>
    withKvFile(async (path) => {
      const people = Array.from({ length: 250 }, (_, i): Person => {
        return { email: `u${`${i}`.padStart(3, "0")}@x.io`, name: "Ann", active: i % 5 === 0 };
      });
      const before = await openKvFile(path);
      for (const person of people) await put(before, PEOPLE, person);
      await before.close();
      const indexes = { inactive: { where: { active: false } }, byName: { by: "name" } } as const;
      const kind: Kind<Person> = { ...PEOPLE, indexes };
      const storage = await openKvFile(path);
      const inactive = await storage.list(kind, { index: "inactive", limit: 1_000 });
      assertEquals(inactive, people.filter(({ active }) => !active));
      assertEquals((await storage.list(kind, { index: "byName", limit: 1_000 })).length, 250);
      await storage.close();
      const database = await Deno.openKv(path);
      const left = database.list({ prefix: ["boardcast", PEOPLE.name, "active"] });
      assertEquals(await Array.fromAsync(left), []);
      database.close();
    }));

  it("counts subscribers that are changed at once, by two processes, and those of an older program", () =>
    withKvFile(async (path) => {
      const { counted: _, ...uncounted } = SUBSCRIPTIONS;
      const emails = Array.from({ length: 130 }, (_, i) => `${i}@example.com`);
      const before = await openKvFile(path);
      for (const email of emails) await put(before, uncounted, sampleSubscription(email));
      await before.close();
      const storages = [await openKvFile(path), await openKvFile(path)];
      const counts = () =>
        Promise.all(storages.map(async (storage) => [
          await storage.count!(SUBSCRIPTIONS, "subscribed"),
          await storage.count!(SUBSCRIPTIONS, "unsubscribed"),
        ]));
      assertEquals(await counts(), [[130, 0], [130, 0]]);
      await Promise.all(emails.map((email, i) => {
        const left = { ...sampleSubscription(email), subscribed: false };
        return put(
          storages[i % 2],
          SUBSCRIPTIONS,
          i < 50 ? left : sampleSubscription(`new${email}`),
        );
      }));
      assertEquals(await counts(), [[160, 50], [160, 50]]);
      await Promise.all([0, 1].map((i) => remove(storages[i], SUBSCRIPTIONS, emails[0])));
      assertEquals(await counts(), [[160, 49], [160, 49]]);
      await Promise.all(storages.map((storage) => storage.close()));
    }));

  it("lists a page in whole when large records change between its reads", () =>
    withKvStorage(async (_, database) => {
      const large = (key: string, size: number) => sample(key, { note: "x".repeat(size) });
      const keys = ["a", "b", "c"];
      const writer = openKvStorage(withMethods(database, { close: () => {} }));
      for (const key of keys) await put(writer, SAMPLES, large(key, 5_000));
      let changes = 0;
      const reader = openKvStorage(withMethods(database, {
        async getMany(read) {
          // The pieces are read after their heads, so a change can come in between.
          if (read.length > 1 && changes++ === 0) {
            await put(writer, SAMPLES, large("a", 9_000));
            await remove(writer, SAMPLES, "b");
          }
          return await database.getMany(read);
        },
        close: () => {},
      }));
      const page = await reader.list(SAMPLES, { limit: 2 });
      assertEquals(page, [large("a", 9_000), large("c", 5_000)]);
      await reader.close();
    }));

  it("has a removed address in its file no more once the documented statements were run", () =>
    withKvFile(async (path) => {
      const userEmail = "somebody.who.left@example.com";
      const files = ["", "-wal", "-shm"].map((suffix) => path + suffix);
      const isLeft = async () => {
        const texts = await Promise.all(files.map((file) => Deno.readTextFile(file)));
        return texts.join().includes(userEmail);
      };
      const storage = await openKvFile(path);
      await put(storage, SUBSCRIPTIONS, sampleSubscription(userEmail));
      await put(storage, SUBSCRIPTIONS, sampleSubscription("somebody.else@example.com"));
      await remove(storage, SUBSCRIPTIONS, userEmail);
      assertEquals(await isLeft(), true);
      const page = await Deno.readTextFile(new URL("../../docs/deno-kv.md", import.meta.url));
      const [, statements] = /sqlite3 \S+ '([^']*)'/.exec(page)!;
      const database = new DatabaseSync(path);
      database.exec(statements);
      database.close();
      assertEquals(await isLeft(), false);
      assertEquals((await storage.list(SUBSCRIPTIONS, { limit: 9 })).length, 1);
      await storage.close();
    }));

  it("leaves what an app keeps in the same database alone", () =>
    withKvStorage(async (storage, database) => {
      await database.set(["app", 1], "its own");
      await put(storage, BOARDS, sampleBoard("ideas"));
      await remove(storage, BOARDS, "ideas");
      assertEquals((await database.get(["app", 1])).value, "its own");
    }));

  it("fails with damaged when a record is not as it was written", () =>
    withKvStorage(async (storage, database) => {
      await database.set(["boardcast", BOARDS.name, "", "ideas"], "something else");
      const error = await assertRejects(() => storage.get(BOARDS, "ideas"), Error);
      assertEquals((error as { code?: string }).code, "damaged");
    }));

  it("fails in time when the database never answers", async () => {
    const database = await Deno.openKv(":memory:");
    const getMany = () => new Promise<never>(() => {});
    const storage = openKvStorage(withMethods(database, { getMany }), { timeoutMs: 100 });
    for (const call of [() => storage.get(BOARDS, "a"), () => increment(storage)]) {
      const error = await assertRejects(call, Error, "too long");
      assertEquals((error as { code?: string }).code, "unavailable");
    }
    await storage.close();
  });

  it("is refused for something that is no database, and for options that can't be", async () => {
    const database = await Deno.openKv(":memory:");
    const promise: object = Promise.resolve(database);
    assertThrows(() => openKvStorage(promise as KvDatabase), TypeError, "awaited");
    assertThrows(() => openKvStorage(database, { timeoutMs: 1 }), RangeError, "100 to");
    const misspelt: object = { timeoutMS: 1 };
    assertThrows(() => openKvStorage(database, misspelt), TypeError, "did you mean timeoutMs");
    database.close();
  });
});
