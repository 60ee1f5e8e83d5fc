import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  type Mail,
  type Mailer,
  MailerError,
  type SendOutcome,
} from "../../../delivery/mail/mailer.ts";
import { openSmtpMailer } from "../../../delivery/mail/smtp.ts";
import { openMemoryStorage, type Storage, StorageError } from "../../../mod.ts";
import { DEFERRALS } from "../../../model/kinds.ts";
import {
  addresses,
  DEFERRED,
  type Mailing,
  publishEntry,
  type Reply,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";
import { forEachRow } from "../../_support/rows.ts";
import { startScriptedRelay, type Step } from "../../_support/scripted_relay.ts";

const ANN = "ann@example.com";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Creates a relay that holds mails until the test answers them. */
function createHolder(isHeld: (to: string) => boolean = () => true) {
  const held = new Map<string, (outcome: SendOutcome) => void>();
  return {
    held,
    relay({ to }: Pick<Mail, "to">): Reply | Promise<Reply> {
      if (!isHeld(to)) return SENT;
      return new Promise((resolve) => void held.set(to, resolve));
    },
    answerAll(outcome: SendOutcome) {
      for (const answer of held.values()) answer(outcome);
      held.clear();
    },
  };
}

/** Moves the clock by `count` steps. */
async function tick({ clock }: Mailing, count: number, stepMs: number): Promise<void> {
  for (let i = 0; i < count; i++) await clock.tick(stepMs);
}

describe("a relay that is silent", () => {
  it("is down, and counts nobody, whichever step it keeps silent at before a recipient", () =>
    forEachRow<Step>(["greeting", "EHLO", "MAIL"], async (silent) => {
      await using relay = await startScriptedRelay((step) => step === silent ? "hang" : undefined);
      const mailer = openSmtpMailer(relay.url, { timeoutMs: 200 });
      await using mailing = await startMailing({ mailer, subscribers: addresses(120) });
      await mailing.publish("a");
      assertMatch(`${(await mailing.delivery("a")).problem}`, /did not answer in time/);
      assertEquals(await mailing.counts(), "running 0 0 0");
      await mailer.close();
    }));

  it("for more than a day has the delivery held, whatever was tried meanwhile, with nobody lost", async () => {
    let isSilent = true;
    const subscribers = addresses(120);
    const relay = async () => {
      if (isSilent) await mailing.clock.sleep(MINUTE_MS, new AbortController().signal);
      return isSilent ? "down" : SENT;
    };
    const mailing: Mailing = await startMailing({ subscribers, relay });
    await using _ = mailing;
    await mailing.publish("a");
    const endMs = mailing.clock.now() + 26 * HOUR_MS;
    while (mailing.clock.now() < endMs) {
      await mailing.clock.advance(mailing.clock.waits[0]);
      const { sent, failed, deferred } = await mailing.delivery("a");
      assertEquals([sent, failed, deferred], [0, 0, 0]);
    }
    const { state, problem } = await mailing.delivery("a");
    assertEquals(state, "held");
    assertMatch(`${problem}`, /24 hours late/);
    isSilent = false;
    await mailing.delivery("a", "resume");
    for (let i = 0; i < 5; i++) await mailing.clock.advance(MINUTE_MS);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 120 0 0"]);
  });
});

describe("a relay that takes mails and answers none", () => {
  it("is told of within a minute, at whatever rate, and counts nobody", () =>
    forEachRow([10, 1 / 60], async (mailRatePerSecond) => {
      const { relay, answerAll } = createHolder();
      const options = { relay, subscribers: addresses(120), mailRatePerSecond };
      await using mailing = await startMailing(options);
      await publishEntry(mailing.service, "a");
      await tick(mailing, 50, 1_000);
      assertEquals((await mailing.delivery("a")).problem, null);
      await tick(mailing, 10, 1_000);
      const { problem, sent, failed, deferred } = await mailing.delivery("a");
      assertEquals(problem, "The mail relay has answered no mail for a minute");
      assertEquals([sent, failed, deferred], [0, 0, 0]);
      assertEquals(mailing.events.filter(({ event }) => event === "obstructed").length, 1);
      answerAll(SENT);
    }));
});

describe("a relay that never answers one mail of seven", () => {
  it("holds up nobody else, and is given no more than 100 at a time", async () => {
    const subscribers = addresses(1_050);
    const hangs = (to: string) => subscribers.indexOf(to) % 7 === 3;
    let hanging = 0;
    let most = 0;
    const mailer: Mailer = {
      async send({ to }, _isWanted, { signal } = {}) {
        if (!hangs(to)) return SENT;
        most = Math.max(most, ++hanging);
        await new Promise<void>((resolve) => signal!.addEventListener("abort", () => resolve()));
        hanging--;
        throw new MailerError("The mailer gave it up");
      },
      close: () => Promise.resolve(),
    };
    const options = { subscribers, mailer, mailRatePerSecond: 10 };
    const mailing = await startMailing(options);
    await publishEntry(mailing.service, "a");
    await tick(mailing, 1_250, 100);
    const { sent, failed, deferred } = await mailing.delivery("a");
    assertEquals([sent, failed, deferred], [900, 0, 150]);
    assert(most <= 100, `${most} at a time`);
  });
});

describe("a commit whose answer is lost", () => {
  it("leaves no deferral behind of a mail that is answered meanwhile", async () => {
    const memory = openMemoryStorage();
    let isLost = false;
    const storage: Storage = {
      ...memory,
      async transact(refs, decide) {
        const answer = await memory.transact(refs, decide);
        const isProgress = Object.keys(refs).includes(`deferral ${ANN}`);
        if (!isProgress || isLost) return answer;
        isLost = true;
        answerAll(SENT);
        throw new StorageError("unavailable", "The answer is lost");
      },
    };
    const { held, relay, answerAll } = createHolder((to) => to === ANN);
    const subscribers = [ANN, "ben@example.com"];
    await using mailing = await startMailing({ storage, subscribers, relay });
    await publishEntry(mailing.service, "a");
    await tick(mailing, 30, 1_000);
    assertEquals([isLost, held.size, await mailing.counts()], [true, 0, "done 2 0 0"]);
    assertEquals(await memory.list(DEFERRALS, { limit: 1 }), []);
  });
});

describe("a relay that answers some mails late", () => {
  it("holds up nobody else: all others are mailed at the rate", async () => {
    const subscribers = addresses(240);
    const isSlow = (to: string) => subscribers.indexOf(to) % 24 === 5;
    const relay = async ({ to }: Pick<Mail, "to">) => {
      if (isSlow(to)) await mailing.clock.sleep(14_000, new AbortController().signal);
      return SENT;
    };
    const options = { subscribers, relay, mailRatePerSecond: 10 };
    const mailing: Mailing = await startMailing(options);
    await using _ = mailing;
    await publishEntry(mailing.service, "a");
    const others = () => mailing.recipients.filter((to) => !isSlow(to)).length;
    let seconds = 0;
    for (; others() < 230; seconds++) {
      assert(seconds < 26, `${others()} after ${seconds} s`);
      await tick(mailing, 10, 100);
    }
    await tick(mailing, 150, 100);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 240 0 0"]);
  });

  it("is given at most 100 mails at a time, and each once", async () => {
    const subscribers = addresses(400);
    const { held, relay, answerAll } = createHolder((to) => !to.includes("5"));
    await using mailing = await startMailing({ subscribers, relay });
    await publishEntry(mailing.service, "a");
    const most: number[] = [];
    while (mailing.sent.length + held.size < 400) {
      await tick(mailing, 40, 1_000);
      most.push(held.size);
      answerAll(SENT);
    }
    await tick(mailing, 40, 1_000);
    assertEquals(Math.max(...most), 100);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 400 0 0"]);
  });

  it("and takes ten connections at a time is not given more again, once it has refused them", async () => {
    const subscribers = addresses(200);
    let open = 0;
    let refused = 0;
    const relay = async (): Promise<Reply> => {
      if (open >= 10) {
        refused++;
        return "down";
      }
      open++;
      await mailing.clock.sleep(2_000, new AbortController().signal);
      open--;
      return SENT;
    };
    const mailing: Mailing = await startMailing({ subscribers, relay });
    await using _ = mailing;
    await publishEntry(mailing.service, "a");
    await tick(mailing, 140, 500);
    assertEquals([mailing.recipients, await mailing.counts()], [subscribers, "done 200 0 0"]);
    assert(refused <= 20, `${refused} refused`);
  });

  it("counts a late refusal for now as one attempt", async () => {
    const { held, relay, answerAll } = createHolder((to) => to === ANN);
    await using mailing = await startMailing({ subscribers: [ANN, "ben@example.com"], relay });
    await publishEntry(mailing.service, "a");
    await tick(mailing, 20, 1_000);
    assertEquals([held.size, await mailing.counts()], [1, "running 1 0 1"]);
    answerAll(DEFERRED);
    await tick(mailing, 1, 0);
    const [deferral] = await mailing.storage.list(DEFERRALS, { limit: 1 });
    assertEquals(deferral.attempts, 1);
    await tick(mailing, 65, 1_000);
    answerAll(SENT);
    await tick(mailing, 5, 1_000);
    assertEquals(await mailing.counts(), "done 2 0 0");
  });

  it("gets no second copy for ten minutes, though the first process has ended", async () => {
    const storage = openMemoryStorage();
    const { relay } = createHolder((to) => to === ANN);
    const first = await startMailing({ storage, subscribers: [ANN, "ben@example.com"], relay });
    await publishEntry(first.service, "a");
    await tick(first, 20, 1_000);
    const nowMs = first.clock.now();
    await using second = await startMailing({ storage, nowMs });
    await second.clock.advance(26_000);
    for (let i = 0; i < 10; i++) await second.clock.advance(MINUTE_MS);
    assertEquals(second.recipients, []);
    await second.clock.advance(2 * MINUTE_MS);
    await second.clock.advance(2_000);
    assertEquals([second.recipients, await second.counts()], [[ANN], "done 2 0 0"]);
  });
});

describe("the rate of mails", () => {
  it("is kept from the first mail on, also after a pause: what was not used is no burst", async () => {
    const subscribers = addresses(12);
    await using mailing = await startMailing({ subscribers, mailRatePerSecond: 10 });
    for (const entryId of ["a", "b"]) {
      await publishEntry(mailing.service, entryId);
      await mailing.clock.tick(2_000);
      const before = mailing.sent.length;
      for (let tenth = 1; tenth <= 10; tenth++) {
        await mailing.clock.tick(100);
        assert(mailing.sent.length - before <= tenth + 1, `${mailing.sent.length} at ${tenth}`);
      }
      await tick(mailing, 40, 100);
      assertEquals(await mailing.counts(entryId), "done 12 0 0");
    }
  });

  it("of three an hour sends the first at once, and says when where another may have sent", async () => {
    const storage = openMemoryStorage();
    const options = { storage, mailRatePerSecond: 3 / 3_600 };
    const one = await startMailing({ ...options, subscribers: addresses(2) });
    await publishEntry(one.service, "a");
    await tick(one, 3, 1_000);
    assertEquals(one.sent.length, 1);
    await tick(one, 21, MINUTE_MS);
    assertEquals(await one.counts(), "done 2 0 0");
    await one.worker.close();
    await using other = await startMailing({ ...options, nowMs: one.clock.now() });
    await publishEntry(other.service, "b");
    await tick(other, 3, 1_000);
    for (const sent of [0, 1]) {
      const nextMs = one.clock.now() + 20 * (sent + 1) * MINUTE_MS;
      const at = new Date(nextMs).toISOString().slice(0, 16);
      assertMatch(`${(await other.delivery("b")).problem}`, new RegExp(`the next one at ${at}`));
      assertEquals(other.sent.length, sent);
      await tick(other, 20, MINUTE_MS);
      await tick(other, 2, 1_000);
    }
    assertEquals(await other.counts("b"), "done 2 0 0");
  });
});

describe("a retry", () => {
  it("does not wait for a time that a clock which was ahead for a year has planned", async () => {
    const storage = openMemoryStorage();
    const relay = () => DEFERRED;
    const nowMs = Date.parse("2027-11-21T10:00:00Z");
    const ahead = await startMailing({ storage, subscribers: [ANN], relay, nowMs });
    await ahead.publish("a");
    assertEquals(await ahead.counts(), "running 0 0 1");
    await ahead.worker.close();
    await using right = await startMailing({ storage });
    // A scheduled entry has the latest time, so it is listed first.
    await right.publish("b", { at: "2026-12-01T00:00:00Z" });
    await right.clock.advance(4_000);
    assertEquals([right.recipients, await right.counts()], [[ANN], "done 1 0 0"]);
  });
});

describe("a crash", () => {
  it("repeats at most 100 mails, of all that are in flight, and skips nobody", async () => {
    const subscribers = addresses(600);
    const measured: number[] = [];
    for (let share = 0; share < 12; share++) {
      const memory = openMemoryStorage();
      const taken: string[] = [];
      let isDead = false;
      const never = new Promise<never>(() => {});
      const storage: Storage = {
        ...memory,
        get: (kind, key) => isDead ? never : memory.get(kind, key),
        list: (kind, query) => isDead ? never : memory.list(kind, query),
        transact: (refs, decide) => isDead ? never : memory.transact(refs, decide),
      };
      // Every nth mail takes long, and is accepted nevertheless.
      const relay = ({ to }: Pick<Mail, "to">) => {
        if (isDead) return SENT;
        taken.push(to);
        if (taken.length === 50 + 45 * share) isDead = true;
        return taken.length % (2 + share) === 0 ? never : SENT;
      };
      const first = await startMailing({ storage, subscribers, relay });
      await publishEntry(first.service, "a");
      for (let i = 0; i < 200 && !isDead; i++) await first.clock.tick(1_000);
      assert(isDead);
      await using second = await startMailing({ storage: memory, nowMs: first.clock.now() });
      for (let i = 0; i < 40; i++) await second.clock.advance(MINUTE_MS);
      const all = [...taken, ...second.recipients];
      assertEquals(new Set(all).size, 600);
      measured.push(all.length - 600);
    }
    assert(Math.max(...measured) <= 100, measured.join());
  });
});
