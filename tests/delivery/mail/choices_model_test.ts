import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail } from "../../../delivery/mail/mailer.ts";
import type { Storage } from "../../../mod.ts";
import { STORAGES } from "../../_support/storages.ts";
import { addresses, type Mailing, SENT, startMailing } from "../../_support/mailing.ts";

const LABELS = ["new", "fix", "security"];
const PEOPLE = addresses(150);
const WEEKS = 4;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SUBSCRIBERS = "/api/v1/changelogs/subscribers";

/** What the model knows of a person. */
interface Person {
  isSubscribed: boolean;
  labels: readonly string[] | null;
  pace: string;
  /** How many entries were published when the pace was chosen. */
  paceFrom: number;
}

/** Returns numbers from 0 to 1 that a seed determines. */
function createRandom(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** Has people choose, leave and be erased while entries are published and workers are killed. */
async function play(memory: Storage): Promise<void> {
  const random = createRandom(20_261_121);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)];
  const people = new Map<string, Person>(
    PEOPLE.map((
      email,
    ) => [email, { isSubscribed: true, labels: null, pace: "each", paceFrom: 0 }]),
  );
  const entries: (readonly string[])[] = [];
  const expected: string[] = [];
  const taken: string[] = [];
  let planned = 0;
  let kills = 0;
  let lost = 0;
  let nowMs = Date.parse("2026-11-21T10:00:00Z");
  let leftToTake = Infinity;

  /** Runs a worker on the storage, which dies once it has been given so many mails. */
  async function work(mails: number, run: (mailing: Mailing) => Promise<void>): Promise<boolean> {
    let isDead = false;
    leftToTake = mails;
    const never = new Promise<never>(() => {});
    const storage: Storage = {
      ...memory,
      get: (kind, key) => isDead ? never : memory.get(kind, key),
      list: (kind, query) => isDead ? never : memory.list(kind, query),
      ...memory.count &&
        { count: (kind, index) => isDead ? never : memory.count!(kind, index) },
      transact: (refs, decide) => isDead ? never : memory.transact(refs, decide),
    };
    const relay = ({ to, text }: Pick<Mail, "to"> & Partial<Mail>) => {
      if (isDead) return SENT;
      const ids = [...`${text}`.matchAll(/\/changelog\/(e\d+)/g)].map(([, id]) => id);
      taken.push(`${to} ${[...new Set(ids)].join()}`);
      isDead = --leftToTake <= 0;
      return SENT;
    };
    const mailing: Mailing = await startMailing({ storage, nowMs, relay });
    await Promise.race([
      run(mailing),
      (async () => {
        while (!isDead) await new Promise((resolve) => setTimeout(resolve, 1));
      })(),
    ]);
    nowMs = mailing.clock.now();
    if (!isDead) await mailing.worker.close();
    else {
      kills++;
      lost += 100;
    }
    return isDead;
  }

  /** Has workers go on, one after the other, until one of them lives to the end. */
  async function workOn(ms: number): Promise<void> {
    const endMs = nowMs + ms;
    while (
      await work(
        kills < 40 && random() < 0.95 ? 1 + Math.floor(random() * 60) : Infinity,
        async (mailing) => {
          await mailing.clock.advance(26_000);
          while (mailing.clock.now() < endMs) {
            const leftMs = endMs - mailing.clock.now();
            await mailing.clock.advance(Math.min(leftMs, 6 * HOUR_MS));
          }
          for (let i = 0; i < 40; i++) await mailing.clock.advance(2_000);
        },
      )
    );
  }

  async function change(mailing: Mailing): Promise<void> {
    for (let i = 0; i < 40; i++) {
      const email = pick(PEOPLE);
      const person = people.get(email);
      const dice = random();
      if (person === undefined) continue;
      if (dice < 0.05) {
        await mailing.service.send("DELETE", `${SUBSCRIBERS}/${email}`);
        people.delete(email);
      } else if (dice < 0.15) {
        await mailing.subscribe(email, false);
        person.isSubscribed = false;
      } else if (dice < 0.55) {
        person.labels = pick([null, [pick(LABELS)], [pick(LABELS), pick(LABELS)]]);
        person.labels = person.labels && [...new Set(person.labels)];
        await mailing.service.call("PATCH", `${SUBSCRIBERS}/${email}`, { labels: person.labels });
      } else {
        const pace = pick(["each", "weekly"]);
        await mailing.service.call("PATCH", `${SUBSCRIBERS}/${email}`, { pace });
        if (pace !== person.pace) person.paceFrom = entries.length;
        person.pace = pace;
      }
    }
  }

  function wants(person: Person, entry: number): boolean {
    return person.isSubscribed &&
      (person.labels === null || person.labels.some((label) => entries[entry].includes(label)));
  }

  await work(Infinity, async (mailing) => {
    for (const email of PEOPLE) await mailing.subscribe(email);
    await change(mailing);
  });
  for (let day = 0; day < 7 * WEEKS; day++) {
    // From Saturday at 10:00 on, each day; the third is a Monday.
    if (day % 7 === 2) {
      for (const [email, person] of people) {
        const ids = entries.flatMap((_, entry) =>
          entry >= Math.max(planned, person.paceFrom) && wants(person, entry) ? [`e${entry}`] : []
        );
        if (person.pace === "weekly" && ids.length > 0) expected.push(`${email} ${ids.join()}`);
      }
      planned = entries.length;
    } else if (day % 7 === 0 || day % 7 === 4 || day % 7 === 5) {
      await work(Infinity, change);
      const entry = entries.push(LABELS.filter(() => random() < 0.5)) - 1;
      for (const [email, person] of people) {
        if (person.pace === "each" && wants(person, entry)) expected.push(`${email} e${entry}`);
      }
      const at = new Date(nowMs + 30_000).toISOString();
      await work(Infinity, async (mailing) => {
        await mailing.publish(`e${entry}`, { labels: entries[entry], at });
      });
    }
    await workOn(DAY_MS - (nowMs - Date.parse("2026-11-21T10:00:00Z")) % DAY_MS);
  }
  assert(kills >= 30, `${kills} kills`);
  const missed = expected.filter((mail) => !taken.includes(mail));
  const unexpected = taken.filter((mail) => !expected.includes(mail));
  assertEquals([missed, unexpected], [[], []]);
  const repeats = taken.length - new Set(taken).size;
  assert(repeats <= lost, `${repeats} repeats by ${kills} kills`);
}

describe("150 people who choose, leave and are erased over four weeks, while workers are killed", () => {
  for (const [name, withStorage] of STORAGES) {
    it(`get what the model says, nobody twice but for what was in flight, on ${name}`, () =>
      withStorage(play));
  }
});
