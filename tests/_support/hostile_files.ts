/** A file for import that is as expensive as possible for some part of a reader. */
export interface HostileFile {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Fragments to repeat, one per line. `\n` stands for a line break, `·` for a space at the end. */
const HTML = String.raw`
<ul><li>
<ul><li>a
<ol><li>a</li>
<li>a
<blockquote>a
<table><tr><td>a
<tr><td>a</td></tr>
<td colspan=20>
<table>
<pre>a
<pre>a\n</pre>
<code>a</code>
<code><br>
<b>a
<i><b>a</b>·
<b> </b>
<a href=b>a</a>
<img src=b alt=c>
<span>a</span>
<p>
<p>a</p>
<div>a
<br>a
<h2>a</h2>
<h2>#
<dl><dt>a<dd>b
<script>
<x>a</x>
</b>
</x>
<!-- a -->
<!
<![CDATA[a]]>
<
<a·
<a b="
<a b="'
&amp;
&lt;b>
&nbsp;
` + "`\n" + String.raw`\
[
](
http://a·
·
\n
a
a·
- a\n
1. ·
é
<a b c="d"·
<constructor>`;

const MARKDOWN = String.raw`
- a\n
>·
> a\n
### a\n\n
a\n---\n
---\n
*a*·
**a
_
<b>a</b>
<!--
<!-- a -->\n
<a href=b>a</a>
<table>\n
<table>\n\n${"```"}\na\n${"```"}\n</table>\n
<table><tr><td>a</table>\n
<pre>\n
<br>
[
[a]
[a][b]
[a](b)
![a](b)
[![a](b)](c)
[![a](b)
[a]: b\n
[a\n
[a\n](b)
\[
&amp;
http://a·
| a | b |\n
\n
 ·\n
·
a
a\n
a  \n
\r
[a]: http://b/c\n[a]·
1.1.1·
2026-01-01\n\n
${"`"}
${"`a` "}
${"``` "}
${"```\\n"}
${"```\\na\\n```\\n"}
> ${"```\\n"}`;

const LINES = String.raw`
\r
\n
## 1.1.1\n
## 1.1.1 - 2026-01-01\n
## 1.1.1\n\n2026-01-01\n\n- a\n\n
## 1.1.1\n\n\n
## a 1.1.1\n
## 1.1 - 1.2\n
## Unreleased\na\n
1.1.1 (2026-01-01)\n\n
1.1.1\n=====\n
<h2>1.1.1</h2>\n
<h2>·
## @a/b@1.1.1-a.a (2026-01-01)\n
#·
#\n
## [1.1.1](http://a/b) - 2026-01-01 [YANKED]\n
## 1.1.1 ((((\n
1.`;

const JSON_PARTS = String.raw`
[
{
[]
{}
[]\n
{"a":
[{"tag_name":"v1"}],
{"tag_name":"1.0"}\n
"
\"
1,
[1],
{"a":1},`;

const XML_PARTS = String.raw`
<entry><id>a</id></entry>
<entry/>
<category term="é"/>
<link href="b"/>
<feed>
<item>
<item><title>a</title></item>
<category>a</category>`;

// This size is within the limit of an entry.
const SECTION_SIZE = 100_000;
const DATE = "2026-01-01T00:00:00Z";

function partsOf(text: string): readonly string[] {
  return text.split("\n").filter((part) => part !== "")
    .map((part) => part.replaceAll("\\n", "\n").replaceAll("\\r", "\r").replaceAll("·", " "));
}

function fill(part: string, size: number): string {
  return part.repeat(Math.ceil(size / part.length)).slice(0, size);
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function atom(content: string, type: string): string {
  return `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>a</id><title>a</title>` +
    `<updated>${DATE}</updated><content type="${type}">${content}</content></entry></feed>`;
}

type Write = (part: string, size: number) => Omit<HostileFile, "name">;

const jsonFeed: Write = (part, size) => {
  const item = { id: "a", content_html: fill(part, size), date_published: DATE };
  const feed = { version: "https://jsonfeed.org/version/1.1", items: [item] };
  return { type: "application/feed+json", text: JSON.stringify(feed) };
};
const atomOf = (type: string, write: (html: string) => string): Write => (part, size) => ({
  type: "application/atom+xml",
  text: atom(write(fill(part, size)), type),
});
const rss: Write = (part, size) => {
  const html = fill(part, size);
  const text = `<rss><channel><item><title><![CDATA[${html}]]></title><link>${html}`;
  return { type: "application/rss+xml", text };
};
const as = (type: string, before = ""): Write => (part, size) => ({
  type,
  text: before + fill(part, size),
});
const sections: Write = (part, size) => {
  const section = `## 1.0.0 - 2026-01-01\n\n${fill(part, SECTION_SIZE)}\n\n`;
  return { type: "text/markdown", text: `${fill(section, size)}\n[a]: http://b/` };
};
const releases = (type: string): Write => (part, size) => {
  const body = fill(part, SECTION_SIZE);
  const release = JSON.stringify({ tag_name: "v1", body, published_at: DATE });
  return { type, text: fill(`${release}\n`, size) };
};

const SHAPES: readonly (readonly [string, readonly Write[]])[] = [
  [HTML, [
    jsonFeed,
    atomOf("html", escape),
    atomOf("xhtml", (html) => html),
    atomOf("text", escape),
    rss,
  ]],
  [MARKDOWN, [
    as("text/markdown", "## 1.0.0 - 2026-01-01\n\n"),
    sections,
    releases("application/json"),
    releases("application/x-ndjson"),
  ]],
  [LINES, [as("text/markdown")]],
  [JSON_PARTS, [
    as("application/json"),
    as("application/json", "["),
    as("application/x-ndjson"),
  ]],
  [XML_PARTS, [
    as("application/atom+xml", "<feed>"),
    as("application/atom+xml", "<feed><entry>"),
    as("application/rss+xml", "<rss><channel>"),
  ]],
];

/** Yields a file of the given size for each shape. The round selects the format of each file. */
export function* hostileFiles(size: number, round = 0): Generator<HostileFile> {
  for (const [parts, writers] of SHAPES) {
    for (const [index, part] of partsOf(parts).entries()) {
      const at = (index + round) % writers.length;
      const file = writers[at](part, size);
      yield { name: `${file.type} ${at} of ${JSON.stringify(part)}`, ...file };
    }
  }
}
