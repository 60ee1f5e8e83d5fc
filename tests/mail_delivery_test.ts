import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openFileStorage } from "../adapters/file.ts";
import { openMemoryStorage, type Storage } from "../mod.ts";
import { DEFERRALS, DELIVERIES, FAILURES, LEASES } from "../model/kinds.ts";
import {
  addresses,
  BLOCKED,
  DEFERRED,
  type Mailing,
  REFUSED,
  type Reply,
  SENT,
} from "./_mailing.ts";
import { type MailingOptions, startMailing } from "./_mailing.ts";
import { withFolder } from "./_folder.ts";
import { until } from "./_waiting.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ANN = "ann@example.com";
const [BEN, CAT, DAN] = ["ben@example.com", "cat@example.com", "dan@example.com"];

/** Returns the number of each state, and what hinders. */
async function counts(mailing: Mailing, entryId = "a"): Promise<string> {
  const { state, sent, failed, deferred } = await mailing.delivery(entryId);
  return `${state} ${sent} ${failed} ${deferred}`;
}

/** Has mails wait; `reached` resolves when so many do, and `release` lets them go. */
function gate(count: number, of: (to: string) => boolean = () => true) {
  let waiting = 0;
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    release: opened.resolve,
    async relay({ to }: { readonly to: string }): Promise<Reply> {
      if (of(to)) {
        if (++waiting === count) reached.resolve();
        await opened.promise;
      }
      return SENT;
    },
  };
}

/** Publishes an entry, and does something while its mails wait at a gate. */
async function during(
  { reached, release }: ReturnType<typeof gate>,
  mailing: Mailing,
  run: () => Promise<unknown>,
): Promise<void> {
  const published = mailing.publish("a");
  await reached;
  try {
    await run();
  } finally {
    release();
    await published;
  }
}

async function isStored(storage: Storage, text: string): Promise<boolean> {
  const kinds = await Promise.all([
    storage.list(DELIVERIES, { limit: 100 }),
    storage.list(DEFERRALS, { limit: 100 }),
    storage.list(FAILURES, { limit: 100 }),
  ]);
  return JSON.stringify(kinds).includes(text);
}

describe("a delivery", () => {
  it("mails every subscriber once, and nobody else", async () => {
    const subscribers = addresses(250);
    await using mailing = await startMailing({ subscribers });
    await mailing.subscribe("not@example.com", false);
    await mailing.publish("a");
    await mailing.publish("quiet", { notify: false });
    assertEquals(mailing.recipients, subscribers);
    assertEquals(await counts(mailing), "done 250 0 0");
    const { startedAt, finishedAt, problem } = await mailing.delivery("a");
    assert(startedAt !== null && finishedAt !== null && problem === null);
    assertEquals(mailing.events.map(({ event }) => event), ["started", "done"]);
    // Nothing is left to erase.
    assertEquals(await isStored(mailing.storage, "@"), false);
  });

  it("begins when its entry becomes public", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const at = new Date(mailing.clock.now() + HOUR_MS).toISOString();
    await mailing.publish("a", { at });
    await mailing.clock.advance(HOUR_MS - 2);
    assertEquals(await counts(mailing), "waiting 0 0 0");
    await mailing.clock.advance(2_000);
    assertEquals([mailing.recipients, await counts(mailing)], [[ANN], "done 1 0 0"]);
  });

  it("honours what was acknowledged before a person's turn", async () => {
    // The first ten are under way; the turn of the last comes after the change.
    const subscribers = addresses(11);
    const last = subscribers[10];
    const path = `/api/v1/changelogs/subscribers/${last}`;
    const entry = "/api/v1/changelogs/entries/a";
    const rows: readonly (readonly [string, (mailing: Mailing) => Promise<unknown>, string])[] = [
      ["opt-out", (m) => m.subscribe(last, false), "done 10 0 0"],
      ["erasure", ({ service }) => service.send("DELETE", path), "done 10 0 0"],
      ["pause", (m) => m.delivery("a", "pause"), "paused 10 0 0"],
      ["cancel", (m) => m.delivery("a", "cancel"), "cancelled 10 0 0"],
      [
        "unpublish",
        ({ service }) => service.send("POST", `${entry}/unpublish`),
        "cancelled 10 0 0",
      ],
      ["delete", ({ service }) => service.send("DELETE", entry), ""],
    ];
    for (const [name, change, expected] of rows) {
      const first = gate(10, (to) => to !== last);
      await using mailing = await startMailing({ subscribers, relay: first.relay });
      await during(first, mailing, () => change(mailing));
      assertEquals(mailing.recipients.includes(last), false, name);
      assertEquals(mailing.recipients.length, 10, name);
      if (expected !== "") assertEquals(await counts(mailing), expected, name);
      if (name !== "pause") assertEquals(await isStored(mailing.storage, "@"), false, name);
    }
  });

  it("repeats nobody after a pause, however often it is paused", async () => {
    const subscribers = addresses(35);
    let count = 0;
    let pause = () => Promise.resolve<unknown>(undefined);
    await using mailing = await startMailing({
      subscribers,
      // So that others are under way when it is paused.
      relay: async () => {
        if (++count % 7 === 0) await pause();
        return SENT;
      },
    });
    pause = () => mailing.delivery("a", "pause");
    await mailing.publish("a");
    let pauses = 0;
    for (; (await mailing.delivery("a")).state !== "done"; pauses++) {
      await mailing.delivery("a", "resume");
      await mailing.clock.settled();
      await mailing.clock.advance(2 * MINUTE_MS);
    }
    assert(pauses > 2);
    assertEquals(mailing.recipients, subscribers);
    assertEquals(await counts(mailing), "done 35 0 0");
  });

  it("is held when it is found more than a day late, until it is resumed", async () => {
    for (const [lateMs, expected] of [[24, "done 1 0 0"], [25, "held 0 0 0"]] as const) {
      const storage = openMemoryStorage();
      const before = await startMailing({ storage, subscribers: [ANN] });
      await before.worker.close();
      const { publish } = before;
      // Nobody is there to settle.
      const published = publish("a");
      await Promise.race([published, new Promise((resolve) => setTimeout(resolve, 20))]);
      const nowMs = before.clock.now() + lateMs * HOUR_MS;
      await using after = await startMailing({ storage, nowMs });
      assertEquals(await counts(after), expected);
      if (expected.startsWith("done")) continue;
      assert((await after.delivery("a")).problem?.includes("24 hours late"));
      await after.delivery("a", "resume");
      await after.clock.settled();
      assertEquals([after.recipients, await counts(after)], [[ANN], "done 1 0 0"]);
    }
  });

  it("keeps to the rate", async () => {
    await using mailing = await startMailing({ subscribers: addresses(30), mailRatePerSecond: 20 });
    const startMs = mailing.clock.now();
    const published = mailing.publish("a");
    for (; mailing.recipients.length < 30; await mailing.clock.advance(25)) {
      const most = (mailing.clock.now() - startMs) / 50;
      assert(mailing.recipients.length <= most, `${mailing.recipients.length} of ${most}`);
    }
    await published;
  });
});

describe("a recipient's mail", () => {
  /** Delivers to Ann, whose mails have these outcomes, one after the other, and then are sent. */
  async function deliver(replies: readonly Reply[], options: MailingOptions = {}) {
    const left = [...replies];
    const relay = ({ to }: { readonly to: string }) => to === ANN ? left.shift() ?? SENT : SENT;
    return await startMailing({ subscribers: [ANN, BEN], relay, ...options });
  }

  it("that is deferred is tried again after growing times, and fails in the end", async () => {
    const minutes = [1, 5, 30, 120, 480, 1440];
    for (const attempts of [1, 2, 6, 7]) {
      await using mailing = await deliver(Array(attempts).fill(DEFERRED));
      await mailing.publish("a");
      for (const minute of minutes.slice(0, attempts)) {
        assertEquals(await counts(mailing), "running 1 0 1");
        await mailing.clock.advance(minute * MINUTE_MS - 1);
        assertEquals(await counts(mailing), "running 1 0 1");
        await mailing.clock.advance(2_000);
      }
      assertEquals(await counts(mailing), attempts === 7 ? "done 1 1 0" : "done 2 0 0");
    }
  });

  it("that is refused fails at once, and others are mailed", async () => {
    await using mailing = await deliver([BLOCKED, BLOCKED, BLOCKED]);
    for (const entryId of ["a", "b", "c"]) {
      await mailing.publish(entryId);
      assertEquals(await counts(mailing, entryId), "done 1 1 0");
    }
    const failure = await mailing.storage.get(FAILURES, ANN);
    assertEquals([failure?.entryId, failure?.code, failure?.bounces], ["c", "5.7.1", 0]);
    const path = `/api/v1/changelogs/subscribers/${ANN}`;
    const person = await (await mailing.service.send("GET", path)).json();
    assertEquals(person.subscribed, true);
  });

  it("that has no mailbox twice in a row unsubscribes the person", async () => {
    const rows: readonly (readonly [readonly Reply[], string])[] = [
      [[REFUSED], "true api"],
      [[REFUSED, REFUSED], "false bounce"],
      [[REFUSED, SENT, REFUSED], "true api"],
      [[REFUSED, BLOCKED, REFUSED], "true api"],
      [[SENT, REFUSED, REFUSED], "false bounce"],
    ];
    for (const [replies, expected] of rows) {
      await using mailing = await deliver(replies);
      for (const index of replies.keys()) await mailing.publish(`entry-${index}`);
      const path = `/api/v1/changelogs/subscribers/${ANN}`;
      const { subscribed, source } = await (await mailing.service.send("GET", path)).json();
      assertEquals(`${subscribed} ${source}`, expected);
    }
  });

  it("that is deferred is not sent after an opt-out or an erasure", async () => {
    const path = `/api/v1/changelogs/subscribers/${ANN}`;
    const rows: readonly (readonly [(mailing: Mailing) => Promise<unknown>, string])[] = [
      [(mailing) => mailing.subscribe(ANN, false), "running 1 0 1"],
      [({ service }) => service.send("DELETE", path), "running 1 0 0"],
    ];
    for (const [change, between] of rows) {
      await using mailing = await deliver([DEFERRED]);
      await mailing.publish("a");
      await change(mailing);
      assertEquals(await counts(mailing), between);
      await mailing.clock.advance(2 * MINUTE_MS);
      assertEquals([mailing.recipients, await counts(mailing)], [[BEN], "done 1 0 0"]);
    }
  });

  it("that is deferred does not count any more when the delivery is cancelled", async () => {
    await using mailing = await deliver([DEFERRED]);
    await mailing.publish("a");
    await mailing.delivery("a", "cancel");
    await mailing.clock.advance(2 * MINUTE_MS);
    assertEquals([mailing.recipients, await counts(mailing)], [[BEN], "cancelled 1 0 0"]);
  });

  it("that is deferred is forgotten with its delivery, also where the entry is made again", async () => {
    await using mailing = await deliver([DEFERRED]);
    await mailing.publish("a");
    assertEquals(
      (await mailing.service.send("DELETE", "/api/v1/changelogs/entries/a")).status,
      204,
    );
    await mailing.publish("a");
    await mailing.clock.advance(2 * MINUTE_MS);
    assertEquals(mailing.recipients, [ANN, BEN, BEN]);
    assertEquals(await counts(mailing), "done 2 0 0");
  });
});

describe("a relay that can't be used", () => {
  it("is tried again after growing pauses, while nothing advances", async () => {
    let isDown = true;
    const subscribers = addresses(30);
    await using mailing = await startMailing({ subscribers, relay: () => isDown ? "down" : SENT });
    await mailing.publish("a");
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { state, sent, failed, deferred, problem } = await mailing.delivery("a");
      assertEquals([state, sent, failed, deferred, problem], ["running", 0, 0, 0, "It is down"]);
      pauses.push(mailing.clock.waits[0] / 1_000);
      await mailing.clock.advance(mailing.clock.waits[0]);
      // The turn is over where a pause is longer than the lease.
      if (mailing.clock.waits[0] === 2_000) await mailing.clock.advance(2_000);
    }
    assertEquals(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
    assertEquals(await mailing.storage.list(DEFERRALS, { limit: 1 }), []);
    isDown = false;
    await mailing.clock.advance(302_000);
    await mailing.clock.advance(2_000);
    assertEquals(mailing.recipients, subscribers);
    assertEquals((await mailing.delivery("a")).problem, null);
    assertEquals(await counts(mailing), "done 30 0 0");
    isDown = true;
    await mailing.publish("b");
    assertEquals(mailing.clock.waits, [5_000]);
  });

  it("repeats nobody whom it took a mail for", async () => {
    // Of those under way, some are taken and some are not, over and over.
    const subscribers = addresses(120);
    let count = 0;
    await using mailing = await startMailing({
      subscribers,
      relay: () => ++count % 3 === 0 ? "down" : SENT,
    });
    await mailing.publish("a");
    for (let i = 0; (await mailing.delivery("a")).state !== "done"; i++) {
      assert(i < 500, await counts(mailing));
      await mailing.clock.advance(mailing.clock.waits[0]);
    }
    assertEquals(mailing.recipients, subscribers);
    assertEquals(await counts(mailing), "done 120 0 0");
  });
});

describe("a worker", () => {
  it("closes when the mails under way are sent and stored", async () => {
    const subscribers = addresses(60);
    const storage = openMemoryStorage();
    const first = gate(10);
    const mailing = await startMailing({ storage, subscribers, relay: first.relay });
    const published = mailing.publish("a");
    await first.reached;
    const closed = mailing.worker.close();
    first.release();
    await closed;
    assertEquals(mailing.recipients, subscribers.slice(0, 10));
    // Another one may go on at once.
    await using other = await startMailing({ storage });
    assertEquals([...mailing.recipients, ...other.recipients].sort(), subscribers);
    assertEquals(await counts(other), "done 60 0 0");
    assert(await Promise.race([published, true]));
  });

  it("stops at once, and stores nothing more, when another has its lease", async () => {
    const subscribers = addresses(60);
    const storage = openMemoryStorage();
    const first = gate(10);
    await using mailing = await startMailing({ storage, subscribers, relay: first.relay });
    await during(first, mailing, async () => {
      const lease = await storage.get(LEASES, "mail");
      await using other = await startMailing({ storage, nowMs: mailing.clock.now() + 24_999 });
      assertEquals(other.recipients, []);
      await other.clock.advance(2_000);
      assertEquals(other.recipients, subscribers);
      assertEquals((await storage.get(LEASES, "mail"))?.token, Number(lease?.token) + 1);
    });
    // Those that were under way when it lost the lease, and no others.
    assertEquals(mailing.recipients, subscribers.slice(0, 10));
    assertEquals(await counts(mailing), "done 60 0 0");
  });

  it("sends nothing more when it was suspended for longer than its lease", async () => {
    const subscribers = addresses(60);
    const first = gate(10);
    await using mailing = await startMailing({ subscribers, relay: first.relay });
    const published = mailing.publish("a");
    await first.reached;
    mailing.clock.suspend(25_000);
    first.release();
    await published;
    assertEquals(mailing.recipients, subscribers.slice(0, 10));
    await mailing.clock.advance(2_000);
    assertEquals(mailing.recipients, subscribers);
  });

  it("repeats nobody when storage fails for a while", async () => {
    const subscribers = addresses(60);
    const memory = openMemoryStorage();
    let calls = -Infinity;
    const isFailing = () => ++calls % 50 > 44;
    const fail = () => Promise.reject(new Error("Storage is away"));
    const storage: Storage = {
      ...memory,
      get: (kind, key) => isFailing() ? fail() : memory.get(kind, key),
      async transact(refs, decide) {
        if (isFailing()) return await fail();
        const answer = await memory.transact(refs, decide);
        // It was made all the same.
        return isFailing() ? await fail() : answer;
      },
    };
    await using mailing = await startMailing({ storage, subscribers });
    const published = mailing.publish("a");
    calls = 0;
    await published;
    for (let i = 0; mailing.recipients.length < 60; i++) {
      assert(i < 1_000);
      await mailing.clock.advance(2_000);
    }
    calls = -Infinity;
    await mailing.clock.advance(2 * MINUTE_MS);
    assertEquals(mailing.recipients, subscribers);
    assertEquals(await counts(mailing), "done 60 0 0");
    assert(mailing.events.some(({ event }) => event === "failed"));
  });
});

describe("erasure during a delivery", () => {
  it("leaves nothing of the person, and the delivery where it is", async () => {
    const subscribers = addresses(40);
    const rows = [
      ["the cursor", 9, SENT],
      ["the first", 0, SENT],
      ["deferred", 9, DEFERRED],
      ["refused", 9, REFUSED],
      ["under way", 10, SENT],
    ] as const;
    for (const [name, index, reply] of rows) {
      const person = subscribers[index];
      const second = gate(10, (to) => to >= subscribers[10]);
      await using mailing = await startMailing({
        subscribers,
        relay: async (mail) => mail.to === person ? reply : await second.relay(mail),
      });
      await during(second, mailing, async () => {
        await mailing.clock.tick(1_000);
        const path = `/api/v1/changelogs/subscribers/${person}`;
        assertEquals((await mailing.service.send("DELETE", path)).status, 204);
        assertEquals(await isStored(mailing.storage, person), false, name);
        assertEquals((await mailing.delivery("a")).deferred, 0, name);
        await mailing.clock.tick(1_000);
      });
      assertEquals(await isStored(mailing.storage, person), false, name);
      const others = mailing.recipients.filter((to) => to !== person);
      assertEquals(others, subscribers.filter((to) => to !== person), name);
      assertEquals((await mailing.delivery("a")).state, "done", name);
    }
  });

  it("takes the place of a cursor whose neighbours are erased, too", async () => {
    const subscribers = [ANN, BEN, CAT, DAN];
    const last = gate(1, (to) => to === DAN);
    await using mailing = await startMailing({ subscribers, relay: last.relay });
    await during(last, mailing, async () => {
      await until(() => mailing.recipients.length === 3);
      await mailing.clock.tick(1_000);
      for (const [person, cursor] of [[CAT, BEN], [BEN, ANN], [ANN, null]] as const) {
        const path = `/api/v1/changelogs/subscribers/${person}`;
        assertEquals((await mailing.service.send("DELETE", path)).status, 204);
        assertEquals((await mailing.storage.get(DELIVERIES, "a"))?.cursor, cursor);
      }
      const path = `/api/v1/changelogs/subscribers/${DAN}`;
      assertEquals((await mailing.service.send("DELETE", path)).status, 204);
    });
    assertEquals(mailing.recipients, subscribers);
    assertEquals(await counts(mailing), "done 4 0 0");
  });

  it("leaves nothing in the files of file storage", () =>
    withFolder(async (folder) => {
      const subscribers = addresses(40);
      const storage = await openFileStorage(folder);
      const second = gate(10, (to) => to >= subscribers[10]);
      const mailing = await startMailing({
        storage,
        subscribers,
        relay: async (mail) => mail.to === subscribers[8] ? DEFERRED : await second.relay(mail),
      });
      const people = [subscribers[8], subscribers[9], subscribers[10]];
      await during(second, mailing, async () => {
        mailing.clock.tick(1_000);
        const isCommitted = async () => (await storage.get(DELIVERIES, "a"))?.cursor === people[1];
        await until(isCommitted);
        for (const person of people) {
          const path = `/api/v1/changelogs/subscribers/${person}`;
          assertEquals((await mailing.service.send("DELETE", path)).status, 204);
        }
      });
      await mailing.worker.close();
      await storage.close();
      for await (const { name } of Deno.readDir(folder)) {
        const text = await Deno.readTextFile(`${folder}/${name}`);
        for (const person of people) {
          assertEquals(text.includes(person), false, `${person} ${name}`);
        }
      }
    }));
});
