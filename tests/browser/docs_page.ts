import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser, Page } from "playwright-core";
import { createTestHandler } from "../_openapi.ts";
import {
  headingLevels,
  launchBrowser,
  SCREENSHOTS,
  type Visit as VisitOptions,
  visitPage,
} from "./_browser.ts";

const BACKGROUNDS = { light: "rgb(253, 252, 250)", dark: "rgb(23, 21, 19)" };
const WIDTHS = [320, 390, 768, 1024, 1440, 1920];

/** Where an element is, in pixels from the top of the window. */
interface Box {
  readonly top: number;
  readonly bottom: number;
}

type Visit = Omit<VisitOptions, "url"> & { readonly hash?: string };

describe("The reference page in a browser", () => {
  let browser: Browser;
  let server: Deno.HttpServer<Deno.NetAddr>;
  let url: string;

  before(async () => {
    server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, createTestHandler());
    url = `http://127.0.0.1:${server.addr.port}/docs`;
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await server?.shutdown();
  });

  function visit<T>({ hash = "", ...visit }: Visit, use: (page: Page) => Promise<T>): Promise<T> {
    return visitPage(browser, { ...visit, url: url + hash }, use);
  }

  it("has one title and headings without a gap in their levels", async () => {
    const levels = await visit({}, headingLevels);
    assertEquals(levels.filter((level) => level === 1).length, 1);
    assertEquals(levels[0], 1);
    assertEquals(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1), []);
  });

  for (const [colorScheme, background] of Object.entries(BACKGROUNDS)) {
    it(`has its style in the reader's colour scheme, ${colorScheme}`, async () => {
      await visit({ colorScheme: colorScheme as keyof typeof BACKGROUNDS }, async (page) => {
        const shown = await page.evaluate('probes.styleOf("body", "backgroundColor")');
        assertEquals(shown, background);
      });
    });
  }

  for (const width of [320, 1440]) {
    it(`leads from the menu to a heading below the bar at ${width}`, async () => {
      await visit({ width }, async (page) => {
        if (width === 320) await page.getByRole("button", { name: "Menu" }).click();
        await page.locator('nav a[href="#problems"]').click();
        assertEquals(await page.locator("nav").isVisible(), width === 1440);
        const heading = await page.evaluate<Box>('probes.boxOf("#problems h2")');
        const bar = await page.evaluate<Box>('probes.boxOf(".bar")');
        assert(heading.top >= bar.bottom && heading.top < 450);
        await page.locator('nav [aria-current][href="#problems"]').waitFor({ state: "attached" });
      });
    });
  }

  for (const id of ["getBoard", "putSubscription"]) {
    it(`shows ${id} on one screen`, async () => {
      await visit({ hash: `#${id}` }, async (page) => {
        const { top, bottom } = await page.evaluate<Box>(`probes.boxOf("#${id}")`);
        const bar = await page.evaluate<Box>('probes.boxOf(".bar")');
        assert(bottom - top <= 900 - bar.bottom, `${bottom - top} pixels`);
      });
    });
  }

  for (const width of WIDTHS) {
    it(`does not scroll sideways at ${width} pixels`, async () => {
      const overflow = await visit({ width }, (page) => page.evaluate("probes.overflow()"));
      assertEquals(overflow, 0);
    });
  }

  it("lets the keyboard skip to the content", async () => {
    await visit({}, async (page) => {
      await page.keyboard.press("Tab");
      assertEquals(await page.evaluate("probes.focusedText()"), "Skip to the content");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      assertEquals(await page.evaluate("probes.focusedText()"), "openapi.json");
    });
  });

  it("shows where the focus is", async () => {
    await visit({}, async (page) => {
      for (let tab = 0; tab < 12; tab++) {
        await page.keyboard.press("Tab");
        const outline = await page.evaluate("probes.focusOutline()");
        assertEquals(outline, "solid");
      }
    });
  });

  it("wraps code instead of cutting it off at 390 pixels", async () => {
    await visit({ width: 390 }, async (page) => {
      const cut = await page.locator("pre").evaluateAll((blocks) =>
        blocks.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length
      );
      assertEquals(cut, 0);
    });
  });

  it("copies the code of a block", async () => {
    await visit({}, async (page) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const block = page.locator("#putSubscription .curl");
      await block.getByRole("button", { name: "Copy" }).click();
      await block.getByRole("button", { name: "Copied" }).waitFor();
      const copied = await page.evaluate("navigator.clipboard.readText()");
      assertEquals(copied, await block.locator("code").textContent());
    });
  });

  it("finds operations, problems and objects by their words", async () => {
    await visit({}, async (page) => {
      const results = page.locator("#found a");
      const searches = Object.entries({
        "LIST  sub": "listSubscribers",
        "normalised to nfc": "putSubscription",
        "429": "rate_limited",
        "subscriptionresult": "SubscriptionResult",
      }).sort();
      for (const [words, first] of searches) {
        await page.getByLabel("Search").fill(words);
        assertEquals(await results.first().getAttribute("href"), `#${first}`);
      }
      await page.keyboard.press("Enter");
      assertEquals(new URL(page.url()).hash, "#SubscriptionResult");
      await page.getByLabel("Search").fill("no such words");
      assertEquals(await page.getByRole("status").textContent(), "0 found");
      await page.getByLabel("Search").fill("");
      assertEquals([await page.locator("#contents").isVisible(), await results.count()], [true, 0]);
    });
  });

  it("runs no script but its own", async () => {
    const page = await browser.newPage();
    await page.goto(url);
    const other = { content: "document.title = 'run'" };
    await assertRejects(() => page.addScriptTag(other), Error, "Content Security Policy");
    assertEquals(await page.title(), "Boardcast API");
    await page.close();
  });

  it("can be read without scripts, with its menu on phones", async () => {
    await visit({ javaScriptEnabled: false, width: 390 }, async (page) => {
      assertEquals(await page.getByText("Search", { exact: true }).isVisible(), false);
      assertEquals(await page.getByRole("button", { name: "Copy" }).count(), 0);
      assert(await page.locator("#putSubscription .curl pre").isVisible());
      await page.getByRole("button", { name: "Menu" }).click();
      assert(await page.locator('nav a[href="#problems"]').isVisible());
    });
  });

  it("shows examples in the language that the reader chooses, by keyboard", async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      const shown = () => page.locator("#getBoard .sample:visible figcaption").allTextContents();
      assertEquals(await shown(), ["Read a board · curl"]);
      await page.getByLabel("Examples in").focus();
      await page.keyboard.press("ArrowDown");
      assertEquals(await shown(), ["Read a board · JavaScript"]);
    });
  });

  it("shows examples with the base URL of the reader", async () => {
    const code = await visit({}, (page) => page.locator("#getBoard .curl pre").innerText());
    assert(code.includes(`'${url.replace("/docs", "")}/api/v1/boards/feature-requests'`));
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has enough contrast in ${colorScheme}`, async () => {
      const poor = await visit({ colorScheme }, (page) => page.evaluate("probes.poorContrast()"));
      assertEquals(poor, []);
    });
  }

  it("can be looked at", { skip: SCREENSHOTS ? false : "no folder is named" }, async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [390, 1440, 1920]) {
        for (const hash of ["", "#putSubscription", "#operations", "#problems"]) {
          const path = `${SCREENSHOTS}/${colorScheme}-${width}${hash.replace("#", "-")}.png`;
          await visit({ colorScheme, width, hash }, (page) => page.screenshot({ path }));
        }
      }
    }
  });
});
