import { assert, assertEquals, assertMatch } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import { openMemoryStorage, type Storage } from "../../../mod.ts";
import {
  addresses,
  createGate,
  DEFERRED,
  type Mailing,
  REFUSED,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";

const POSTS = Array.from({ length: 20 }, (_, i) => `post${i}`);
const PEOPLE = addresses(300);
const MINUTE_MS = 60_000;

/** Returns the posts about which a person asked to be told. */
function asksOf(index: number): readonly string[] {
  if (index % 3 !== 0) return [];
  return [POSTS[index % 20], POSTS[(index * 7) % 20], POSTS[19]];
}

const isSubscribed = (index: number) => index % 2 === 0;

/**
 * Creates a board with posts, people who ask to be told about them, and an entry that ships all
 * posts.
 */
async function createAsks({ service }: Mailing, posts = POSTS): Promise<void> {
  const { call, send } = service;
  await call("POST", "boards", { boardId: "ideas", name: "Ideas" });
  for (const postId of posts) {
    await call("POST", "boards/ideas/posts", { postId, title: `About ${postId}` });
  }
  for (const [index, userEmail] of PEOPLE.entries()) {
    // These people vote without asking, and so are not told.
    const asks = index % 3 === 1 ? [POSTS[0]] : asksOf(index);
    for (const postId of asks) {
      if (!posts.includes(postId)) continue;
      const json = { userEmail, vote: true, notify: index % 3 === 0 };
      await send("PUT", `/api/v1/boards/ideas/posts/${postId}/votes`, { json });
    }
  }
}

const subscribers = PEOPLE.filter((_, index) => isSubscribed(index));
const asking = PEOPLE.filter((_, index) => asksOf(index).length > 0);
const due = [...new Set([...subscribers, ...asking])].toSorted();

/** Publishes the entry that ships the posts. */
async function ship({ service, clock }: Mailing, posts = POSTS): Promise<void> {
  const entry = { entryId: "a", title: "Dark mode", body: "Press **D**.", posts };
  await service.call("POST", "changelogs/entries", entry);
  await service.call("POST", "changelogs/entries/a/publish", { notify: true });
  await clock.tick(0);
}

async function finish({ clock, delivery }: Mailing): Promise<void> {
  for (let i = 0; i < 400 && (await delivery("a")).state === "running"; i++) {
    await clock.tick(2_000);
  }
}

describe("an entry that ships posts", () => {
  it("is mailed to people who asked, then to subscribers, and to everybody once", async () => {
    await using mailing = await startMailing({ subscribers });
    await createAsks(mailing);
    await ship(mailing);
    await finish(mailing);
    assertEquals(mailing.recipients, due);
    assertEquals(await mailing.counts(), `done ${due.length} 0 0`);
    const first = mailing.sent.slice(0, asking.length).map(({ to }) => to);
    assertEquals(first.toSorted(), asking);
  });

  it("mails a person once who is retried as a subscriber while others are still told", async () => {
    const [person, other] = addresses(2);
    const posts = ["first", "second", "third"];
    const gate = createGate(1, (to) => to === other);
    let isDeferred = false;
    await using mailing = await startMailing({
      relay: (mail) => {
        if (mail.to === other) return gate.relay(mail);
        if (isDeferred) return SENT;
        isDeferred = true;
        return DEFERRED;
      },
    });
    // A worker does not close while a mail is held.
    using _ = { [Symbol.dispose]: gate.release };
    const { service, clock } = mailing;
    await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    for (const postId of posts) {
      await service.call("POST", "boards/ideas/posts", { postId, title: `About ${postId}` });
    }
    const vote = (userEmail: string, postId: string, isWanted: boolean) => {
      const json = { userEmail, vote: isWanted, notify: isWanted };
      return service.send("PUT", `/api/v1/boards/ideas/posts/${postId}/votes`, { json });
    };
    await vote(person, "first", true);
    await vote(other, "second", true);
    await ship(mailing, posts);
    for (let i = 0; i < 3; i++) await clock.tick(1_000);
    assertEquals([await mailing.counts(), mailing.sent.length], ["running 0 0 1", 0]);
    await vote(person, "first", false);
    await mailing.subscribe(person);
    await clock.tick(MINUTE_MS);
    gate.release();
    await finish(mailing);
    assertEquals(mailing.sent.map(({ to }) => to).toSorted(), [person, other]);
  });

  it("shows how many asked to keys that may read subscribers, and then how many were told", async () => {
    await using mailing = await startMailing({ subscribers });
    const { service } = mailing;
    await createAsks(mailing);
    await service.call("POST", "changelogs/entries", { entryId: "b", title: "B", body: "" });
    const entry = { entryId: "a", title: "Dark mode", body: "", posts: POSTS };
    const created = await service.call("POST", "changelogs/entries", entry);
    const read = await service.call("GET", "changelogs/entries/a");
    assertEquals([created.asked, read.asked], [asking.length, asking.length]);
    assertEquals("asked" in await service.call("GET", "changelogs/entries/b"), false);
    const key = await service.createKey(["entries:read", "entries:write"]);
    for (const method of ["GET", "PATCH"]) {
      const options = { key, ...method === "PATCH" && { json: { title: "Dark mode" } } };
      const answer = await service.send(method, "/api/v1/changelogs/entries/a", options);
      assertEquals([answer.status, "asked" in await answer.json()], [200, false]);
    }
    // An opt-out ends what was asked.
    const json = { RecordType: "SpamComplaint", Email: asking[0] };
    const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
    await service.send("POST", path, { key: null, json });
    const left = (await service.call("GET", "changelogs/entries/a")).asked;
    assertEquals(left, asking.length - 1);
    await service.call("POST", "changelogs/entries/a/publish", { notify: true });
    await mailing.clock.tick(0);
    await finish(mailing);
    const { asked, told, recipients, posts } = await mailing.delivery("a");
    assertEquals([asked, told], [asking.length - 1, asking.length - 1]);
    assertEquals(recipients, due.filter((to) => to !== asking[0]).length);
    const askedFor = (postId: string) =>
      PEOPLE.filter((to, index) => to !== asking[0] && asksOf(index).includes(postId)).length;
    assertEquals(
      posts,
      POSTS.map((postId) => {
        const many = askedFor(postId);
        return { postId, asked: many, told: many } as typeof posts[number];
      }),
    );
  });

  it("counts who asked and is subscribed once, with other labels or a plus tag, too", async () => {
    const isTagged = (to: string) => asking.indexOf(to) % 9 === 4;
    await using mailing = await startMailing({ subscribers });
    const { service } = mailing;
    await createAsks(mailing);
    for (const userEmail of asking.filter(isTagged)) {
      const json = { userEmail: userEmail.replace("@", "+news@"), vote: true, notify: true };
      await service.send("PUT", "/api/v1/boards/ideas/posts/post3/votes", { json });
    }
    const unlike = subscribers.filter((_, index) => index % 4 === 0);
    for (const person of unlike) {
      await service.call("PATCH", `changelogs/subscribers/${person}`, { labels: ["fix"] });
    }
    const [weekly] = subscribers.filter((to) => asking.includes(to) && !unlike.includes(to));
    await service.call("PATCH", `changelogs/subscribers/${weekly}`, { pace: "weekly" });
    await ship(mailing);
    const { askedSubscribed } = await service.call("GET", "changelogs/entries/a");
    const each = subscribers.filter((to) => to !== weekly && !unlike.includes(to));
    assertEquals(askedSubscribed, each.filter((to) => asking.includes(to)).length);
    await finish(mailing);
    const { recipients, sent, skipped, told } = await mailing.delivery("a");
    assertEquals([recipients, told, sent + skipped], [due.length, asking.length, due.length]);
    assertEquals(skipped, unlike.filter((to) => !asking.includes(to)).length);
  });

  it("tells a person once of all that they asked for at any address of their mailbox", async () => {
    await using mailing = await startMailing();
    const { service } = mailing;
    await createAsks(mailing, []);
    for (const [postId, userEmail] of [["one", "ann@example.com"], ["two", "ann+a@example.com"]]) {
      await service.call("POST", "boards/ideas/posts", { postId, title: `About ${postId}` });
      const json = { userEmail, vote: true, notify: true };
      await service.send("PUT", `/api/v1/boards/ideas/posts/${postId}/votes`, { json });
    }
    await ship(mailing, ["one", "two"]);
    await finish(mailing);
    const { told, posts } = await mailing.delivery("a");
    assertEquals(mailing.sent.length, 1);
    assertMatch(mailing.sent[0].text, /About one[^]*About two/);
    assertEquals([told, posts.map((post) => post.told)], [1, [1, 1]]);
  });

  it("reaches a subscriber who asked at an address that is dead", async () => {
    const relay = ({ to }: Pick<Mail, "to">) => to === "ann+old@example.com" ? REFUSED : SENT;
    await using mailing = await startMailing({ relay, subscribers: ["ann@example.com"] });
    const { service } = mailing;
    await createAsks(mailing, ["one"]);
    const json = { userEmail: "ann+old@example.com", vote: true, notify: true };
    await service.send("PUT", `/api/v1/boards/ideas/posts/one/votes`, { json });
    await ship(mailing, ["one"]);
    await finish(mailing);
    const toAnn = mailing.sent.filter(({ to }) => to.startsWith("ann"));
    const taken = toAnn.filter(({ to }) => to === "ann@example.com");
    assertEquals(taken.length, 1);
    assertMatch(taken[0].text, /You asked for this/);
  });

  it("is tested with the line that those who asked will read, for subscribers and others", async () => {
    await using mailing = await startMailing({ subscribers });
    const { service, sent } = mailing;
    await createAsks(mailing, ["post0", "post1"]);
    const entry = { entryId: "a", title: "Dark", body: "Press.", posts: ["post0", "post1"] };
    await service.call("POST", "changelogs/entries", entry);
    for (const userEmail of [subscribers[0], "me@example.com"]) {
      await service.call("POST", "changelogs/entries/a/test", { userEmail });
    }
    for (const { subject, text, html } of sent) {
      assertEquals(subject, "[Test] Dark");
      for (const postId of ["post0", "post1"]) {
        assertMatch(text, new RegExp(`You asked for this on 21 November: About ${postId}`));
        assertMatch(`${html}`, new RegExp(`About ${postId}`));
      }
    }
    assertEquals(sent.map(({ text }) => /because you are subscribed/.test(text)), [true, false]);
    assertEquals(sent.map(({ to }) => to), [subscribers[0], "me@example.com"]);
  });

  it("tells everybody who asked, and nobody else, what they asked for and when, above the news", async () => {
    await using mailing = await startMailing({ subscribers });
    await createAsks(mailing);
    await ship(mailing);
    await finish(mailing);
    for (const [index, to] of PEOPLE.entries()) {
      const mail = mailing.sent.find((one) => one.to === to);
      const lines = [...mail?.text.matchAll(/You asked for this on .*: About (post\d+)/g) ?? []];
      const told = lines.map(([, postId]) => postId).toSorted();
      assertEquals(told, [...new Set(asksOf(index))].toSorted(), to);
      if (told.length > 0) assertMatch(`${mail?.html}`, /You asked for this on [^<]*About post/);
      assert(!`${mail?.text}${mail?.html}`.includes("asked-for.invalid"));
      const saysSubscribed = /because you are subscribed/.test(`${mail?.text}`);
      assertEquals(saysSubscribed, subscribers.includes(to), to);
    }
  });

  it("is mailed to nobody who withdrew or ended it meanwhile, but as a subscriber", async () => {
    const late = asking.slice(-20);
    let isEnded = false;
    const relay = async ({ to }: Pick<Mail, "to">) => {
      if (isEnded || late.includes(to)) return SENT;
      isEnded = true;
      for (const userEmail of late) {
        for (const postId of POSTS) {
          const json = { userEmail, vote: false };
          await mailing.service.send("PUT", `/api/v1/boards/ideas/posts/${postId}/votes`, { json });
        }
      }
      return SENT;
    };
    const mailing: Mailing = await startMailing({ subscribers, relay });
    await using _ = mailing;
    await createAsks(mailing);
    await ship(mailing);
    await finish(mailing);
    const asSubscribers = (to: string) => !late.includes(to) || subscribers.includes(to);
    const early = mailing.sent.filter(({ to, text }) =>
      late.includes(to) && /asked for/.test(text)
    );
    // Only mails that were in flight with the first one may be early.
    assert(early.length <= 10, `${early.length}`);
    const told = early.map(({ to }) => to);
    assertEquals(mailing.recipients, due.filter((to) => asSubscribers(to) || told.includes(to)));
  });

  it("reaches people who asked once, though they are subscribed and the relay defers them", async () => {
    const attempts = new Map<string, number>();
    const relay = ({ to }: Pick<Mail, "to">) => {
      attempts.set(to, (attempts.get(to) ?? 0) + 1);
      return attempts.get(to) === 1 && asking.indexOf(to) % 4 === 0 ? DEFERRED : SENT;
    };
    await using mailing = await startMailing({ subscribers, relay });
    await createAsks(mailing);
    await ship(mailing);
    for (let i = 0; i < 4; i++) await mailing.clock.tick(MINUTE_MS);
    await finish(mailing);
    assertEquals(mailing.recipients, due);
    assertEquals(await mailing.counts(), `done ${due.length} 0 0`);
  });

  it("is not in the week's mail for people who asked: they are told at once, and once", async () => {
    const both = PEOPLE.find((to) => asking.includes(to) && subscribers.includes(to))!;
    const other = subscribers.find((to) => !asking.includes(to))!;
    await using mailing = await startMailing({ subscribers });
    const { clock, service, sent } = mailing;
    for (let days = 0; days < 8; days++) await clock.tick(24 * 60 * MINUTE_MS);
    await createAsks(mailing);
    for (const userEmail of [both, other]) {
      const json = { pace: "weekly" };
      await service.send("PATCH", `/api/v1/changelogs/subscribers/${userEmail}`, { json });
    }
    await ship(mailing);
    await finish(mailing);
    const mailsTo = (address: string) => sent.filter(({ to }) => to === address).length;
    assertEquals([mailsTo(both), mailsTo(other)], [1, 0]);
    for (let days = 0; days < 8; days++) await clock.tick(24 * 60 * MINUTE_MS);
    assertEquals([mailsTo(both), mailsTo(other)], [1, 1]);
  });

  it("is not mailed to people who asked and then complained or bounced, subscribed or not", async () => {
    await using mailing = await startMailing({ subscribers });
    const { service } = mailing;
    await createAsks(mailing);
    const out = asking.slice(0, 6);
    const { path } = await service.call<{ path: string }>("GET", "changelogs/bounces");
    const json = out.map((Email, index) =>
      index % 2 === 0
        ? { RecordType: "SpamComplaint", Email }
        : { RecordType: "Bounce", Type: "HardBounce", Email }
    );
    const answer = await service.send("POST", path, { key: null, json });
    assertEquals((await answer.json()).unsubscribed, 6);
    // A later request holds.
    const again = { userEmail: out[0], vote: true, notify: true };
    await service.send("PUT", "/api/v1/boards/ideas/posts/post1/votes", { json: again });
    await ship(mailing);
    await finish(mailing);
    assertEquals(mailing.recipients, due.filter((to) => !out.slice(1).includes(to)));
  });

  it("misses nobody and repeats no more than the mails in flight when it is killed in any round", async () => {
    for (let kill = 0; kill < 8; kill++) {
      const memory = openMemoryStorage();
      let isDead = false;
      const never = new Promise<never>(() => {});
      const storage: Storage = {
        ...memory,
        get: (kind, key) => isDead ? never : memory.get(kind, key),
        list: (kind, query) => isDead ? never : memory.list(kind, query),
        transact: (refs, decide) => isDead ? never : memory.transact(refs, decide),
      };
      const taken: string[] = [];
      const relay = ({ to }: Pick<Mail, "to">) => {
        if (!isDead) taken.push(to);
        isDead ||= taken.length === 5 + 25 * kill;
        return isDead ? never : SENT;
      };
      const first = await startMailing({ storage, subscribers, relay });
      await createAsks(first);
      await ship(first).catch(() => {});
      for (let i = 0; i < 60 && !isDead; i++) await first.clock.tick(1_000);
      assert(isDead);
      await using second = await startMailing({ storage: memory, nowMs: first.clock.now() });
      for (let i = 0; i < 30; i++) await second.clock.tick(MINUTE_MS);
      const { state, asked, told } = await second.delivery("a");
      // A mail that is sent again after a kill counts once.
      assertEquals([state, asked, told], ["done", asking.length, asking.length]);
      const all = [...taken, ...second.recipients];
      assertEquals([...new Set(all)].toSorted(), due);
      assert(all.length - due.length <= 100, `${all.length - due.length} twice`);
    }
  });
});
