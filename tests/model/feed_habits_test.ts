import { assertEquals, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { htmlToMarkdown } from "../../model/entries/html/html_to_markdown.ts";
import { runSynchronously } from "../../model/turns.ts";
import { ENTRIES, exported, importFile } from "../_support/entry_import.ts";
import { forEachRow } from "../_support/rows.ts";
import { createService } from "../_support/service.ts";

const RSS = "application/rss+xml";
const ATOM = "application/atom+xml";
const JSON_FEED = "application/feed+json";

/** Imports a feed of one item, and returns the entry and the remarks. */
async function read(
  type: string,
  body: string | Uint8Array<ArrayBuffer>,
  query = "",
): Promise<Readonly<Record<string, unknown>>> {
  const service = createService();
  const { remarks } = await importFile(service, body, { type, query });
  const [entry = {}] = await exported(service);
  return { ...entry, remarks: remarks.map(({ detail }) => detail).join() };
}

const rss = (item: string, about = "") =>
  `<rss><channel>${about}<item><title>T</title><pubDate>Sat, 07 Jun 2025 12:00:00 GMT</pubDate>${item}</item></channel></rss>`;
const atom = (entry: string, about = "") =>
  `<feed xmlns="http://www.w3.org/2005/Atom">${about}<entry><id>t</id><title>T</title>` +
  `<updated>2025-06-07T12:00:00Z</updated>${entry}</entry></feed>`;
const HTML = "&lt;p&gt;&lt;a href='b'&gt;c&lt;/a&gt; &lt;img src='/d.png' alt='e'&gt;&lt;/p&gt;";

describe("a feed", () => {
  it("has its relative addresses start from where it is, or from a base that is given", () => {
    const item = { id: "t", title: "T", url: "/x/t", date_published: "2025-06-07" };
    const content_html = "<p><a href='b'>c</a> <img src='/d.png' alt='e'></p>";
    const json = (about: object) =>
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        ...about,
        items: [{ ...item, content_html }],
      });
    const link = "<link>/x/t</link>";
    const own = '<link href="/x/t"/>';
    return forEachRow([
      [RSS, rss(`${link}<description>${HTML}</description>`, "<link>https://a.example/</link>")],
      [
        RSS,
        rss(
          `${link}<description>${HTML}</description>`,
          '<link>/</link><atom:link rel="self" href="https://a.example/feed.xml"/>',
        ),
      ],
      [RSS, rss(`${link}<description>${HTML}</description>`), "https://a.example/z/"],
      [
        ATOM,
        atom(
          `${own}<content type="html">${HTML}</content>`,
          '<link rel="self" href="https://a.example/releases.atom"/>',
        ),
      ],
      [
        ATOM,
        atom(`${own}<content type="html">${HTML}</content>`).replace(
          "<entry>",
          '<entry xml:base="https://a.example/y">',
        ),
      ],
      [ATOM, atom(`${own}<content type="html">${HTML}</content>`), "https://a.example/"],
      [JSON_FEED, json({ home_page_url: "https://a.example/" })],
      [JSON_FEED, json({ feed_url: "https://a.example/feed.json" })],
      [JSON_FEED, json({}), "https://a.example/"],
    ], async ([type, text, base = ""]) => {
      const { url, body } = await read(type, text, base && `?baseUrl=${encodeURIComponent(base)}`);
      assertEquals([url, body], [
        "https://a.example/x/t",
        "[c](https://a.example/x/b) ![e](https://a.example/d.png)",
      ]);
    });
  });

  it("says how many relative addresses lead nowhere", async () => {
    const text = rss(`<description>${HTML}</description>`);
    const { body, remarks } = await read(RSS, text);
    assertEquals(body, "c e");
    assertStringIncludes(`${remarks}`, "1 relative link, 1 relative image; name by baseUrl");
  });

  it("is read in the encoding that its XML names", () =>
    forEachRow([
      ["ISO-8859-1", [0xe9], "é"],
      ["windows-1251", [0xc6, 0xf3, 0xea], "Жук"],
      ["koi8-r", [0xf6, 0xd5, 0xcb], "Жук"],
      ["Shift_JIS", [0x93, 0xfa], "日"],
      ["UTF-8", [0xc3, 0xa9], "é"],
    ], async ([encoding, bytes, expected]) => {
      const [before, after] = rss("<description>X</description>").split("X");
      const text = new TextEncoder();
      const file = [
        ...text.encode(`<?xml version="1.0" encoding="${encoding}"?>\n${before}`),
        ...bytes,
        ...text.encode(after),
      ];
      assertEquals((await read(RSS, new Uint8Array(file))).body, expected);
    }));

  it("is read in UTF-16 by its byte order mark", async () => {
    const text = `\ufeff<?xml version="1.0" encoding="UTF-16"?>${
      rss("<description>é</description>")
    }`;
    const file = Uint16Array.from(text, (character) => character.charCodeAt(0));
    assertEquals((await read(RSS, new Uint8Array(file.buffer))).body, "é");
  });

  it("is refused when it was cut off, so that no entry loses its end", () =>
    forEachRow([
      [RSS, rss("<description>whole</description>")],
      [ATOM, atom("<content>whole</content>")],
    ], async ([type, whole]) => {
      for (const end of ["le</", "</item", "</entry", "</rss", "</feed"]) {
        if (!whole.includes(end)) continue;
        const body = whole.slice(0, whole.indexOf(end));
        const response = await createService().send("POST", `${ENTRIES}/import`, {
          headers: { "content-type": type },
          body,
        });
        assertEquals([response.status, (await response.text()).includes("cut off")], [400, true]);
      }
    }));

  it("is refused by the name of an encoding that nobody knows", async () => {
    const body = `<?xml version="1.0" encoding="x-none"?>${rss("")}`;
    const headers = { "content-type": RSS };
    const response = await createService().send("POST", `${ENTRIES}/import`, { headers, body });
    assertEquals(response.status, 400);
    assertStringIncludes(await response.text(), "x-none");
  });

  it("loses control characters, which nobody sees, and no entry for them", () =>
    forEachRow(["a\u0008b", "a\u0085b", "a\ud800b", "a\u001bb"], async (title) => {
      const item = { id: "t", title, content_text: title, date_published: "2025-06-07" };
      const feed = { version: "https://jsonfeed.org/version/1.1", items: [item] };
      const entry = await read(JSON_FEED, JSON.stringify(feed));
      assertEquals([entry.title, entry.body], ["ab", "ab"]);
    }));

  it("has dates with two digits of a year, with any zone, or none", () =>
    forEachRow([
      ["Sat, 07 Jun 25 12:00:00 GMT", "2025-06-07T12:00:00.000Z"],
      ["Sat, 7 Jun 2025 12:00 EST", "2025-06-07T17:00:00.000Z"],
      ["07 Jun 2025 12:00:00 +0200", "2025-06-07T10:00:00.000Z"],
      ["Sat, 07 Jun 2025 12:00:00 CEST", "2025-06-07T12:00:00.000Z"],
      ["Sat, 07 June 2025", "2025-06-07T00:00:00.000Z"],
      ["2025-06-07T12:00:00", "2025-06-07T12:00:00.000Z"],
      ["Mon, May 25 2020 04:45:26 +0000", "2020-05-25T04:45:26.000Z"],
      ["May 25, 2020", "2020-05-25T00:00:00.000Z"],
    ], async ([date, expected]) => {
      const text = rss("<description>a</description>").replace(/(?<=<pubDate>)[^<]*/, date);
      assertEquals((await read(RSS, text)).publishedAt, expected);
    }));

  it("keeps the lines of a description that is no HTML", () =>
    forEachRow([
      ["a\n\nb", "a\n\nb"],
      ["a &amp;amp; b\nc", "a & b\\\nc"],
      ["1. a\n2. b", "1\\. a\\\n2\\. b"],
      ["a &lt;b&gt;b&lt;/b&gt;\n\nc", "a **b** c"],
    ], async ([description, expected]) => {
      const { body } = await read(RSS, rss(`<description>${description}</description>`));
      assertEquals(body, expected);
    }));

  it("has the picture beside a text without pictures as its first", () => {
    const url = "https://a.example/b.jpg";
    const item = { id: "t", title: "T", content_text: "Words", date_published: "2025-06-07" };
    const json = (more: object) =>
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        items: [{ ...item, ...more }],
      });
    const words = "<description>Words</description>";
    return forEachRow([
      [RSS, rss(`${words}<enclosure url="${url}" type="image/jpeg" length="1"/>`)],
      [RSS, rss(`${words}<media:content url="${url}?w=9" medium="image"/>`), "?w=9"],
      [
        RSS,
        rss(`${words}<media:content url="https://0.gravatar.com/avatar/a" medium="image"/>
        <media:group><media:content url="${url}"/></media:group>`),
      ],
      [RSS, rss(`${words}<media:thumbnail url="${url}"/>`)],
      [
        ATOM,
        atom(`<content>Words</content><link rel="enclosure" type="image/png" href="${url}"/>`),
      ],
      [JSON_FEED, json({ image: url })],
      [JSON_FEED, json({ attachments: [{ url, mime_type: "image/jpeg" }] })],
    ], async ([type, text, query = ""]) => {
      const { body, remarks } = await read(type, text);
      assertEquals([body, remarks], [`![](${url}${query})\n\nWords`, ""]);
    });
  });

  it("tells of files beside its text that no entry has a place for", () =>
    forEachRow([
      ["https://a.example/b.mp3", "audio/mpeg", "can't be kept: the file https://a.example/b.mp3"],
      ["https://a.example/d.png?w=2", "image/png", ""],
      ["https://a.example/e.png", "image/png", "can't be kept: the file https://a.example/e.png"],
    ], async ([url, type, expected]) => {
      const html = "&lt;img src='https://a.example/d.png'&gt;";
      const enclosure = `<enclosure url="${url}" type="${type}"/>`;
      const { remarks } = await read(RSS, rss(`<description>${html}</description>${enclosure}`));
      assertEquals(remarks, expected);
    }));

  it("of WordPress keeps paragraphs and breaks of the classic editor, and tells of its codes", () =>
    forEachRow([
      ["A <b>b</b>\n\nc\nd", "A **b**\n\nc\\\nd", ""],
      ["<h2>A</h2>\nb\n<ul>\n<li>c</li>\n</ul>\n\nd", "## A\n\nb\n\n- c\n\nd", ""],
      ["<pre>a\n\nb</pre>\nc", "```\na\n\nb\n```\n\nc", ""],
      [
        '[caption id="a" width="9"]<img src="https://a.example/b.png"> Words[/caption]',
        "![](https://a.example/b.png) Words",
        "",
      ],
      ['<b>a</b>\n\n[gallery ids="1,2"]', "**a**", "can't be kept: gallery"],
      ["<!-- wp:paragraph -->\n<p>a\nb</p>\n<!-- /wp:paragraph -->", "a b", ""],
    ], async ([content, expected, said]) => {
      const type = "<wp:status>publish</wp:status><wp:post_type>post</wp:post_type>";
      const text = rss(`${type}<content:encoded><![CDATA[${content}]]></content:encoded>`);
      const { body, remarks } = await read(RSS, text);
      assertEquals([body, remarks], [expected, said]);
    }));

  it("leads to its items, and not to what counts clicks", () =>
    forEachRow(["feedburner", "pheedo", "feedpress"], async (name) => {
      const link = "<link>https://count.example/~r/1</link>";
      const original = `<${name}:origLink>https://a.example/dark</${name}:origLink>`;
      const { url, entryId } = await read(RSS, rss(link + original));
      assertEquals([url, entryId], ["https://a.example/dark", "dark"]);
      const other = atom(`<link href="https://count.example/~r/1"/>${original}`);
      assertEquals((await read(ATOM, other)).url, "https://a.example/dark");
    }));
});

describe("HTML of a feed", () => {
  it("leads to what is embedded, which no entry can show", () =>
    forEachRow([
      [
        '<p>a</p><iframe src="https://v.example/embed/1" title="Our film"></iframe>',
        "a\n\n[Our film](https://v.example/embed/1)",
      ],
      ['<iframe src="https://v.example/1"></iframe>', "<https://v.example/1>"],
      [
        '<figure><video controls><source src="https://v.example/1.mp4"></video></figure>',
        "<https://v.example/1.mp4>",
      ],
      ['<audio src="https://v.example/1.mp3"></audio>', "<https://v.example/1.mp3>"],
      ['<iframe src="about:blank"></iframe>', ""],
    ], ([html, expected]) => {
      const { body, leftOut } = runSynchronously(htmlToMarkdown(html));
      assertEquals([body, leftOut.size], [expected, expected === "" ? 1 : 0]);
    }));

  it("loses what counts readers, marks beside headings, and empty titles", () =>
    forEachRow([
      ['<p>a<img src="https://c.example/x.gif" width="1" height="1"></p>', "a"],
      ['<p>a</p><img height="1px" width="1px" src="https://c.example/x.gif" alt="">', "a"],
      ['<p>a<img src="https://c.example/x" width="0" /></p>', "a"],
      ['<h2><a href="#a" class="headerlink">#</a>A</h2>', "## A"],
      ['<h2>A<a class="hash-link" href="#a">\u200b</a></h2>', "## A"],
      ['<h2>A <a class="headerlink" href="#a">¶</a></h2>', "## A"],
      ['<p>a <a href="#fnref:1">↩</a></p>', "a"],
      [
        '<p><img src="https://a.example/b" alt="c" title=""></p>',
        "![c](https://a.example/b)",
      ],
    ], ([html, expected]) => {
      const { body, leftOut, lost } = runSynchronously(htmlToMarkdown(html));
      assertEquals([body, leftOut.size, lost.links], [expected, 0, 0]);
    }));

  it("is not said to be lost where only its looks are", () =>
    forEachRow(["u", "small", "ins", "mark", "big"], (name) => {
      const { body, leftOut } = runSynchronously(htmlToMarkdown(`<p>a <${name}>b</${name}></p>`));
      assertEquals([body, [...leftOut]], ["a b", []]);
    }));
});
