import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { createDelivery, type Delivery, deliveryIdOf } from "../../../model/deliveries/delivery.ts";
import { finishDelivery, startDelivery } from "../../../model/deliveries/delivery_steps.ts";
import { failureIdOf } from "../../../model/deliveries/delivery_failure.ts";
import { DEFERRALS, DELIVERIES, DELIVERY_FAILURES, SUBSCRIPTIONS } from "../../../model/kinds.ts";
import { planRetries } from "../../../services/deliveries/retry.ts";
import { insertRecord } from "../../../services/records.ts";
import {
  addresses,
  DISABLED,
  type Mailing,
  REFUSED,
  type Reply,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";
import { sampleSubscription } from "../../_support/samples.ts";
import { START } from "../../_support/service.ts";

const PEOPLE = addresses(60);
const ENTRY = "/api/v1/changelogs/entries/a";

/** Mails an entry to 60 people. The relay refuses every third of them until it is repaired. */
async function startRefusing() {
  let isFaulty = true;
  let mails = 0;
  const relay = (): Reply => ++mails % 3 === 0 && isFaulty ? DISABLED : SENT;
  const mailing = await startMailing({ subscribers: PEOPLE, relay });
  await mailing.publish("a");
  return { mailing, mend: () => isFaulty = false };
}

/** Requests a retry, and waits until the worker has carried it out. */
async function retry({ delivery, clock }: Mailing): Promise<Delivery> {
  const answer = await delivery("a", "retry");
  await clock.advance(2_000);
  await clock.advance(2_000);
  return answer;
}

async function failuresOf({ service }: Mailing): Promise<number> {
  const path = `deliveries/${deliveryIdOf("a")}/failures?limit=100`;
  return (await service.call<{ data: unknown[] }>("GET", path)).data.length;
}

describe("a retry", () => {
  it("mails people again whom it did not reach, and nobody else, however often it is retried", async () => {
    const { mailing, mend } = await startRefusing();
    await using _ = mailing;
    assertEquals([await mailing.counts(), await failuresOf(mailing)], ["done 40 20 0", 20]);
    const { state, finishedAt } = await retry(mailing);
    assertEquals([state, finishedAt], ["running", null]);
    assertEquals([await mailing.counts(), await failuresOf(mailing)], ["done 54 6 0", 6]);
    mend();
    await retry(mailing);
    assertEquals([await mailing.counts(), await failuresOf(mailing)], ["done 60 0 0", 0]);
    assertEquals(mailing.recipients, PEOPLE);
    await retry(mailing);
    assertEquals([await mailing.counts(), mailing.sent.length], ["done 60 0 0", 60]);
  });

  it("leaves out people who opted out or were erased meanwhile", async () => {
    const { mailing, mend } = await startRefusing();
    await using _ = mailing;
    mend();
    const missed = PEOPLE.filter((to) => !mailing.recipients.includes(to));
    await mailing.subscribe(missed[0], false);
    await mailing.subscriber("DELETE", missed[1]);
    await retry(mailing);
    assertEquals(mailing.recipients, PEOPLE.filter((to) => !missed.slice(0, 2).includes(to)));
    assertEquals(await mailing.counts(), "done 58 2 0");
  });

  it("counts a mail that was reported as bounced as sent once more, and not as refused", async () => {
    await using mailing = await startMailing({ subscribers: ["ann@example.com"] });
    await mailing.publish("a");
    const { path } = await mailing.service.call<{ path: string }>("GET", "changelogs/bounces");
    await mailing.service.send("POST", path, {
      key: null,
      json: { RecordType: "Bounce", Type: "SoftBounce", Email: "ann@example.com" },
    });
    assertEquals([await mailing.counts(), await failuresOf(mailing)], ["done 1 0 0", 1]);
    await retry(mailing);
    assertEquals([await mailing.counts(), await failuresOf(mailing)], ["done 2 0 0", 0]);
  });

  it("mails nobody an entry that was unpublished, nor goes on with a delivery that was cancelled", async () => {
    const { mailing, mend } = await startRefusing();
    await using _ = mailing;
    mend();
    await mailing.service.send("POST", `${ENTRY}/unpublish`);
    assertEquals((await retry(mailing)).state, "done");
    assertEquals(await mailing.counts(), "done 40 20 0");
    await using other = await startMailing({ subscribers: PEOPLE, relay: () => "down" });
    await other.publish("a");
    await other.delivery("a", "cancel");
    assertEquals((await other.delivery("a", "retry")).state, "cancelled");
  });

  it("changes nothing of a delivery that has not ended", async () => {
    let mails = 0;
    const relay = (): Reply => ++mails % 9 === 0 ? REFUSED : SENT;
    await using mailing = await startMailing({ subscribers: addresses(200), relay });
    await mailing.publish("a");
    const before = await mailing.delivery("a");
    const { changed, ...after } = await mailing.delivery("a", "retry") as
      & Delivery
      & { readonly changed?: boolean };
    assertEquals([before.state, changed], ["held", false]);
    assertEquals(after, before);
  });

  it("plans everybody once when it is killed between its steps", async () => {
    const storage = openMemoryStorage();
    const delivery = {
      ...finishDelivery(
        startDelivery(createDelivery("a", START), 100, { now: START }),
        null,
        START,
      ),
      ...{ state: "running", finishedAt: null, failed: 100, retriedTo: "" } as const,
    };
    await insertRecord(storage, DELIVERIES, delivery);
    for (const userEmail of addresses(100)) {
      const failed = { entryId: "a", userEmail, code: "5.7.1", text: "", failedAt: START };
      const failureId = failureIdOf("a", userEmail);
      await insertRecord(storage, DELIVERY_FAILURES, { failureId, ...failed, isReported: false });
      await insertRecord(storage, SUBSCRIPTIONS, sampleSubscription(userEmail));
    }
    let steps = 0;
    const killed: Storage["transact"] = (refs, decide) =>
      ++steps % 2 === 0 ? Promise.reject(new Error("killed")) : storage.transact(refs, decide);
    for (let planned: Delivery | undefined = delivery; planned?.retriedTo !== null;) {
      await planRetries(storage, killed, { delivery: planned!, now: START }).catch(() => {});
      planned = await storage.get(DELIVERIES, "a");
    }
    const { failed, deferred } = await storage.get(DELIVERIES, "a") as Delivery;
    const deferrals = await storage.list(DEFERRALS, { limit: 200 });
    assertEquals([failed, deferred, deferrals.length], [0, 100, 100]);
  });
});
