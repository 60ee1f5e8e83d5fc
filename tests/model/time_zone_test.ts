import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { LANGUAGES } from "../../model/locales/language.ts";
import { Refusal } from "../../model/values/refusal.ts";
import { fromLocalMs, parseTimeZone, startOfDay, toLocalMs } from "../../model/values/time_zone.ts";
import { exported, importFile } from "../_support/entry_import.ts";
import { forEachRow } from "../_support/rows.ts";
import { createService } from "../_support/service.ts";

const PUBLIC = { publicUrl: "https://example.com" };

describe("a time zone", () => {
  it("is known by its name, and a near miss is named", () => {
    for (const name of ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/Argentina/Ushuaia"]) {
      assertEquals(parseTimeZone(name), name);
    }
    for (
      const text of ["", "+01:00", "Europe", "Europe/Berlin ", "Mars/Olympus", "x".repeat(999)]
    ) {
      assert(parseTimeZone(text) instanceof Refusal, text);
    }
    const refused = parseTimeZone("Europe/Berlim");
    assertStringIncludes(refused instanceof Refusal ? refused.detail : "", "Europe/Berlin?");
  });

  it("shows the time of its clocks, and finds a time by them, however far they are from UTC", () =>
    forEachRow([
      ["UTC", "2026-11-25T10:00:00.123Z", "2026-11-25T10:00:00.123Z"],
      ["Asia/Kathmandu", "2026-11-25T18:15:00.000Z", "2026-11-26T00:00:00.000Z"],
      ["Pacific/Kiritimati", "2026-11-25T10:00:00.000Z", "2026-11-26T00:00:00.000Z"],
      ["Pacific/Pago_Pago", "2026-11-25T10:00:00.000Z", "2026-11-24T23:00:00.000Z"],
      ["Australia/Lord_Howe", "2026-11-25T10:00:00.000Z", "2026-11-25T21:00:00.000Z"],
      ["Europe/Berlin", "1969-12-31T23:30:00.500Z", "1970-01-01T00:30:00.500Z"],
    ], ([zone, utc, local]) => {
      assertEquals(new Date(toLocalMs(Date.parse(utc), zone)).toISOString(), local);
      assertEquals(new Date(fromLocalMs(Date.parse(local), zone)).toISOString(), utc);
    }));

  it("begins its days where its clocks have them, also where midnight is skipped", () => {
    assertEquals(startOfDay("2026-01-31", "America/New_York"), "2026-01-31T05:00:00.000Z");
    assertEquals(startOfDay("2026-07-31", "America/New_York"), "2026-07-31T04:00:00.000Z");
    assertEquals(startOfDay("2018-11-04", "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z");
  });

  it("has pages and headings show its days and months, and feeds keep UTC", async () => {
    const service = createService({ ...PUBLIC, timeZone: "Asia/Kathmandu" });
    const at = "2026-10-31T18:15:00.000Z";
    await importFile(
      service,
      JSON.stringify({ entryId: "a", title: "A", body: "", publishedAt: at }),
      { type: "application/x-ndjson" },
    );
    for (const path of ["/changelog/a", "/changelog"]) {
      const text = await (await service.send("GET", path)).text();
      assertStringIncludes(text, `<time datetime="${at}">1 November 2026</time>`);
    }
    assertStringIncludes(await (await service.send("GET", "/changelog.atom")).text(), at);
    const feed = await (await service.send("GET", "/changelog.json")).json();
    assertEquals([feed._boardcast.timeZone, feed.items[0].date_published], ["Asia/Kathmandu", at]);
  });

  it("has the day of a changelog be that day on the page, in every language", () =>
    forEachRow(LANGUAGES.map((language) => [language] as const), async ([language]) => {
      const options = { ...PUBLIC, language };
      for (const timeZone of ["America/Los_Angeles", "Pacific/Auckland"]) {
        const service = createService({ ...options, timeZone });
        await importFile(service, "## 1.0.0 - 2026-03-29\n\n- a\n");
        const [{ publishedAt }] = await exported(service);
        const page = await (await service.send("GET", "/changelog/v1.0.0")).text();
        const [, day] = /<time[^>]*>([^<]*)/.exec(page) ?? [];
        assert(day?.includes("29"), `${timeZone}: ${day} of ${publishedAt}`);
      }
    }));

  it("changes nothing of an entry that is imported again", async () => {
    const service = createService({ ...PUBLIC, timeZone: "America/New_York" });
    const file = "## 1.0.0 - 2026-03-29\n\n- a\n";
    await importFile(service, file);
    assertEquals((await importFile(service, file)).counts, { unchanged: 1 });
    const moved = await importFile(service, file.replace("03-29", "03-28"));
    assertEquals(moved.counts, { changed: 1 });
    const [{ publishedAt }] = await exported(service);
    assertEquals(publishedAt, "2026-03-28T04:00:00.000Z");
  });
});
