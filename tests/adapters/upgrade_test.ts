import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openKvStorage } from "../../adapters/deno_kv.ts";
import { openFileStorage } from "../../adapters/file.ts";
import { openMemoryStorage } from "../../adapters/memory.ts";
import { openPostgresStorage } from "../../adapters/postgres.ts";
import type { AnyKind, Item, Storage } from "../../adapters/storage.ts";
import { createDelivery } from "../../model/deliveries/delivery.ts";
import { startDelivery } from "../../model/deliveries/delivery_steps.ts";
import { DELIVERIES, SETTINGS, SUBSCRIPTIONS } from "../../model/kinds.ts";
import { acquireLease } from "../../services/leases.ts";
import { listRecipients } from "../../services/deliveries/recipients.ts";
import { versioned } from "../../services/versioned.ts";
import { withFolder } from "../_support/folder.ts";
import { minute, sampleSubscription } from "../_support/samples.ts";
import { startCluster } from "../_support/postgres.ts";

const PEOPLE = Array.from({ length: 260 }, (_, i) => `u${1_000 + i}@example.com`);

/** A kind as it was in version 1. */
function older(kind: AnyKind, missing: readonly string[]): AnyKind {
  const names = Object.keys(kind.fields).filter((name) => !missing.includes(name));
  const fields = Object.fromEntries(names.map((name) => [name, kind.fields[name]]));
  return { ...kind, fields, indexes: { subscribed: { where: { subscribed: true } } } };
}

const OLD_SUBSCRIPTIONS = older(SUBSCRIPTIONS, ["subscriberId", "history"]);

async function put(storage: Storage, kind: AnyKind, record: Item): Promise<void> {
  const fields = Object.keys(kind.fields).map((name) => [name, record[name]]);
  const refs = { record: { kind, key: `${record[kind.key]}` } };
  await storage.transact(refs, () => ({
    answer: undefined,
    put: { record: Object.fromEntries(fields) },
  }));
}

/** Fills storage as version 1 left it, with deliveries that have got to some addresses. */
async function fill(storage: Storage, cursors: readonly string[]): Promise<void> {
  await put(storage, SETTINGS, { settingId: "version", value: "1" });
  for (let at = 0; at < PEOPLE.length; at += 50) {
    const people = PEOPLE.slice(at, at + 50);
    await Promise.all(people.map((one) => {
      const { ...record } = sampleSubscription(one);
      return put(storage, OLD_SUBSCRIPTIONS, { ...record });
    }));
  }
  for (const [i, cursor] of cursors.entries()) {
    const delivery = startDelivery(createDelivery(`e${i}`, minute(0)), PEOPLE.length, minute(1));
    await put(storage, DELIVERIES, { ...delivery, cursor });
  }
}

/** Returns to whom a delivery has still to get, sorted. */
async function remaining(storage: Storage, entryId: string): Promise<readonly string[]> {
  const found: string[] = [];
  let delivery = (await storage.get(DELIVERIES, entryId))!;
  while (true) {
    const page = await listRecipients(storage, delivery, { now: minute(2) });
    if (page.length === 0) return found.sort();
    found.push(...page.map(({ userEmail }) => userEmail));
    delivery = { ...delivery, cursor: page.at(-1)!.subscriberId! };
  }
}

async function losesNobody(
  storage: Storage,
  reopen: (storage: Storage) => Storage | Promise<Storage> = () => storage,
): Promise<void> {
  const cursors = [PEOPLE[99], PEOPLE[199], PEOPLE[99]];
  await fill(storage, cursors);
  storage = await reopen(storage);
  const current = versioned(storage);
  assertEquals((await current.list(SUBSCRIPTIONS, { limit: 1 })).length, 1);
  for (const [i, cursor] of cursors.entries()) {
    const expected = PEOPLE.filter((one) => one > cursor);
    assertEquals(await remaining(current, `e${i}`), expected);
  }
  assertEquals((await storage.get(SETTINGS, "version"))?.value, "2");
  await storage.close();
}

/** Tells whether an older process may deliver, as it would find out. */
async function mayDeliver(storage: Storage): Promise<boolean> {
  const request = { owner: "older", durationMs: 20_000, isDead: () => false };
  return await acquireLease(storage, "mail", request) !== undefined;
}

/** Storage that fails once it has stored so often. */
function failing(storage: Storage, count: number): Storage {
  return {
    ...storage,
    transact: (refs, decide) =>
      count-- > 0 ? storage.transact(refs, decide) : Promise.reject(new Error("It was cut short")),
  };
}

describe("deliveries that an upgrade to version 2 interrupts lose nobody", () => {
  it("in memory", () => losesNobody(openMemoryStorage()));

  it("in a folder", () =>
    withFolder(async (folder) => {
      const storage = await openFileStorage(folder);
      await losesNobody(storage);
    }));

  it("in Deno KV", () =>
    withFolder(async (folder) => {
      const storage = openKvStorage(await Deno.openKv(`${folder}/kv.db`));
      await losesNobody(storage);
    }));

  it("in a database", async () => {
    const cluster = await startCluster();
    try {
      await losesNobody(await openPostgresStorage(cluster.url), async (storage) => {
        await storage.close();
        // As its migration leaves what was there before.
        await cluster.sql`update boardcast.subscriptions set subscriber_id = null`;
        return await openPostgresStorage(cluster.url);
      });
    } finally {
      await cluster.dispose();
    }
  });

  it("since processes of version 1 have no part in them any more", async () => {
    const storage = openMemoryStorage();
    await fill(storage, []);
    assertEquals(await mayDeliver(storage), true);
    await versioned(storage).get(SUBSCRIPTIONS, PEOPLE[0]);
    assertEquals(await mayDeliver(storage), false);
  });

  it("when it is cut short after any step, and when two processes do it", async () => {
    for (let count = 0; count < 10; count++) {
      const memory = openMemoryStorage();
      const cursors = [PEOPLE[99], PEOPLE[199]];
      await fill(memory, cursors);
      const query = { index: "subscribed", limit: 1 };
      await versioned(failing(memory, count)).list(SUBSCRIPTIONS, query).catch(() => {});
      const [one, other] = [versioned({ ...memory }), versioned({ ...memory })];
      const lists = await Promise.all(
        [one, other].map((it) => it.list(SUBSCRIPTIONS, { ...query, limit: 1_000 })),
      );
      assertEquals(lists.map(({ length }) => length), [PEOPLE.length, PEOPLE.length]);
      for (const [i, cursor] of cursors.entries()) {
        const expected = PEOPLE.filter((person) => person > cursor);
        assertEquals(await remaining(one, `e${i}`), expected, `${count}`);
      }
    }
  });
});
