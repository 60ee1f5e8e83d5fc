// Recipients who are refused in the words of a relay, while workers are killed.
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Storage } from "../../../mod.ts";
import { SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { changeSubscription } from "../../../services/subscriptions/subscriptions.ts";
import { addresses, publishEntry } from "../../_support/mailing.ts";
import { startScriptedRelay } from "../../_support/scripted_relay.ts";
import { createService } from "../../_support/service.ts";
import { until } from "../../_support/waiting.ts";
import { type PlaceKind, startProcess, withPlace } from "./_scene.ts";

const PEOPLE = addresses(1_500).map((address, i) => address.replace("@", `@${"abc"[i % 3]}.`));
const REFUSED = new Map(PEOPLE.flatMap((address, i) => {
  if (i % 25 === 7) return [[address, "450 4.7.1 Recipient address rejected: Try again later"]];
  if (i % 25 === 8) return [[address, "550 5.7.1 User has blocked mail from your address"]];
  return [];
}));
const OTHERS = PEOPLE.filter((address) => !REFUSED.has(address));
const KILLS = 30;
const IN_FLIGHT = 100;

async function prepare(storage: Storage): Promise<void> {
  const at = new Date().toISOString();
  const rest = { userName: null, subscribe: true, source: "import", at } as const;
  await Promise.all(PEOPLE.map((userEmail) => changeSubscription(storage, { userEmail, ...rest })));
  await publishEntry(createService({ storage, clock: Date.now }), "a");
}

/** Kills one worker after the other while the relay refuses some people. */
async function deliverWithKills(kind: PlaceKind): Promise<void> {
  await using relay = await startScriptedRelay((step, _, recipient) => {
    const reply = REFUSED.get(recipient);
    return step === "RCPT" && reply !== undefined ? { say: reply } : undefined;
  });
  const { ledger, url } = relay;
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage);
    await storage.close();
    const share = OTHERS.length / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startProcess(place, { relay: url });
      await relay.reached(Math.round(ledger.length + share * (0.3 + Math.random() / 2)));
      await worker.kill();
    }
    const missing = () => new Set(OTHERS).difference(new Set(ledger)).size;
    assert(missing() > 0, "it was done before the last kill");
    const last = startProcess(place, { relay: url });
    await until(() => missing() === 0, 120_000);
    assertEquals(await last.kill("SIGTERM"), 0);
    const repeats = ledger.length - OTHERS.length;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
    const left = await place.open();
    assertEquals(await left.list(SUBSCRIPTIONS, { index: "unsubscribed", limit: 1 }), []);
    await left.close();
  });
}

describe("people who are refused in the words of a relay", () => {
  it("stop nobody else, and stay subscribed, when 30 workers are killed", async () => {
    await Promise.all((["file", "kv", "postgres"] as const).map(deliverWithKills));
  });
});
