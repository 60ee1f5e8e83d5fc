import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import {
  MARKDOWN_MAX_NESTING,
  type MarkdownTree,
  parseMarkdown,
  renderHtml,
  renderText,
  shortenMarkdown,
  withDirections,
} from "../../model/entries/markdown.ts";
import { forEachRow } from "../_support/rows.ts";

const ENTITIES: readonly (readonly [written: string, shown: string])[] = [
  ["&amp;&lt;&gt;&quot;&apos;", "&<>\"'"],
  ["&ndash;&mdash;&lsquo;&rsquo;&ldquo;&rdquo;&bdquo;&hellip;&bull;", "–—‘’“”„…•"],
  ["&euro;&trade;&larr;&rarr;&minus;&ne;&le;&ge;&Yuml;", "€™←→−≠≤≥Ÿ"],
  ["&Dcaron;&NotEqualTilde;&CounterClockwiseContourIntegral;&zwnj;", "Ď≂̸∳\u200c"],
  ["&#65;&#x42;&#X43;&#128512;&#x1F600;", "ABC😀😀"],
  ["&#0;&#1;&#13;&#127;&#150;&#xd800;&#xfffe;&#x110000;&#9999999;", "\ufffd".repeat(9)],
  ["&Dcaronn; &amp &; &#; &#x; &#12345678; &#x1234567; &constructor;", ""],
];

/** Markdown that other implementations support, and its result here. */
const LEFT_OUT: readonly (readonly [markdown: string, html: string])[] = [
  ["[a]\n\n[a]: /b", "<p>[a]</p>\n<p>[a]: /b</p>\n"],
  ["<div>\n*a*\n</div>", "<p>&lt;div&gt;\n<em>a</em>\n&lt;/div&gt;</p>\n"],
  ["www.a.example ann@a.example", "<p>www.a.example ann@a.example</p>\n"],
  // A link contains no other link, and an image has no mail address as its source.
  ["[a <ann@a.b>](/b)", '<p>[a <a href="mailto:ann@a.b">ann@a.b</a>](/b)</p>\n'],
  ["![a](mailto:ann@a.example)", "<p>a</p>\n"],
  ["<irc://a.example>", "<p>irc://a.example</p>\n"],
];

const HEAD = "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n";

/** Tables as in GFM's examples, and further ones. */
const TABLES: readonly (readonly [markdown: string, html: string])[] = [
  ["| a | b |\n| --- | --- |\n", `${HEAD}</table>\n`],
  ["a|b\n-|-\nc\n", `${HEAD}<tbody>\n${row("c", "")}</tbody>\n</table>\n`],
  ["|a|b|\n|-|-|\n|c|d|e|\n", `${HEAD}<tbody>\n${row("c", "d")}</tbody>\n</table>\n`],
  [
    "a | b\n-|-\n`c\\|d` | **\\|**\n",
    `${HEAD}<tbody>\n${row("<code>c|d</code>", "<strong>|</strong>")}</tbody>\n</table>\n`,
  ],
  ["p\na|b\n-|-\n> q", `<p>p</p>\n${HEAD}</table>\n<blockquote>\n<p>q</p>\n</blockquote>\n`],
  ["a|b\n-|-\n\nc|d", `${HEAD}</table>\n<p>c|d</p>\n`],
  ["a|b\n-|-\n- c", `${HEAD}</table>\n<ul>\n<li>c</li>\n</ul>\n`],
  ["- a|b\n  -|-", `<ul>\n<li>\n${HEAD}</table>\n</li>\n</ul>\n`],
  ["| a | b |\n| - |\n| c |", "<p>| a | b |\n| - |\n| c |</p>\n"],
  ["a|b\n- | - |", "<p>a|b</p>\n<ul>\n<li>| - |</li>\n</ul>\n"],
  [
    "a|b|c\n:-|:-:|-:",
    '<table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="center">b</th>\n' +
    '<th align="right">c</th>\n</tr>\n</thead>\n</table>\n',
  ],
];

function row(...cells: readonly string[]): string {
  return `<tr>\n${cells.map((cell) => `<td>${cell}</td>\n`).join("")}</tr>\n`;
}

/** Returns the check box of a task, which is named by the text beside it. */
function box(name: string, isDone: boolean): string {
  return `<input ${isDone ? 'checked="" ' : ""}disabled="" type="checkbox" aria-label="${name}" />`;
}

/** Strikethrough, tasks and bare URLs as in GFM's examples, and further ones. */
const INLINES: readonly (readonly [markdown: string, html: string])[] = [
  ["~~a~~ ~b~", "<p><del>a</del> <del>b</del></p>\n"],
  ["~~a\n\nb~~ ~~c~ ~~~d~~~", "<p>~~a</p>\n<p>b~~ ~~c~ ~~~d~~~</p>\n"],
  ["**~~a~~** ~~*a~~*", "<p><strong><del>a</del></strong> <del>*a</del>*</p>\n"],
  [
    "- [ ] a\n- [x] b\n- [X] c",
    `<ul>\n${
      [..."abc"].map((name) => `<li>${box(name, name !== "a")} ${name}</li>\n`).join("")
    }</ul>\n`,
  ],
  [
    "1. [x] a\n   - [ ] *b*",
    `<ol>\n<li>${box("a", true)} a\n<ul>\n<li>${
      box("b", false)
    } <em>b</em></li>\n</ul>\n</li>\n</ol>\n`,
  ],
  [
    "- [x]a\n- [ ]\n- [x](https://a.b)",
    `<ul>\n<li>[x]a</li>\n<li>[ ]</li>\n<li>${a("https://a.b", "x")}</li>\n</ul>\n`,
  ],
  ["see https://a.example/b?c=(d)).", `<p>see ${bare("https://a.example/b?c=(d)")}).</p>\n`],
  ["(HTTP://a.example)", `<p>(${bare("HTTP://a.example")})</p>\n`],
  ["*https://a.example/_b_c*", `<p><em>${bare("https://a.example/_b_c")}</em></p>\n`],
  ["http://a.example:8080/b?c&d;", `<p>${bare("http://a.example:8080/b?c")}&amp;d;</p>\n`],
  ["http://a.example/b<c", `<p>${bare("http://a.example/b")}&lt;c</p>\n`],
  [
    "[https://a.b/c](https://d.e) [https://a.b]",
    `<p>${a("https://d.e", "https://a.b/c")} [${bare("https://a.b")}]</p>\n`,
  ],
  [
    '- [ ] say "hi" to [Ann](https://a.b)',
    `<ul>\n<li>${box("say &quot;hi&quot; to Ann", false)} say &quot;hi&quot; to ${
      a("https://a.b", "Ann")
    }</li>\n</ul>\n`,
  ],
  ["- [ ] ~~not~~", `<ul>\n<li>${box("not", false)} <del>not</del></li>\n</ul>\n`],
  ["siehe:https://a.b", `<p>siehe:${bare("https://a.b")}</p>\n`],
  ["見https://a.b", `<p>見${bare("https://a.b")}</p>\n`],
  ["éhttps://a.b", `<p>é${bare("https://a.b")}</p>\n`],
  ["1https://a.b", `<p>1${bare("https://a.b")}</p>\n`],
  ["xhttp://a.b https://a_b.c https://", "<p>xhttp://a.b https://a_b.c https://</p>\n"],
  ["`https://a.b` \\https://a.b", `<p><code>https://a.b</code> \\${bare("https://a.b")}</p>\n`],
];

function a(url: string, text: string): string {
  return `<a href="${url}">${text}</a>`;
}

function bare(url: string): string {
  return a(url, url);
}

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
  ["~~a~~ b\n- [x] c\n- [ ] d", "~~a~~ b\n\n- [x] c\n- [ ] d"],
  [
    "| Name | Size |\n|---|--:|\n| *a* | 12 |\n| 日本 | |",
    "Name   Size\n----   ----\na        12\n日本",
  ],
  [`a|b\n-|-\n${"c".repeat(80)}|d`, `a | b\n${"c".repeat(80)} | d`],
  [`${"a|".repeat(40)}\n${"-|".repeat(40)}`, Array(40).fill("a").join(" | ")],
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

  it("has no syntax for what is left out of CommonMark and GFM", async () => {
    await forEachRow(LEFT_OUT, ([markdown, html]) => assertEquals(toHtml(markdown), html));
  });

  it("has tables, strikethrough, tasks and bare URLs as GFM has them", async () => {
    await forEachRow(
      [...TABLES, ...INLINES],
      ([markdown, html]) => assertEquals(toHtml(markdown), html),
    );
  });

  it("fills up the rows of tables, but no more of them than takes a moment", () => {
    const html = toHtml(`${"|a".repeat(500)}\n${"|-".repeat(500)}\n${"b\n".repeat(1_000)}`);
    assertEquals(html.match(/<td>/g)?.length, 1_000 + 4_096);
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

  it("has paragraphs that each have the direction of their own text", () => {
    const html = (markdown: string) => withDirections(renderHtml(parseMarkdown(markdown)));
    assertEquals(
      html("# שלום\n\nHello\n\n- שלום\n\n  Hello\n- a <p>\n\n`<p>`\n\n    code"),
      '<h1 dir="auto">שלום</h1>\n<p dir="auto">Hello</p>\n<ul>\n' +
        '<li dir="auto">\n<p>שלום</p>\n<p dir="auto">Hello</p>\n</li>\n' +
        '<li dir="auto">\n<p>a &lt;p&gt;</p>\n</li>\n</ul>\n' +
        '<p dir="auto"><code>&lt;p&gt;</code></p>\n' +
        '<pre dir="ltr" tabindex="0"><code>code\n</code></pre>\n',
    );
    assertEquals(html("|a|\n|-|").slice(0, 18), '<table dir="auto">');
    const quote = '<blockquote dir="auto">\n<p>Hello</p>\n<p dir="auto">שלום</p>\n</blockquote>\n';
    assertEquals(html("> Hello\n>\n> שלום"), quote);
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

  it("is shortened by one look at all of it, and few at its parts", () => {
    for (const text of ["*a* ".repeat(8_000), "- a\n".repeat(8_000), "a\n\n".repeat(8_000)]) {
      let seen = 0;
      let looks = 0;
      const sizeOf = (tree: MarkdownTree) => {
        looks++;
        const { length } = renderHtml(tree);
        seen += length;
        return length;
      };
      const tree = parseMarkdown(text);
      const short = renderHtml(shortenMarkdown(tree, 20_000, sizeOf));
      assert(short.length > 19_000 && short.length <= 20_000, `${short.length}`);
      const whole = renderHtml(tree).length;
      assert(seen < whole + 60_000 && looks < 40, `${seen} of ${whole} in ${looks}`);
    }
  });
});
