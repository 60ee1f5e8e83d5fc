import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser, Page } from "playwright-core";
import { createDescribed } from "../../_support/openapi.ts";
import { assertReadable, launchBrowser, type Visit, visitPage } from "./_browser.ts";

/** The place of an element, in pixels from the top of the window. */
interface Box {
  readonly top: number;
  readonly bottom: number;
}

describe("The reference page in a browser", () => {
  const { handler } = createDescribed();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}/docs`;
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await server.shutdown();
  });

  function visit(visit: Partial<Visit>, use: (page: Page) => Promise<void>): Promise<void> {
    return visitPage(browser, { url, ...visit }, use);
  }

  it("is readable at every width, in both colour schemes and by keyboard", async () => {
    await visit({}, (page) => assertReadable(page, "docs"));
  });

  it("leads from the menu to a heading below the bar", async () => {
    for (const width of [320, 1440]) {
      await visit({ width }, async (page) => {
        // The page jumps at once, although it is very long.
        await page.emulateMedia({ reducedMotion: "no-preference" });
        if (width === 320) await page.getByRole("button", { name: "Menu" }).click();
        await page.locator('nav a[href="#problems"]').click();
        assertEquals(await page.locator("nav").isVisible(), width === 1440);
        const heading = await page.evaluate<Box>('probes.boxOf("#problems h2")');
        const bar = await page.evaluate<Box>('probes.boxOf(".bar")');
        assert(heading.top >= bar.bottom && heading.top < 450);
        await page.locator('nav [aria-current][href="#problems"]').waitFor({ state: "attached" });
      });
    }
  });

  it("copies the code of a block, which has the base URL of the reader", async () => {
    await visit({}, async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const block = page.locator("#getBoard .sample");
      await block.getByRole("button", { name: "Copy" }).click();
      await block.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      assertEquals(copied, await block.locator("code").textContent());
      assert(copied.includes(`'${url.replace("/docs", "")}/api/v1/boards/feature-requests'`));
    });
  });

  it("finds operations, problems and objects by their words", async () => {
    await visit({}, async (page) => {
      const results = page.locator("#found a");
      const rows = { "LIST  sub": "listSubscribers", "subscriptionresult": "SubscriptionResult" };
      for (const [words, first] of Object.entries(rows)) {
        await page.getByLabel("Search").fill(words);
        assertEquals(await results.first().getAttribute("href"), `#${first}`);
      }
      await page.keyboard.press("Enter");
      assertEquals(new URL(page.url()).hash, "#SubscriptionResult");
      await page.getByLabel("Search").fill("xylophone");
      assertEquals(await page.getByRole("status").textContent(), "0 found");
      await page.getByLabel("Search").fill("");
      assertEquals([await page.locator("#contents").isVisible(), await results.count()], [true, 0]);
    });
  });

  it("can be read without scripts, with its menu on phones", async () => {
    await visit({ javaScriptEnabled: false, width: 390 }, async (page) => {
      assertEquals(await page.getByText("Search", { exact: true }).isVisible(), false);
      assertEquals(await page.getByRole("button", { name: "Copy" }).count(), 0);
      const shown = () => page.locator("#getBoard .sample:visible figcaption").allTextContents();
      assertEquals(await shown(), ["Read a board · curl"]);
      await page.getByRole("button", { name: "Menu" }).click();
      assert(await page.locator('nav a[href="#problems"]').isVisible());
    });
  });
});
