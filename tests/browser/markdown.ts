import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { parseMarkdown, renderHtml } from "../../model/markdown.ts";
import { BREAKOUTS, REFUSED_LINKS } from "../_xss_payloads.ts";
import { launchBrowser } from "./_browser.ts";

const PROBES = fileURLToPath(new URL("_markdown_probes.js", import.meta.url));
const PAGE = "http://boardcast.test/";

describe("Rendered Markdown in a browser", () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  after(() => browser?.close());

  /** Describes a page, without a policy, that has each content in a section of its own. */
  async function visit(contents: readonly string[]): Promise<Record<string, unknown>> {
    const sections = contents.map((content) => `<section>${content}</section>`);
    const body = `<!DOCTYPE html><body>${sections.join("")}`;
    const context = await browser.newContext();
    try {
      await context.addInitScript({ path: PROBES });
      await context.route(
        () => true,
        (route) =>
          route.request().url() === PAGE
            ? route.fulfill({ contentType: "text/html; charset=utf-8", body })
            : route.abort(),
      );
      const page = await context.newPage();
      await page.goto(PAGE);
      return await page.evaluate("describePage()");
    } finally {
      await context.close();
    }
  }

  it("runs no script, and has no URL but http, https and mailto, whatever was written", async () => {
    const script = "<img src=x onerror=alert(1)><script>alert(1)</script>";
    assertEquals((await visit([script])).calls, ["alert", "alert"], "a script is not noticed");
    const payloads = [...BREAKOUTS, ...REFUSED_LINKS];
    assertEquals(await visit(payloads.map((payload) => renderHtml(parseMarkdown(payload)))), {
      calls: [],
      sections: payloads.length,
      strays: 0,
      names: ["a", "blockquote", "code", "em", "h1", "img", "li", "p", "pre", "strong", "ul"],
      attributes: ["alt", "class", "href", "src", "title"],
      linkSchemes: ["https:", "mailto:"],
      imageSchemes: ["https:"],
    });
  });
});
