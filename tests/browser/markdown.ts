import { assertEquals } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { parseMarkdown, renderHtml } from "../../model/markdown.ts";
import { BREAKOUTS, REFUSED_LINKS } from "../_xss_payloads.ts";
import { launchBrowser } from "./_browser.ts";

const PROBES = fileURLToPath(new URL("_markdown_probes.js", import.meta.url));
const PAGE = "http://boardcast.test/";

/** What a page is like once it is loaded. */
interface Description {
  /** The functions that scripts called. */
  readonly calls: readonly string[];
  readonly sections: number;
  /** How many elements are neither sections nor within. */
  readonly strays: number;
  readonly names: readonly string[];
  readonly attributes: readonly string[];
  readonly linkSchemes: readonly string[];
  readonly imageSchemes: readonly string[];
}

describe("Rendered Markdown in a browser", () => {
  let browser: Browser;

  before(async () => {
    browser = await launchBrowser();
  });

  after(() => browser?.close());

  /** Describes a page, without a policy, that has each content in a section of its own. */
  async function visit(contents: readonly string[]): Promise<Description> {
    const body = `<!DOCTYPE html><body>${
      contents.map((content) => `<section>${content}</section>`).join("")
    }`;
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

  it("would be noticed to run a script", async () => {
    const content =
      "<img src=x onerror=alert(1)><a href=javascript:alert(1)><script>alert(1)</script>";
    const { calls, names, attributes, linkSchemes } = await visit([content]);
    assertEquals(
      { calls, names, attributes, linkSchemes },
      {
        calls: ["alert", "alert"],
        names: ["a", "img", "script"],
        attributes: ["href", "onerror", "src"],
        linkSchemes: ["javascript:"],
      },
    );
  });
});
