import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { pairRuns, readRun } from "../model/_markdown/emphasis.ts";
import { MARKDOWN_MAX_NESTING, parseMarkdown, renderHtml, renderText } from "../model/markdown.ts";
import { assertFixedHtml } from "./_markdown.ts";

const ENTITIES: readonly [written: string, shown: string][] = [
  ["&amp;&lt;&gt;&quot;&apos;", "&<>\"'"],
  ["&nbsp;&iexcl;&pound;&shy;&frac12;&Auml;&szlig;&yuml;", "\u00a0¡£\u00ad½Äßÿ"],
  ["&ensp;&emsp;&thinsp;&zwnj;&zwj;", "\u2002\u2003\u2009\u200c\u200d"],
  ["&ndash;&mdash;&lsquo;&rsquo;&ldquo;&rdquo;&bdquo;&hellip;&bull;", "–—‘’“”„…•"],
  ["&euro;&trade;&larr;&rarr;&minus;&ne;&le;&ge;&Yuml;", "€™←→−≠≤≥Ÿ"],
  ["&#65;&#x42;&#X43;&#128512;&#x1F600;", "ABC😀😀"],
  ["&#0;&#1;&#13;&#127;&#150;&#xd800;&#xfffe;&#x110000;&#9999999;", "\ufffd".repeat(9)],
  ["&#9;&#10;.", "\t\n."],
  ["&Dcaron; &amp &; &#; &#x; &#12345678; &#x1234567; &constructor;", ""],
];

const PARENTHESES = "(".repeat(9) + ")".repeat(9);

/** What other writers of Markdown know, and what becomes of it here. */
const LEFT_OUT: readonly [markdown: string, html: string][] = [
  ["* a\n+ b", "<p>* a\n+ b</p>\n"],
  ["1) a", "<p>1) a</p>\n"],
  ["Title\n=====", "<p>Title\n=====</p>\n"],
  ["Title\n---", "<p>Title</p>\n<hr />\n"],
  ["    code", "<p>code</p>\n"],
  ["-     code\n\n  b", "<ul>\n<li>\n<p>code</p>\n<p>b</p>\n</li>\n</ul>\n"],
  ["a\n\n\tcode\n    # code", "<p>a</p>\n<p>code\n# code</p>\n"],
  ["[a]\n\n[a]: https://a.example/", "<p>[a]</p>\n<p>[a]: https://a.example/</p>\n"],
  [`[a](https://a.example/${PARENTHESES})`, `<p>[a](https://a.example/${PARENTHESES})</p>\n`],
  ["<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>\n"],
  ["<div>\n*a*\n</div>", "<p>&lt;div&gt;\n<em>a</em>\n&lt;/div&gt;</p>\n"],
  ["list<std::string>", "<p>list&lt;std::string&gt;</p>\n"],
  ["https://a.example/", "<p>https://a.example/</p>\n"],
  ["~~a~~ | b", "<p>~~a~~ | b</p>\n"],
];

const URLS: readonly [written: string, url: string][] = [
  ["https://a.example", "https://a.example"],
  ["HTTP://A.example/", "HTTP://A.example/"],
  ["https://a.example/?a=b&c=d#e", "https://a.example/?a=b&amp;c=d#e"],
  ["https://a.example/é/%C3%A9/%zz/100%", "https://a.example/%C3%A9/%C3%A9/%25zz/100%25"],
  ["https://a.example/a\\_b&amp;&ouml;", "https://a.example/a_b&amp;%C3%B6"],
  ["<https://a.example/a b>", "https://a.example/a%20b"],
  ["https://a.example/((((((((a))))))))", "https://a.example/((((((((a))))))))"],
  ["mailto:ann@a.example?subject=a", "mailto:ann@a.example?subject=a"],
];

const TEXTS: readonly [name: string, markdown: string, text: string][] = [
  ["formatting", "# A *b*\n\n**c** `d` \\* &amp;\n***\ne  \nf", "A b\n\nc d * &\n\n* * *\n\ne\nf"],
  ["a link", "See [the *guide*](https://a.example/ 'b').", "See the guide <https://a.example/>."],
  ["an autolink", "<https://a.example/é> <ann@a.example>", "https://a.example/é ann@a.example"],
  ["a link without text", "[](https://a.example/)", "<https://a.example/>"],
  ["an image", "![a](https://a.example/b.png)", "a <https://a.example/b.png>"],
  [
    "an image in a link",
    "[![a](https://b.example)](https://a.example)",
    "a <https://b.example> <https://a.example>",
  ],
  ["a refused link", "[a](/b) ![c](d.png)", "a c"],
  ["a tight list", "- a\n  b\n- c\n  1. d\n  2. e\n-", "- a\n  b\n- c\n  1. d\n  2. e\n-"],
  ["a loose list", "9. a\n\n   b\n10. c", "9. a\n\n   b\n\n10. c"],
  ["a quote", "> a\n> > b\n>\n> c", "> a\n>\n> > b\n>\n> c"],
  ["code", "```js\na\n\n  b\n```\nc", "    a\n\n      b\n\nc"],
  ["nothing", " \n\n", ""],
];

const UNITS = ["> ", "- ", "1. ", "[", "![", "*", "_a ", "**a* ", "`", "(", "[](", "<", "&", "\\"];

function toHtml(markdown: string): string {
  return renderHtml(parseMarkdown(markdown));
}

describe("Markdown", () => {
  it("is parsed to a tree", () => {
    const markdown =
      "## A\n- *b*  \n  `c`\n\n3. > [d](https://a.example/ 'e')\n~~~ f g\nh\n~~~\n***\n" +
      "![**i**](https://a.example/j)";
    assertEquals(parseMarkdown(markdown), [
      { type: "heading", level: 2, children: [{ type: "text", text: "A" }] },
      {
        type: "list",
        start: undefined,
        isTight: true,
        items: [[{
          type: "paragraph",
          children: [
            { type: "emphasis", children: [{ type: "text", text: "b" }] },
            { type: "hard_break" },
            { type: "code", text: "c" },
          ],
        }]],
      },
      {
        type: "list",
        start: 3,
        isTight: true,
        items: [[{
          type: "quote",
          children: [{
            type: "paragraph",
            children: [{
              type: "link",
              url: "https://a.example/",
              title: "e",
              children: [{ type: "text", text: "d" }],
            }],
          }],
        }]],
      },
      { type: "code_block", language: "f", text: "h\n" },
      { type: "thematic_break" },
      {
        type: "paragraph",
        children: [{ type: "image", url: "https://a.example/j", title: "", alt: "i" }],
      },
    ]);
  });

  for (const [written, shown] of ENTITIES) {
    it(`shows ${JSON.stringify(shown || written)} for ${written}`, () => {
      assertEquals(renderText(parseMarkdown(`a${written}b`)), `a${shown || written}b`);
    });
  }

  for (const [markdown, html] of LEFT_OUT) {
    it(`has no syntax for ${JSON.stringify(markdown)}`, () => assertEquals(toHtml(markdown), html));
  }

  for (const [written, url] of URLS) {
    it(`links to ${url} when ${written} is written`, () => {
      assertEquals(toHtml(`[a](${written})`), `<p><a href="${url}">a</a></p>\n`);
    });
  }

  it("has emphasis beside an emoji, which is no part of a word", () => {
    assertEquals(toHtml("😀_a_😀 b_c_d"), "<p>😀<em>a</em>😀 b_c_d</p>\n");
  });

  it("looks at runs of * and _ a bounded number of times", () => {
    const text = "*a ".repeat(1_000) + "b_ ".repeat(1_000);
    let lookCount = 0;
    const runs = [...text.matchAll(/[*_]/g)].map(({ index }) =>
      new Proxy(readRun(text, index, index + 1), {
        get(run, name) {
          if (name === "marker") lookCount++;
          return Reflect.get(run, name);
        },
      })
    );
    pairRuns(runs);
    assert(lookCount < 10 * runs.length, `${lookCount} times for ${runs.length} runs`);
  });

  it("has no image of an address to write to", () => {
    assertEquals(toHtml("![a](mailto:ann@a.example)"), "<p>a</p>\n");
  });

  it("has no link in a link, be it an autolink", () => {
    assertEquals(
      toHtml("[a <https://a.example/>](https://b.example/)"),
      '<p>[a <a href="https://a.example/">https://a.example/</a>](https://b.example/)</p>\n',
    );
  });

  it("has lines that end as on any system, and none of control characters", () => {
    assertEquals(toHtml("a\r\nb\rc\nd"), "<p>a\nb\nc\nd</p>\n");
    assertEquals(toHtml("```\r\na\r\n\r\n```\r\n"), "<pre><code>a\n\n</code></pre>\n");
    assertEquals(toHtml("\0a\f\ud800\x9f\uffff\t."), "<p>\ufffda\ufffd\ufffd\ufffd\ufffd\t.</p>\n");
  });

  it("has headings below those of the page", () => {
    const html = renderHtml(parseMarkdown("# a\n> ### b\n- ###### c"), { headingOffset: 2 });
    assertEquals(html.match(/<h\d>./g), ["<h3>a", "<h5>b", "<h6>c"]);
  });

  for (const [name, markdown, text] of TEXTS) {
    it(`shows ${name} as plain text`, () => {
      assertEquals(renderText(parseMarkdown(markdown)), text);
    });
  }

  it("shows links as their text alone where URLs are not wanted", () => {
    const tree = parseMarkdown(
      "> - [a](https://a.example/) ![b](https://a.example/c)\n\n# [d](https://a.example)",
    );
    assertEquals(renderText(tree, { linkUrls: false }), "> - a b\n\nd");
  });

  it("keeps the text of what is nested too deeply, without the formatting", () => {
    const [most, more] = [MARKDOWN_MAX_NESTING, MARKDOWN_MAX_NESTING + 2];
    assertEquals(
      toHtml(`${"> ".repeat(more)}a`),
      `${"<blockquote>\n".repeat(most)}<p>&gt; &gt; a</p>\n${"</blockquote>\n".repeat(most)}`,
    );
    assertEquals(toHtml(`${"- ".repeat(more)}a`).split("<ul>").length - 1, most);
    assertEquals(
      toHtml(`${"*a ".repeat(more)}${"b* ".repeat(more)}c`),
      `<p>${"<em>a ".repeat(most)}a a b b ${"b</em> ".repeat(most)}c</p>\n`,
    );
    const deep = `${"![".repeat(more)}a${"](https://a.example/)".repeat(more)}`;
    assertEquals(toHtml(deep), '<p><img src="https://a.example/" alt="a" /></p>\n');
  });

  for (const unit of UNITS) {
    it(`is parsed when it is 32 KiB of ${unit}`, () => {
      const markdown = unit.repeat(32_768 / unit.length);
      const tree = parseMarkdown(`${markdown}\na`);
      assertFixedHtml(renderHtml(tree));
      assert(renderText(tree).includes("a"));
    });
  }
});
