import { assert, assertEquals, assertMatch } from "@std/assert";
import axe from "axe-core";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser, Page } from "playwright-core";
import type { Language } from "../../../mod.ts";
import { ANN, BOARD, startBoard } from "./_board.ts";
import { assertReadable, launchBrowser, visitPage } from "./_browser.ts";

/** The means by which a person presses buttons. */
type By = "keyboard" | "touch";
const WAYS: readonly (readonly [Language, By])[] = [
  ["en", "keyboard"],
  ["he", "keyboard"],
  ["ja", "keyboard"],
  ["en", "touch"],
];

/** Presses a button by the keyboard or with a finger, and waits for the page that follows. */
async function press(page: Page, selector: string, by: By): Promise<void> {
  const act = by === "touch"
    ? () => page.tap(selector)
    : () => page.focus(selector).then(() => page.keyboard.press("Enter"));
  await Promise.all([page.waitForNavigation(), act()]);
}

/** Sends the form of a field: Enter in it presses the first button of the form. */
async function send(page: Page, field: string, by: By): Promise<void> {
  await press(
    page,
    by === "touch" ? `${field} >> xpath=ancestor::form//button >> nth=0` : field,
    by,
  );
}

describe("the forms of a board in Chromium", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
  });
  after(() => browser.close());

  for (const [language, by] of WAYS) {
    it(`take a person from an idea to their own page, by ${by} in ${language}`, async () => {
      await using site = await startBoard(language);
      const visit = { javaScriptEnabled: false, width: 390, hasTouch: by === "touch" };
      await visitPage(browser, { ...visit, url: `${site.url}/new` }, async (page) => {
        await page.fill("input[name=title]", "Larger letters");
        await send(page, "input[name=title]", by);
        await page.fill("textarea[name=body]", "\nI can't read them.");
        await page.fill(".idea input[name=userEmail]", "nobody");
        await page.fill(".idea input[name=userEmail]", ANN);
        // A form within 2 s counts as a script's.
        await page.waitForTimeout(2_100);
        await send(page, ".idea input[name=userEmail]", by);
      });
      const link = await site.takeLink();
      await visitPage(browser, { ...visit, url: `${site.url}/dark-mode` }, async (page) => {
        await page.fill(".vote input[name=userEmail]", ANN);
        await press(page, ".vote .quiet", by);
      });
      await visitPage(browser, { ...visit, url: link }, async (page) => {
        assertEquals(await page.locator(".items li").count(), 2);
        assertEquals(await site.votes(), 0);
        // The mail was sent for the idea; the vote came later.
        const later = ".items input:not(:checked)";
        assertEquals(await page.locator(later).count(), 1);
        if (by === "touch") await page.locator(later).tap();
        else {
          await page.locator(later).focus();
          await page.keyboard.press("Space");
        }
        await press(page, "form:not(.aside *) button", by);
        assertEquals(await site.votes(), 1);
      });
      await visitPage(browser, { ...visit, url: link }, async (page) => {
        assertMatch(`${await page.textContent(".items")}`, /Dark mode|Larger letters/);
        await press(page, "form[action$='/me/forget'] button", by);
        await press(page, "form[action$='/me/forget'] button", by);
        assertEquals(await site.votes(), 0);
      });
    });
  }

  it("stand on pages with one header, targets for fingers and eight ideas on a screen", async () => {
    await using site = await startBoard("en");
    for (let n = 0; n < 12; n++) await site.add(`p${n}`, `Number ${n}: letters`);
    const headers = new Set<string>();
    const paths = [
      "/changelog",
      "/boards",
      `/${BOARD}`,
      `/${BOARD}/p1`,
      `/${BOARD}/new`,
      "/roadmap",
    ];
    for (const path of [...paths, "/me"]) {
      await visitPage(browser, { url: site.publicUrl + path, width: 1280 }, async (page) => {
        headers.add(
          JSON.stringify(
            await page.locator(".brand, .top nav a").evaluateAll((parts) =>
              parts.map((part) => Math.round(part.getBoundingClientRect().left))
            ),
          ),
        );
        if (path === `/${BOARD}`) {
          const rows = await page.locator(".listed").evaluateAll((rows) =>
            rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])
          );
          assert(rows[0][0] <= 260 && rows[7][1] <= 800, JSON.stringify(rows.slice(0, 8)));
        }
        for (const width of [320, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          assertEquals(await page.evaluate("probes.tooSmall(24)"), [], `${path} at ${width}`);
          assertEquals(await page.evaluate("probes.overflow()"), 0, `${path} at ${width}`);
        }
      });
    }
    assertEquals(headers.size, 1, [...headers].join("\n"));
  });

  it("can be read by everybody, and axe finds nothing on their pages", async () => {
    for (const language of ["en", "ar"] as const) {
      await using site = await startBoard(language);
      await using context = await browser.newContext({ viewport: { width: 390, height: 800 } });
      await context.addInitScript({ content: axe.source });
      const page = await context.newPage();
      const check = async (name: string) => {
        const found = await page.evaluate(
          "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
        );
        assertEquals(found, [], `${language} ${name}`);
      };
      const look = (name: string, url: string) =>
        visitPage(browser, { url }, (visited) => assertReadable(visited, `${name} ${language}`));
      await page.goto(`${site.url}/dark-mode`);
      await check("idea");
      await page.evaluate("document.querySelector('.vote').noValidate = true");
      await page.fill(".vote input[name=userEmail]", "nobody");
      await send(page, ".vote input[name=userEmail]", "keyboard");
      await page.waitForSelector("[aria-invalid]");
      await check("mended form");
      await page.fill(".vote input[name=userEmail]", ANN);
      await send(page, ".vote input[name=userEmail]", "keyboard");
      await check("sent");
      for (const path of ["/new", "/new?title=Dark+modes", "/dark-mode/report"]) {
        await page.goto(`${site.url}${path}`);
        await check(path);
        // The focus of the first step starts in its field, and so not before all links.
        if (path !== "/new") await look(path.slice(1).replace(/\W/g, "-"), `${site.url}${path}`);
      }
      const link = await site.takeLink();
      await page.goto(link);
      await check("waiting");
      await look("waiting", link);
      await press(page, "form:not(.aside *) button", "keyboard");
      await check("confirmed");
      await page.goto(link);
      await check("mine");
      await look("mine", link);
      await page.goto(`${site.publicUrl}/me`);
      await check("me");
      await look("me", `${site.publicUrl}/me`);
      await page.goto(link);
      await press(page, "form[action$='/never'] button", "keyboard");
      await check("never");
    }
  });
});
