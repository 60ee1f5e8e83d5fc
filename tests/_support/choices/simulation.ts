import { deliveryPath } from "../deliveries.ts";
import { assert, assertEquals } from "@std/assert";
import type { Mail, SendOutcome } from "../../../delivery/mail/mailer.ts";
import { DELIVERIES } from "../../../model/kinds.ts";
import type { Delivery } from "../../../model/deliveries/delivery.ts";
import { lastWeek } from "../../../model/deliveries/week.ts";
import type { Storage } from "../../../mod.ts";
import { addresses, DEFERRED, PUBLIC_URL, publishEntry, SENT } from "../mailing.ts";
import { createService, readJson } from "../service.ts";
import { changeSomething } from "./changes.ts";
import { countRepeats, type End, type Taken } from "./ledger.ts";
import { type Entry, LABELS, type Mailing, Person, wanted } from "./people.ts";
import { watchSealing } from "../sealing.ts";
import { createWorld, type Process } from "./world.ts";

/** The size of a simulation. */
export interface SimulationOptions {
  readonly seed: number;
  readonly people: number;
  /** The number of processes that end at each mailing, and of those that pause for a while. */
  readonly kills: number;
  readonly pauses: number;
  /** The number of processes that run at the same time. */
  readonly processes: number;
}

/** The figures of a finished simulation. */
export interface SimulationFigures {
  readonly mails: number;
  readonly changes: number;
  readonly kills: number;
  readonly pauses: number;
  readonly repeats: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// A Saturday.
const START_MS = Date.parse("2026-11-21T10:00:00Z");
// The hours from the start at which entries are published. A week ends on Monday at 8:00.
const WEEK_HOURS = [1, 25, 40];
const MONDAY_MS = Date.parse("2026-11-23T08:00:00Z");
const WEEKS = 4;
const API = "changelogs";

/** Returns numbers from 0 to 1 that a seed determines. */
function createRandom(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

/**
 * Mails twelve entries over four weeks while people choose, leave and are erased, and while
 * processes end or pause at any moment. Fails if a person misses a mail, gets a mail that they did
 * not choose, or gets a mail twice that was not in flight when a process ended. `open` returns the
 * storage of the next process.
 */
export async function simulateChoices(
  open: () => Promise<Storage>,
  { seed, people, kills, pauses, processes }: SimulationOptions,
): Promise<SimulationFigures> {
  const random = createRandom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)];
  const everybody = new Map(
    addresses(people).map((email) => {
      const labels = pick([null, null, [pick(LABELS)], LABELS.slice(1)]);
      const pace = pick(["each", "each", "weekly"] as const);
      return [email, new Person(email, { isSubscribed: true, labels, pace })];
    }),
  );
  const entries: Entry[] = [];
  const ledger: Taken[] = [];
  const failures: string[] = [];
  const links = new Map<string, string>();
  const ends: End[] = [];
  const deferrals: string[] = [];
  let running: Process[] = [];
  /** The number of mails of each process that the relay has not answered yet. */
  const inRelay = new Map<Process, number>();
  let mailing: Mailing | undefined;
  const underWay = new Set<Promise<void>>();
  let changes = 0;
  let planned: ("kill" | "pause")[] = [];
  let stepsLeft = Infinity;
  let stepsBetween = 1;
  const total = { kill: 0, pause: 0 };

  using _ = watchSealing();
  const world = createWorld({
    startMs: START_MS,
    relay,
    onStep,
    // Both are retried: a storage call that was too slow on a busy machine, and a mail whose relay
    // seemed silent to a paused process.
    onError: (error) => {
      const { name } = error as Error;
      if (name !== "StorageError" && name !== "MailerError") failures.push(`${error}`);
    },
  });
  let storage = await open();
  const connect = () => createService({ storage, publicUrl: PUBLIC_URL, clock: world.now });
  let service = connect();

  function onStep(process: Process): void {
    if (process.state !== "alive" || --stepsLeft > 0) return;
    const what = planned.shift();
    stepsLeft = planned.length === 0 ? Infinity : 1 + below(stepsBetween);
    if (what === undefined) return;
    total[what]++;
    ends.push({ process, at: ledger.length, atMs: world.now() });
    process.state = what === "kill" ? "killed" : "paused";
  }

  async function relay(
    process: Process,
    mail: Mail,
    isWanted: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<SendOutcome> {
    inRelay.set(process, (inRelay.get(process) ?? 0) + 1);
    const outcome = await take(process, mail, isWanted);
    inRelay.set(process, inRelay.get(process)! - 1);
    return outcome;
  }

  async function take(
    process: Process,
    { to, text }: Mail,
    isWanted: () => Promise<boolean>,
  ): Promise<SendOutcome> {
    if (random() < 0.3) await world.sleep(below(900));
    const person = everybody.get(to)!;
    let known: number;
    do {
      await process.alive();
      known = person.states.length;
      if (!await isWanted()) return { state: "skipped" };
    } while (process.state !== "alive");
    const name = `${to} ${mailing?.key}`;
    // After a further deferral, a person would wait for hours.
    if (deferrals.filter((one) => one === name).length < 2 && random() < 0.03) {
      deferrals.push(name);
      return DEFERRED;
    }
    const ids = [...text.matchAll(/\/changelog\/(e\d+)/g)].map(([, id]) => id);
    const content = [...new Set(ids)].join();
    const link = /\/unsubscribe\/[\w-]+/.exec(text)![0];
    links.set(to, link);
    const found = mailing;
    const allowed = found ? person.since(known).map((state) => wanted(found, to, state)) : [];
    if (content === "" || !allowed.includes(content)) {
      failures.push(`${to} got ${content} of ${found?.key}, not one of ${JSON.stringify(allowed)}`);
    }
    const taken: Taken = {
      ...{ process, email: to, content, mailing: `${found?.key}` },
      answeredMs: undefined,
    };
    ledger.push(taken);
    if (random() < 0.1) {
      const changing = world.hold(change()).finally(() => underWay.delete(changing));
      underWay.add(changing);
    }
    onStep(process);
    if (random() < 0.3) await world.sleep(below(3_000));
    taken.answeredMs = world.now();
    return SENT;
  }

  async function change(): Promise<void> {
    changes++;
    const person = pick([...everybody.values()]);
    await changeSomething(person, { service, link: links.get(person.email), random });
  }

  /** Starts processes until the limit is reached. */
  async function fill(): Promise<void> {
    if (running.every(({ state }) => state !== "killed") && running.length === processes) return;
    running = running.filter(({ state }) => state !== "killed");
    while (running.length < processes) {
      await Promise.all(underWay);
      storage = await open();
      service = connect();
      running.push(world.start(storage));
    }
  }

  async function stop(): Promise<void> {
    for (const process of running) process.resume();
    const closed = Promise.all(
      running.filter(({ state }) => state !== "killed").map(({ worker }) => worker.close()),
    );
    let isClosed = false;
    void closed.then(() => isClosed = true);
    while (!isClosed) await world.step(1_000);
    running = [];
  }

  /** Starts a mailing, and runs the world until the mailing is done. */
  async function mail(next: Mailing, begin: () => Promise<unknown>): Promise<void> {
    const persons = [...everybody.values()];
    const begun = new Map(persons.map(({ email, states }) => [email, states.length]));
    mailing = next;
    for (const entry of next.pace === "each" ? next.entries : []) {
      entry.paces = new Map(persons.map(({ email, state }) => [email, state?.pace]));
    }
    const paced = new Set(
      persons.flatMap(({ email, state }) => state?.pace === next.pace ? [email] : []),
    );
    const expected =
      persons.filter(({ email, state }) => paced.has(email) && wanted(next, email, state) !== "")
        .length;
    const ledgerStart = ledger.length;
    planned = [...Array(kills).fill("kill"), ...Array(pauses).fill("pause")]
      .sort(() => random() - 0.5);
    stepsBetween = Math.max(1, Math.floor(expected / (planned.length + 1)));
    stepsLeft = planned.length === 0 ? Infinity : 1 + below(stepsBetween);
    await fill();
    await begin();
    let delivery: Delivery | undefined;
    for (let steps = 0;; steps++) {
      assert(steps < 5_000, `${next.key} is not done: ${JSON.stringify(delivery)}`);
      delivery = await world.hold(storage.get(DELIVERIES, next.key));
      if (delivery?.state === "done") break;
      if (delivery?.state === "held") {
        await service.send("POST", `${deliveryPath(next.key)}/resume`);
      }
      if (expected === 0 && steps > 20) break;
      const isMailing = running.some((one) => one.state === "alive" && (inRelay.get(one) ?? 0) > 0);
      await world.step(isMailing ? 700 : 5_000);
      await fill();
    }
    for (const process of running) process.resume();
    for (let i = 0; i < 4; i++) await world.step(2_000);
    const taken = ledger.slice(ledgerStart);
    const reached = new Set(taken.map(({ email }) => email));
    for (const person of persons) {
      const { email } = person;
      const states = person.since(begun.get(email)!);
      const isMust = paced.has(email) &&
        states.every((state) =>
          wanted(next, email, state) !== "" &&
          (next.pace === "each" || state!.pace === "weekly")
        );
      if (isMust && !reached.has(email)) failures.push(`${email} missed ${next.key}`);
    }
    mailing = undefined;
    assertEquals(failures, []);
  }

  const rows = [...everybody.values()].map(({ email, state }) =>
    JSON.stringify({ userEmail: email, subscribed: true, labels: state!.labels, pace: state!.pace })
  );
  const headers = { "content-type": "application/x-ndjson" };
  const sent = { headers, body: rows.join("\n") };
  const report = await (await service.send("POST", `${API}/subscribers/import`, sent)).text();
  assertEquals(JSON.parse(report.trim().split("\n").at(-1)!).added, people);
  await fill();
  for (let i = 0; i < 3; i++) await world.step(2_000);

  let begunOfWeek = 0;
  for (let week = 0; week < WEEKS; week++) {
    for (const hours of WEEK_HOURS) {
      await world.step(START_MS + week * 7 * DAY_MS + hours * HOUR_MS - world.now());
      for (let i = 0; i < people / 5; i++) await change();
      const entryId = `e${entries.length}`;
      const labels = LABELS.filter(() => random() < 0.5);
      const entry: Entry = { entryId, labels, isPublic: true, paces: new Map() };
      entries.push(entry);
      await mail(
        { key: entryId, entries: [entry], pace: "each" },
        () => publishEntry(service, entryId, { labels }),
      );
    }
    const contents = entries.slice(begunOfWeek);
    begunOfWeek = entries.length;
    if (week === 1) {
      // The entry changes between its publication and Monday.
      await service.call("PATCH", `${API}/entries/${contents[0].entryId}`, { labels: "fix" });
      contents[0].labels = ["fix"];
      await readJson(await service.send("POST", `${API}/entries/${contents[1].entryId}/unpublish`));
      contents[1].isPublic = false;
    }
    const mondayMs = MONDAY_MS + week * 7 * DAY_MS;
    const key = `week:${lastWeek({ weekday: 1, minute: 480 }, mondayMs, "UTC").week}`;
    const toMonday = () => world.step(mondayMs - world.now());
    // No process runs on the last Mondays, so the mail is late, or held until somebody resumes it.
    if (week >= 2) await stop();
    if (week >= 2) await world.step(mondayMs + [20, 30][week - 2] * HOUR_MS - world.now());
    await mail({ key, entries: contents, pace: "weekly" }, week < 2 ? toMonday : async () => {});
  }
  await stop();
  assertEquals(failures, []);
  const repeats = countRepeats(ledger, ends);
  return { mails: ledger.length, changes, kills: total.kill, pauses: total.pause, repeats };
}
