import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SUBSCRIPTIONS } from "../../mod.ts";
import { DEFERRALS, DELIVERIES, FAILURES } from "../../model/kinds.ts";
import { eraseSubscription } from "../../services/erasure.ts";
import { changeSubscription } from "../../services/subscriptions.ts";
import { addresses } from "../_mailing.ts";
import { type SmtpSink, startSmtpSink } from "../_smtp_sink.ts";
import { until } from "../_waiting.ts";
import { prepare, readDelivery, startWorker, withPlace } from "./_scene.ts";

const PEOPLE = addresses(10_000);
const LEASE_MS = 2_000;

/** Returns which of some relays takes mail now. */
async function busy(sinks: readonly SmtpSink[]): Promise<readonly number[]> {
  const before = sinks.map(({ ledger }) => ledger.length);
  const count = before.reduce((a, b) => a + b);
  await until(() => sinks.reduce((sum, { ledger }) => sum + ledger.length, 0) > count + 100);
  return sinks.flatMap(({ ledger }, index) => ledger.length > before[index] ? [index] : []);
}

describe("processes on one database", () => {
  for (const count of [2, 4]) {
    it(`deliver one at a time, and replace one that is killed: ${count} of them`, async () => {
      const sinks = await Promise.all(Array.from({ length: count }, startSmtpSink));
      await withPlace("postgres", async (place) => {
        const storage = await place.open();
        await prepare(storage, PEOPLE);
        const workers = sinks.map(({ url: relay }) =>
          startWorker(place, { relay, leaseMs: LEASE_MS })
        );
        const waits: number[] = [];
        for (let left = count; left > 1; left--) {
          const senders = await busy(sinks);
          assertEquals(senders.length, 1);
          await workers[senders[0]].kill();
          const killed = performance.now();
          await until(() => sinks.some(({ open }, index) => index !== senders[0] && open > 0));
          waits.push(performance.now() - killed);
        }
        await until(async () => (await readDelivery(storage)).state === "done");
        for (const worker of workers) await worker.kill("SIGTERM");
        await storage.close();
        const mails = sinks.flatMap(({ ledger }) => ledger);
        assertEquals([...new Set(mails)].sort(), PEOPLE);
        assert(mails.length <= PEOPLE.length + 100 * (count - 1), `${mails.length} mails`);
        // Beside the lease, it is checked every 50 ms whether there is something to do.
        assert(waits.every((ms) => ms < LEASE_MS + 1_000), `${waits}`);
      });
      for (const sink of sinks) await sink[Symbol.asyncDispose]();
    });
  }
});

describe("while 10,000 mails are sent", () => {
  it("nobody is mailed after an opt-out or an erasure", async () => {
    await using sink = await startSmtpSink();
    await withPlace("postgres", async (place) => {
      const storage = await place.open();
      await prepare(storage, PEOPLE);
      const worker = startWorker(place, { relay: sink.url, leaseMs: LEASE_MS });
      await sink.reached(500);
      const gone: { readonly person: string; readonly mailsBefore: number }[] = [];
      const erased: string[] = [];
      // From the end on, and so towards the worker, until they meet.
      for (let i = PEOPLE.length - 1; i > sink.ledger.length; i -= 20) {
        const person = PEOPLE[i];
        if (i % 40 < 20) {
          await eraseSubscription(storage, person, new Date().toISOString());
          erased.push(person);
        } else {
          const at = new Date().toISOString();
          const change = { userEmail: person, userName: null, subscribe: false, at } as const;
          await changeSubscription(storage, { ...change, source: "api" });
        }
        gone.push({ person, mailsBefore: sink.ledger.length });
      }
      await until(async () => (await readDelivery(storage)).state === "done");
      assertEquals(await worker.kill("SIGTERM"), 0);
      assert(gone.length > 50);
      for (const { person, mailsBefore } of gone) {
        // Those whose mail was on its way when they were told.
        assert(!sink.ledger.slice(mailsBefore + 10).includes(person), person);
      }
      const people = new Set(gone.map(({ person }) => person));
      const others = PEOPLE.filter((person) => !people.has(person));
      const mailed = sink.ledger.filter((person) => !people.has(person));
      assertEquals(mailed.sort(), others);
      const { sent } = await readDelivery(storage);
      assertEquals(sent, sink.ledger.length);
      // What was erased is nowhere.
      const [deliveries, deferrals, failures, subscriptions] = await Promise.all([
        storage.list(DELIVERIES, { limit: 100 }),
        storage.list(DEFERRALS, { limit: 100 }),
        storage.list(FAILURES, { limit: 100 }),
        Promise.all(erased.map((person) => storage.get(SUBSCRIPTIONS, person))),
      ]);
      assert(!JSON.stringify([deliveries, deferrals, failures]).includes("@"));
      assert(subscriptions.every((subscription) => subscription === undefined));
      await storage.close();
    });
  });
});
