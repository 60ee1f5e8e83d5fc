import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { SUBSCRIPTIONS, VOTES } from "../../../model/kinds.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import { insertRecord } from "../../../services/records.ts";
import { storeOf } from "../../../services/store.ts";
import { addresses, DEFERRED, type Mailing, SENT, startMailing } from "../../_support/mailing.ts";
import { sampleSubscription } from "../../_support/samples.ts";

const ANN = "ann@example.com";
const MINUTE_MS = 60_000;
const MANY = addresses(200);

/** Creates a board with ideas. */
async function createIdeas({ service }: Mailing, ...ideas: readonly string[]): Promise<void> {
  await service.call("POST", "boards", { boardId: "ideas", name: "Ideas", visibility: "public" });
  for (const postId of ideas) {
    await service.call("POST", "boards/ideas/posts", { postId, title: `About ${postId}` });
  }
}

async function vote(
  { service }: Mailing,
  postId: string,
  [userEmail, isWanted]: [string, boolean],
) {
  const json = { userEmail, vote: isWanted, notify: isWanted };
  const path = `/api/v1/boards/ideas/posts/${postId}/votes`;
  assertEquals((await service.send("PUT", path, { json })).status, 200);
}

/** Adds a subscriber whose turn comes after those of others. */
async function subscribeLast({ storage }: Mailing, userEmail: string): Promise<void> {
  const subscription = sampleSubscription(userEmail, { subscriberId: "999999" });
  await insertRecord(storeOf(storage), SUBSCRIPTIONS, subscription);
}

async function draft({ service }: Mailing, ...posts: readonly string[]): Promise<void> {
  const entry = { entryId: "a", title: "News", body: "Look.", posts };
  await service.call("POST", "changelogs/entries", entry);
}

async function publish({ service, clock }: Mailing): Promise<void> {
  await service.call("POST", "changelogs/entries/a/publish", { notify: true });
  await clock.tick(0);
}

async function finish({ clock, delivery }: Mailing): Promise<void> {
  for (let i = 0; i < 400 && (await delivery("a")).state === "running"; i++) {
    await clock.tick(2_000);
  }
}

const mailsTo = ({ sent }: Mailing, address: string) => sent.filter(({ to }) => to === address);

async function report({ service }: Mailing, userEmail: string): Promise<void> {
  const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
  const json = { RecordType: "Bounce", Type: "SoftBounce", Email: userEmail };
  await service.send("POST", path, { key: null, json });
}

describe("a person who asked for an idea that an entry ships", () => {
  it("is mailed once when a retry reaches them as a subscriber before their turn", async () => {
    let isDeferred = false;
    const relay = ({ to }: Pick<Mail, "to">) => {
      if (to !== ANN || isDeferred) return SENT;
      isDeferred = true;
      return DEFERRED;
    };
    await using mailing = await startMailing({ relay, subscribers: MANY, mailRatePerSecond: 1 });
    await createIdeas(mailing, "dark");
    await vote(mailing, "dark", [ANN, true]);
    await draft(mailing, "dark");
    await publish(mailing);
    for (let i = 0; i < 10; i++) await mailing.clock.tick(1_000);
    assertEquals([(await mailing.delivery("a")).deferred], [1]);
    await vote(mailing, "dark", [ANN, false]);
    await subscribeLast(mailing, ANN);
    await finish(mailing);
    assertEquals(mailsTo(mailing, ANN).length, 1);
    assertEquals(mailing.recipients, [ANN, ...MANY].toSorted());
  });

  it("is mailed though an earlier mail is reported as late before their turn", async () => {
    await using mailing = await startMailing({ subscribers: MANY, mailRatePerSecond: 1 });
    await createIdeas(mailing, "dark");
    for (const userEmail of MANY) await vote(mailing, "dark", [userEmail, true]);
    await draft(mailing, "dark");
    await publish(mailing);
    for (let i = 0; i < 10; i++) await mailing.clock.tick(1_000);
    const person = MANY.find((to) => !mailing.recipients.includes(to))!;
    await report(mailing, person);
    await finish(mailing);
    assertEquals(mailing.recipients, MANY);
  });

  it("is mailed again by a retry after a report that the mail did not arrive", async () => {
    await using mailing = await startMailing({ subscribers: [ANN] });
    await createIdeas(mailing, "dark");
    await vote(mailing, "dark", [ANN, true]);
    await draft(mailing, "dark");
    await publish(mailing);
    await finish(mailing);
    await report(mailing, ANN);
    await mailing.delivery("a", "retry");
    for (let i = 0; i < 5; i++) await mailing.clock.tick(2_000);
    assertEquals(mailsTo(mailing, ANN).length, 2);
  });

  it("is mailed once when they withdraw and subscribe while the delivery begins", async () => {
    const memory = openMemoryStorage();
    let whileWithdrawing = () => Promise.resolve();
    const storage: Storage = {
      ...memory,
      async list(kind, query) {
        const found = await memory.list(kind, query);
        if (query.index === "unfinished") await whileWithdrawing();
        return found;
      },
    };
    await using mailing = await startMailing({ storage, subscribers: MANY, mailRatePerSecond: 1 });
    await createIdeas(mailing, "dark");
    await vote(mailing, "dark", [ANN, true]);
    await draft(mailing, "dark");
    whileWithdrawing = async () => {
      whileWithdrawing = () => Promise.resolve();
      await publish(mailing);
      for (let i = 0; i < 10; i++) await mailing.clock.tick(1_000);
      assertEquals(mailsTo(mailing, ANN).length, 1);
    };
    await vote(mailing, "dark", [ANN, false]);
    await subscribeLast(mailing, ANN);
    await finish(mailing);
    assertEquals(mailsTo(mailing, ANN).length, 1);
  });

  for (const isEnded of [false, true]) {
    const what = isEnded ? "is not mailed if they end that" : "is mailed";
    it(`${what} where the idea is merged after the publication, before the first mail`, async () => {
      await using mailing = await startMailing();
      const { service, clock, delivery } = mailing;
      await createIdeas(mailing, "dark", "night");
      await vote(mailing, "dark", [ANN, true]);
      await draft(mailing, "dark");
      const at = new Date(clock.now() + MINUTE_MS).toISOString();
      await service.call("POST", "changelogs/entries/a/publish", { notify: true, at });
      await delivery("a", "pause");
      await clock.tick(2 * MINUTE_MS);
      await service.call("POST", "boards/ideas/posts/dark/merge", { into: "night" });
      const json = { userEmail: ANN, vote: true, notify: !isEnded };
      await service.send("PUT", "/api/v1/boards/ideas/posts/dark/votes", { json });
      await delivery("a", "resume");
      for (let i = 0; i < 10; i++) await clock.tick(2_000);
      assertEquals(mailing.recipients, isEnded ? [] : [ANN]);
    });
  }
});

describe("a person who asked to be told of an idea", () => {
  it("is mailed once when they vote again while their mail is in flight", async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => answer = resolve);
    const begun: string[] = [];
    const relay = async ({ to }: Pick<Mail, "to">) => {
      begun.push(to);
      await answered;
      return SENT;
    };
    await using mailing = await startMailing({ relay });
    const { clock, service, storage } = mailing;
    const placeOfLast = async () =>
      (await storage.list(VOTES, { index: "asked", limit: 1, reverse: true }))[0].userEmail;
    await createIdeas(mailing, "dark");
    for (const userEmail of [ANN, ...MANY.slice(0, 60)]) {
      await vote(mailing, "dark", [userEmail, true]);
    }
    while (await placeOfLast() === ANN) {
      await vote(mailing, "dark", [ANN, false]);
      await vote(mailing, "dark", [ANN, true]);
    }
    await service.call("PATCH", "boards/ideas/posts/dark", { status: "planned", notify: true });
    while (!begun.includes(ANN)) await clock.tick(600);
    while (await placeOfLast() !== ANN) {
      await vote(mailing, "dark", [ANN, false]);
      await vote(mailing, "dark", [ANN, true]);
    }
    for (let i = 0; i < 8; i++) await clock.tick(600);
    answer();
    for (let i = 0; i < 20; i++) await clock.tick(2_000);
    assertEquals(mailsTo(mailing, ANN).length, 1);
  });
});
