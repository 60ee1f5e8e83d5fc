import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { type Storage, SUBSCRIPTIONS } from "../../mod.ts";
import { DEFERRALS, DELIVERIES, FAILURES } from "../../model/kinds.ts";
import { changeSubscription } from "../../services/subscriptions.ts";
import { addresses, publishEntry } from "../_mailing.ts";
import { startScriptedRelay } from "../_scripted_relay.ts";
import { createService } from "../_service.ts";
import { until } from "../_waiting.ts";
import { startProcess, withPlace } from "./_scene.ts";

const PEOPLE = addresses(10_000);
const KILLS = 30;
const IN_FLIGHT = 100;
const LEASE_MS = 2_000;

/** Subscribes people, and publishes the entry `a` with mail. */
async function prepare(storage: Storage): Promise<void> {
  const at = new Date().toISOString();
  const rest = { userName: null, subscribe: true, source: "import", at } as const;
  for (let start = 0; start < PEOPLE.length; start += 500) {
    const some = PEOPLE.slice(start, start + 500);
    await Promise.all(some.map((userEmail) => changeSubscription(storage, { userEmail, ...rest })));
  }
  await publishEntry(createService({ storage, clock: Date.now }), "a");
}

/** Kills one worker after the other, while people unsubscribe or are erased from the end on. */
async function deliverWithKills(kind: "file" | "postgres"): Promise<void> {
  await using relay = await startScriptedRelay();
  const { ledger, url } = relay;
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage);
    await storage.close();
    const gone = new Map<string, { readonly isErased: boolean; readonly mailsBefore: number }>();
    const share = PEOPLE.length / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startProcess(place, { relay: url });
      for (let i = 0; i < 4; i++) {
        const userEmail = PEOPLE[PEOPLE.length - 1 - gone.size * 20];
        const isErased = i % 2 === 0;
        const answer = isErased
          ? await worker.send("DELETE", `changelogs/subscribers/${userEmail}`)
          : await worker.send("PUT", "changelogs/subscribe", { userEmail, subscribe: "false" });
        if (answer !== undefined) gone.set(userEmail, { isErased, mailsBefore: ledger.length });
      }
      await relay.reached(Math.round(ledger.length + share * (0.5 + Math.random() / 2)));
      await worker.kill();
    }
    assert(new Set(ledger).size < PEOPLE.length - gone.size, "it was done before the last kill");
    const last = startProcess(place, { relay: url });
    const others = PEOPLE.filter((person) => !gone.has(person));
    await until(() => new Set(ledger).size >= others.length);
    assertEquals(await last.kill("SIGTERM"), 0);
    assertEquals([...new Set(ledger)].filter((person) => !gone.has(person)).sort(), others);
    assert(gone.size > 100);
    for (const [person, { mailsBefore }] of gone) {
      // Beside those whose mail was on its way when they were told.
      assert(!ledger.slice(mailsBefore + 10).includes(person), person);
    }
    const repeats = ledger.length - others.length;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
    const after = await place.open();
    const [delivery] = await after.list(DELIVERIES, { limit: 1 });
    assertEquals([delivery.failed, delivery.deferred], [0, 0]);
    assert(delivery.sent >= others.length && ["done", "running"].includes(delivery.state));
    const left = [
      await after.list(DEFERRALS, { limit: 9 }),
      await after.list(FAILURES, { limit: 9 }),
    ];
    assertEquals(left, [[], []]);
    for (const [person, { isErased }] of gone) {
      assertEquals(await after.get(SUBSCRIPTIONS, person) === undefined, isErased, person);
    }
    await after.close();
  });
}

describe("10,000 mails", () => {
  it("reach all but who is gone, once but for those in flight, when 30 workers are killed", () =>
    Promise.all([deliverWithKills("file"), deliverWithKills("postgres")]));

  it("are sent by one process at a time, and another takes over from one that is killed", () =>
    withPlace("postgres", async (place) => {
      const relays = await Promise.all([1, 2, 3].map(() => startScriptedRelay()));
      const count = () => relays.reduce((sum, { ledger }) => sum + ledger.length, 0);
      const storage = await place.open();
      await prepare(storage);
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
      await until(async () => (await storage.get(DELIVERIES, "a"))?.state === "done");
      for (const worker of workers) await worker.kill("SIGTERM").catch(() => {});
      await storage.close();
      for (const relay of relays) await relay[Symbol.asyncDispose]();
      const mails = relays.flatMap(({ ledger }) => ledger);
      assertEquals([...new Set(mails)].sort(), PEOPLE);
      assert(mails.length <= PEOPLE.length + 2 * IN_FLIGHT, `${mails.length} mails`);
    }));
});
