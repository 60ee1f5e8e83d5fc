import { assert, assertEquals } from "@std/assert";
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
const WIDTHS = [320, 390, 768, 1024, 1440];

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
    it(`shows the heading below the bar when an anchor is followed at ${width}`, async () => {
      await visit({ width }, async (page) => {
        await page.locator('nav a[href="#problems"]').click();
        const heading = await page.evaluate<Box>('probes.boxOf("#problems h2")');
        const bar = await page.evaluate<Box>('probes.boxOf(".bar")');
        assert(heading.top >= bar.bottom && heading.top < 450);
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

  it("lets the keyboard scroll code that is wider than its block", async () => {
    await visit({ width: 320 }, async (page) => {
      const code = page.locator("#putSubscription .curl pre");
      await code.focus();
      await page.keyboard.press("ArrowRight");
      assert(await page.evaluate<number>("probes.scrolled()") > 0);
    });
  });

  it("shows examples in the language that the reader chooses, by keyboard", async () => {
    await visit({ javaScriptEnabled: false }, async (page) => {
      const shown = () => page.locator("#getBoard .sample:visible figcaption").allTextContents();
      assertEquals(await shown(), ["Read a board · curl"]);
      await page.locator("#in-curl").focus();
      await page.keyboard.press("ArrowRight");
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
      for (const width of [390, 1440]) {
        for (const hash of ["", "#putSubscription", "#problems"]) {
          const path = `${SCREENSHOTS}/${colorScheme}-${width}${hash.replace("#", "-")}.png`;
          await visit({ colorScheme, width, hash }, (page) => page.screenshot({ path }));
        }
      }
    }
  });
});
