import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { parseMarkdown, renderHtml } from "../../../model/entries/markdown.ts";
import { BREAKOUTS, REFUSED_LINKS } from "../../_support/xss_payloads.ts";
import { launchBrowser, PROBES } from "./_browser.ts";

const PAGE = "http://boardcast.test/";

it("Rendered Markdown runs no script and has no URL but http, https and mailto", async () => {
  await using browser = await launchBrowser();

  /** Opens a page without a policy that shows each content in a section of its own. */
  async function visit(contents: readonly string[]): Promise<Record<string, unknown>> {
    const sections = contents.map((content) => `<section>${content}</section>`);
    const body = `<!DOCTYPE html><body>${sections.join("")}`;
    const page = await browser.newPage();
    await page.addInitScript({ path: PROBES });
    await page.route(
      () => true,
      (route) =>
        route.request().url() === PAGE
          ? route.fulfill({ contentType: "text/html; charset=utf-8", body })
          : route.abort(),
    );
    await page.goto(PAGE);
    return await page.evaluate("probes.describeSections()");
  }

  const script = "<img src=x onerror=alert(1)><script>alert(1)</script>";
  assertEquals((await visit([script])).alerts, 2, "a script is not noticed");
  const payloads = [...BREAKOUTS, ...REFUSED_LINKS];
  assertEquals(await visit(payloads.map((payload) => renderHtml(parseMarkdown(payload)))), {
    alerts: 0,
    sections: payloads.length,
    strays: 0,
    names: [
      ...["a", "blockquote", "code", "del", "em", "h1", "img", "input", "li", "p", "pre", "strong"],
      ...["table", "tbody", "td", "th", "thead", "tr", "ul"],
    ],
    attributes: [
      ...["align", "alt", "aria-label", "checked", "class", "disabled", "href", "src", "tabindex"],
      ...["title", "type"],
    ],
    schemes: ["https:", "mailto:"],
  });
});
