import { assert, assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser, Page } from "playwright-core";
import { createUnsubscribeLink, openLinkSealer } from "../../services/unsubscribe_links.ts";
import { createService, type TestService } from "../_service.ts";
import {
  headingLevels,
  launchBrowser,
  SCREENSHOTS,
  type Visit as VisitOptions,
  visitPage,
} from "./_browser.ts";

const NAMES = ["list", "entry", "wide", "empty", "missing", "unsubscribe"] as const;
const SCHEMES = ["light", "dark"] as const;
const WIDTHS = [320, 390, 768, 1024, 1440, 1920];
const DAY_MS = 86_400_000;
const NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)";
const LONG_WORD =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

const TITLE = "What’s new in Acme";

type Visit = Omit<VisitOptions, "url">;

/** What the browser is shown, oldest first; `ORIGIN` stands for that of the server. */
const ENTRIES: readonly Readonly<Record<string, string>>[] = [
  {
    entryId: "wide",
    title: `${LONG_WORD}, ${"x".repeat(90)}`,
    labels: `${"l".repeat(40)} ${"m".repeat(40)} fixed`,
    body: `${LONG_WORD.repeat(2)}\n\n\`${"code".repeat(40)}\`\n\n` +
      `\`\`\`sh\ncurl ${"https://example.com/".repeat(12)}\n\`\`\`\n\n` +
      `<https://example.com/${"path".repeat(40)}>\n\n- ${"y".repeat(120)}\n  - 1\n    - 2\n` +
      `      - 3\n\n> > > ${"z".repeat(120)}\n\n![${"alt".repeat(40)}](ORIGIN/tall.svg)`,
  },
  {
    entryId: "hostile",
    title: '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    body: "<script>document.title = 3</script>\n\n[Press](javascript:document.title=4) " +
      "![x](javascript:document.title=5) [y](data:text/html,<script>document.title=6</script>)",
  },
  {
    entryId: "exports-on-your-schedule",
    title: "Exports on your schedule",
    labels: "new",
    body:
      "Pick a weekday and an hour, and a CSV of everything that changed lands in your bucket. " +
      "The first file holds all of it; each later one only what is different.\n\n" +
      "```sh\nacme exports create --every monday --at 06:00 \\\n  --to s3://reports/acme\n```\n\n" +
      "> Files are kept for **30 days**. Ask us if you need them for longer.",
  },
  {
    entryId: "fewer-clicks",
    title: "Fewer clicks in the editor",
    labels: "improved editor",
    url: "https://example.com/docs/editor",
    body: "Small things that add up:\n\n- `Tab` accepts a suggestion, `Esc` sends it away\n" +
      "- Pasted links become titles\n- Undo survives a reload\n\n" +
      "### Fixed\n\n1. The cursor no longer jumps when a colleague types above it.\n" +
      "2. Tables keep their widths when they are copied.",
  },
  {
    entryId: "dark-mode",
    title: "Dark mode, at last",
    labels: "new design",
    body: "Acme now follows the colours of your system, and you can choose them yourself under " +
      "[Settings → Appearance](https://example.com/settings).\n\n" +
      "![The dashboard in dark colours, with three charts](ORIGIN/wide.svg)\n\n" +
      "## What to expect\n\nCharts, mails and exports were redrawn too: *every* colour is now " +
      "checked for contrast, in both schemes. Press **D** to switch from anywhere.",
  },
];
const IMAGES = ["/wide.svg", "/tall.svg"];
const IMAGE = `<svg xmlns="http://www.w3.org/2000/svg" width="2400" height="1200">
<rect width="2400" height="1200" fill="#20304a"/><g fill="#ff9d7c"><rect x="200" y="700" width="300"
height="300"/><rect x="700" y="400" width="300" height="600"/><rect x="1200" y="250" width="300"
height="750"/></g></svg>`;

async function fill({ send, advance }: TestService, origin: string): Promise<void> {
  for (const entry of ENTRIES) {
    const json = { ...entry, body: entry.body.replaceAll("ORIGIN", origin) };
    const path = "/api/v1/changelogs/entries";
    assert((await send("POST", path, { json })).ok);
    const published = await send("POST", `${path}/${entry.entryId}/publish`, {
      json: { notify: false },
    });
    assert(published.ok);
    advance(6 * DAY_MS);
  }
}

describe("The public changelog in a browser", () => {
  let browser: Browser;
  const servers: Deno.HttpServer<Deno.NetAddr>[] = [];
  let pages: Readonly<Record<typeof NAMES[number], string>>;

  /** Serves a changelog; returns the service and its address. */
  function serve() {
    const service = Promise.withResolvers<TestService>();
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { pathname } = new URL(request.url);
        if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
        return IMAGES.includes(pathname)
          ? new Response(IMAGE, { headers: { "Content-Type": "image/svg+xml" } })
          : (await service.promise).handler(request);
      },
    );
    servers.push(server);
    const origin = `http://127.0.0.1:${server.addr.port}`;
    const created = createService({ publicUrl: origin, title: TITLE });
    service.resolve(created);
    return { service: created, origin };
  }

  before(async () => {
    const { service, origin } = serve();
    await fill(service, origin);
    const empty = serve();
    const sealer = await openLinkSealer(service.storage);
    pages = {
      list: `${origin}/changelog`,
      entry: `${origin}/changelog/dark-mode`,
      wide: `${origin}/changelog/wide`,
      empty: `${empty.origin}/changelog`,
      missing: `${origin}/changelog/none`,
      unsubscribe: await createUnsubscribeLink(sealer, origin, "ann@example.com"),
    };
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await Promise.all(servers.map((server) => server.shutdown()));
  });

  function visit<T>(
    name: keyof typeof pages,
    visit: Visit,
    use: (page: Page) => Promise<T>,
  ): Promise<T> {
    const expected = name === "missing" ? [NOT_FOUND] : [];
    return visitPage(browser, { ...visit, url: pages[name], expected }, use);
  }

  for (const name of NAMES) {
    it(`shows the page "${name}" at every width and in both colour schemes`, async () => {
      await visit(name, {}, async (page) => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 900 });
          assertEquals(await page.evaluate("probes.overflow()"), 0, `scrolls at ${width}`);
        }
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme });
          assertEquals(await page.evaluate("probes.poorContrast()"), [], colorScheme);
        }
      });
    });

    it(`leads through the page "${name}" by headings and by keyboard`, async () => {
      await visit(name, {}, async (page) => {
        const levels = await headingLevels(page);
        assertEquals([levels[0], levels.filter((level) => level === 1).length], [1, 1]);
        assertEquals(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1), []);
        const count = await page.locator("a, button").count();
        for (let tab = 0; tab < count; tab++) {
          await page.keyboard.press("Tab");
          assertEquals(await page.evaluate("probes.focusOutline()"), "solid");
        }
      });
    });
  }

  it("runs nothing that an entry holds, and loads its images", async () => {
    await visit("list", {}, async (page) => {
      assertEquals(await page.title(), TITLE);
      const widths = await page.locator("img").evaluateAll((images) =>
        images.map((image) => image.getBoundingClientRect().width)
      );
      assertEquals([widths.length, widths.every((width) => width > 500)], [2, true]);
      await page.getByText("Press x y").click();
      assertEquals(await page.title(), TITLE);
    });
  });

  it("is the same without scripts", async () => {
    const texts: string[] = [];
    for (const javaScriptEnabled of [true, false]) {
      await visit("list", { javaScriptEnabled }, async (page) => {
        texts.push(await page.locator("body").innerText());
      });
    }
    assertEquals(texts[1], texts[0]);
  });

  it("leads from an entry to its page, and back to all", async () => {
    await visit("list", {}, async (page) => {
      await page.getByRole("link", { name: "Dark mode, at last" }).click();
      assertEquals(page.url(), pages.entry);
      await page.getByRole("link", { name: "All entries" }).click();
      assertEquals(page.url(), pages.list);
    });
  });

  it("unsubscribes by its one button", async () => {
    await visit("unsubscribe", {}, async (page) => {
      await page.getByRole("button").click();
      assertEquals(await page.locator("h2").innerText(), "You are unsubscribed");
    });
  });

  it("prints dark ink on white paper, and where links lead", async () => {
    await visit("entry", { colorScheme: "dark" }, async (page) => {
      await page.emulateMedia({ media: "print" });
      const style = (selector: string, property: string) =>
        page.evaluate(`probes.styleOf("${selector}", "${property}")`);
      assertEquals(await style("body", "backgroundColor"), "rgb(255, 255, 255)");
      assertEquals(await style("body", "color"), "rgb(0, 0, 0)");
      assertEquals(await style(".pages", "display"), "none");
      const address = await page.evaluate(
        'getComputedStyle(document.querySelector(".body a"), "::after").content',
      );
      assertEquals(address, '" (https://example.com/settings)"');
    });
  });

  it("can be looked at", { skip: SCREENSHOTS ? false : "no folder is named" }, async () => {
    for (const colorScheme of SCHEMES) {
      for (const width of [390, 1440, 1920]) {
        for (const name of NAMES) {
          const path = `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`;
          await visit(
            name,
            { colorScheme, width },
            (page) => page.screenshot({ path, fullPage: true }),
          );
        }
      }
    }
  });
});
