import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { MARKDOWN_MAX_NESTING, parseMarkdown, renderHtml, renderText } from "../model/markdown.ts";
import { forEachRow } from "./_rows.ts";

const ENTITIES: readonly (readonly [written: string, shown: string])[] = [
  ["&amp;&lt;&gt;&quot;&apos;", "&<>\"'"],
  ["&ndash;&mdash;&lsquo;&rsquo;&ldquo;&rdquo;&bdquo;&hellip;&bull;", "–—‘’“”„…•"],
  ["&euro;&trade;&larr;&rarr;&minus;&ne;&le;&ge;&Yuml;", "€™←→−≠≤≥Ÿ"],
  ["&Dcaron;&NotEqualTilde;&CounterClockwiseContourIntegral;&zwnj;", "Ď≂̸∳\u200c"],
  ["&#65;&#x42;&#X43;&#128512;&#x1F600;", "ABC😀😀"],
  ["&#0;&#1;&#13;&#127;&#150;&#xd800;&#xfffe;&#x110000;&#9999999;", "\ufffd".repeat(9)],
  ["&Dcaronn; &amp &; &#; &#x; &#12345678; &#x1234567; &constructor;", ""],
];

/** What other writers of Markdown know, and what becomes of it here. */
const LEFT_OUT: readonly (readonly [markdown: string, html: string])[] = [
  ["* a\n+ b", "<p>* a\n+ b</p>\n"],
  ["Title\n=====", "<p>Title\n=====</p>\n"],
  ["    code", "<p>code</p>\n"],
  ["[a]\n\n[a]: https://a.example/", "<p>[a]</p>\n<p>[a]: https://a.example/</p>\n"],
  ["<div>\n*a*\n</div>", "<p>&lt;div&gt;\n<em>a</em>\n&lt;/div&gt;</p>\n"],
  ["https://a.example/", "<p>https://a.example/</p>\n"],
  ["~~a~~ | b", "<p>~~a~~ | b</p>\n"],
  // No link is in a link, and no image is of an address to write to.
  ["[a <ann@a.b>](https://a.b)", '<p>[a <a href="mailto:ann@a.b">ann@a.b</a>](https://a.b)</p>\n'],
  ["![a](mailto:ann@a.example)", "<p>a</p>\n"],
];

const TEXTS: readonly (readonly [markdown: string, text: string])[] = [
  ["# A *b*\n\n**c** `d` \\* &amp;\n***\ne  \nf", "A b\n\nc d * &\n\n* * *\n\ne\nf"],
  ["See [the *guide*](https://a.example/ 'b').", "See the guide <https://a.example/>."],
  ["<https://a.example/é> <ann@a.example>", "https://a.example/é ann@a.example"],
  ["[![a](https://b.example)](https://a.example)", "a <https://b.example> <https://a.example>"],
  ["[a](/b) ![c](d.png)", "a c"],
  ["- a\n  b\n- c\n  1. d\n  2. e\n-", "- a\n  b\n- c\n  1. d\n  2. e\n-"],
  ["> a\n> > b\n>\n> c", "> a\n>\n> > b\n>\n> c"],
  ["```js\na\n\n  b\n```\nc", "    a\n\n      b\n\nc"],
  [" \n\n", ""],
];

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

describe("Markdown", () => {
  it("shows entities as the characters that they stand for", async () => {
    await forEachRow(ENTITIES, ([written, shown]) => {
      assertEquals(renderText(parseMarkdown(`a${written}b`)), `a${shown || written}b`);
    });
  });

  it("has no syntax for what is left out of CommonMark, nor for extensions", async () => {
    await forEachRow(LEFT_OUT, ([markdown, html]) => assertEquals(toHtml(markdown), html));
  });

  it("has lines that end as on any system, and none of control characters", () => {
    assertEquals(toHtml("a\r\nb\rc\nd"), "<p>a\nb\nc\nd</p>\n");
    assertEquals(toHtml("```\r\na\r\n\r\n```\r\n"), '<pre tabindex="0"><code>a\n\n</code></pre>\n');
    assertEquals(toHtml("\0a\f\ud800\x9f\uffff\t."), "<p>\ufffda\ufffd\ufffd\ufffd\ufffd\t.</p>\n");
  });

  it("has headings below those of the page", () => {
    const html = renderHtml(parseMarkdown("# a\n> ### b\n- ###### c"), { headingOffset: 2 });
    assertEquals(html.match(/<h\d>./g), ["<h3>a", "<h5>b", "<h6>c"]);
  });

  it("is shown as plain text, with the URLs of links or without", async () => {
    await forEachRow(TEXTS, ([markdown, text]) => {
      assertEquals(renderText(parseMarkdown(markdown)), text);
    });
    const tree = parseMarkdown("> - [a](https://a.example/) ![b](https://a.example/c)");
    assertEquals(renderText(tree, { linkUrls: false }), "> - a b");
  });

  it("keeps the text of what is nested too deeply, without the formatting", () => {
    const [most, more] = [MARKDOWN_MAX_NESTING, MARKDOWN_MAX_NESTING + 2];
    assertEquals(
      toHtml(`${"> ".repeat(more)}a`),
      `${"<blockquote>\n".repeat(most)}<p>&gt; &gt; a</p>\n${"</blockquote>\n".repeat(most)}`,
    );
    assertEquals(
      toHtml(`${"*a ".repeat(more)}${"b* ".repeat(more)}c`),
      `<p>${"<em>a ".repeat(most)}a a b b ${"b</em> ".repeat(most)}c</p>\n`,
    );
    const deep = `${"![".repeat(more)}a${"](https://a.example/)".repeat(more)}`;
    assertEquals(toHtml(deep), '<p><img src="https://a.example/" alt="a" /></p>\n');
  });
});
