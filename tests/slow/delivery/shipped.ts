// An entry ships twenty ideas: whoever asked for one is told once, and subscribers get it once,
// while people change their minds and servers are killed.

import { deliveryPath } from "../../_support/deliveries.ts";
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createBoard } from "../../../model/board.ts";
import type { ShownDelivery } from "../../../model/deliveries/delivery.ts";
import { BOARDS } from "../../../model/kinds.ts";
import { createPost } from "../../../services/posts/create.ts";
import { castVote } from "../../../services/posts/votes/votes.ts";
import { insertRecord } from "../../../services/records.ts";
import { changeSubscription } from "../../../services/subscriptions/subscriptions.ts";
import { addresses } from "../../_support/mailing.ts";
import { startSmtpServer } from "../../_support/smtp_server.ts";
import { until } from "../../_support/waiting.ts";
import {
  type DeliveryProcess,
  type Place,
  type PlaceKind,
  startProcess,
  withPlace,
} from "./_scene.ts";
import { checkMails, type Life, Person, type TakenMail, type Wish } from "./_wishes.ts";

const IDEAS = Array.from({ length: 20 }, (_, at): Wish => `idea ${at}`);
const ASKED = 2_000;
const SUBSCRIBED = 3_000;
const BOTH = 700;
const KILLS = 40;
/** The storages, and how many servers are there at once. */
const KINDS: readonly (readonly [PlaceKind, number])[] = [["file", 1], ["kv", 2], ["postgres", 2]];
// Some of all people change their minds.
const CHANGING_SHARE = 0.3;
const CHANGES_AT_ONCE = 4;
const MS_TO_PUBLICATION = 6_000;
const AT = "2026-05-03T10:00:00.000Z";
const POSTS_PATH = "boards/ideas/posts";
const TITLE = "Everything is new";
// A server may lose its lease once or twice on a busy machine.
const MAX_TAKEN_OVER = 200;
// Half of the mails are sent after the last kill, slowly on a busy machine.
const MAX_WAIT_MS = 300_000;
// A relay that defers a mail now and then.
const DEFERRED_SHARE = 0.02;

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)];
const idOf = (wish: Wish) => wish.replace(" ", "-");

/** Creates the people, of whom each asks for one to three ideas, is a subscriber, or both. */
function createPeople(): ReadonlyMap<string, Person> {
  const people = addresses(ASKED + SUBSCRIBED - BOTH).map((email, at) => {
    const ideas = IDEAS.filter((_, idea) => [at, at * 7, at * 13].some((n) => n % 20 === idea));
    return new Person(email, [
      ...at < ASKED ? ideas.slice(0, 1 + at % 3) : [],
      ...at >= ASKED - BOTH ? ["changelog" as const] : [],
    ]);
  });
  return new Map(people.map((person) => [person.email, person]));
}

/** Stores the board, its ideas and what people want at first. */
async function fill(place: Place, people: readonly Person[]): Promise<void> {
  const storage = await place.open();
  const board = { boardId: "ideas", name: "Ideas", visibility: "public", moderation: "first" };
  await insertRecord(storage, BOARDS, createBoard(board as Parameters<typeof createBoard>[0], AT));
  for (const idea of IDEAS) {
    await createPost(storage, {
      boardId: "ideas",
      postId: idOf(idea),
      title: `The ${idea}.`,
      body: null,
      source: "api",
      keyId: null,
      at: AT,
    });
  }
  const always = { fromMs: 0, toMs: 0 };
  for (let at = 0; at < people.length; at += 100) {
    await Promise.all(
      people.slice(at, at + 100).map(async (person) => {
        const { email: userEmail } = person;
        for (const idea of person.ideas) {
          const request = { postId: idOf(idea), userEmail, vote: true, notify: true } as const;
          await castVote(storage, { ...request, source: "api", keyId: null, at: AT });
        }
        if (!person.isSure("changelog", always)) return;
        const request = { userEmail, userName: null, subscribe: true } as const;
        await changeSubscription(storage, { ...request, source: "import", at: AT });
      }),
    );
  }
  await storage.close();
}

/** Reads a mail: its recipient, the ideas that it tells of, and the link in it. */
function readMail(message: string): Pick<TakenMail, "ideas"> & Pick<Person, "link"> {
  const text = message.replaceAll("=\r\n", "");
  const ideas = [...text.matchAll(/You asked for this on [^:]*: The (idea \d+)\./g)];
  const [, path = ""] = /https:\/\/updates\.example(\/unsubscribe\/[\w-]+)/.exec(text) ?? [];
  const endsAsksOnly = text.includes("No more e-mails about what I asked for");
  return {
    ideas: [...new Set(ideas.map(([, idea]) => idea as Wish))],
    link: { path, endsAsksOnly },
  };
}

/**
 * Changes one wish of a person, or several, by one request that is sent until it is answered. A
 * provider posts its reports to the path `reports`.
 */
async function changeMind(
  person: Person,
  server: () => DeliveryProcess,
  reports: string,
): Promise<void> {
  const { email: userEmail, link } = person;
  const change = async (
    [wishes, isWanted]: readonly [readonly Wish[], boolean],
    ...request: Parameters<DeliveryProcess["send"]>
  ) => {
    const answered = person.change(wishes, isWanted);
    while (await server().send(...request) === undefined);
    answered();
  };
  const idea = pick(IDEAS);
  const votes = `${POSTS_PATH}/${idOf(idea)}/votes`;
  const all: Wish[] = [...person.ideas, "changelog"];
  const dice = Math.random();
  if (dice < 0.3) {
    // A post that is public as shipped takes no new votes, but what somebody asks for still holds.
    const asked = person.ideas.length > 0 ? pick(person.ideas) : idea;
    const path = `${POSTS_PATH}/${idOf(asked)}/votes`;
    await change([[asked], false], "PUT", path, { userEmail, vote: "false" });
  } else if (dice < 0.45) {
    await change([[idea], false], "PUT", votes, { userEmail, vote: "false" });
  } else if (dice < 0.75) {
    const subscribe = Math.random() < 0.5;
    const path = "changelogs/subscribe";
    await change([["changelog"], subscribe], "PUT", path, { userEmail, subscribe: `${subscribe}` });
  } else if (dice < 0.85) {
    const erasure = { fromMs: performance.now(), toMs: Infinity };
    person.erasures.push(erasure);
    await change([all, false], "DELETE", `changelogs/subscribers/${userEmail}`);
    erasure.toMs = performance.now();
  } else if (dice < 0.9) {
    // A provider repeats a report until it is answered, and its words tell it from others.
    const report = { event: pick(["bounced", "complained"]), error: crypto.randomUUID() };
    await change([all, false], "POST", reports, { ...report, recipient: userEmail, signature: "" });
  } else if (link !== undefined) {
    const ended: Wish[] = [...person.ideas, ...link.endsAsksOnly ? [] : ["changelog" as const]];
    await change([ended, false], "POST", link.path, { "List-Unsubscribe": "One-Click" });
  }
}

/** Has people ask for ideas, and the team change statuses, until the entry is public. */
async function changeBefore(
  server: DeliveryProcess,
  changing: readonly Person[],
  { reports, endMs }: { readonly reports: string; readonly endMs: number },
): Promise<void> {
  while (performance.now() < endMs) {
    const [person, idea] = [pick(changing), pick(IDEAS)];
    const isWanted = Math.random() < 0.8;
    const answered = person.change([idea], isWanted);
    const form = { userEmail: person.email, vote: "true", notify: `${isWanted}` };
    await server.send("PUT", `${POSTS_PATH}/${idOf(idea)}/votes`, form);
    answered();
    const status = pick(["open", "considering", "planned", "started"]);
    await server.send("PATCH", `${POSTS_PATH}/${idOf(pick(IDEAS))}`, { status });
    await changeMind(person, () => server, reports);
  }
}

async function play(place: Place, atOnce: number): Promise<void> {
  const people = createPeople();
  const everybody = [...people.values()];
  await fill(place, everybody);
  const deferred = new Set<string>();
  await using relay = await startSmtpServer({
    onRcptTo({ address }, _session, done) {
      const isDeferred = !deferred.has(address) && Math.random() < DEFERRED_SHARE;
      if (!isDeferred) return done();
      deferred.add(address);
      done(Object.assign(new Error("4.2.0 later"), { responseCode: 450 }));
    },
  });
  const { received } = relay;
  const lives: Life[] = [];
  let running: { readonly number: number; readonly server: DeliveryProcess }[] = [];

  function start(): DeliveryProcess {
    const number = lives.push({ startMs: performance.now(), isKilled: false }) - 1;
    const url = `smtp://127.0.0.1:${relay.port}?tls=off`;
    const server = startProcess(place, { relay: url, from: `news+${number}@acme.example` });
    running = [...running, { number, server }];
    return server;
  }
  /** Kills some servers. Until they are replaced, requests to them are sent again. */
  async function kill(some: typeof running): Promise<void> {
    for (const { number } of some) lives[number].isKilled = true;
    await Promise.all(some.map(({ server }) => server.kill()));
  }
  /** Starts other servers in the place of killed ones. */
  function replace(some: typeof running): void {
    running = running.filter((one) => !some.includes(one));
    while (running.length < atOnce) start();
  }

  const changing = everybody.filter(() => Math.random() < CHANGING_SHARE);
  const first = start();
  await first.send("POST", "changelogs/entries", {
    entryId: "news",
    title: TITLE,
    body: "Look.",
    posts: IDEAS.map(idOf).join(" "),
  });
  const { path: reports } = await first.send("GET", "changelogs/bounces") as { path: string };
  const publicMs = Date.now() + MS_TO_PUBLICATION;
  const at = new Date(publicMs).toISOString();
  await first.send("POST", "changelogs/entries/news/publish", { notify: "true", at });
  // No server is there at the time of the publication.
  const endMs = performance.now() + publicMs - Date.now() - 1_000;
  await changeBefore(first, changing, { reports, endMs });
  await kill(running);
  const told = { fromMs: performance.now(), toMs: Infinity };
  await until(() => Date.now() > publicMs + 500);
  replace(running);

  let isOver = false;
  let changes = 0;
  /** Has people change their minds, each of them once at a time, until all is over. */
  async function change(part: number): Promise<void> {
    const own = changing.filter((_, index) => index % CHANGES_AT_ONCE === part);
    let read = 0;
    for (; !isOver; changes++) {
      for (; read < received.length; read++) {
        const { to, message } = received[read];
        people.get(to)!.link = readMail(message).link;
      }
      await changeMind(pick(own), () => pick(running).server, reports);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const path = deliveryPath("news").slice("/api/v1/".length);
  const read = () => pick(running).server.send("GET", path) as Promise<ShownDelivery | undefined>;
  let resumed = 0;
  /** Has the operator resume the delivery whenever bounces or complaints hold it. */
  async function resume(): Promise<void> {
    // Before the entry is announced, there is no delivery.
    await until(() => received.length > 0, 60_000);
    for (let delivery = await read(); delivery?.state !== "done"; delivery = await read()) {
      if (delivery?.state === "held") {
        await pick(running).server.send("POST", `${path}/resume`);
        resumed++;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  const isDone = resume();
  const changesMade = Array.from({ length: CHANGES_AT_ONCE }, (_, part) => change(part));

  const least = everybody.filter((person) => !changing.includes(person)).length;
  const share = least / (KILLS + 2);
  for (let count = 1; count <= KILLS; count++) {
    const goal = Math.round(received.length + share * (0.3 + Math.random() * 0.5));
    await until(() => received.length >= goal, 60_000);
    if (count % 3 === 0) await pick(running).server.jump(count % 2 === 0 ? "ahead" : "back");
    // Now and then, none is left.
    const killed = count % 5 === 0 ? running : [pick(running)];
    // Only one server at a time can open a storage in files.
    await kill(killed);
    replace(killed);
  }
  const atLastKill = new Set(received.map(({ to }) => to)).size;
  assert(atLastKill < least, "it was done before the last kill");
  await until(async () => (await read())?.sent! + (await read())?.deferred! >= least, MAX_WAIT_MS);
  isOver = true;
  await Promise.all(changesMade);
  // Mails that were deferred are due by then.
  await Promise.all(running.map(({ server }) => server.jump("ahead")));
  await until(async () => {
    const delivery = await read();
    return delivery?.state === "done" && delivery.deferred === 0;
  }, MAX_WAIT_MS);
  await isDone;
  const delivery = await read();
  for (const { server } of running) assertEquals(await server.kill("SIGTERM"), 0);

  const mails = received.map(({ to, from, message, atMs }): TakenMail => {
    const process = Number(/\+(\d+)@/.exec(from)?.[1]);
    return { to, process, atMs, ideas: readMail(message).ideas };
  });
  const checked = checkMails(mails, {
    people,
    lives,
    told,
    wishes: [...IDEAS, "changelog"],
  });
  const { sent, recipients, failed } = delivery!;
  const { repeats, takenOver } = checked;
  console.log(
    `${KILLS} kills of ${lives.length} servers, ${changes} changes, ${mails.length} mails`,
  );
  console.log(
    `${deferred.size} deferred, resumed ${resumed} times, ${repeats} repeats (${takenOver} without a kill); of ${recipients} ${sent} sent`,
  );
  assertEquals(failed, 0);
  assert(takenOver <= MAX_TAKEN_OVER, `${takenOver} came twice without a kill`);
  assertEquals(checked.faults, []);
}

describe("an entry that ships 20 ideas, for 2,000 who asked and 3,000 subscribers", () => {
  for (const [kind, atOnce] of KINDS) {
    it(`is mailed once to whoever wants it, through ${KILLS} kills, on ${kind}`, () =>
      withPlace(kind, (place) => play(place, atOnce)));
  }
});
