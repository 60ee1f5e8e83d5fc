import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseMarkdown, renderHtml, renderText } from "../model/markdown.ts";
import { forEachRow } from "./_rows.ts";
import { BREAKOUTS, REFUSED_LINKS } from "./_xss_payloads.ts";

const PIECES = [...BREAKOUTS, ...REFUSED_LINKS]
  .flatMap((payload) => payload.match(/\w+|[^\w]/gu) ?? []);
const UNITS = ["> ", "- ", "1. ", "[", "![", "*", "_a ", "**a* ", "`", "(", "[](", "<", "&", "\\"];

const ATTRIBUTE = '(?:[^"<>&]|&(?:amp|lt|gt|quot);)*';
const TITLE = `(?: title="${ATTRIBUTE}")?`;
const TOKEN = new RegExp(
  [
    '(?<text>(?:[^<>&"]|&(?:amp|lt|gt|quot);)+)',
    "<(?:hr|br) />",
    `<img src="(?<src>${ATTRIBUTE})" alt="${ATTRIBUTE}"${TITLE} />`,
    "<(?<start>p|h[1-6]|ul|li|blockquote|pre|code|em|strong)>",
    '<(?<ol>ol)(?: start="[0-9]{1,9}")?>',
    `<(?<code>code) class="language-${ATTRIBUTE}">`,
    `<(?<a>a) href="(?<href>${ATTRIBUTE})"${TITLE}>`,
    "</(?<end>[a-z0-9]+)>",
  ].join("|"),
  "y",
);

// With the characters of RFC 3986, but brackets, which are percent-encoded.
const IMAGE_URL = /^https?:\/\/(?:[!#-%'-;=?-Z_a-z~]|&amp;)+$/i;
const LINK_URL = /^(?:https?:\/\/|mailto:)(?:[!#-%'-;=?-Z_a-z~]|&amp;)+$/i;

/** Asserts that HTML has the promised elements and attributes only, well nested, and safe URLs. */
function assertFixedHtml(html: string): void {
  const open: string[] = [];
  for (let offset = 0; offset < html.length; offset = TOKEN.lastIndex) {
    TOKEN.lastIndex = offset;
    const { src, href, start, ol, code, a, end } = TOKEN.exec(html)?.groups ??
      { end: `markup at ${html.slice(offset)}` };
    const name = start ?? ol ?? code ?? a;
    if (name !== undefined) open.push(name);
    if (end !== undefined) assertEquals(open.pop(), end);
    assert(open.indexOf("a") === open.lastIndexOf("a"), `a link in a link: ${html}`);
    if (src !== undefined) assert(IMAGE_URL.test(src), src);
    if (href !== undefined) assert(LINK_URL.test(href), href);
  }
  assertEquals(open, []);
}

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

describe("Hostile Markdown", () => {
  it("becomes HTML with the fixed elements and attributes only, however it is mixed", async () => {
    await forEachRow([...BREAKOUTS, ...REFUSED_LINKS], (one) => assertFixedHtml(toHtml(one)));
    const mixed = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(fc.oneof(mixed, fc.string({ unit: "binary" })), (markdown) => {
        const html = toHtml(markdown);
        assertFixedHtml(html);
        // deno-lint-ignore no-control-regex
        assert(html.isWellFormed() && !/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/.test(html));
      }),
      { numRuns: 500 },
    );
  });

  it("makes no link and no image with a URL of another scheme", async () => {
    await forEachRow(REFUSED_LINKS, (one) => {
      const html = toHtml(one);
      assert(!/<(?:a|img)/.test(html), html);
    });
  });

  it("is parsed, and keeps its text, when it is 32 KiB of one thing", async () => {
    await forEachRow(UNITS, (unit) => {
      const tree = parseMarkdown(`${unit.repeat(32_768 / unit.length)}\na`);
      assertFixedHtml(renderHtml(tree));
      assert(renderText(tree).includes("a"));
    });
  });
});
