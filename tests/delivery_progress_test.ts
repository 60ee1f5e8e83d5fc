import { assertEquals } from "@std/assert";
import { beforeEach, describe, it } from "@std/testing/bdd";
import { openMemoryStorage, type Storage, SUBSCRIPTIONS } from "../mod.ts";
import { createDelivery, type Delivery, startDelivery } from "../model/delivery.ts";
import { DEFERRALS, DELIVERIES, FAILURES } from "../model/kinds.ts";
import { deferMail } from "../model/mail_outcome.ts";
import { commitProgress, type Result } from "../services/delivery_progress.ts";
import { eraseSubscription } from "../services/erasure.ts";
import { listRecipients } from "../services/recipients.ts";
import { changeSubscription } from "../services/subscriptions.ts";
import { addresses, DEFERRED, REFUSED, SENT } from "./_mailing.ts";

const NOW = "2026-11-21T10:00:00.000Z";
const LATER = "2026-11-21T11:00:00.000Z";
const PEOPLE = addresses(150);

describe("the progress of a delivery", () => {
  let storage: Storage;
  let delivery: Delivery;

  beforeEach(async () => {
    storage = openMemoryStorage();
    const rest = { userName: null, subscribe: true, source: "api", at: NOW } as const;
    for (const userEmail of PEOPLE) await changeSubscription(storage, { userEmail, ...rest });
    delivery = startDelivery(createDelivery("a", NOW), NOW);
    const refs = { delivery: { kind: DELIVERIES, key: "a" } };
    await storage.transact(refs, () => ({ answer: true, put: { delivery } }));
  });

  /** Stores the outcomes of some people's turns. */
  async function commit(outcomes: Readonly<Record<number, Result["outcome"]>>): Promise<boolean> {
    const results = Object.entries(outcomes).map(([index, outcome]) => (
      { userEmail: PEOPLE[Number(index)], deferral: undefined, outcome, hadFailure: false }
    ));
    return await commitProgress(storage, storage.transact, { delivery, results, now: NOW });
  }

  async function read() {
    const { cursor, sent, failed, deferred } = (await storage.get(DELIVERIES, "a"))!;
    return [cursor, sent, failed, deferred];
  }

  it("does not bring back who was erased before it is stored", async () => {
    for (const person of [PEOPLE[2], PEOPLE[3], PEOPLE[4]]) {
      await eraseSubscription(storage, person, new Date().toISOString());
    }
    await commit({ 0: SENT, 1: SENT, 2: DEFERRED, 3: REFUSED, 4: SENT });
    assertEquals(await read(), [PEOPLE[1], 3, 1, 0]);
    assertEquals(await storage.list(DEFERRALS, { limit: 9 }), []);
    assertEquals(await storage.list(FAILURES, { limit: 9 }), []);
    assertEquals(await storage.get(SUBSCRIPTIONS, PEOPLE[3]), undefined);
  });

  it("is stored once, where it is repeated after a failure", async () => {
    const outcomes = {
      0: SENT,
      1: REFUSED,
      2: DEFERRED,
      3: { state: "interrupted" },
      4: SENT,
    } as const;
    for (let i = 0; i < 2; i++) {
      assertEquals(await commit(outcomes), true);
      assertEquals(await read(), [PEOPLE[4], 2, 1, 2]);
      assertEquals((await storage.get(FAILURES, PEOPLE[1]))?.bounces, 1);
    }
  });

  it("leaves a delivery alone that is another one by now", async () => {
    const other = { ...delivery, startedAt: LATER };
    const refs = { delivery: { kind: DELIVERIES, key: "a" } };
    await storage.transact(refs, () => ({ answer: true, put: { delivery: other } }));
    assertEquals(await commit({ 0: SENT }), false);
    assertEquals(await storage.get(DELIVERIES, "a"), other);
  });

  it("is not traced back to who is erased while it is stored", async () => {
    let transactions = 0;
    const racing: Storage = {
      ...storage,
      async transact(refs, decide) {
        // After the erasure has looked for traces, and before it removes them.
        if (transactions++ === 0) await commit({ 0: SENT, 1: DEFERRED, 2: SENT, 3: DEFERRED });
        return await storage.transact(refs, decide);
      },
    };
    assertEquals(await eraseSubscription(racing, PEOPLE[3], new Date().toISOString()), true);
    assertEquals(await read(), [PEOPLE[2], 2, 0, 1]);
    const left = await storage.list(DEFERRALS, { limit: 9 });
    assertEquals(left.map(({ userEmail }) => userEmail), [PEOPLE[1]]);
  });

  it("lets neither first attempts nor others wait for all of the rest", async () => {
    for (const userEmail of PEOPLE) {
      const deferral = deferMail({ entryId: "a", userEmail }, 1, NOW)!;
      const refs = { deferral: { kind: DEFERRALS, key: deferral.deferralId } };
      await storage.transact(refs, () => ({ answer: true, put: { deferral } }));
    }
    const people = await listRecipients(storage, delivery, { now: LATER, limit: 100 });
    assertEquals(people.filter(({ deferral }) => deferral !== undefined).length, 50);
    assertEquals(people.length, 100);
  });
});
