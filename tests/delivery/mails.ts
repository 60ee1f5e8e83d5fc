import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../mod.ts";
import { DELIVERIES } from "../../model/kinds.ts";
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

/** Kills one worker after the other, while the last people unsubscribe. */
async function deliverWithKills(kind: "file" | "postgres"): Promise<void> {
  await using relay = await startScriptedRelay();
  const { ledger, url } = relay;
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage);
    await storage.close();
    const share = PEOPLE.length / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startProcess(place, { relay: url });
      const userEmail = PEOPLE[PEOPLE.length - kill];
      const form = { userEmail, subscribe: "false" };
      assert(await worker.send("PUT", "changelogs/subscribe", form) !== undefined);
      await relay.reached(Math.round(ledger.length + share * (0.5 + Math.random() / 2)));
      await worker.kill();
    }
    assert(new Set(ledger).size < PEOPLE.length - KILLS, "it was done before the last kill");
    const last = startProcess(place, { relay: url });
    const others = PEOPLE.slice(0, -KILLS);
    await until(() => new Set(ledger).size >= others.length);
    assertEquals(await last.kill("SIGTERM"), 0);
    assertEquals([...new Set(ledger)].sort(), others);
    const repeats = ledger.length - others.length;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
  });
}

describe("10,000 mails", () => {
  it("reach all but who is gone, once but for those in flight, when 30 workers are killed", () =>
    Promise.all([deliverWithKills("file"), deliverWithKills("postgres")]));

  it("are sent by one process at a time, and another takes over from one that is killed", () =>
    withPlace("postgres", async (place) => {
      const relays = await Promise.all([1, 2].map(() => startScriptedRelay()));
      const counts = () => relays.map(({ ledger }) => ledger.length);
      const storage = await place.open();
      await prepare(storage);
      const workers = relays.map(({ url: relay }) =>
        startProcess(place, { relay, leaseMs: LEASE_MS })
      );
      await until(() => counts().some((count) => count > 100));
      const sender = counts()[0] > 0 ? 0 : 1;
      const other = 1 - sender;
      assertEquals(counts()[other], 0);
      await workers[sender].kill();
      const killedMs = performance.now();
      await until(() => counts()[other] > 0);
      // Beside the lease, it is checked every 50 ms whether there is something to do.
      assert(performance.now() - killedMs < LEASE_MS + 1_000);
      await until(async () => (await storage.get(DELIVERIES, "a"))?.state === "done");
      await workers[other].kill("SIGTERM");
      await storage.close();
      for (const relay of relays) await relay[Symbol.asyncDispose]();
      const mails = relays.flatMap(({ ledger }) => ledger);
      assertEquals([...new Set(mails)].sort(), PEOPLE);
      assert(mails.length <= PEOPLE.length + IN_FLIGHT, `${mails.length} mails`);
    }));
});
