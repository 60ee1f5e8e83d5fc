import { assert, assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { HtmlRenderer, Parser } from "commonmark";
import spec from "commonmark-spec";
import { parseMarkdown, renderHtml } from "../model/markdown.ts";

/** What is used here of a node of the reference implementation, which has no types. */
interface ReferenceNode {
  readonly type: string;
  readonly parent: ReferenceNode | null;
  readonly sourcepos: readonly (readonly [line: number, column: number])[];
  readonly _isFenced?: boolean;
  readonly _listData?: { readonly bulletChar: string | null; readonly delimiter: string | null };
}

// Autolinks of other schemes.
const OUTSIDE = [596, 598, 599, 601];

/**
 * Compares with the reference implementation, in which line ends in the text of an image and links in
 * links differ, unless there is something outside of the subset. Returns whether it was compared.
 */
function compare(markdown: string): boolean {
  const parser = new Parser();
  const document = parser.parse(markdown);
  const walker = document.walker();
  for (let event = walker.next(); event; event = walker.next()) {
    if (event.entering && isOutside(event.node)) return false;
  }
  if (Object.keys(parser.refmap).length > 0) return false;
  // A block of code that is scrolled has to be reached by keyboard.
  const expected = withoutRefusedUrls(new HtmlRenderer().render(document))
    .replaceAll("<pre>", '<pre tabindex="0">');
  assertEquals([markdown, renderHtml(parseMarkdown(markdown))], [markdown, expected]);
  return true;
}

it("Markdown within the subset is rendered as in all examples of CommonMark's specification", () => {
  const compared = spec.tests.filter(
    ({ number, markdown }: { number: number; markdown: string }) => {
      // A tab is shown as an arrow.
      const text = markdown.replaceAll("→", "\t");
      const absolute = text.replace(/\]\((<?)\/?(?=[\w#])(?!\w+:)/g, "]($1https://a.example/");
      return !OUTSIDE.includes(number) && compare(text) && compare(absolute);
    },
  );
  assert(compared.length > 400, `only ${compared.length}`);
});

/** Leaves the text alone of links and images whose URLs are refused. */
function withoutRefusedUrls(html: string): string {
  return html
    .replace(/<a href="(?!https?:\/\/.|mailto:.)[^"]*"(?: title="[^"]*")?>(.*?)<\/a>/gis, "$1")
    .replace(/<img src="(?!https?:\/\/.)[^"]*" alt="([^"]*)"(?: title="[^"]*")? \/>/gi, "$1");
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
