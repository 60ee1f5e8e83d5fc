import { deliveryPath } from "../../_support/deliveries.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mailer } from "../../../delivery/mail/mailer.ts";
import { lastWeek, readWeekly } from "../../../model/deliveries/week.ts";
import { isUnplanned, listWeekSoFar, planWeek } from "../../../services/deliveries/weekly.ts";
import { openMemoryStorage } from "../../../mod.ts";
import { addresses, DEFERRED, type Mailing, SENT, startMailing } from "../../_support/mailing.ts";

const [ANN, BEN, CLO, DAN] = addresses(4);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// A mailing's clock starts on a Saturday at 10:00. The next Monday at 8:00 is 46 hours later.
const TO_MONDAY_MS = 46 * HOUR_MS + 4_000;
const DELIVERIES = "/api/v1/deliveries";

async function choose({ service }: Mailing, userEmail: string, json: Record<string, unknown>) {
  await service.call("PATCH", `/api/v1/changelogs/subscribers/${userEmail}`, json);
}

/** Returns the subjects of the mails that each person got. */
function received({ sent }: Mailing): Record<string, readonly string[]> {
  const people = [...new Set(sent.map(({ to }) => to))].sort();
  return Object.fromEntries(
    people.map((person) => [
      person.slice(0, 2),
      sent.filter(({ to }) => to === person).map(({ subject }) => subject),
    ]),
  );
}

async function later({ clock }: Mailing, ms: number): Promise<void> {
  await clock.advance(ms);
  await clock.advance(4_000);
}

describe("the mail of a week", () => {
  it("has what was published since the last one and meets the labels, once for each", async () => {
    await using mailing = await startMailing({ subscribers: [ANN, BEN, CLO, DAN] });
    for (const person of [BEN, CLO, DAN]) await choose(mailing, person, { pace: "weekly" });
    await choose(mailing, CLO, { labels: ["fix"] });
    await choose(mailing, DAN, { labels: ["other"] });
    await mailing.publish("a", { labels: ["new"] });
    const picture = "![Before](images/9f86d081884c7d65-1200x800.png)";
    await mailing.publish("b", { labels: ["fix"], body: `It **works** again.\n\n${picture}` });
    await mailing.publish("quiet", { notify: false });
    assertEquals(received(mailing), { u0: ["About a", "About b"] });
    await later(mailing, TO_MONDAY_MS);
    const week = "The week at Changelog";
    assertEquals(received(mailing), { u0: ["About a", "About b"], u1: [week], u2: [week] });
    const [toBen, toClo] = [BEN, CLO].map((person) =>
      mailing.sent.find(({ to }) => to === person)!
    );
    for (const part of [toBen.text, toBen.html]) {
      for (const text of ["About a", "About b", "It works again.", "/changelog/b", "fix"]) {
        assertStringIncludes(part, text);
      }
      assertEquals(part.includes("quiet"), false);
    }
    assertMatch(
      toBen.html,
      /<img [^>]*src="https:\/\/updates\.example\/feedback\/changelog\/images\/9f86d081884c7d65-1200x800\.png"[^>]*alt="Before"/,
    );
    assertEquals([toClo.text.includes("About a"), toClo.text.includes("About b")], [false, true]);
    assert(toBen.headers["List-Unsubscribe"]);
    const { data } = await mailing.service.call<{ data: Record<string, unknown>[] }>(
      "GET",
      DELIVERIES,
    );
    const shown = data.find(({ week }) => week !== null)!;
    const { entryId, state, recipients, sent, skipped } = shown;
    assertEquals([shown.week, entryId, state], ["2026-W48", null, "done"]);
    assertEquals([recipients, sent, skipped], [3, 2, 1]);
    // One of the four people gets a mail for each entry.
    const ofEntry = await mailing.delivery("a");
    assertEquals([ofEntry.recipients, ofEntry.sent, ofEntry.skipped], [1, 1, 0]);
    // A week without entries has no mail.
    await later(mailing, 7 * DAY_MS);
    assertEquals(mailing.sent.length, 4);
    await mailing.publish("c");
    await later(mailing, 7 * DAY_MS);
    assertEquals(received(mailing).u1, [week, week]);
    assertEquals(mailing.sent.at(-1)!.text.includes("About a"), false);
  });

  it("has no entry whose mailing was cancelled", async () => {
    // The deferral keeps the mailings running.
    const relay = ({ to }: { readonly to: string }) => to === ANN ? DEFERRED : SENT;
    await using mailing = await startMailing({ subscribers: [ANN, BEN], relay });
    await choose(mailing, BEN, { pace: "weekly" });
    for (const entryId of ["a", "b"]) await mailing.publish(entryId);
    await mailing.service.call("POST", `${deliveryPath("a")}/cancel`);
    await later(mailing, TO_MONDAY_MS);
    const { text } = mailing.sent.find(({ to }) => to === BEN)!;
    assertEquals([text.includes("About a"), text.includes("About b")], [false, true]);
  });

  it("repeats nothing for a person who chooses it, and a person who leaves it gets the next entry", async () => {
    await using mailing = await startMailing({ subscribers: [ANN, BEN] });
    await choose(mailing, BEN, { pace: "weekly" });
    await mailing.publish("a");
    await choose(mailing, ANN, { pace: "weekly" });
    const path = /\/unsubscribe\/[\w-]+/.exec(mailing.sent[0].text)![0];
    const page = async (pace?: string) =>
      await (await mailing.service.send(
        pace === undefined ? "GET" : "POST",
        pace === undefined ? path : `${path}/choices`,
        { key: null, form: pace === undefined ? undefined : { pace } },
      )).text();
    // The page on which Ann chooses shows the entries of the week so far.
    for (const text of [await page(), await page("each"), await page("weekly")]) {
      assertStringIncludes(text, "This week so far");
      assertStringIncludes(text, "/changelog/a");
    }
    await choose(mailing, BEN, { pace: "each" });
    await mailing.publish("b");
    await later(mailing, TO_MONDAY_MS);
    const [first, second] = mailing.sent.filter(({ to }) => to === ANN);
    assertEquals([first.subject, second.text.includes("About a")], ["About a", false]);
    assertStringIncludes(second.text, "About b");
    assertEquals(received(mailing).u1, ["About b"]);
  });

  it("is by what was chosen before it went out, though it waited for a connection", async () => {
    const texts: string[] = [];
    let change = () => Promise.resolve();
    const mailer: Mailer = {
      async send({ text }, isWanted) {
        await change();
        if (!await isWanted!()) return { state: "skipped" };
        texts.push(text);
        return SENT;
      },
      close: () => Promise.resolve(),
    };
    await using mailing = await startMailing({ subscribers: [ANN], mailer });
    await choose(mailing, ANN, { pace: "weekly" });
    await mailing.publish("a", { labels: ["new"] });
    await mailing.publish("b", { labels: ["fix"] });
    change = () => choose(mailing, ANN, { labels: ["fix"] });
    await later(mailing, TO_MONDAY_MS);
    assertEquals(await mailing.counts("week:2026-W48"), "done 1 0 0");
    assertEquals(texts.map((text) => [text.includes("About a"), text.includes("About b")]), [
      [false, true],
    ]);
  });

  it("stands on the page of a person who leaves it before their turn", async () => {
    await using mailing = await startMailing({ subscribers: [ANN, BEN], relay: () => DEFERRED });
    await choose(mailing, BEN, { pace: "weekly" });
    await mailing.publish("a");
    await later(mailing, TO_MONDAY_MS);
    assertEquals(await mailing.counts("week:2026-W48"), "running 0 0 1");
    await choose(mailing, BEN, { pace: "each" });
    const week = await listWeekSoFar(mailing.storage);
    assertEquals(week.map(({ entryId }) => entryId), ["a"]);
  });

  it("leaves out what was unpublished, and is tried again, held and resumed as others are", async () => {
    let isDeferring = false;
    const relay = () => isDeferring ? DEFERRED : SENT;
    await using mailing = await startMailing({ subscribers: [ANN], relay });
    await choose(mailing, ANN, { pace: "weekly" });
    await mailing.publish("a");
    await mailing.publish("b");
    await mailing.service.send("POST", "/api/v1/changelogs/entries/a/unpublish");
    isDeferring = true;
    await later(mailing, TO_MONDAY_MS);
    assertEquals(await mailing.counts("week:2026-W48"), "running 0 0 1");
    assertEquals((await mailing.delivery("week:2026-W48", "pause")).state, "paused");
    // An entry may have the identifier of a week.
    await mailing.publish("2026-W48");
    assertEquals((await mailing.delivery("2026-W48")).state, "done");
    await mailing.delivery("week:2026-W48", "resume");
    isDeferring = false;
    await later(mailing, HOUR_MS);
    assertEquals(await mailing.counts("week:2026-W48"), "done 1 0 0");
    assertEquals(mailing.sent[0].text.includes("About a"), false);
  });

  it("is planned once by two processes, and held where nothing ran for more than a day", async () => {
    const storage = openMemoryStorage();
    const first = await startMailing({ storage, subscribers: [ANN, BEN] });
    await choose(first, ANN, { pace: "weekly" });
    await first.publish("a");
    await first.worker.close();
    const nowMs = first.clock.now() + TO_MONDAY_MS;
    await using one = await startMailing({ storage, nowMs });
    await using two = await startMailing({ storage, nowMs });
    await later(one, 26_000);
    await later(two, 26_000);
    assertEquals([...one.sent, ...two.sent].map(({ to }) => to), [ANN]);
    await one.publish("b");
    await one.worker.close();
    await two.worker.close();
    await using late = await startMailing({ storage, nowMs: nowMs + 8 * DAY_MS + 2 * HOUR_MS });
    assertEquals((await late.delivery("week:2026-W49")).state, "held");
    await late.delivery("week:2026-W49", "resume");
    await late.clock.advance(4_000);
    assertEquals(late.recipients.filter((to) => to === ANN), [ANN]);
  });
});

describe("a clock that is ahead", () => {
  it("by seconds plans a week once for all, and by a year delays none", async () => {
    const monday = { weekday: 1, minute: 480 };
    const storage = openMemoryStorage();
    const week = (time: string) => lastWeek(monday, Date.parse(time), "UTC");
    await planWeek(storage, storage.transact, week("2026-11-23T08:00:01Z"));
    assertEquals(await isUnplanned(storage, week("2026-11-23T07:59:58Z")), false);
    assertEquals(await isUnplanned(storage, week("2026-11-30T08:00:00Z")), true);
    await planWeek(storage, storage.transact, week("2027-11-23T08:00:01Z"));
    assertEquals(await isUnplanned(storage, week("2026-11-30T08:00:00Z")), true);
  });
});

describe("the schedule of a week", () => {
  it("keeps to the clocks of a time zone, also in the weeks in which they change", () => {
    const at = (zone: string, schedule: string, time: string) => {
      const weekly = readWeekly(schedule);
      if (weekly === false || !("weekday" in weekly)) throw new TypeError(schedule);
      const { week, dueAt } = lastWeek(weekly, Date.parse(time), zone);
      return `${week} ${dueAt}`;
    };
    const rows = [
      // These rows are in winter, and on the Mondays after clocks were set forward and back.
      ["Europe/Berlin", "Mon 08:00", "2026-03-23T07:00:00Z", "2026-W13 2026-03-23T07:00:00.000Z"],
      ["Europe/Berlin", "Mon 08:00", "2026-03-30T05:59:59Z", "2026-W13 2026-03-23T07:00:00.000Z"],
      ["Europe/Berlin", "Mon 08:00", "2026-03-30T06:00:00Z", "2026-W14 2026-03-30T06:00:00.000Z"],
      ["Europe/Berlin", "Mon 08:00", "2026-10-26T06:59:59Z", "2026-W43 2026-10-19T06:00:00.000Z"],
      ["Europe/Berlin", "Mon 08:00", "2026-10-26T07:00:00Z", "2026-W44 2026-10-26T07:00:00.000Z"],
      // In these nights 02:30 is skipped in March and occurs twice in October.
      ["Europe/Berlin", "Sun 02:30", "2026-03-29T01:30:00Z", "2026-W13 2026-03-29T01:30:00.000Z"],
      ["Europe/Berlin", "Sun 02:30", "2026-10-25T00:30:00Z", "2026-W43 2026-10-25T00:30:00.000Z"],
      ["Europe/Berlin", "Sun 02:30", "2026-10-25T01:30:00Z", "2026-W43 2026-10-25T00:30:00.000Z"],
      // The time zone decides the week, even if UTC has another day.
      [
        "America/Los_Angeles",
        "Sun 20:00",
        "2026-11-23T04:00:00Z",
        "2026-W47 2026-11-23T04:00:00.000Z",
      ],
      ["Asia/Kathmandu", "Mon 00:15", "2026-11-22T18:30:00Z", "2026-W48 2026-11-22T18:30:00.000Z"],
      ["Pacific/Chatham", "Mon 08:00", "2026-11-22T18:15:00Z", "2026-W48 2026-11-22T18:15:00.000Z"],
    ] as const;
    for (const [zone, schedule, time, expected] of rows) {
      assertEquals(at(zone, schedule, time), expected, `${zone} ${schedule} ${time}`);
    }
  });

  it("is a weekday and a time, or off", () => {
    assertEquals(readWeekly("Mon 08:00"), { weekday: 1, minute: 480 });
    assertEquals(readWeekly("off"), false);
    for (const text of ["Mon 8:00", "Mon 24:00", "Foo 08:00", "", "Mon"]) {
      assert("code" in (readWeekly(text) as object), text);
    }
  });

  it("is due from its minute on, and named as ISO 8601 names weeks", () => {
    const monday = { weekday: 1, minute: 480 };
    const at = (time: string) => {
      const { week, dueAt } = lastWeek(monday, Date.parse(time), "UTC");
      return `${week} ${dueAt}`;
    };
    assertEquals(at("2026-11-23T08:00:00Z"), "2026-W48 2026-11-23T08:00:00.000Z");
    assertEquals(at("2026-11-23T07:59:59Z"), "2026-W47 2026-11-16T08:00:00.000Z");
    assertEquals(at("2027-01-03T12:00:00Z"), "2026-W53 2026-12-28T08:00:00.000Z");
    assertEquals(at("2027-01-04T12:00:00Z"), "2027-W01 2027-01-04T08:00:00.000Z");
  });
});
