import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SUBSCRIPTIONS } from "../../mod.ts";
import { DEFERRALS, DELIVERIES, FAILURES } from "../../model/kinds.ts";
import { eraseSubscription } from "../../services/erasure.ts";
import { changeSubscription } from "../../services/subscriptions.ts";
import { addresses } from "../_mailing.ts";
import { startScriptedRelay } from "../_scripted_relay.ts";
import { until } from "../_waiting.ts";
import { prepare, readDelivery, startProcess, withPlace } from "./_scene.ts";

const PEOPLE = addresses(10_000);
const KILLS = 30;
const IN_FLIGHT = 100;
const LEASE_MS = 2_000;

async function deliverWithKills(kind: "file" | "postgres"): Promise<void> {
  await using relay = await startScriptedRelay();
  const { ledger, url } = relay;
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage, PEOPLE);
    await storage.close();
    const share = PEOPLE.length / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startProcess(place, { relay: url });
      await relay.reached(Math.round(ledger.length + share * (0.5 + Math.random() / 2)));
      await worker.kill();
    }
    assert(new Set(ledger).size < PEOPLE.length, "it was done before the last kill");
    const last = startProcess(place, { relay: url });
    await until(() => new Set(ledger).size === PEOPLE.length);
    assertEquals(await last.kill("SIGTERM"), 0);
    const after = await place.open();
    const { state, sent, failed, deferred } = await readDelivery(after);
    await after.close();
    assertEquals([...new Set(ledger)].sort(), PEOPLE, kind);
    const repeats = ledger.length - PEOPLE.length;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
    assertEquals([sent, failed, deferred], [PEOPLE.length, 0, 0]);
    assert(state === "done" || state === "running", state);
  });
}

describe("10,000 mails", () => {
  it("miss nobody and repeat at most those in flight when their worker is killed 30 times", () =>
    Promise.all([deliverWithKills("file"), deliverWithKills("postgres")]));

  it("are sent by one process at a time, and another takes over from one that is killed", () =>
    withPlace("postgres", async (place) => {
      const relays = await Promise.all([1, 2, 3].map(() => startScriptedRelay()));
      const count = () => relays.reduce((sum, { ledger }) => sum + ledger.length, 0);
      const storage = await place.open();
      await prepare(storage, PEOPLE);
      const workers = relays.map(({ url: relay }) =>
        startProcess(place, { relay, leaseMs: LEASE_MS })
      );
      for (const _ of workers.slice(1)) {
        const before = relays.map(({ ledger }) => ledger.length);
        const start = count();
        await until(() => count() > start + 100);
        const senders = relays.flatMap(({ ledger }, i) => ledger.length > before[i] ? [i] : []);
        assertEquals(senders.length, 1);
        await workers[senders[0]].kill();
        const killedMs = performance.now();
        await until(() => relays.some(({ open }, index) => index !== senders[0] && open > 0));
        // Beside the lease, it is checked every 50 ms whether there is something to do.
        assert(performance.now() - killedMs < LEASE_MS + 1_000);
      }
      await until(async () => (await readDelivery(storage)).state === "done");
      for (const worker of workers) await worker.kill("SIGTERM").catch(() => {});
      await storage.close();
      for (const relay of relays) await relay[Symbol.asyncDispose]();
      const mails = relays.flatMap(({ ledger }) => ledger);
      assertEquals([...new Set(mails)].sort(), PEOPLE);
      assert(mails.length <= PEOPLE.length + 2 * IN_FLIGHT, `${mails.length} mails`);
    }));

  it("reach nobody after an opt-out or an erasure", async () => {
    await using relay = await startScriptedRelay();
    const { ledger, url } = relay;
    await withPlace("postgres", async (place) => {
      const storage = await place.open();
      await prepare(storage, PEOPLE);
      const worker = startProcess(place, { relay: url });
      await relay.reached(500);
      const gone = new Map<string, { readonly isErased: boolean; readonly mailsBefore: number }>();
      // From the end on, and so towards the worker, until they meet.
      for (let i = PEOPLE.length - 1; i > ledger.length; i -= 20) {
        const [userEmail, at] = [PEOPLE[i], new Date().toISOString()];
        const isErased = i % 40 < 20;
        const change = { userEmail, userName: null, subscribe: false, source: "api", at } as const;
        if (isErased) await eraseSubscription(storage, userEmail, at);
        else await changeSubscription(storage, change);
        gone.set(userEmail, { isErased, mailsBefore: ledger.length });
      }
      await until(async () => (await readDelivery(storage)).state === "done");
      assertEquals(await worker.kill("SIGTERM"), 0);
      assert(gone.size > 50);
      for (const [person, { isErased, mailsBefore }] of gone) {
        // Beside those whose mail was on its way when they were told.
        assert(!ledger.slice(mailsBefore + 10).includes(person), person);
        const subscription = await storage.get(SUBSCRIPTIONS, person);
        assertEquals(subscription === undefined, isErased);
      }
      const others = PEOPLE.filter((person) => !gone.has(person));
      assertEquals(ledger.filter((person) => !gone.has(person)).sort(), others);
      assertEquals((await readDelivery(storage)).sent, ledger.length);
      // What was erased is nowhere else.
      const left = await Promise.all([
        storage.list(DELIVERIES, { limit: 100 }),
        storage.list(DEFERRALS, { limit: 100 }),
        storage.list(FAILURES, { limit: 100 }),
      ]);
      assert(!JSON.stringify(left).includes("@"));
      await storage.close();
    });
  });
});
