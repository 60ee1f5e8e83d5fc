import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

/** The script that a page runs as `probes`. */
export const PROBES: string = fileURLToPath(new URL("./_probes.js", import.meta.url));

const CHROMIUM = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];
/** The folder for screenshots; absent: none are kept. */
const SCREENSHOTS = Deno.env.get("SCREENSHOTS");

/** The settings of a visit. */
export interface Visit {
  readonly url: string;
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
  readonly hasTouch?: boolean;
  /** The console messages that the page may cause. */
  readonly expected?: readonly string[];
}

/** Starts Chromium, or says how to get it. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `Cannot find a browser at ${CHROMIUM}: install it (apt-get install -y chromium), or name ` +
        "another in the variable CHROMIUM",
    );
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** Visits a page. Fails if an unexpected message appears on its console. */
export async function visitPage<T>(
  browser: Browser,
  { url, width = 1440, javaScriptEnabled, hasTouch, expected = [] }: Visit,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const looks = { viewport: { width, height: 900 }, reducedMotion: "reduce" } as const;
  await using context = await browser.newContext({ ...looks, javaScriptEnabled, hasTouch });
  await context.addInitScript({ path: PROBES });
  const page = await context.newPage();
  const messages: string[] = [];
  page.on("console", (message) => messages.push(message.text()));
  page.on("pageerror", (error) => messages.push(error.message));
  page.on("requestfailed", (request) => messages.push(`failed: ${request.url()}`));
  await page.goto(url);
  const result = await use(page);
  // The console also reports violations of the Content-Security-Policy.
  assertEquals(messages, expected);
  return result;
}

/**
 * Checks that a page fits every width and has enough contrast in both colour schemes, has headings
 * without a gap in their levels, and shows where the focus is.
 */
export async function assertReadable(page: Page, name: string): Promise<void> {
  const backgrounds = new Set<unknown>();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    backgrounds.add(await page.evaluate('probes.styleOf("body", "backgroundColor")'));
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      assertEquals(await page.evaluate("probes.overflow()"), 0, `scrolls at ${width}`);
      const path = `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`;
      if (SCREENSHOTS !== undefined) await page.screenshot({ path, fullPage: true });
    }
    assertEquals(await page.evaluate("probes.poorContrast()"), [], colorScheme);
  }
  assertEquals(backgrounds.size, 2);
  const levels = await page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((headings) =>
    headings.map(({ tagName }) => Number(tagName[1]))
  );
  assertEquals([levels[0], levels.filter((level) => level === 1).length], [1, 1]);
  assertEquals(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1), []);
  const count = Math.min(12, await page.locator("a:visible, button:visible").count());
  for (let tab = 0; tab < count; tab++) {
    await page.keyboard.press("Tab");
    assertEquals(await page.evaluate("probes.focusOutline()"), "solid");
  }
}
