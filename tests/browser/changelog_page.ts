import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import type { Browser } from "playwright-core";
import { createUnsubscribeLink, openLinkSealer } from "../../services/unsubscribe_links.ts";
import { createService } from "../_service.ts";
import { assertReadable, launchBrowser, type Visit, visitPage } from "./_browser.ts";

const NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)";
const TITLE = "What’s new in Acme";
const LONG_WORD =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

/** What the browser is shown, oldest first; `ORIGIN` stands for that of the server. */
const ENTRIES: readonly Readonly<Record<string, string>>[] = [
  {
    entryId: "wide",
    title: `${LONG_WORD}, ${"x".repeat(90)}`,
    labels: `${"l".repeat(40)} ${"m".repeat(40)} fixed`,
    body: `${LONG_WORD.repeat(2)}\n\n\`${"code".repeat(40)}\`\n\n` +
      `\`\`\`sh\ncurl ${"https://example.com/".repeat(12)}\n\`\`\`\n\n` +
      `<https://example.com/${"path".repeat(40)}>\n\n- ${"y".repeat(120)}\n  - 1\n    - 2\n` +
      `      - 3\n\n> > > ${"z".repeat(120)}\n\n![${"alt".repeat(40)}](ORIGIN/image.svg)`,
  },
  {
    entryId: "hostile",
    title: '<img src=x onerror="document.title=1"><script>document.title=2</script>',
    body: "<script>document.title = 3</script>\n\n[Press](javascript:document.title=4) " +
      "![x](javascript:document.title=5) [y](data:text/html,<script>document.title=6</script>)",
  },
  {
    entryId: "dark-mode",
    title: "Dark mode, at last",
    labels: "new design",
    url: "https://example.com/docs",
    body: "Choose colours under [Settings → Appearance](https://example.com/settings).\n\n" +
      "![The dashboard in dark colours](ORIGIN/image.svg)\n\n" +
      "## What to expect\n\n1. *Charts* and mails, too.\n\n> Press **D** to switch: `D`.",
  },
];
const IMAGE = `<svg xmlns="http://www.w3.org/2000/svg" width="2400" height="1200">
<rect width="2400" height="1200" fill="#20304a"/></svg>`;

/** Serves a changelog, with an image beside it; returns the service, its address and its server. */
function serve() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
    if (pathname !== "/image.svg") return service.handler(request);
    return new Response(IMAGE, { headers: { "Content-Type": "image/svg+xml" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const service = createService({ publicUrl: origin, title: TITLE });
  return { service, origin, server };
}

describe("The public changelog in a browser", () => {
  const { service, origin, server } = serve();
  let browser: Browser;
  let unsubscribeUrl: string;

  before(async () => {
    for (const entry of ENTRIES) {
      const path = "changelogs/entries";
      const body = entry.body.replaceAll("ORIGIN", origin);
      await service.call("POST", path, { ...entry, body });
      await service.call("POST", `${path}/${entry.entryId}/publish`, { notify: false });
      service.advance(6 * 86_400_000);
    }
    const sealer = await openLinkSealer(service.storage);
    unsubscribeUrl = await createUnsubscribeLink(sealer, origin, "ann@example.com");
    browser = await launchBrowser();
  });

  after(async () => {
    await browser?.close();
    await server.shutdown();
  });

  it("is readable at every width, in both colour schemes and by keyboard", async () => {
    const pages: Readonly<Record<string, Visit>> = {
      list: { url: `${origin}/changelog` },
      wide: { url: `${origin}/changelog/wide` },
      missing: { url: `${origin}/changelog/none`, expected: [NOT_FOUND] },
      unsubscribe: { url: unsubscribeUrl },
    };
    for (const [name, visit] of Object.entries(pages)) {
      await visitPage(browser, visit, (page) => assertReadable(page, name));
    }
  });

  it("runs nothing that an entry holds, and loads its images", async () => {
    await visitPage(browser, { url: `${origin}/changelog` }, async (page) => {
      const widths = await page.locator("img").evaluateAll((images) =>
        images.map((image) => image.getBoundingClientRect().width)
      );
      assertEquals([widths.length, widths.every((width) => width > 500)], [2, true]);
      await page.getByText("Press x y").click();
      assertEquals(await page.title(), TITLE);
    });
  });

  it("unsubscribes by its one button", async () => {
    await visitPage(browser, { url: unsubscribeUrl }, async (page) => {
      await page.getByRole("button").click();
      assertEquals(await page.locator("h2").innerText(), "You are unsubscribed");
    });
  });
});
