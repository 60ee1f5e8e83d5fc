import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { formatDuration, LANGUAGES } from "../../../../model/locales/language.ts";
import { textsOf } from "../../../../model/locales/locales.ts";
import { ANN } from "../../../_support/sign_ups.ts";
import { BOARD, startForms } from "../../../_support/board_forms.ts";
import { startServer } from "../../../_support/process.ts";
import { forEachRow } from "../../../_support/rows.ts";

const DAY_MS = 86_400_000;
const { kept, keptAfterwards } = textsOf("en");
const NEW_PATH = `/boards/${BOARD}/new?title=Night+shift`;

describe("the pages that say how long addresses are kept", () => {
  it("name the time of --vote-retention", async () => {
    await using service = await startForms({ voteRetentionMs: 180 * DAY_MS });
    const text = `${kept} ${keptAfterwards("180 days")}`;
    for (const path of ["/me", NEW_PATH]) {
      assertStringIncludes((await service.read(path)).text, text, path);
    }
    const cookie = await service.remember(ANN);
    assertStringIncludes((await service.read("/me", { cookie })).text, text);
  });

  it("name no time when addresses are kept until somebody leaves", async () => {
    await using service = await startForms();
    const [beforeTime] = keptAfterwards("").split(":");
    for (const path of ["/me", NEW_PATH]) {
      const { text } = await service.read(path);
      assertStringIncludes(text, kept, path);
      assert(!text.includes(beforeTime), path);
    }
  });

  it("follow the flag of serve", async () => {
    await using server = await startServer(
      "--public-url http://127.0.0.1:8000 --mail smtp://127.0.0.1:1?tls=off --mail-from a@b.example"
        .split(" ").concat("--vote-retention", "36h"),
    );
    const page = await fetch(`${server.url}/me`);
    assertStringIncludes(await page.text(), keptAfterwards("36 hours"));
  });

  it("write the time in each language", () =>
    forEachRow(LANGUAGES.map((language) => [language]), ([language]) => {
      const text = textsOf(language).keptAfterwards(formatDuration(180 * DAY_MS, language));
      assertStringIncludes(text, "180");
    }));
});

describe("a duration", () => {
  it("is written in the largest unit that is exact", () => {
    const durations = [180 * DAY_MS, 36 * 3_600_000, 90 * 60_000, 1_500];
    assertEquals(
      durations.map((durationMs) => formatDuration(durationMs, "en")),
      ["180 days", "36 hours", "90 minutes", "2 seconds"],
    );
  });
});
