import { assertEquals } from "@std/assert";
import { after, describe, it } from "@std/testing/bdd";
import { openMemoryStorage } from "../../../mod.ts";
import { addresses, REFUSED, startMailing } from "../../_support/mailing.ts";
import { closeBrowser, goTo, openStudio, serveStudio } from "./_studio.ts";

const HOUR_MS = 3_600_000;
// A mailing's clock starts on a Saturday. The next Tuesday at noon is 74 hours later.
const TO_TUESDAY_MS = 74 * HOUR_MS;

describe("the mailings of the studio", () => {
  after(closeBrowser);

  it("say in the page's words that a test was refused, and how to leave one going on", async () => {
    const storage = openMemoryStorage();
    const relay = () => REFUSED;
    await using mailing = await startMailing({ storage, relay, subscribers: addresses(1) });
    await mailing.publish("a", { at: "2030-01-01T00:00:00.000Z" });
    await using server = serveStudio({ storage, worker: mailing.worker });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await goTo(page, "#/entries/a");
    await page.getByRole("button", { name: "Cancel mailing" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Cancel mailing" }).waitFor();
    await page.getByLabel("More").click();
    await page.getByRole("button", { name: "Test" }).click();
    await dialog.getByLabel("E-mail address").fill("me@example.com");
    await dialog.getByRole("button", { name: "Send" }).click();
    await dialog.getByText(
      /^The mail server did not accept it\. .*“\u2068550 5\.1\.1 unknown\u2069”$/,
    ).waitFor();
  });

  it("that are held are led to by what they are called, and resumed, the mail of a week too", async () => {
    const storage = openMemoryStorage();
    const [ann] = addresses(1);
    const first = await startMailing({ storage, subscribers: [ann] });
    await first.service.call("PATCH", `/api/v1/changelogs/subscribers/${ann}`, { pace: "weekly" });
    await first.publish("a");
    await first.worker.close();
    await using late = await startMailing({
      storage,
      nowMs: first.clock.now() + TO_TUESDAY_MS,
    });
    await late.clock.advance(4_000);
    assertEquals((await late.delivery("week:2026-W48")).state, "held");
    await using server = serveStudio({ storage });
    await using studio = await openStudio();
    const page = await studio.open(server.url, server.key);
    await page.getByRole("link", { name: /The mailing of “Weekly mail 2026-W48” is on hold/ })
      .click();
    await page.getByRole("heading", { name: "Weekly mail 2026-W48" }).waitFor();
    await page.getByText("It is more than 24 hours late. Resume or cancel it.").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await late.clock.advance(4_000);
    await page.locator(".pill.done").waitFor();
    assertEquals(late.recipients, [ann]);
    await page.getByRole("link", { name: "Overview" }).first().click();
    await page.locator("td").getByRole("link", { name: "Weekly mail 2026-W48" }).waitFor();
  });
});
