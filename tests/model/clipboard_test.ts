import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readFile } from "node:fs/promises";
import { convertClipboard } from "../../model/entries/html/clipboard.ts";
import type { Converted } from "../../model/entries/html/html_to_markdown.ts";
import { forEachRow } from "../_support/rows.ts";

const SAMPLES = new URL("../fixtures/clipboard/", import.meta.url);

/** Converts HTML, and counts the pauses. */
function convert(
  html: string,
): Pick<Converted, "body" | "leftOut"> & { readonly pauses: number } {
  const work = convertClipboard(html);
  for (let pauses = 0;; pauses++) {
    const { done, value } = work.next();
    if (done) return { ...value, pauses };
  }
}

describe("the clipboard", () => {
  it("becomes Markdown, whichever program filled it", async () => {
    await forEachRow(
      [
        ["google_docs"],
        ["google_sheets"],
        ["word", "picture"],
        ["word_web"],
        ["excel"],
        ["gmail"],
        ["github"],
        ["notion"],
        ["notion_tasks"],
        ["vs_code"],
        ["chat"],
      ],
      async ([name, ...lost]) => {
        const read = (ending: string) => readFile(new URL(`${name}${ending}`, SAMPLES), "utf8");
        const { body, leftOut } = convert(await read(".html"));
        assertEquals(body, (await read(".md")).trimEnd());
        assertEquals([...leftOut], lost);
      },
    );
  });

  it("keeps the numbers of a list of Word's that follows one of dots", () => {
    const item = (list: number, mark: string) =>
      `<p style="mso-list:l${list} level1"><span style="mso-list:Ignore">${mark}</span>Item</p>`;
    const { body } = convert([item(0, "·"), item(1, "1."), item(1, "2.")].join(""));
    assertEquals(body, "- Item\n\n1. Item\n2. Item");
  });

  it("takes no address that no reader could open", () => {
    const { body, leftOut } = convert(
      '<p><a href="javascript:alert(1)">a</a> <a href="#b">b</a> <img src="data:image/png;base64,AA">',
    );
    assertEquals([body, [...leftOut]], ["a b", ["picture"]]);
  });

  it("keeps the words of a link that no reader could open, and tells of it", () =>
    forEachRow([["tel:+4930123", "phone link"], ["ftp://a.example/", "link"]], ([href, part]) => {
      const { body, leftOut } = convert(`<p><a href="${href}">call us</a></p>`);
      assertEquals([body, [...leftOut]], ["call us", [part]]);
    }));

  it("loses no cell, and moves none, where its style is a mark", () =>
    forEachRow([
      ["font-weight:bold", "**B**"],
      ["font-style:italic", "*B*"],
      ["text-decoration:line-through", "~~B~~"],
      ["font-weight:700;font-style:italic", "***B***"],
    ], ([style, expected]) => {
      const { body, leftOut } = convert(
        `<table><tr><td>A</td><td style="${style}">B</td></tr><tr><td>c</td><td>d</td></tr></table>`,
      );
      assertEquals([body, leftOut.size], [`| A | ${expected} |\n| --- | --- |\n| c | d |`, 0]);
    }));

  it("keeps the columns below a cell that spans several rows", () => {
    const { body } = convert(
      "<table><tr><th>A</th><th>B</th><th>C</th></tr><tr><td rowspan=2>1</td><td>2</td>" +
        "<td rowspan=2>3</td></tr><tr><td>4</td></tr><tr><td>5</td><td>6</td><td>7</td></tr></table>",
    );
    assertEquals(
      body,
      "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n|  | 4 |  |\n| 5 | 6 | 7 |",
    );
  });

  it("keeps the bold of a paragraph or an item, and makes one mark of several runs", () =>
    forEachRow([
      ['<p style="font-weight:bold">a <span style="font-weight:bold">b</span></p>', "**a b**"],
      ['<ul><li style="font-weight:700">a</li></ul>', "- **a**"],
      ["<p><b>Da</b><b>rk</b> <b>mode</b></p>", "**Dark** **mode**"],
      ['<p><span style="font-weight:700">Da</span><b>rk</b></p>', "**Dark**"],
    ], ([html, expected]) => assertEquals(convert(html).body, expected)));

  it("keeps the number at which a list begins", () =>
    forEachRow([
      '<ol start="5"><li>a</li><li>b</li></ol>',
      '<ol><li value="5">a</li><li>b</li></ol>',
      ...[
        '<p style="mso-list:l0 level1"><span style="mso-list:Ignore">5.</span>a</p>' +
        '<p style="mso-list:l0 level1"><span style="mso-list:Ignore">6.</span>b</p>',
      ],
      ...[
        '<ol start="5"><li data-aria-level="1"><p>a</p></li></ol>' +
        '<ol start="6"><li data-aria-level="1"><p>b</p></li></ol>',
      ],
    ], (html) => assertEquals(convert(html).body, "5. a\n6. b")));

  it("has an emoji for a picture of one", () => {
    const { body, leftOut } = convert(
      '<p>Out <img alt="🎉" src="https://fonts.example/1f389.png"> now <img alt="👩‍💻" src="data:image/png;base64,A"></p>',
    );
    assertEquals([body, leftOut.size], ["Out 🎉 now 👩‍💻", 0]);
  });

  it("has the name of an emoji for a small picture of one", () =>
    forEachRow([
      [
        '<img width="20" height="20" src="https://forum.example/images/emoji/twitter/tada.png" title=":tada:" class="emoji" alt=":tada:">',
        ":tada:",
      ],
      ['<img src="https://a.example/b.png" alt=":heart:">', ":heart:"],
      ['<img class="emoji big" width="32px" src="https://a.example/b.png" alt="parrot">', "parrot"],
      [
        '<img class="emoji" width="64" src="https://a.example/b.png" alt="a">',
        "![a](https://a.example/b.png)",
      ],
      ['<img width="20" src="https://a.example/b.png" alt="a">', "![a](https://a.example/b.png)"],
    ], ([html, body]) => assertEquals(convert(`<p>${html}</p>`).body, body)));

  it("tells of a picture that will not stay at its address", () => {
    const url = "https://lh7-rt.googleusercontent.com/docsz/AD_4nXabc?key=xyz";
    const { body, leftOut } = convert(`<p><img src="${url}" alt="a"></p>`);
    assertEquals([body, [...leftOut]], [`![a](${url})`, ["picture at an address that expires"]]);
  });

  it("names no tag to people, and nothing that says no more than its text", () => {
    const { body, leftOut } = convert(
      "<p><st1:city w:st='on'>Paris</st1:city> <my-part>a</my-part></p>",
    );
    assertEquals([body, leftOut.size], ["Paris a", 0]);
  });

  it("takes the code alone of a block with a head, wherever the head stands", () =>
    forEachRow([
      "<pre><div><div>bash</div><div><button>Copy code</button></div><div><code>ls -l\n</code></div></div></pre>",
      "<pre><div><span>bash</span><span>Copy</span></div><code>ls -l\n</code></pre>",
      "<div><span>bash</span><button>Copy code</button></div><pre><code>ls -l\n</code></pre>",
      '<div><button>Copy</button></div>\n<pre><code class="language-bash">ls -l\n</code></pre>',
    ], (html) => {
      const { body, leftOut } = convert(html);
      assertEquals([body, leftOut.size], ["```bash\nls -l\n```", 0]);
    }));

  it("takes all of a block in which only a part is marked as code", () =>
    assertEquals(convert("<pre>$ <code>ls</code> -l\nmore</pre>").body, "```\n$ ls -l\nmore\n```"));

  it("is converted in pieces and within bounds, however it is nested", () => {
    for (
      const part of ["<p>Some <b>words</b></p>", "<blockquote>", "<ul><li>", "<b>", "<td>", "<"]
    ) {
      const html = part.repeat(200_000 / part.length);
      const { body, pauses } = convert(`${html}x`);
      assert(pauses > 20 || part === "<", `${part}: ${pauses}`);
      assert(body.length < 1_000_000, `${part}: ${body.length}`);
    }
  });
});
