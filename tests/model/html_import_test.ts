import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import process from "node:process";
import { runSynchronously } from "../../model/turns.ts";
import { replaceHtml } from "../../model/entries/html/html_in_markdown.ts";
import { htmlToMarkdown } from "../../model/entries/html/html_to_markdown.ts";
import { parseMarkdown, renderHtml } from "../../model/entries/markdown.ts";
import { forEachRow } from "../_support/rows.ts";

describe("HTML in an import", () => {
  it("becomes Markdown that says the same", () =>
    forEachRow([
      ...["<p>a <em>b</em> <strong>c</strong> <del>d</del></p>", "<h2>a</h2>\n<p>b</p>"],
      ...["<ul>\n<li>a</li>\n<li>b\n<ol>\n<li>c</li>\n</ol>\n</li>\n</ul>", "<p>a<br />\nb</p>"],
      ...[
        "<blockquote>\n<p>a</p>\n<p>b</p>\n</blockquote>",
        "<p>*a* _b_ `c` # [d](e) &lt;f&gt;</p>",
      ],
      '<pre tabindex="0"><code class="language-js">a\n\n```\n</code></pre>',
      '<p><a href="https://a.example/b_c_d">e</a> <img src="https://a.example/" alt="f" /></p>',
      "<p># a</p>\n<p>1. b</p>\n<p>- c</p>\n<p>+ d</p>",
      '<table>\n<thead>\n<tr>\n<th>a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n' +
      '<tr>\n<td>c | d</td>\n<td align="right">e</td>\n</tr>\n</tbody>\n</table>',
    ], (html) => {
      const { body, leftOut } = runSynchronously(htmlToMarkdown(html));
      assertEquals([renderHtml(parseMarkdown(body)), leftOut.size], [`${html}\n`, 0], body);
    }));

  it("is told of where it can't be kept", () => {
    const html =
      "<p>H<sub>2</sub>O <script>alert(1)</script><video src=x></video></p><form>x</form>";
    const { body, leftOut } = runSynchronously(htmlToMarkdown(html));
    assertEquals([body, [...leftOut]], ["H2O", [
      "raised or lowered text",
      "embedded content",
      "video",
      "form",
    ]]);
  });

  it("keeps all lines of code, whatever highlighter has written them", () =>
    forEachRow([
      // Hexo
      '<figure class="highlight js"><table><tr><td class="gutter"><pre><span class="line">1</span><br>' +
      '<span class="line">2</span><br></pre></td><td class="code"><pre><span class="line">a < b</span>' +
      '<br><span class="line">  c</span><br></pre></td></tr></table></figure>',
      // Rouge
      '<div class="language-js highlighter-rouge"><div class="highlight"><pre class="highlight"><code>' +
      '<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre>' +
      '</td><td class="rouge-code"><pre>a &lt; b\n  c\n</pre></td></tr></tbody></table></code></pre></div></div>',
      // Pygments
      '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div>' +
      '</td><td class="code"><div class="highlight-js highlight lang-js"><pre>a &lt; b\n  c\n</pre></div></td></tr></table>',
      // Chroma
      '<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd"><pre>' +
      '<code><span class="lnt">1\n</span><span class="lnt">2\n</span></code></pre></td><td class="lntd">' +
      '<pre><code class="language-js" data-lang="js"><span class="line">a &lt; b\n</span>  c\n</code></pre></td></tr></table></div></div>',
      // Lines as elements, or with breaks alone
      '<pre class="language-js"><div class="line">a &lt; b</div><div class="line">  c</div></pre>',
      '<pre><code class="lang-js">a &lt; b<br>  c</code></pre>',
      '<pre class="sourceCode js"><code class="sourceCode js"><span>a &lt; b</span>\n<span>  c</span></code></pre>',
      '<pre><code class="hljs language-js"><table class="hljs-ln"><tr><td class="hljs-ln-numbers">1</td>' +
      '<td>a &lt; b</td></tr><tr><td class="hljs-ln-numbers">2</td><td>  c</td></tr></table></code></pre>',
      '<p><code class="language-js">a &lt; b<br>  c</code></p>',
    ], (html) => {
      const { body, leftOut } = runSynchronously(htmlToMarkdown(html));
      assertEquals([body, leftOut.size], ["```js\na < b\n  c\n```", 0]);
    }));

  it("keeps what is in tables, lists and other blocks, or says what is lost of them", () =>
    forEachRow([
      ["<table><tr><td><h3>a</h3><p>b</p></td></tr></table>", "### a\n\nb", ""],
      ['<table role="presentation"><tr><td>a</td><td>b</td></tr></table>', "a\n\nb", ""],
      [
        "<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td><ul><li>d</li></ul></td></tr></table>",
        "a\n\nb\n\nc\n\n- d",
        "table",
      ],
      [
        "<table><caption>t</caption><tr><th>a</th><th>b</th></tr><tr><td colspan=2>c</td></tr></table>",
        "t\n\n| a | b |\n| --- | --- |\n| c |  |",
        "",
      ],
      ["<dl><dt>a</dt><dd>b</dd><dd><p>c</p></dd></dl>", "**a**\n\nb\n\nc", ""],
      [
        '<figure><img src="https://a.example/b" alt="c"><figcaption>d</figcaption></figure>',
        "![c](https://a.example/b)\n\nd",
        "",
      ],
      [
        "<details><summary>a</summary><p>b</p><ul><li>c</li></ul></details>",
        "**a**\n\nb\n\n- c",
        "",
      ],
      ["<ul><li>a</li><ul><li>b</li></ul>c</ul>", "- a\n  - b\n  c", ""],
      ["<span><p>a</p><p>b</p></span>", "a\n\nb", ""],
      ['<a href="https://a.example/"><h3>a</h3><p>b</p></a>', "### a\n\nb", "link"],
      [
        '<picture><source srcset="x"><img data-src="https://a.example/b" src="data:image/gif;base64,R0" alt="c"></picture>',
        "![c](https://a.example/b)",
        "",
      ],
      ['<p><img src="data:image/gif;base64,R0" alt="c"></p>', "c", "picture"],
    ], ([html, expected, lost]) => {
      const { body, leftOut } = runSynchronously(htmlToMarkdown(html));
      assertEquals([body, [...leftOut].join()], [expected, lost]);
    }));

  it("in Markdown is kept where it is a block of its own", () =>
    forEachRow([
      ["a\n\n<pre>\nb\n  c\n</pre>\n\nd", "a\n\n```\nb\n  c\n```\n\nd", ""],
      [
        "<table>\n<tr><th>a</th></tr>\n<tr><td>b</td></tr>\n</table>\n\nc",
        "| a |\n| --- |\n| b |\n\nc",
        "",
      ],
      ["<dl><dt>a</dt><dd>b</dd></dl>", "**a**\n\nb", ""],
      ["<table><tr><td>\n\n```js\na\n```\n\n</td></tr></table>", "```js\na\n```", "table"],
      ["<pre>a", "<pre>a", ""],
    ], ([text, expected, lost]) => {
      const { body, leftOut } = runSynchronously(replaceHtml(text));
      assertEquals([body, [...leftOut].join()], [expected, lost]);
    }));

  it("takes a time that grows with its length alone", () => {
    const measure = (html: string) => {
      const start = process.cpuUsage();
      runSynchronously(htmlToMarkdown(html));
      runSynchronously(replaceHtml(html));
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    for (
      const part of ["<pre>", "<table><tr><td>", "<span>", "<code><br>", "<ul>a", "<a href=b>"]
    ) {
      const [short, long] = [200, 1_600].map((count) =>
        Math.min(...[1, 2, 3].map(() => measure(part.repeat(count))))
      );
      assert(long < short * 40 + 50_000, `${part}: ${short} and ${long} µs`);
    }
  });
});
