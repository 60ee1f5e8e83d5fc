import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../mod.ts";
import {
  addresses,
  createGate,
  DEFERRED,
  DISABLED,
  duringDelivery,
  type Mailing,
  publishEntry,
  REFUSED,
  type Reply,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";
import type { Mail, SendOutcome } from "../../../delivery/mail/mailer.ts";
import { forEachRow } from "../../_support/rows.ts";
import { createService, START } from "../../_support/service.ts";
import { subscribe } from "../../_support/webhooks.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ANN = "ann@example.com";
const BEN = "ben@example.com";
const ENTRY = "/api/v1/changelogs/entries/a";

describe("a delivery", () => {
  it("mails every subscriber once, and nobody else", async () => {
    const subscribers = addresses(250);
    await using mailing = await startMailing({ subscribers });
    await mailing.subscribe("not@example.com", false);
    await mailing.publish("a");
    await mailing.publish("quiet", { notify: false });
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 250 0 0"]);
    const { startedAt, finishedAt, problem } = await mailing.delivery("a");
    assert(startedAt !== null && finishedAt !== null && problem === null);
    assertEquals(mailing.events.map(({ event }) => event), ["started", "done"]);
    // No address is left to erase.
    assertEquals(await mailing.stores("@"), false);
  });

  it("begins when its entry becomes public", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    const at = new Date(mailing.clock.now() + HOUR_MS).toISOString();
    await mailing.publish("a", { at });
    await mailing.clock.advance(HOUR_MS - 2);
    assertEquals(await mailing.counts(), "waiting 0 0 0");
    await mailing.clock.advance(2_000);
    assertEquals([mailing.recipients, await mailing.counts()], [[ANN], "done 1 0 0"]);
  });

  it("honours what was acknowledged before a person's turn", async () => {
    // The first ten mails are in flight; the last one comes after the change.
    const subscribers = addresses(11);
    const last = subscribers[10];
    await forEachRow<readonly [string, (mailing: Mailing) => Promise<unknown>]>([
      ["done 10 0 0", (mailing) => mailing.subscribe(last, false)],
      ["done 10 0 0", (mailing) => mailing.subscriber("DELETE", last)],
      ["paused 10 0 0", (mailing) => mailing.delivery("a", "pause")],
      ["cancelled 10 0 0", (mailing) => mailing.delivery("a", "cancel")],
      ["cancelled 10 0 0", ({ service }) => service.send("POST", `${ENTRY}/unpublish`)],
      ["deleted", ({ service }) => service.send("DELETE", ENTRY)],
    ], async ([expected, change]) => {
      const gate = createGate(10, (to) => to !== last);
      await using mailing = await startMailing({ subscribers, relay: gate.relay });
      await duringDelivery(mailing, gate, () => change(mailing));
      assertEquals(mailing.recipients, subscribers.slice(0, 10));
      assertEquals(await mailing.counts().catch(() => "deleted"), expected);
      if (expected === "paused 10 0 0") {
        await mailing.delivery("a", "resume");
        await mailing.clock.settled();
        assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 11 0 0"]);
      }
      assertEquals(await mailing.stores("@"), false);
    });
  });

  it("is held when it is found more than a day late, until it is resumed", async () => {
    const storage = openMemoryStorage();
    const service = createService({ storage });
    await subscribe(service, ANN);
    for (const entryId of ["a", "b"]) {
      await publishEntry(service, entryId);
      service.advance(HOUR_MS);
    }
    await using mailing = await startMailing({
      storage,
      nowMs: Date.parse(START) + 25 * HOUR_MS,
    });
    const both = async () => [await mailing.counts("a"), await mailing.counts("b")];
    assertEquals(await both(), ["held 0 0 0", "done 1 0 0"]);
    assert((await mailing.delivery("a")).problem?.includes("24 hours late"));
    await mailing.delivery("a", "resume");
    await mailing.clock.settled();
    assertEquals([mailing.recipients, await both()], [[ANN, ANN], ["done 1 0 0", "done 1 0 0"]]);
  });

  it("is not held by the pace of its own rate, where a worker starts again in a day", async () => {
    const storage = openMemoryStorage();
    const service = createService({ storage });
    await subscribe(service, ANN);
    await publishEntry(service, "a");
    await using mailing = await startMailing({
      storage,
      nowMs: Date.parse(START) + 47 * HOUR_MS,
      mailRatePerSecond: 1 / 86_400,
    });
    await mailing.clock.settled();
    assertEquals((await mailing.counts("a")).startsWith("held"), false);
  });

  it("keeps to the rate, evenly", async () => {
    await using mailing = await startMailing({ subscribers: addresses(30), mailRatePerSecond: 20 });
    const startMs = mailing.clock.now();
    const published = mailing.publish("a");
    for (; mailing.recipients.length < 30; await mailing.clock.advance(25)) {
      const most = (mailing.clock.now() - startMs) / 50;
      assert(mailing.recipients.length <= most, `${mailing.recipients.length} of ${most}`);
    }
    const durationMs = mailing.clock.now() - startMs;
    assert(durationMs >= 1_500 && durationMs < 2_000, `${durationMs} ms`);
    await published;
  });
});

describe("a recipient's mail", () => {
  /** Delivers to Ann. Her mails have the given outcomes in order; later ones are sent. */
  async function deliver(replies: readonly Reply[]) {
    const left = [...replies];
    const relay = ({ to }: { readonly to: string }) => to === ANN ? left.shift() ?? SENT : SENT;
    return await startMailing({ subscribers: [ANN, BEN], relay });
  }

  it("that is deferred is tried again after growing times, and fails in the end", async () => {
    const minutes = [1, 5, 30, 120, 480, 1440];
    await forEachRow([1, 7], async (attempts) => {
      await using mailing = await deliver(Array(attempts).fill(DEFERRED));
      await mailing.publish("a");
      for (const minute of minutes.slice(0, attempts)) {
        await mailing.clock.advance(minute * MINUTE_MS - 1);
        assertEquals(await mailing.counts(), "running 1 0 1");
        await mailing.clock.advance(2_000);
      }
      assertEquals(await mailing.counts(), attempts === 7 ? "done 1 1 0" : "done 2 0 0");
    });
  });

  it("that is refused fails at once; no mailbox twice in a row unsubscribes the person", async () => {
    await forEachRow<readonly [replies: readonly Reply[], expected: string]>([
      [[REFUSED], "true api"],
      [[REFUSED, REFUSED], "false bounce"],
      [[REFUSED, SENT, REFUSED], "true api"],
      [[REFUSED, DISABLED, REFUSED], "true api"],
      [[DISABLED, DISABLED, DISABLED], "true api"],
    ], async ([replies, expected]) => {
      await using mailing = await deliver(replies);
      for (const [index, reply] of replies.entries()) {
        await mailing.clock.advance(5 * 60 * MINUTE_MS);
        await mailing.publish(`entry-${index}`);
        const counts = await mailing.counts(`entry-${index}`);
        assertEquals(counts, reply === SENT ? "done 2 0 0" : "done 1 1 0");
      }
      const { subscribed, source } = await mailing.subscriber("GET", ANN);
      assertEquals(`${subscribed} ${source}`, expected);
    });
  });

  it("that finds no mailbox again counts in another delivery, hours later, since they subscribed", async () => {
    const hoursLater = (mailing: Mailing) => mailing.clock.advance(4 * 60 * MINUTE_MS + 1);
    const again = async (mailing: Mailing) => {
      await hoursLater(mailing);
      await mailing.delivery("a", "retry");
      await mailing.clock.advance(2_000);
    };
    const resubscribe = async (mailing: Mailing) => {
      await hoursLater(mailing);
      await mailing.subscribe(ANN, false);
      await mailing.clock.advance(1);
      await mailing.subscribe(ANN);
    };
    await forEachRow<readonly [name: string, (mailing: Mailing) => Promise<unknown>, string]>([
      ["hours later", hoursLater, "false bounce"],
      ["too soon", (mailing) => mailing.clock.advance(3 * 60 * MINUTE_MS), "true api"],
      ["by a retry", again, "true api"],
      ["after a new sign-up", resubscribe, "true api"],
    ], async ([name, between, expected]) => {
      await using mailing = await deliver(Array(9).fill(REFUSED));
      await mailing.publish("a");
      await between(mailing);
      if (name !== "by a retry") await mailing.publish("b");
      const { subscribed, source } = await mailing.subscriber("GET", ANN);
      assertEquals(`${subscribed} ${source}`, expected);
    });
  });

  it("that is deferred is not sent once its reason is gone", async () => {
    await forEachRow<readonly [(mailing: Mailing) => Promise<unknown>, string, string]>([
      [(mailing) => mailing.subscribe(ANN, false), "running 1 0 1", "done 1 0 0"],
      [(mailing) => mailing.subscriber("DELETE", ANN), "running 1 0 0", "done 1 0 0"],
      [(mailing) => mailing.delivery("a", "cancel"), "cancelled 1 0 0", "cancelled 1 0 0"],
    ], async ([change, between, after]) => {
      await using mailing = await deliver([DEFERRED]);
      await mailing.publish("a");
      await change(mailing);
      assertEquals(await mailing.counts(), between);
      await mailing.clock.advance(2 * MINUTE_MS);
      assertEquals([mailing.recipients, await mailing.counts()], [[BEN], after]);
    });
  });

  it("that is deferred is forgotten with its entry, also where that is made again", async () => {
    await using mailing = await deliver([DEFERRED]);
    await mailing.publish("a");
    assertEquals((await mailing.service.send("DELETE", ENTRY)).status, 204);
    await mailing.publish("a");
    await mailing.clock.advance(2 * MINUTE_MS);
    assertEquals([mailing.recipients, await mailing.counts()], [[ANN, BEN, BEN], "done 2 0 0"]);
  });
});

describe("a relay that can't be used", () => {
  it("is tried again after growing pauses, while nothing advances", async () => {
    let isDown = true;
    const subscribers = addresses(30);
    await using mailing = await startMailing({ subscribers, relay: () => isDown ? "down" : SENT });
    await mailing.publish("a");
    const pauses: number[] = [];
    for (let i = 0; i < 8; i++) {
      const { state, sent, failed, deferred, problem } = await mailing.delivery("a");
      assertEquals([state, sent, failed, deferred, problem], ["running", 0, 0, 0, "It is down"]);
      pauses.push(mailing.clock.waits[0] / 1_000);
      await mailing.clock.advance(mailing.clock.waits[0]);
      // A pause longer than the lease loses it.
      if (mailing.clock.waits[0] === 2_000) await mailing.clock.advance(2_000);
    }
    assertEquals(pauses, [5, 10, 20, 40, 80, 160, 300, 300]);
    isDown = false;
    await mailing.clock.advance(302_000);
    await mailing.clock.advance(2_000);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 30 0 0"]);
    assertEquals((await mailing.delivery("a")).problem, null);
    isDown = true;
    await mailing.publish("b");
    assertEquals(mailing.clock.waits, [5_000]);
  });

  it("answers one mail late and holds up nobody else, who is counted meanwhile", async () => {
    const answer = Promise.withResolvers<SendOutcome>();
    const subscribers = addresses(60);
    const reached = Promise.withResolvers<void>();
    const relay = ({ to }: Pick<Mail, "to">) => {
      if (to !== subscribers[3]) return SENT;
      reached.resolve();
      return answer.promise;
    };
    await using mailing = await startMailing({ subscribers, relay });
    const published = mailing.publish("a");
    await reached.promise;
    await mailing.clock.tick(0);
    await mailing.clock.tick(15_000);
    await published;
    assertEquals(mailing.recipients.length, 59);
    assertEquals(await mailing.counts(), "running 59 0 1");
    answer.resolve(SENT);
    await mailing.clock.tick(0);
    assertEquals(await mailing.counts(), "running 60 0 0");
    await mailing.clock.advance(15 * MINUTE_MS);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 60 0 0"]);
  });

  it("repeats nobody whom it took a mail for", async () => {
    // Again and again, the relay takes some of the mails in flight and refuses others.
    const subscribers = addresses(120);
    let count = 0;
    const relay = () => ++count % 3 === 0 ? "down" : SENT;
    await using mailing = await startMailing({ subscribers, relay });
    await mailing.publish("a");
    for (let i = 0; (await mailing.delivery("a")).state !== "done"; i++) {
      assert(i < 500, await mailing.counts());
      await mailing.clock.advance(mailing.clock.waits[0]);
    }
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 120 0 0"]);
  });
});
