import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../mod.ts";
import { changeSubscription } from "../../../services/subscriptions/subscriptions.ts";
import { addresses, publishEntry } from "../../_support/mailing.ts";
import { startScriptedRelay } from "../../_support/scripted_relay.ts";
import { createService } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";
import { type PlaceKind, startProcess, withPlace } from "./_scene.ts";

const PEOPLE = addresses(10_000);
const KILLS = 30;
const IN_FLIGHT = 100;

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

/** Kills one worker after the other, while some people unsubscribe. */
async function deliverWithKills(kind: PlaceKind): Promise<void> {
  await using relay = await startScriptedRelay();
  const { ledger, url } = relay;
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage);
    await storage.close();
    const share = PEOPLE.length / (KILLS + 1);
    // The number of mails after which a person must get none, because they had left.
    const goneSince = new Map<string, number>();
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startProcess(place, { relay: url });
      const userEmail = PEOPLE[PEOPLE.length - kill];
      const form = { userEmail, subscribe: "false" };
      assert(await worker.send("PUT", "changelogs/subscribe", form) !== undefined);
      if (kill > 1) goneSince.set(PEOPLE[PEOPLE.length - kill + 1], ledger.length);
      await relay.reached(Math.round(ledger.length + share * (0.5 + Math.random() / 2)));
      await worker.kill();
    }
    assert(new Set(ledger).size < PEOPLE.length - KILLS, "it was done before the last kill");
    const last = startProcess(place, { relay: url });
    const others = PEOPLE.slice(0, -KILLS);
    const missing = () => {
      const mailed = new Set(ledger);
      return others.filter((userEmail) => !mailed.has(userEmail));
    };
    // Thousands of mails may be left to send.
    await until(() => missing().length === 0, 120_000);
    assertEquals(await last.kill("SIGTERM"), 0);
    const late = ledger.filter((userEmail, n) => n >= (goneSince.get(userEmail) ?? Infinity));
    assertEquals(late, [], "mailed after they had left");
    const repeats = ledger.length - new Set(ledger).size;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
  });
}

describe("10,000 mails", () => {
  it(
    "reach everybody who stays, and nobody twice beyond the mails in flight, when 30 " +
      "workers are killed",
    () => Promise.all((["file", "kv", "postgres"] as const).map(deliverWithKills)),
  );
});
