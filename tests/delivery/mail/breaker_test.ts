import { deliveryPath } from "../../_support/deliveries.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  countMails,
  countReport,
  findHarm,
  NEW_BREAKER,
} from "../../../model/deliveries/breaker.ts";
import { DELIVERY_FAILURES } from "../../../model/kinds.ts";
import { reportToDelivery } from "../../../services/deliveries/reports.ts";
import { put } from "../../_contract/calls.ts";
import { addresses, createGate, DISABLED, duringDelivery } from "../../_support/mailing.ts";
import { type Mailing, REFUSED, SENT, startMailing } from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";

const PROBLEM = /^\d+ of the last \d+ mails found no mailbox: clean the list/;

/** Returns a relay that refuses every `count`th recipient. */
function refusesEvery(count: number, refusal = REFUSED) {
  let mails = 0;
  return () => ++mails % count === 0 ? refusal : SENT;
}

/** Posts the report of a provider or relay; returns how many people it unsubscribed. */
async function post({ service }: Mailing, body: string, type: string): Promise<number> {
  const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
  const response = await service.send("POST", path, {
    key: null,
    headers: { "content-type": type },
    body,
  });
  return (await response.json()).unsubscribed;
}

/** Posts events of Postmark, whose `MessageID` is not that of our mail. */
function postEvents(mailing: Mailing, ...events: readonly Readonly<Record<string, unknown>>[]) {
  return post(mailing, JSON.stringify(events), "application/json");
}

/** Reports that the mails to some people have bounced. */
function report(mailing: Mailing, Type: string, people: readonly string[]) {
  const events = people.map((Email) => ({ RecordType: "Bounce", Type, Email }));
  return postEvents(mailing, ...events);
}

/** Posts a delivery report that returns the head of a mail. */
function reportMail(mailing: Mailing, address: string, messageId: string) {
  const body = [
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n',
    "--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx.example\n",
    `Final-Recipient: rfc822; ${address}\nAction: failed\nStatus: 5.1.1\n`,
    `--b\nContent-Type: text/rfc822-headers\n\nMessage-ID: ${messageId}\nTo: ${address}\n\n--b--\n`,
  ].join("\n");
  return post(mailing, body, "message/rfc822");
}

/** Returns the recipients that a delivery has not reached. */
async function failuresOf({ service }: Mailing) {
  const path = `${deliveryPath("a")}/failures`;
  return (await service.call<{ data: { userEmail: string }[] }>("GET", path)).data;
}

describe("a delivery", () => {
  it("is held soon where 6 % of the recipients are unknown to the relay", async () => {
    const subscribers = addresses(2_000);
    await using mailing = await startMailing({ subscribers, relay: refusesEvery(16) });
    await mailing.publish("a");
    const { state, sent, failed, problem } = await mailing.delivery("a");
    assertEquals(state, "held");
    // Up to 100 mails may wait until they are judged and stored.
    assert(sent + failed >= 100 && sent + failed <= 200, `${sent} and ${failed}`);
    assertMatch(`${problem}`, PROBLEM);
    const [held] = mailing.events.filter(({ event }) => event === "held");
    assertEquals([held.level, held.entryId, held.problem], ["warn", "a", problem]);
    await mailing.clock.advance(3_600_000);
    assertEquals((await mailing.delivery("a")).sent, sent);
  });

  it("goes on where fewer are unknown, or many are refused for another reason", async () => {
    for (const relay of [refusesEvery(25), refusesEvery(2, DISABLED)]) {
      const subscribers = addresses(600);
      await using mailing = await startMailing({ subscribers, relay });
      await mailing.publish("a");
      assertEquals((await mailing.delivery("a")).state, "done");
    }
  });

  it("goes on once it is resumed, and is held again by what follows", async () => {
    const subscribers = addresses(700);
    let isClean = false;
    const refuse = refusesEvery(10);
    const relay = () => isClean ? SENT : refuse();
    await using mailing = await startMailing({ subscribers, relay });
    await mailing.publish("a");
    await mailing.delivery("a", "pause");
    for (const expected of ["held", "done"]) {
      const { problem } = await mailing.delivery("a", "resume");
      assertEquals(problem, null);
      // The last refusal before the stop is tried again after a minute.
      await mailing.clock.advance(60_000);
      assertEquals((await mailing.delivery("a")).state, expected);
      isClean = true;
    }
  });

  it("is held while it runs by reports that come back, before the next mail", async () => {
    const subscribers = addresses(300);
    const gate = createGate(10, (to) => to >= subscribers[150]);
    let sentBefore = 0;
    await using mailing = await startMailing({ subscribers, relay: gate.relay });
    await duringDelivery(mailing, gate, async () => {
      await mailing.clock.tick(1_000);
      const gone = subscribers.slice(0, 20);
      assertEquals(await report(mailing, "HardBounce", gone), 20);
      assertEquals((await mailing.delivery("a")).state, "held");
      sentBefore = mailing.sent.length;
    });
    const { state, problem } = await mailing.delivery("a");
    assertEquals(state, "held");
    // Mails in flight may still arrive.
    assert(mailing.sent.length <= sentBefore + 20);
    assertMatch(`${problem}`, PROBLEM);
    const warned = mailing.service.events.find(({ level }) => level === "warn");
    assertMatch(`${warned?.warning}`, /^the delivery of a is held: \d+ of the last \d+ mails/);
    assertEquals(mailing.events.at(-1)?.event, "held");
  });

  it("is held in time where the relay takes all mails, and reports that 6 % are unknown", async () => {
    const subscribers = addresses(2_000);
    let taken = 0;
    const relay = async ({ to }: { readonly to: string }) => {
      if (++taken % 16 === 0) await report(mailing, "HardBounce", [to]);
      return SENT;
    };
    await using mailing: Mailing = await startMailing({ subscribers, relay });
    await mailing.publish("a");
    const { state, sent, problem } = await mailing.delivery("a");
    assertEquals(state, "held");
    assert(sent >= 100 && sent < 300, `${sent}`);
    assertMatch(`${problem}`, PROBLEM);
  });

  it("is held by the third complaint, if more than 0.1 % have complained", async () => {
    const subscribers = addresses(120);
    const gate = createGate(1, (to) => to === subscribers[110]);
    await using mailing = await startMailing({ subscribers, relay: gate.relay });
    await duringDelivery(mailing, gate, async () => {
      await report(mailing, "SpamComplaint", subscribers.slice(0, 2));
      assertEquals((await mailing.delivery("a")).state, "running");
      await report(mailing, "SpamComplaint", subscribers.slice(2, 3));
      assertEquals((await mailing.delivery("a")).state, "held");
    });
    assertMatch(`${(await mailing.delivery("a")).problem}`, /^3 of \d+ recipients have complained/);
  });

  it("is not held by reports about another, which their Message-ID tells", async () => {
    const subscribers = addresses(400);
    const gate = createGate(1, (to) => to === subscribers[150] && mailing.sent.length > 400);
    await using mailing: Mailing = await startMailing({ subscribers, relay: gate.relay });
    await mailing.publish("b");
    const before = mailing.sent.slice(0, 20);
    await duringDelivery(mailing, gate, async () => {
      await mailing.clock.tick(1_000);
      for (const { to, messageId } of before) {
        assertEquals(await reportMail(mailing, to, messageId), 1);
      }
      assertEquals((await mailing.delivery("a")).state, "running");
      const own = mailing.sent.slice(400).filter(({ to }) =>
        before.every((mail) => mail.to !== to)
      );
      for (const { to, messageId } of own.slice(0, 30)) await reportMail(mailing, to, messageId);
      assertEquals((await mailing.delivery("a")).state, "held");
    });
  });
});

describe("the failures of a delivery", () => {
  it("list the people whom reports name, with the reason but without addresses", async () => {
    const subscribers = addresses(4);
    await using mailing = await startMailing({ subscribers });
    await mailing.publish("a");
    const bounced = (Type: string, Email: string, Details: string, BouncedAt?: string) =>
      postEvents(mailing, { RecordType: "Bounce", Type, Email, Details, BouncedAt });
    const [gone, full, angry] = subscribers;
    await bounced("HardBounce", gone, `550 5.1.1 <${gone}>:\nUser unknown`);
    // The clock of this report is ahead.
    await bounced("SoftBounce", full, "452 4.2.2 Over\0\ud800quota", "2999-01-31T08:00:00.000Z");
    await bounced("SpamComplaint", angry, "");
    const failedAt = new Date(mailing.clock.now()).toISOString();
    assertEquals<unknown>(await failuresOf(mailing), [
      { userEmail: gone, code: "5.1.1", text: "550 5.1.1 <…>: User unknown", failedAt },
      { userEmail: full, code: "4.2.2", text: "452 4.2.2 Over quota", failedAt },
    ]);
    await mailing.subscriber("DELETE", gone);
    assertEquals(await mailing.stores(gone), false);
  });

  it("have nobody who is erased while a report about them is read", async () => {
    const [gone] = addresses(1);
    await using mailing = await startMailing({ subscribers: [gone] });
    await mailing.publish("a");
    await mailing.subscriber("DELETE", gone);
    const event = {
      type: "temporary",
      address: gone,
      code: "4.2.2",
      text: "full",
      at: null,
    } as const;
    const now = new Date(mailing.clock.now()).toISOString();
    const personal = { event, userEmail: gone };
    await reportToDelivery(mailing.storage, personal, { outcome: "counted", now });
    assertEquals(await mailing.stores(gone), false);
  });

  it("lose a person once a later report says that the mail arrived", async () => {
    const [ann, ben] = addresses(2);
    const relay = () => DISABLED;
    await using mailing = await startMailing({ subscribers: [ann, ben], relay });
    await mailing.publish("a");
    const missed = async () => (await failuresOf(mailing)).map(({ userEmail }) => userEmail);
    const reach = async (Recipient: string) => {
      const DeliveredAt = new Date(mailing.clock.now() + 60_000).toISOString();
      await postEvents(mailing, { RecordType: "Delivery", Recipient, DeliveredAt });
      return await missed();
    };
    assertEquals(await missed(), [ann, ben]);
    assertEquals(await reach(ann), [ben]);
    // The time comes from a clock that was ahead.
    const [left] = await mailing.storage.list(DELIVERY_FAILURES, { limit: 1 });
    await put(mailing.storage, DELIVERY_FAILURES, {
      ...left,
      failedAt: "2999-01-31T08:00:00.000Z",
    });
    assertEquals(await reach(ben), []);
  });
});

describe("the breaker", () => {
  /** Returns a breaker after some mails. The last `unknown` of them were refused as unknown. */
  const after = (mails: number, unknown: number) =>
    countMails(NEW_BREAKER, Array.from({ length: mails }, (_, index) => index >= mails - unknown));

  it("opens above 5 % of the last 500 mails, and not before there are 100", async () => {
    await forEachRow([
      [99, 99, false],
      [100, 5, false],
      [100, 6, true],
      [500, 25, false],
      [500, 26, true],
      [5_000, 25, false],
      [5_000, 26, true],
    ], ([mails, unknown, expected]) => {
      assertEquals(findHarm(after(mails, unknown)) !== undefined, expected);
    });
  });

  it("forgets what is more than 500 mails ago", () => {
    const opened = after(300, 30);
    assertEquals(countMails(opened, Array(200).fill(false)).unknown.length, 30);
    assertEquals(countMails(opened, Array(480).fill(false)).unknown.length, 20);
    assertEquals(countMails(opened, Array(500).fill(false)).unknown, []);
  });

  it("stays small however many reports come after its mails", () => {
    let breaker = after(100, 0);
    for (let i = 0; i < 2_000; i++) breaker = countReport(breaker, "permanent");
    assertEquals(breaker.unknown.length, 500);
  });

  it("opens at three complaints above 0.1 % of all mails", async () => {
    await forEachRow([[10, 2, false], [10, 3, true], [2_999, 3, true], [3_000, 3, false]], (
      [mails, complaints, expected],
    ) => {
      let breaker = after(mails, 0);
      for (let count = 0; count < complaints; count++) breaker = countReport(breaker, "complaint");
      assertEquals(findHarm(breaker) !== undefined, expected);
    });
  });
});
