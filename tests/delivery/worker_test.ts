import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { sleep } from "../../delivery/worker.ts";
import { type Loop, startLoop } from "../../delivery/loop.ts";
import { startLate } from "../../delivery/start_late.ts";
import { createWorker, openMemoryStorage, type Storage } from "../../mod.ts";
import { LEASES } from "../../model/kinds.ts";
import { addresses, createGate, duringDelivery } from "../_support/mailing.ts";
import { PUBLIC_URL, SENT, startMailing } from "../_support/mailing.ts";
import { forEachRow } from "../_support/rows.ts";
import { START } from "../_support/service.ts";
import { unhandledDuring } from "../_support/waiting.ts";

const HOUR_MS = 3_600_000;
const PEOPLE = addresses(60);
const FIRST_TEN = PEOPLE.slice(0, 10);

describe("a worker", () => {
  it("closes when the mails under way are sent and stored", async () => {
    const storage = openMemoryStorage();
    const gate = createGate(10);
    const mailing = await startMailing({ storage, subscribers: PEOPLE, relay: gate.relay });
    mailing.publish("a");
    await gate.reached;
    const closed = mailing.worker.close();
    gate.release();
    await closed;
    assertEquals(mailing.recipients, FIRST_TEN);
    // Another worker may go on at once.
    await using other = await startMailing({ storage });
    assertEquals([...mailing.recipients, ...other.recipients].sort(), PEOPLE);
    assertEquals(await other.counts(), "done 60 0 0");
  });

  it("reports modules that can't be loaded, leaves no rejection unhandled, and closes", async () => {
    const errors: unknown[] = [];
    const failure = new Error("cannot be loaded");
    const unhandled = await unhandledDuring(async () => {
      const loop = startLate<Loop>((error) => errors.push(error), () => Promise.reject(failure));
      loop.wake();
      loop.use((started) => started.wake());
      await loop.close();
    });
    assertEquals([unhandled, errors], [[], [failure]]);
  });

  it("closes though storage fails for good, and another repeats what could not be stored", async () => {
    const memory = openMemoryStorage();
    let isFailing = false;
    const transact: Storage["transact"] = (refs, decide) =>
      isFailing ? Promise.reject(new Error("gone")) : memory.transact(refs, decide);
    const gate = createGate(10);
    const storage = { ...memory, transact };
    const mailing = await startMailing({ storage, subscribers: PEOPLE, relay: gate.relay });
    mailing.publish("a");
    await gate.reached;
    isFailing = true;
    const closed = mailing.worker.close();
    gate.release();
    await closed;
    assertEquals(mailing.recipients, FIRST_TEN);
    await using other = await startMailing({ storage: memory });
    await other.clock.advance(60_000);
    assertEquals(other.recipients, PEOPLE);
  });

  for (
    const [what, offsetMs] of [
      ["right", 0],
      ["an hour ahead", HOUR_MS],
      ["an hour behind", -HOUR_MS],
    ] as const
  ) {
    it(`whose clock is ${what} stops at once, and stores nothing more, when another has its lease`, async () => {
      const storage = openMemoryStorage();
      const gate = createGate(10);
      const { relay } = gate;
      const nowMs = Date.parse(START) + offsetMs;
      await using mailing = await startMailing({ storage, subscribers: PEOPLE, relay, nowMs });
      await duringDelivery(mailing, gate, async () => {
        const lease = await storage.get(LEASES, "mails");
        await using other = await startMailing({ storage });
        await other.clock.advance(24_999);
        assertEquals(other.recipients, []);
        await other.clock.advance(2_000);
        assertEquals(other.recipients, PEOPLE);
        assertEquals((await storage.get(LEASES, "mails"))?.token, Number(lease?.token) + 1);
      });
      // Only the mails in flight at the loss of the lease arrive.
      assertEquals([mailing.recipients, await mailing.counts()], [FIRST_TEN, "done 60 0 0"]);
    });
  }

  it("takes over at once on storage that nobody else can have open", async () => {
    const storage = openMemoryStorage();
    const lease = { leaseId: "mails", owner: "a process that was killed", token: 7, renewals: 3 };
    await storage.transact(
      { lease: { kind: LEASES, key: "mails" } },
      () => ({ answer: 0, put: { lease: { ...lease, durationMs: 25_000 } } }),
    );
    await using mailing = await startMailing({ storage, subscribers: PEOPLE });
    await mailing.publish("a");
    assertEquals(mailing.recipients, PEOPLE);
  });

  it("repeats nobody when storage fails for a while", async () => {
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
        // The change was stored although its caller gets an error.
        return isFailing() ? await fail() : answer;
      },
    };
    await using mailing = await startMailing({ storage, subscribers: PEOPLE });
    const published = mailing.publish("a");
    calls = 0;
    await published;
    for (let i = 0; mailing.recipients.length < 60; i++) {
      assert(i < 1_000);
      await mailing.clock.advance(2_000);
    }
    calls = -Infinity;
    await mailing.clock.advance(120_000);
    assertEquals([mailing.recipients, await mailing.counts()], [PEOPLE, "done 60 0 0"]);
    assert(mailing.events.some(({ event }) => event === "failed"));
  });

  it("goes on at once where it could not release the lease that is its own", async () => {
    const memory = openMemoryStorage();
    let isFailing = true;
    const storage: Storage = {
      ...memory,
      isExclusive: undefined,
      transact: async (refs, decide) => {
        const isRelease = Object.keys(refs).join() === "lease" &&
          (await memory.get(LEASES, "mails"))?.owner;
        if (isFailing && isRelease) throw new Error("Storage is away");
        return await memory.transact(refs, decide);
      },
    };
    await using mailing = await startMailing({ storage, subscribers: [PEOPLE[0]] });
    await mailing.publish("a");
    isFailing = false;
    assert((await memory.get(LEASES, "mails"))?.owner);
    await mailing.publish("b");
    await mailing.clock.advance(2_000);
    assertEquals(mailing.sent.length, 2);
  });

  it("begins nothing more once its lease has run out by its own clock, though nobody told it", async () => {
    // This is the state after a process was suspended: no timer has fired yet.
    let elapsedMs = 0;
    const seen: boolean[] = [];
    const ended = Promise.withResolvers<void>();
    const loop = startLoop({
      name: "mails",
      isDue: () => Promise.resolve(seen.length === 0),
      run({ isOn }) {
        for (elapsedMs of [0, 24_999, 25_000]) seen.push(isOn());
        return Promise.resolve(ended.resolve());
      },
    }, {
      ...{ storage: openMemoryStorage(), leaseMs: 25_000, pollMs: 1_000 },
      clock: {
        now: () => 0,
        elapsed: () => elapsedMs,
        sleep: (_, signal) => new Promise((wake) => signal.addEventListener("abort", () => wake())),
      },
      onError: (error) => ended.reject(error),
    });
    await ended.promise;
    await loop.close();
    assertEquals(seen, [true, true, false]);
  });

  it("refuses options that can't work, and names the one that was meant", async () => {
    const storage = openMemoryStorage();
    const mailer = { send: () => Promise.resolve(SENT), close: () => Promise.resolve() };
    const given = { storage, mailer, publicUrl: PUBLIC_URL, from: "news@acme.example" };
    await forEachRow<readonly [Readonly<Record<string, unknown>>, RegExp]>([
      [{ storage: Promise.resolve(storage) }, /storage: give what an adapter opened/],
      [{ publicUrl: "example.com" }, /publicUrl: "example.com"/],
      [{ from: "Acme" }, /from: it is not a valid e-mail address/],
      [{ title: "" }, /title/],
      [{ footer: "a\u0000" }, /footer/],
      [{ mailRatePerSecond: 0 }, /mailRatePerSecond/],
      [{ leaseMs: 30_000 }, /leaseMs/],
      [{ clock: 1 }, /clock/],
      [{ mailrate: 1 }, /did you mean mailRatePerSecond|the options are/],
    ], ([option, expected]) => {
      const options = { ...given, ...option } as typeof given;
      assertMatch((assertThrows(() => createWorker(options)) as Error).message, expected);
    });
  });
});

describe("a sleep of the worker", () => {
  it("that is longer than a timer can be does not end at once", async () => {
    const over = new AbortController();
    let hasEnded = false;
    const slept = sleep(1e10, over.signal).then(() => hasEnded = true);
    // A timer that overflows fires after a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals(hasEnded, false);
    over.abort();
    await slept;
  });
});
