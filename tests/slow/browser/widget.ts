import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import axe, { type AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { createService } from "../../_support/service.ts";
import { launchBrowser } from "./_browser.ts";

const ELEMENT = "<boardcast-changelog>What's new</boardcast-changelog>";

/** The settings of a page of another site. */
interface Host {
  readonly content?: string;
  readonly attributes?: string;
  /** A script that runs before the widget. */
  readonly before?: string;
  readonly colorScheme?: "light" | "dark";
  readonly isFeedDown?: boolean;
  /** The text that replaces the feed. */
  readonly feed?: string;
  readonly timezoneId?: string;
}

/**
 * Serves a changelog with a number of entries, and a page of another origin with its own policy.
 */
async function serve(entries: number, options: { readonly language?: "ar" } = {}) {
  let host: Required<Pick<Host, "content" | "attributes">> = { content: "", attributes: "" };
  let isFeedDown = false;
  let feed: string | undefined;
  let feedRequests: Request[] = [];
  const listen = { hostname: "127.0.0.1", port: 0, onListen() {} };
  const api = Deno.serve(listen, (request) => {
    if (!request.url.includes("/changelog.json")) return service.handler(request);
    feedRequests.push(request);
    if (feed !== undefined) {
      return new Response(feed, { headers: { "access-control-allow-origin": "*" } });
    }
    return isFeedDown ? new Response("down", { status: 503 }) : service.handler(request);
  });
  const origin = `http://127.0.0.1:${api.addr.port}`;
  const service = createService({ publicUrl: origin, title: "Acme", rateLimit: false, ...options });
  for (let n = 1; n <= entries; n++) {
    const entry = { entryId: `e${n}`, title: `Entry <${n}>`, body: `Text **${n}**`, labels: "new" };
    await service.call("POST", "changelogs/entries", entry);
    service.advance(60_000);
    await service.call("POST", `changelogs/entries/e${n}/publish`, { notify: false });
  }
  const site = Deno.serve(listen, (request) => {
    if (!new URL(request.url).pathname.endsWith("/")) return new Response(null, { status: 204 });
    const policy = `default-src 'none'; script-src ${origin}; connect-src ${origin}`;
    const headers = { "content-type": "text/html", "content-security-policy": policy };
    const page = `<!doctype html><html lang="en" ${host.attributes}><title>App</title>
<script type="module" src="${origin}/changelog/widget.js"></script>
<main><h1>App</h1><p>${host.content}</p></main></html>`;
    return new Response(page, { headers });
  });
  return {
    origin,
    service,
    feedRequests: () => feedRequests,
    /** Visits the page. Nothing may appear on its console unless the feed is down. */
    async visit(
      browser: Browser,
      { content = ELEMENT, attributes = "", before, ...rest }: Host,
      use: (page: Page) => Promise<void>,
    ) {
      host = { content, attributes };
      isFeedDown = rest.isFeedDown ?? false;
      feed = rest.feed;
      feedRequests = [];
      const { colorScheme, timezoneId } = rest;
      const looks = { colorScheme, timezoneId, reducedMotion: "reduce" } as const;
      await using context = await browser.newContext(looks);
      if (before !== undefined) await context.addInitScript(before);
      const page = await context.newPage();
      const messages: string[] = [];
      page.on("console", (message) => messages.push(message.text()));
      page.on("pageerror", (error) => messages.push(error.message));
      await page.goto(`http://127.0.0.1:${site.addr.port}/`, { waitUntil: "networkidle" });
      await use(page);
      if (!isFeedDown) assertEquals(messages, []);
    },
    close: () => Promise.all([api.shutdown(), site.shutdown()]),
  };
}

const badge = (page: Page) => page.locator("boardcast-changelog b").first();
const isButtonFocused = (page: Page) =>
  page.evaluate(
    'document.activeElement.shadowRoot?.activeElement?.part.contains("button") ?? false',
  );
const panel = (page: Page) => page.locator("boardcast-changelog [popover]").first();

describe("the widget in a page of another origin, with a strict policy", () => {
  let browser: Browser;
  let [none, many, arabic]: Awaited<ReturnType<typeof serve>>[] = [];
  before(async () => {
    browser = await launchBrowser();
    [none, many, arabic] = [await serve(0), await serve(50), await serve(1, { language: "ar" })];
  });
  after(async () => {
    await browser.close();
    await Promise.all([none, many, arabic].map((served) => served.close()));
  });

  it("counts what is unread, shows the newest ten, and remembers that they were read", () =>
    many.visit(browser, {}, async (page) => {
      const before = await page.locator("boardcast-changelog").boundingBox();
      assertEquals(await badge(page).textContent(), "10+");
      const button = page.getByRole("button", { name: "What's new" });
      await button.press("Enter");
      const titles = await panel(page).getByRole("listitem").locator("strong").allTextContents();
      assertEquals([titles.length, titles[0], titles[9]], [10, "Entry <50>", "Entry <41>"]);
      assertEquals(await badge(page).isHidden(), true);
      assertEquals(await page.locator("boardcast-changelog").boundingBox(), before);
      await page.keyboard.press("Escape");
      assertEquals(await panel(page).isHidden(), true);
      assertEquals(await isButtonFocused(page), true);
      await page.reload({ waitUntil: "networkidle" });
      assertEquals(await badge(page).isHidden(), true);
      assertEquals(many.feedRequests().length, 2);
      for (const { headers } of many.feedRequests()) {
        assertEquals([headers.get("cookie"), headers.get("referer")], [null, null]);
      }
      assert(many.feedRequests()[1].headers.has("if-none-match"));
    }));

  it("loads one feed for twenty elements, and another for those of a label", () =>
    many.visit(browser, {
      content: ELEMENT.repeat(20) + '<boardcast-changelog label="old">Old</boardcast-changelog>',
    }, async (page) => {
      assertEquals(many.feedRequests().length, 2);
      await page.locator("boardcast-changelog").nth(3).click();
      assertEquals(await badge(page).isHidden(), true);
    }));

  it("says so where there is nothing, and leads to the changelog where the feed is down", async () => {
    await none.visit(browser, {}, async (page) => {
      assertEquals(await badge(page).isHidden(), true);
      await page.locator("boardcast-changelog").click();
      assertEquals(await panel(page).locator("p").textContent(), "Nothing has been published yet");
    });
    await many.visit(browser, { isFeedDown: true }, async (page) => {
      assertEquals(await badge(page).isHidden(), true);
      await page.locator("boardcast-changelog").click();
      const link = panel(page).getByRole("link");
      assertEquals(await link.getAttribute("href"), `${many.origin}/changelog`);
    });
  });

  it("opens and closes by its button, by mouse and by keyboard", () =>
    many.visit(browser, {}, async (page) => {
      const button = page.locator("boardcast-changelog");
      for (const press of [() => button.click(), () => page.keyboard.press("Enter")]) {
        await page.getByRole("button").first().focus();
        await press();
        assertEquals(await panel(page).isVisible(), true);
        await page.getByRole("button").first().focus();
        await press();
        assertEquals(await panel(page).isHidden(), true);
      }
      await button.click();
      await panel(page).getByRole("button").click();
      assertEquals([await panel(page).isHidden(), await isButtonFocused(page)], [true, true]);
    }));

  it("shows the day as the page does, in words and digits, wherever it is read", async () => {
    for (const served of [many, arabic]) {
      await served.visit(browser, { timezoneId: "Pacific/Honolulu" }, async (page) => {
        await page.locator("boardcast-changelog").click();
        const time = panel(page).locator("time").first();
        const at = await time.getAttribute("datetime");
        const html = await (await fetch(`${served.origin}/changelog`)).text();
        const [, day] = new RegExp(`<time datetime="${at}">([^<]+)</time>`).exec(html) ?? [];
        assertEquals(await time.textContent(), day);
      });
    }
  });

  it("throws nothing into the page where the feed is none", async () => {
    for (const feed of ["null", "[]", "{}", '{"items":null}', "1", "<html>"]) {
      await many.visit(browser, { feed }, async (page) => {
        assertEquals(await badge(page).isHidden(), true);
        await page.locator("boardcast-changelog").click();
        assertEquals(await panel(page).isVisible(), true);
      });
    }
  });

  it("stays in the window when that is turned upright", () =>
    many.visit(browser, {}, async (page) => {
      await page.evaluate('document.body.style.textAlign = "right"');
      await page.setViewportSize({ width: 844, height: 390 });
      await page.locator("boardcast-changelog").click();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
      const { x, width } = (await panel(page).boundingBox())!;
      assert(x >= 8 && x + width <= 382, `${x} ${width}`);
    }));

  it("gives its words their own language and direction", () =>
    arabic.visit(browser, {}, async (page) => {
      assertEquals(await badge(page).getAttribute("lang"), "ar");
      await page.locator("boardcast-changelog").click();
      const names = ["lang", "dir"];
      const values = await Promise.all(names.map((name) => panel(page).getAttribute(name)));
      assertEquals(values, ["ar", "rtl"]);
    }));

  it("works without localStorage", () =>
    many.visit(browser, {
      before: 'Object.defineProperty(window, "localStorage", { get() { throw new Error("no"); } })',
    }, async (page) => {
      assertEquals(await badge(page).textContent(), "10+");
      await page.locator("boardcast-changelog").click();
      assertEquals(await badge(page).isHidden(), true);
    }));

  it("stays in the window from right to left, and axe finds nothing, light or dark", async () => {
    for (const colorScheme of ["light", "dark"] as const) {
      await arabic.visit(browser, { attributes: 'dir="rtl"', colorScheme }, async (page) => {
        await page.evaluate('document.documentElement.style.colorScheme = "light dark"');
        await page.setViewportSize({ width: 390, height: 800 });
        assertEquals(await badge(page).getAttribute("aria-label"), "غير مقروءة: 1");
        await page.locator("boardcast-changelog").click();
        const { x, width } = (await panel(page).boundingBox())!;
        assert(x >= 8 && x + width <= 382, `${x} ${width}`);
        await page.evaluate(axe.source);
        const { violations } = await page.evaluate<AxeResults>("axe.run()");
        assertEquals(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
        const folder = Deno.env.get("SCREENSHOTS");
        if (folder) await page.screenshot({ path: `${folder}/widget-${colorScheme}.png` });
      });
    }
  });
});
