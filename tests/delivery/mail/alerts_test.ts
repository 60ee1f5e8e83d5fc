import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../mod.ts";
import { WEBHOOKS } from "../../../model/kinds.ts";
import type { Webhook } from "../../../model/webhooks/webhook.ts";
import {
  addresses,
  DISABLED,
  type Mailing,
  publishEntry,
  REFUSED,
  type Reply,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";

const OPERATOR = "ops@acme.example";
const MINUTE_MS = 60_000;
const PEOPLE = addresses(200);

/** Starts a mailing with mails to the operator about incidents. `relay` takes all other mails. */
async function startTold(relay: (to: string) => Reply, isTaken: () => boolean = () => true) {
  const told: string[] = [];
  const storage = openMemoryStorage();
  const mailing = await startMailing({
    storage,
    subscribers: PEOPLE,
    alertsTo: OPERATOR,
    mailer: {
      send({ to, text, subject }) {
        if (to !== OPERATOR) {
          const reply = relay(to);
          const error = Object.assign(new Error("It is down"), { name: "MailerError" });
          return reply === "down" ? Promise.reject(error) : Promise.resolve(reply);
        }
        if (!isTaken()) return Promise.resolve(DISABLED);
        told.push(`${subject}\n${text}`);
        return Promise.resolve(SENT);
      },
      close: () => Promise.resolve(),
    },
  });
  return { mailing, storage, told };
}

async function wait({ clock }: Mailing, minutes: number): Promise<void> {
  for (let i = 0; i < 2 * minutes; i++) await clock.tick(MINUTE_MS / 2);
}

describe("the operator", () => {
  it("is told once that a mailing is held, and of the next incident after an hour", async () => {
    let mails = 0;
    const { mailing, told } = await startTold(() => ++mails % 9 === 0 ? REFUSED : SENT);
    await using _ = mailing;
    await mailing.publish("a");
    await wait(mailing, 2);
    assertEquals(told.length, 1);
    assertMatch(told[0], /The mailing of a is held: \d+ of the last/);
    await mailing.publish("b");
    await wait(mailing, 50);
    assertEquals(told.length, 1);
    await wait(mailing, 20);
    assertEquals(told.length, 2);
    assertMatch(told[1], /The mailing of b is held/);
    assert(!told[1].includes("of a is held"), told[1]);
  });

  it("is told that people were not reached, again after a retry that reaches fewer than all", async () => {
    const { mailing, told } = await startTold((to) => to === PEOPLE[3] ? DISABLED : SENT);
    await using _ = mailing;
    await mailing.publish("a");
    await wait(mailing, 2);
    assertMatch(told.join(), /The mailing of a is done; people whom it did not reach: 1/);
    assert(!told.join().includes(PEOPLE[3]), told.join());
    await mailing.delivery("a", "retry");
    await wait(mailing, 65);
    assertEquals(told.length, 2);
  });

  it("is told by its id of an idea whose answer did not reach everybody", async () => {
    const { mailing, told } = await startTold(() => REFUSED);
    await using _ = mailing;
    const { call } = mailing.service;
    await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    await call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
    const vote = { userEmail: PEOPLE[0], vote: true, notify: true };
    await call("PUT", "boards/ideas/posts/dark/votes", vote);
    await call("PATCH", "boards/ideas/posts/dark", { status: "planned", notify: true });
    await wait(mailing, 2);
    assertEquals(told.length, 1);
    assertMatch(told[0], /The mailing of dark is done; people whom it did not reach: 1/);
  });

  it("is told that a mailing has not advanced for 15 minutes, not before", async () => {
    const { mailing, told } = await startTold(() => "down");
    await using _ = mailing;
    await mailing.publish("a");
    await wait(mailing, 13);
    assertEquals(told.length, 0);
    await wait(mailing, 5);
    assertEquals(told.length, 1);
    assertMatch(told[0], /The mailing of a has not advanced for 15 minutes: It is down/);
  });

  it("is told of a webhook that was disabled", async () => {
    const { mailing, storage, told } = await startTold(() => SENT);
    await using _ = mailing;
    await mailing.service.call("POST", "webhooks", { url: "https://hooks.example/x" });
    const [webhook] = await storage.list(WEBHOOKS, { limit: 1 });
    const refs = { webhook: { kind: WEBHOOKS, key: webhook.webhookId } };
    const disabledAt = new Date(mailing.clock.now()).toISOString();
    await storage.transact(refs, ({ webhook: current }) => ({
      answer: true,
      put: {
        webhook: {
          ...current as Webhook,
          ...{ enabled: false, disabledAt, problem: "It answered 410" },
        },
      },
    }));
    await wait(mailing, 2);
    assertMatch(told.join(), /to hooks\.example was disabled: It answered 410/);
  });

  it("is told once the relay takes the mail, and not of what was there before", async () => {
    const { mailing, told } = await startTold(() => "down", () => mailingIsUp);
    let mailingIsUp = false;
    await using _ = mailing;
    await mailing.publish("a");
    await wait(mailing, 20);
    mailingIsUp = true;
    await wait(mailing, 2);
    assertEquals(told.length, 1);
  });

  it("is tried with growing pauses while the relay refuses the mail, which the log tells once", async () => {
    let attempts = 0;
    const { mailing } = await startTold(() => "down", () => {
      attempts++;
      return false;
    });
    await using _ = mailing;
    await mailing.publish("a");
    await wait(mailing, 13);
    assertEquals(attempts, 0);
    await wait(mailing, 240);
    assert(attempts >= 5 && attempts <= 9, `${attempts} in four hours`);
    const errors = mailing.events.filter(({ error }) => `${error}`.includes("Cannot mail the"));
    assertEquals(errors.length, 1);
    const stats = await mailing.service.call<{ attention: { code: string; detail: string }[] }>(
      "GET",
      "stats",
    );
    const [told] = stats.attention.filter(({ code }) => code === "alerts_failing");
    assertMatch(told.detail, /5\.2\.1 550 5\.2\.1 off/);
  });

  it("is not told of a mailing that only waits for its rate", async () => {
    const told: string[] = [];
    await using mailing = await startMailing({
      subscribers: PEOPLE,
      alertsTo: OPERATOR,
      mailRatePerSecond: 1 / 86_400,
      relay({ to }) {
        if (to === OPERATOR) told.push(to);
        return SENT;
      },
    });
    await publishEntry(mailing.service, "a");
    await wait(mailing, 32);
    assertEquals(told, []);
    assertMatch(`${(await mailing.delivery("a")).problem}`, /^The rate of mails allows the next /);
  });
});
