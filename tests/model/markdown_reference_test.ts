import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { HtmlRenderer, Parser } from "commonmark";
import spec from "commonmark-spec";
import { parseMarkdown, renderHtml } from "../../model/entries/markdown.ts";

/** A node of the reference implementation, which has no types. */
interface ReferenceNode {
  readonly type: string;
}

// Bare URLs are links in GFM.
const WITH_BARE_URLS = [14, 41, 488, 490, 491, 494, 497, 508, 513, 518, 519, 602, 608, 611];

/**
 * Returns the HTML of the reference implementation, or the constructs in a text that Boardcast
 * leaves out.
 */
function renderReference(markdown: string): { html: string } | { leftOut: "html" | "definition" } {
  const parser = new Parser();
  const document = parser.parse(markdown);
  const walker = document.walker();
  for (let event = walker.next(); event; event = walker.next()) {
    if ((event.node as ReferenceNode).type.startsWith("html_")) return { leftOut: "html" };
  }
  if (Object.keys(parser.refmap).length > 0) return { leftOut: "definition" };
  // A code block that scrolls must be reachable by keyboard.
  const html = withoutRefusedUrls(new HtmlRenderer().render(document))
    .replaceAll("<pre>", '<pre tabindex="0">');
  return { html };
}

it("Markdown is rendered as in CommonMark's examples but those of HTML and definitions", () => {
  const counts = { compared: 0, html: 0, definition: 0 };
  for (const { number, markdown } of spec.tests) {
    // A tab is shown as an arrow.
    const text: string = markdown.replaceAll("→", "\t");
    const absolute = text.replace(/\]\((<?)\/?(?=[\w#])(?!\w+:)/g, "]($1https://a.example/");
    for (const written of [text, absolute]) {
      const reference = renderReference(written);
      if ("leftOut" in reference) {
        counts[reference.leftOut]++;
        continue;
      }
      const normalize = WITH_BARE_URLS.includes(number) ? withoutBareLinks : String;
      const [html, expected] = [renderHtml(parseMarkdown(written)), reference.html].map(normalize);
      assertEquals([number, written, html], [number, written, expected]);
      counts.compared++;
    }
  }
  assertEquals(counts, { compared: 1010, html: 142, definition: 152 });
});

/** Replaces links and images with refused URLs by their text. */
function withoutRefusedUrls(html: string): string {
  return html
    .replace(/<a href="(?!https?:\/\/.|mailto:.)[^"]*"(?: title="[^"]*")?>(.*?)<\/a>/gis, "$1")
    .replace(/<img src="(?!https?:\/\/.)[^"]*" alt="([^"]*)"(?: title="[^"]*")? \/>/gi, "$1");
}

function withoutBareLinks(html: string): string {
  return html.replace(/<a href="([^"]*)">\1<\/a>/g, "$1");
}
