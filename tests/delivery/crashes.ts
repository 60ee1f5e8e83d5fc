import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { addresses } from "../_mailing.ts";
import { startSmtpSink } from "../_smtp_sink.ts";
import { until } from "../_waiting.ts";
import { prepare, readDelivery, startWorker, withPlace } from "./_scene.ts";

const PEOPLE = addresses(10_000);
const KILLS = 30;
const IN_FLIGHT = 100;
const LEASE_MS = 500;

async function deliverWithKills(kind: "file" | "postgres"): Promise<void> {
  await using sink = await startSmtpSink();
  await withPlace(kind, async (place) => {
    const storage = await place.open();
    await prepare(storage, PEOPLE);
    await storage.close();
    const options = { relay: sink.url, leaseMs: LEASE_MS };
    const share = PEOPLE.length / (KILLS + 1);
    for (let kill = 1; kill <= KILLS; kill++) {
      const worker = startWorker(place, options);
      await sink.reached(Math.round(sink.ledger.length + share * (0.5 + Math.random() / 2)));
      await worker.kill();
    }
    assert(new Set(sink.ledger).size < PEOPLE.length, "it was done before the last kill");
    const last = startWorker(place, options);
    await until(() => new Set(sink.ledger).size === PEOPLE.length);
    assertEquals(await last.kill("SIGTERM"), 0);
    const after = await place.open();
    const { state, sent, failed, deferred } = await readDelivery(after);
    await after.close();
    assertEquals([...new Set(sink.ledger)].sort(), PEOPLE, kind);
    const repeats = sink.ledger.length - PEOPLE.length;
    assert(repeats <= KILLS * IN_FLIGHT, `${repeats} repeats in ${kind} storage`);
    assertEquals([sent, failed, deferred], [PEOPLE.length, 0, 0]);
    assert(state === "done" || state === "running", state);
  });
}

describe("10,000 mails, and a worker that is killed 30 times", () => {
  it("miss nobody and repeat at most those in flight, in files and in PostgreSQL", async () => {
    await Promise.all([deliverWithKills("file"), deliverWithKills("postgres")]);
  });
});
