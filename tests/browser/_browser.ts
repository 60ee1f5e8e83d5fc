import { assertEquals } from "@std/assert";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";

const CHROMIUM = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";
const PROBES = fileURLToPath(new URL("_probes.js", import.meta.url));
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Where to keep what pages look like; nothing is kept unless a folder is named. */
export const SCREENSHOTS: string | undefined = Deno.env.get("SCREENSHOTS");

/** What a visit is like. */
export interface Visit {
  readonly url: string;
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
  readonly javaScriptEnabled?: boolean;
  /** What the browser says of a page that is not found. */
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

/** Visits a page, on whose console nothing but what is expected may appear. */
export async function visitPage<T>(
  browser: Browser,
  { url, width = 1440, colorScheme, javaScriptEnabled, expected = [] }: Visit,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    javaScriptEnabled,
    reducedMotion: "reduce",
  });
  try {
    await context.addInitScript({ path: PROBES });
    const page = await context.newPage();
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    page.on("pageerror", (error) => messages.push(error.message));
    page.on("requestfailed", (request) => messages.push(`failed: ${request.url()}`));
    await page.goto(url);
    const result = await use(page);
    // Violations of the Content-Security-Policy are told on the console too.
    assertEquals(messages, expected);
    return result;
  } finally {
    await context.close();
  }
}

/** Returns the levels of the headings of a page, in their order. */
export function headingLevels(page: Page): Promise<readonly number[]> {
  return page.locator("h1, h2, h3, h4, h5, h6").evaluateAll((headings) =>
    headings.map(({ tagName }) => Number(tagName[1]))
  );
}
