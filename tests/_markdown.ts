import { assert, assertEquals } from "@std/assert";
import { HtmlRenderer, Parser } from "commonmark";
import spec from "commonmark-spec";

/** An example of the CommonMark specification. */
export interface Example {
  readonly number: number;
  readonly section: string;
  readonly markdown: string;
  readonly html: string;
}

/** What is used here of a node of the reference implementation, which has no types. */
interface ReferenceNode {
  readonly type: string;
  readonly parent: ReferenceNode | null;
  readonly sourcepos: readonly (readonly [line: number, column: number])[];
  readonly _isFenced?: boolean;
  readonly _listData?: { readonly bulletChar: string | null; readonly delimiter: string | null };
}

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

/** The examples of the specification. A tab is shown in them as an arrow. */
export const EXAMPLES: readonly Example[] = spec.tests.map((example: Example) => ({
  ...example,
  markdown: example.markdown.replaceAll("→", "\t"),
  html: example.html.replaceAll("→", "\t"),
}));

/** Asserts that HTML has the promised elements and attributes only, well nested, and safe URLs. */
export function assertFixedHtml(html: string): void {
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

/** Leaves the text alone of links and images whose URLs are refused. */
export function withoutRefusedUrls(html: string): string {
  return html
    .replace(/<a href="(?!https?:\/\/.|mailto:.)[^"]*"(?: title="[^"]*")?>(.*?)<\/a>/gis, "$1")
    .replace(/<img src="(?!https?:\/\/.)[^"]*" alt="([^"]*)"(?: title="[^"]*")? \/>/gi, "$1");
}

/**
 * Renders Markdown by the reference implementation, in which line ends in the text of an image and
 * links in links differ. `undefined` if there are any, or something outside of the subset.
 */
export function renderReference(markdown: string): string | undefined {
  const parser = new Parser();
  const document = parser.parse(markdown);
  const walker = document.walker();
  for (let event = walker.next(); event; event = walker.next()) {
    if (event.entering && isOutside(event.node)) return undefined;
  }
  if (Object.keys(parser.refmap).length > 0) return undefined;
  return withoutRefusedUrls(new HtmlRenderer().render(document));
}

function isOutside(node: ReferenceNode): boolean {
  switch (node.type) {
    case "code_block":
      return node._isFenced !== true;
    case "html_block":
    case "html_inline":
      return true;
    case "list":
      return node._listData?.bulletChar !== "-" && node._listData?.delimiter !== "period";
    case "heading":
      return node.sourcepos[0][0] !== node.sourcepos[1][0];
    case "linebreak":
      return isWithin(node, "image");
    case "link":
      return isWithin(node, "link");
    default:
      return false;
  }
}

function isWithin(node: ReferenceNode, type: string): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.type === type) return true;
  }
  return false;
}
