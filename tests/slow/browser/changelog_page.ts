import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { type HandlerOptions, type Language, LANGUAGES } from "../../../mod.ts";
import { createUnsubscribeLink } from "../../../services/subscriptions/unsubscribe_links.ts";
import { createService } from "../../_support/service.ts";
import { assertReadable, launchBrowser, PROBES, type Visit, visitPage } from "./_browser.ts";
import { openCipher } from "../../../services/privacy/sealed.ts";

const NOT_FOUND = "Failed to load resource: the server responded with a status of 404 (Not Found)";
const PATH = "changelogs/entries";
const TITLE = "What’s new in Acme";
const LONG_WORD =
  "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft";

/** The entries, oldest first. `ORIGIN` stands for the origin of the server. */
const ENTRIES: readonly Readonly<Record<string, string>>[] = [
  {
    entryId: "wide",
    title: `${LONG_WORD}, ${"x".repeat(90)}`,
    labels: `${"l".repeat(40)} ${"m".repeat(40)} fixed`,
    body: `${LONG_WORD.repeat(2)}\n\n\`${"code".repeat(40)}\`\n\n` +
      `\`\`\`sh\ncurl ${"https://example.com/".repeat(12)}\n\`\`\`\n\n` +
      `| ${"column ".repeat(20)} | b |\n|---|--:|\n| ${
        "w".repeat(90)
      } | 1 |\n\n- [x] done\n- [ ] ~~not~~\n\n` +
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

/** Serves a changelog and an image; returns the service, its address and its server. */
function serve(options: Partial<HandlerOptions> = {}) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/favicon.ico") return new Response(null, { status: 204 });
    if (pathname !== "/image.svg") return service.handler(request);
    return new Response(IMAGE, { headers: { "Content-Type": "image/svg+xml" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const service = createService({ publicUrl: origin, title: TITLE, ...options });
  return { service, origin, server };
}

/** Serves two entries in a language, and returns the address of a page of each type. */
async function serveIn(language: Language) {
  const { service, origin, server } = serve({
    ...{ language, home: "https://acme.example", signUp: true },
    worker: { wake() {}, askForProof() {} },
  });
  for (const { body, ...entry } of [ENTRIES[0], ENTRIES[2]]) {
    await service.call("POST", PATH, { ...entry, body: body.replaceAll("ORIGIN", origin) });
    await service.call("POST", `${PATH}/${entry.entryId}/publish`, { notify: false });
  }
  const cipher = await openCipher(service.storage, "unsubscribe");
  const unsubscribeUrl = createUnsubscribeLink(cipher, origin, "ann@example.com");
  const paths = [
    "/subscribe",
    "/changelog",
    "/changelog?label=none-such",
    "/changelog/wide",
    "/changelog/none",
  ];
  return { origin, server, paths: [...paths, unsubscribeUrl.slice(origin.length)] };
}

describe("The public changelog in a browser", () => {
  const { service, origin, server } = serve();
  let browser: Browser;
  let unsubscribeUrl: string;

  before(async () => {
    for (const entry of ENTRIES) {
      const body = entry.body.replaceAll("ORIGIN", origin);
      await service.call("POST", PATH, { ...entry, body });
      await service.call("POST", `${PATH}/${entry.entryId}/publish`, { notify: false });
      service.advance(6 * 86_400_000);
    }
    const cipher = await openCipher(service.storage, "unsubscribe");
    unsubscribeUrl = createUnsubscribeLink(cipher, origin, "ann@example.com");
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

  it("has nothing that axe finds, in each language", async () => {
    // All pages share one window, because starting one takes a while.
    await using context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    await context.addInitScript(axe.source);
    await context.addInitScript({ path: PROBES });
    const page = await context.newPage();
    for (const [index, language] of LANGUAGES.entries()) {
      const { origin, server, paths } = await serveIn(language);
      await page.emulateMedia({ colorScheme: index % 2 === 0 ? "light" : "dark" });
      for (const path of paths) {
        await page.goto(`${origin}${path}`);
        const found = [
          await page.evaluate("probes.axe()"),
          await page.evaluate("probes.overflow()"),
        ];
        assertEquals(found, [[], 0], `${language} ${path}`);
      }
      await server.shutdown();
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
      assertEquals(await page.locator("h1").innerText(), "You are unsubscribed");
    });
  });
});
