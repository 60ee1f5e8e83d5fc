import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import fc from "fast-check";
import { parseMarkdown, renderHtml, renderText } from "../../model/entries/markdown.ts";
import { forEachRow } from "../_support/rows.ts";
import { BREAKOUTS, REFUSED_LINKS } from "../_support/xss_payloads.ts";

const PIECES = [...BREAKOUTS, ...REFUSED_LINKS]
  .flatMap((payload) => payload.match(/\w+|[^\w]/gu) ?? []);
const UNITS = ["> ", "- ", "1. ", "[", "![", "*", "_a ", "**a* ", "`", "(", "[](", "<", "&", "\\"]
  .concat([
    "~~a ",
    "~",
    "|",
    "a|b\n-|-\n",
    "a|\n-|\n|\n",
    "http://a_b/",
    "[http://a.b/]",
    "- [ ] ",
    "* a\n",
  ]);

const VALUE = '(?:[^"<>&]|&(?:amp|lt|gt|quot);)*';
// The characters of RFC 3986 except brackets, which are percent-encoded.
const URL_END = "(?:[!#-%'-;=?-Z_a-z~]|&amp;)+";
const TAG = new RegExp(
  "<(?:hr|br) />|" +
    '<input (?:checked="" )?disabled="" type="checkbox" aria-label="' + `${VALUE}" />|` +
    `<img src="[Hh][Tt]{2}[Pp][Ss]?://${URL_END}" alt="${VALUE}"(?: title="${VALUE}")? />|` +
    "<(?<start>p|h[1-6]|ul|li|blockquote|code|em|strong|del|table|thead|tbody|tr)>|" +
    '<(?<pre>pre) tabindex="0">|' +
    '<(?<cell>t[hd])(?: align="(?:left|center|right)")?>|' +
    '<(?<ol>ol)(?: start="[0-9]{1,9}")?>|' +
    `<(?<code>code) class="language-${VALUE}">|` +
    `<(?<a>a) href="(?:[Hh][Tt]{2}[Pp][Ss]?://|[Mm][Aa][Ii][Ll][Tt][Oo]:)${URL_END}"` +
    `(?: title="${VALUE}")?>|` +
    "</(?<end>[a-z0-9]+)>",
  "g",
);

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

/**
 * Checks that HTML has only the promised elements and attributes, well nested, and only safe URLs.
 */
function assertFixedHtml(html: string): void {
  const open: string[] = [];
  for (const { groups } of html.matchAll(TAG)) {
    const { start, pre, cell, ol, code, a, end } = groups!;
    const name = start ?? pre ?? cell ?? ol ?? code ?? a;
    if (name !== undefined) open.push(name);
    if (end !== undefined) assertEquals(open.pop(), end);
    assert(open.indexOf("a") === open.lastIndexOf("a"), `a link in a link: ${html}`);
  }
  assertEquals(open, []);
  const text = html.replace(TAG, "").replace(/&(?:amp|lt|gt|quot);/g, "");
  assert(!/[<>&"]/.test(text), text);
}

describe("Hostile Markdown", () => {
  it("becomes HTML with the fixed elements and attributes only, however it is mixed", async () => {
    await forEachRow([...BREAKOUTS, ...REFUSED_LINKS], (one) => assertFixedHtml(toHtml(one)));
    await forEachRow(REFUSED_LINKS, (one) => assert(!/<(?:a|img)/.test(toHtml(one)), toHtml(one)));
    const mixed = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 })
      .map((all) => all.join(""));
    fc.assert(fc.property(fc.oneof(mixed, fc.string({ unit: "binary" })), (markdown) => {
      const html = toHtml(markdown);
      assertFixedHtml(html);
      // deno-lint-ignore no-control-regex
      assert(html.isWellFormed() && !/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/.test(html));
    }));
  });

  it("is parsed, and keeps its text, when it is 32 KiB of one thing", async () => {
    await forEachRow(UNITS, (unit) => {
      const tree = parseMarkdown(`${unit.repeat(32_768 / unit.length)}\na`);
      assertFixedHtml(renderHtml(tree));
      assert(renderText(tree).includes("a"));
    });
  });
});
