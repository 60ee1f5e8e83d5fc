import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { Mail, Mailer } from "../../../delivery/mail/mailer.ts";
import { openMemoryStorage } from "../../../mod.ts";
import { lastWeek } from "../../../model/deliveries/week.ts";
import { isUnplanned, planWeek } from "../../../services/deliveries/weekly.ts";
import { storeOf } from "../../../services/store.ts";
import { startMailing } from "../../_support/mailing.ts";

const HOUR_MS = 3_600_000;
const CHANGE = {
  title: "Neues",
  language: "de",
  accent: "#0b5394",
  mailFooter: "Acme Ltd",
  mailReplyTo: "Support <support@acme.example>",
};

describe("changed settings", () => {
  it("are in the mails of a delivery that leave later, and change no Message-ID", async () => {
    const sent: Mail[] = [];
    const written: Mail[] = [];
    const first = Promise.withResolvers<void>();
    const mailer: Mailer = {
      async send(mail, isWanted) {
        const count = written.push(mail);
        if (count > 1) await first.promise;
        if (count === 2) await mailing.service.call("PATCH", "settings", CHANGE);
        if (await isWanted?.() === false) return { state: "skipped" };
        sent.push(mail);
        first.resolve();
        return { state: "sent" };
      },
      close: () => Promise.resolve(),
    };
    const subscribers = ["ann@example.com", "bob@example.com"];
    await using mailing = await startMailing({ subscribers, mailer });
    await mailing.publish("a", { title: "A", body: "B", url: null });
    assertEquals(await mailing.counts(), "done 2 0 0");
    const [before, after] = sent;
    assert(!before.text.includes("Acme Ltd") && before.headers["Reply-To"] === undefined);
    assert(after.text.includes("Acme Ltd") && after.html.includes("#0b5394"), after.html);
    assertEquals(after.headers["Reply-To"], "Support <support@acme.example>");
    assert(after.headers["List-Id"].startsWith("Neues <"), after.headers["List-Id"]);
    const ids = written.filter(({ to }) => to === after.to).map(({ messageId }) => messageId);
    assertEquals([ids.length, new Set(ids).size], [2, 1]);
  });

  it("mail no week twice, whatever the time zone becomes hour by hour", async () => {
    const storage = storeOf(openMemoryStorage());
    const zones = ["Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC", "Asia/Tokyo"];
    const planned: string[] = [];
    let nowMs = Date.parse("2026-11-01T00:00:00Z");
    for (let hour = 0; hour < 24 * 28; hour++, nowMs += HOUR_MS) {
      const week = lastWeek({ weekday: 1, minute: 480 }, nowMs, zones[hour % zones.length]);
      if (!await isUnplanned(storage, week)) continue;
      planned.push(week.week);
      await planWeek(storage, storage.transact, week);
    }
    assertEquals(planned, ["2026-W44", "2026-W45", "2026-W46", "2026-W47", "2026-W48"]);
  });
});
