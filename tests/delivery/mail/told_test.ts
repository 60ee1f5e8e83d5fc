import { postDeliveryPath } from "../../_support/deliveries.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import type { ShownDelivery } from "../../../model/deliveries/delivery.ts";
import { createPost } from "../../../services/posts/create.ts";
import {
  addresses,
  createGate,
  DEFERRED,
  type Mailing,
  PUBLIC_URL,
  REFUSED,
  SENT,
  startMailing,
} from "../../_support/mailing.ts";
import { createService } from "../../_support/service.ts";

const POST = "boards/ideas/posts/dark";
/** Held ideas with their authors, and whether these asked to be told. */
const HELD = [
  ["held1", "new1@example.com", true],
  ["held2", "new2@example.com", false],
  ["held3", "new3@example.com", true],
] as const;
const MINUTE_MS = 60_000;
const PEOPLE = addresses(40);
const asking = PEOPLE.filter((_, index) => index % 2 === 0);

interface Steps extends Mailing {
  /** Casts a vote for a person, and asks to be told. */
  ask(userEmail: string, notify?: boolean): Promise<void>;
  /** Changes the post, and sends mails until none is due. */
  change(json: object): Promise<void>;
  read(action?: string): Promise<ShownDelivery>;
}

/** Starts a mailing with a post. Half of its voters ask to be told. */
async function startTelling(options: Parameters<typeof startMailing>[0] = {}): Promise<Steps> {
  const mailing = await startMailing(options);
  const { service, clock } = mailing;
  const ask = async (userEmail: string, notify = true) => {
    const json = { userEmail, vote: true, notify };
    const { status } = await service.send("PUT", `/api/v1/${POST}/votes`, { json });
    assertEquals(status, 200);
  };
  const board = { boardId: "ideas", name: "Ideas", visibility: "public" };
  await service.call("POST", "boards", board);
  await service.call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
  for (const [index, userEmail] of PEOPLE.entries()) await ask(userEmail, index % 2 === 0);
  const steps = {
    ask,
    async change(json: object) {
      await service.call("PATCH", POST, json as Record<string, unknown>);
      for (let i = 0; i < 20; i++) await clock.tick(2_000);
    },
    async read(action = "") {
      const path = await postDeliveryPath(service, POST);
      return await service.call<ShownDelivery>(
        action === "" ? "GET" : "POST",
        `${path}${action === "" ? "" : `/${action}`}`,
      );
    },
  };
  return Object.assign(mailing, steps);
}

describe("a post whose status or answer is told", () => {
  it("is mailed once to people who asked, with the answer, the reason, and its page", async () => {
    await using mailing = await startTelling({ subscribers: PEOPLE.slice(0, 6) });
    const { sent, change } = mailing;
    await change({ status: "planned", answer: "For **spring**.", notify: true });
    assertEquals(mailing.recipients, asking);
    const [{ text, html = "", subject, headers }] = sent;
    assertEquals(subject, "Planned: Dark mode");
    assertMatch(text, /You asked for this on 21 November: Dark mode/);
    assertStringIncludes(text, "For spring.");
    assertStringIncludes(html, "<strong>spring</strong>");
    assertStringIncludes(text, `${PUBLIC_URL}/boards/ideas/dark`);
    assertMatch(`${headers?.["List-Unsubscribe"]}`, /\/unsubscribe\//);
    assert(!/because you are subscribed|asked-for\.invalid/.test(text + html));
    const { state, recipients, entryId, week, postId } = await mailing.read();
    assertEquals([state, recipients, sent.length], ["done", asking.length, asking.length]);
    const summary = await mailing.service.call("GET", `${POST}/votes/summary?asked=true`);
    assertEquals([summary.asked, summary.untold], [asking.length, 0]);
    assertEquals([entryId, week, postId], [null, null, "dark"]);
  });

  it("is not mailed to people whom the entry that ships it reaches, once that is public", async () => {
    let isDown = true;
    await using mailing = await startTelling({ relay: () => isDown ? "down" : SENT });
    const { service, change, sent } = mailing;
    await change({ status: "planned", notify: true });
    await service.call("POST", "changelogs/entries", {
      entryId: "night",
      title: "Night",
      body: "It is here.",
      posts: ["dark"],
    });
    await service.call("POST", "changelogs/entries/night/publish", { notify: true });
    isDown = false;
    for (let i = 0; i < 400; i++) await mailing.clock.tick(2_000);
    assertEquals(mailing.recipients, asking);
    assertEquals(new Set(sent.map(({ subject }) => subject)), new Set(["Night"]));
    assertEquals((await mailing.read()).state, "cancelled");
  });

  it("is mailed to nobody without notify, and again only to people who asked since", async () => {
    await using mailing = await startTelling();
    const { sent, change, ask } = mailing;
    await change({ status: "planned" });
    assertEquals(sent.length, 0);
    await change({ notify: true });
    await change({ notify: true });
    assertEquals(mailing.recipients, asking);
    await ask(PEOPLE[1]);
    await change({ notify: true });
    assertEquals(mailing.recipients, [...asking, PEOPLE[1]].sort());
    const { asked, told, recipients } = await mailing.read();
    assertEquals([asked, told, recipients], Array(3).fill(asking.length + 1));
    // A new status is news for all of them; the first one no longer is.
    await change({ status: "started", notify: true });
    assertEquals(sent.length, 2 * asking.length + 2);
    await change({ status: "planned", notify: true });
    assertEquals(sent.length, 2 * asking.length + 2);
  });

  it("reaches people who ask while it is under way", async () => {
    const gate = createGate(1, (to) => to === asking[0]);
    await using mailing = await startTelling({ relay: gate.relay });
    const { service, clock, ask } = mailing;
    await service.call("PATCH", POST, { status: "planned", notify: true });
    for (let i = 0; i < 5; i++) await clock.tick(100);
    await gate.reached;
    for (const userEmail of PEOPLE) await ask(userEmail);
    await service.call("PATCH", POST, { notify: true });
    gate.release();
    for (let i = 0; i < 20; i++) await clock.tick(2_000);
    assertEquals(mailing.recipients, PEOPLE);
    assertEquals((await mailing.read()).state, "done");
  });

  it("takes over the people whom an unfinished one has not reached", async () => {
    const slow = asking[3];
    let isDown = true;
    const relay = ({ to }: Pick<Mail, "to">) => to === slow && isDown ? DEFERRED : SENT;
    await using mailing = await startTelling({ relay });
    const { service, change } = mailing;
    await change({ status: "planned", notify: true });
    assertEquals((await mailing.read()).deferred, 1);
    isDown = false;
    await change({ status: "started", notify: true });
    for (let i = 0; i < 60; i++) await mailing.clock.tick(MINUTE_MS);
    const { data } = await service.call<{ data: ShownDelivery[] }>("GET", "deliveries");
    assertEquals(data.map(({ postId, state }) => `${postId} ${state}`).sort(), [
      "dark cancelled",
      "dark done",
    ]);
    const toSlow = mailing.sent.filter(({ to }) => to === slow);
    assertEquals(toSlow.map(({ subject }) => subject), ["In progress: Dark mode"]);
  });

  it("is ended by another status, and not told by the one that takes its place in silence", async () => {
    await using mailing = await startTelling({ mailRatePerSecond: 1 });
    const { service, clock, read, sent } = mailing;
    const change = async (json: object) => {
      await mailing.change(json);
      for (let i = 0; i < 20; i++) await clock.tick(2_000);
    };
    await service.call("PATCH", POST, { status: "planned", notify: true });
    for (let i = 0; i < 5; i++) await clock.tick(1_000);
    await read("pause");
    await change({ status: "declined", answer: "No.", notify: false });
    assertEquals((await read("resume")).state, "cancelled");
    const before = sent.length;
    assert(before > 0 && before < asking.length, `${before}`);
    for (let i = 0; i < 20; i++) await clock.tick(2_000);
    assertEquals(new Set(sent.map(({ subject }) => subject)), new Set(["Planned: Dark mode"]));
    assertEquals(sent.length, before);
    await change({ notify: true });
    const declined = sent.filter(({ subject }) => subject === "Declined: Dark mode");
    assertEquals(declined.map(({ to }) => to).toSorted(), asking);
    await change({ status: "planned", answer: null, notify: true });
    const planned = sent.filter(({ subject }) => subject === "Planned: Dark mode");
    assertEquals(planned.map(({ to }) => to).toSorted(), asking);
  });

  it("goes on with the words that were told where the answer changes in silence", async () => {
    let isDown = true;
    await using mailing = await startTelling({ relay: () => isDown ? "down" : SENT });
    const { change, sent, clock } = mailing;
    await change({ status: "planned", answer: "In spring.", notify: true });
    await change({ answer: "In autumn." });
    isDown = false;
    for (let i = 0; i < 400; i++) await clock.tick(2_000);
    assertEquals(mailing.recipients, asking);
    assert(sent.every(({ text }) => text.includes("In spring.")), sent[0].text);
  });

  it("reaches who was put off before it was cancelled, and told again", async () => {
    const slow = asking[3];
    let isSlow = true;
    const relay = ({ to }: Pick<Mail, "to">) => to === slow && isSlow ? DEFERRED : SENT;
    await using mailing = await startTelling({ relay });
    const { change, read } = mailing;
    await change({ status: "planned", notify: true });
    const { told, deferred } = await read("cancel");
    assertEquals([told, deferred], [asking.length - 1, 0]);
    isSlow = false;
    await change({ notify: true });
    assertEquals(mailing.recipients, asking);
    const done = await read();
    assertEquals([done.state, done.told, done.deferred], ["done", asking.length, 0]);
  });

  it("reaches who asked since at once, while another recipient is put off", async () => {
    const slow = asking[3];
    const relay = ({ to }: Pick<Mail, "to">) => to === slow ? DEFERRED : SENT;
    await using mailing = await startTelling({ relay });
    const { change, ask, read } = mailing;
    await change({ status: "planned", notify: true });
    for (let i = 0; i < 40; i++) await mailing.clock.tick(MINUTE_MS);
    await ask(PEOPLE[1]);
    await change({ notify: true });
    const reached = [...asking.filter((to) => to !== slow), PEOPLE[1]].toSorted();
    assertEquals(mailing.sent.map(({ to }) => to).toSorted(), reached);
    assertEquals((await read()).deferred, 1);
  });

  it("is paused, resumed, cancelled and retried, and lists the people whom it did not reach", async () => {
    const out = asking[2];
    let isUnknown = true;
    const relay = ({ to }: Pick<Mail, "to">) => to === out && isUnknown ? REFUSED : SENT;
    await using mailing = await startTelling({ relay });
    const { service, change, read, clock } = mailing;
    const before = await postDeliveryPath(service, POST);
    assertEquals((await service.send("GET", before)).status, 404);
    await change({ status: "planned", notify: true });
    type Failures = { data: { userEmail: string }[] };
    const { data } = await service.call<Failures>(
      "GET",
      `${await postDeliveryPath(service, POST)}/failures`,
    );
    assertEquals(data.map(({ userEmail }) => userEmail), [out]);
    isUnknown = false;
    assertEquals((await read("retry")).state, "running");
    for (let i = 0; i < 10; i++) await clock.tick(2_000);
    assertEquals(mailing.recipients, asking);
    await service.call("PATCH", POST, { status: "started", notify: true });
    assertEquals((await read("pause")).state, "paused");
    assertEquals((await read("resume")).state, "running");
    assertEquals((await read("cancel")).state, "cancelled");
  });

  it("ends what somebody asked by the link of its mail, and leaves their subscription", async () => {
    await using mailing = await startTelling({ subscribers: asking.slice(0, 2) });
    const { service, change, sent } = mailing;
    await change({ status: "planned", notify: true });
    const { headers } = sent.find(({ to }) => to === asking[0])!;
    const url = /<(https:[^>]*)>/.exec(`${headers?.["List-Unsubscribe"]}`)![1];
    const path = new URL(url).pathname.replace("/feedback", "");
    assertEquals((await service.send("GET", path, { key: null })).status, 200);
    assertEquals((await service.send("POST", path, { key: null })).status, 200);
    assertEquals((await mailing.subscriber("GET", asking[0])).subscribed, true);
    await change({ status: "started", notify: true });
    assertEquals(sent.filter(({ to }) => to === asking[0]).length, 1);
  });

  it("links the entry that ships it, and is not mailed to people whom the entry has told", async () => {
    await using mailing = await startTelling();
    const { service, clock, change, sent, ask } = mailing;
    const entry = { entryId: "a", title: "Night", body: "It is here.", posts: ["dark"] };
    await service.call("POST", "changelogs/entries", entry);
    await ask(PEOPLE[1]);
    await service.call("POST", "changelogs/entries/a/publish", { notify: true });
    for (let i = 0; i < 20; i++) await clock.tick(2_000);
    assertEquals(sent.length, asking.length + 1);
    await service.call("PATCH", POST, { title: "Dark mode" });
    await change({ notify: true });
    assertEquals(sent.length, asking.length + 1);
    await change({ answer: "There you are.", notify: true });
    assertEquals(sent.length, 2 * asking.length + 2);
    assertStringIncludes(sent.at(-1)!.text, `${PUBLIC_URL}/changelog/a`);
  });

  it("tells the author of a held idea that it is declined, if they asked and nobody forbids it", async () => {
    await using mailing = await startTelling();
    const { service, storage, clock, sent } = mailing;
    for (const [postId, userEmail, notify] of HELD) {
      const author = { userEmail, userName: null, notify };
      const idea = { boardId: "ideas", postId, title: `Idea ${postId}`, body: null };
      const at = new Date(clock.now()).toISOString();
      await createPost(storage, { ...idea, source: "form", keyId: null, at, author });
      const held = await service.send("PATCH", `/api/v1/boards/ideas/posts/${postId}`, {
        json: { answer: "No.", notify: true },
      });
      assertEquals(held.status, 422);
      const silent = postId === "held3" && { notify: false };
      const json = { status: "declined", answer: "We can't.", ...silent };
      await service.call("PATCH", `boards/ideas/posts/${postId}`, json);
    }
    for (let i = 0; i < 10; i++) await clock.tick(2_000);
    assertEquals(sent.map(({ to, subject }) => `${to} ${subject}`), [
      "new1@example.com Declined: Idea held1",
    ]);
    assert(!sent[0].text.includes("/boards/ideas/held1"));
    // An idea that was public already is declined in silence.
    await service.call("PATCH", POST, { status: "declined", answer: "No." });
    for (let i = 0; i < 10; i++) await clock.tick(2_000);
    assertEquals(sent.length, 1);
  });

  it("refuses to tell where nothing can mail, and where nothing was said", async () => {
    const service = createService({ isMailed: false });
    await service.call("POST", "boards", { boardId: "ideas", name: "Ideas" });
    await service.call("POST", "boards/ideas/posts", { postId: "dark", title: "Dark mode" });
    const json = { status: "planned", notify: true };
    const refused = await service.send("PATCH", `/api/v1/${POST}`, { json });
    assertEquals([refused.status, (await refused.json()).code], [409, "mail_not_configured"]);
    await using mailing = await startTelling();
    const silent = await mailing.service.send("PATCH", `/api/v1/${POST}`, {
      json: { title: "Dark modes", notify: true },
    });
    assertEquals(silent.status, 422);
    // An entry that is a draft has told nobody anything yet.
    const entry = { entryId: "a", title: "Night", body: "", posts: ["dark"] };
    await mailing.service.call("POST", "changelogs/entries", entry);
    const notify = { json: { notify: true } };
    assertEquals((await mailing.service.send("PATCH", `/api/v1/${POST}`, notify)).status, 422);
    const { title } = await mailing.service.call<{ title: string }>("GET", POST);
    assertEquals(title, "Dark mode");
  });
});
